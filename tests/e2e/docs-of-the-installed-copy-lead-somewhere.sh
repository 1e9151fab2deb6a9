# The pages that make install brings stand alone: every link and picture leads
# to a file that was installed, and to a heading of it, and what they tell to
# type is there, by the name that they call it.
. tests/lib.sh
root=$tmp/root
make -s O="$BIN" DESTDIR="$root" PREFIX=/usr install >"$tmp/out" 2>&1 || fail "install: $(tail -n 5 "$tmp/out")"
docs=$root/usr/share/doc/kernelforge

anchors() { # PAGE
	awk '/^ *```/ { code = !code } !code && sub(/^#+ +/, "")' "$1" |
	    tr 'A-Z ' 'a-z-' | tr -cd 'a-z0-9_\n-'
}
find "$docs" -name '*.md' | while read -r page; do
	awk '/^ *```/ { code = !code; next } !code' "$page" | grep -oE '\]\([^) ]+' | sed "s|^](|$page |" || :
done >"$tmp/links"
check "pages have links" test "$(wc -l <"$tmp/links")" -gt 200
bad=0
while read -r page target; do
	case $target in
	http://* | https://* | mailto:*) continue ;;
	\#*) file=$page ;;
	*) file=$(dirname "$page")/${target%%#*} ;;
	esac
	[ -e "$file" ] || { echo "${page#"$docs"/}: no file $target" >&2; bad=1; continue; }
	case $target in
	*\#*) anchors "$file" | grep -qx -- "${target#*#}" ||
	    { echo "${page#"$docs"/}: no heading $target" >&2; bad=1; } ;;
	esac
done <"$tmp/links"
check "every link leads somewhere" [ $bad = 0 ]
check "pictures among them" test -s "$docs/docs/demo/demo.svg"

lacks "programs are called as they are installed" -rnE 'build/(kernelforge|kf-)' "$docs" --include='*.md' --include='*.sh' --include='*.py' --include='*.mjs'
grep -rohE --include='*.md' '/usr/share/(doc/)?kernelforge/[A-Za-z0-9_./-]*' "$docs" | sort -u >"$tmp/named"
check "installed files are named" test "$(wc -l <"$tmp/named")" -gt 5
while read -r file; do
	case $file in *NAME* | *OP*) continue ;; esac
	[ -e "$root${file%.}" ] || { echo "no file $file" >&2; bad=1; }
done <"$tmp/named"
check "and are there" [ $bad = 0 ]
for page in README.md docs/ledger.md; do
	check "$page says which copy it is" grep -q 'This is the installed copy' "$docs/$page"
done

# Once more over the same: nothing is doubled, nothing is left over.
cp -r "$docs" "$tmp/first"
make -s O="$BIN" DESTDIR="$root" PREFIX=/usr install >"$tmp/out" 2>&1 || fail "install again: $(tail -n 5 "$tmp/out")"
check "the same once more" diff -r "$tmp/first" "$docs"
