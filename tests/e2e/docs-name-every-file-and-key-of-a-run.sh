# docs/run-directory.md names every file and every JSON key of a run, and no
# name on it is one that nobody writes.
. tests/lib.sh
need node
demo_run "$tmp/run"
page=docs/run-directory.md
node tests/clients/run-keys.mjs $page "$tmp/run" >"$tmp/told" || fail "$(cat "$tmp/told")"

# The check itself sees a key and a file that are not named, and a name of nothing.
sed 's/`request_id`/`request_number`/; s/`summary.txt`/`summary.md`/; s/`cases\[\].worst`/`cases[].wurst`/' $page >"$tmp/page.md"
rc=0; node tests/clients/run-keys.mjs "$tmp/page.md" "$tmp/run" >"$tmp/told" || rc=$?
[ $rc = 1 ] || fail "a page with mistakes is refused"
for what in 'a run has "request_id"' 'names "request_number"' 'a run has "summary.txt"' 'a run has "cases\[\].worst"' 'names "cases\[\].wurst"'; do
	grep -q "$what" "$tmp/told" || fail "it says: $what ($(cat "$tmp/told"))"
done
