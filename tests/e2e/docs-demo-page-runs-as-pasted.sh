# The newcomer's page on the demo runs as it is pasted, from a clean copy of the
# tree, in its order: what takes minutes there is left out by the test of all
# other pages.
. tests/lib.sh
need git
bin=$(cd "$BIN" && pwd)
mkdir "$tmp/tree"
git ls-files -z --cached --others --exclude-standard | tar -c --null -T - --ignore-failed-read 2>/dev/null | tar -x -C "$tmp/tree"
ln -s "$bin" "$tmp/tree/build"
awk '/^```sh( slow)?$/ { run = 1; next } /^```/ { run = 0 } run' docs/demo.md >"$tmp/script"
check "the show, its check, and the show again" [ "$(grep -cE '^(./run_demo.sh|build/)' "$tmp/script")" -ge 3 ]
# Programs that are there are taken: setting up has tests of its own.
(cd "$tmp/tree" && BIN=$bin sh -eu "$tmp/script") >"$tmp/said" 2>&1 || fail "it runs: $(tail -n 20 "$tmp/said")"
check "the story is told twice" [ "$(grep -c 'rope verified, and claimed' "$tmp/said")" = 2 ]
check "and the run was checked" grep -q 'the chain holds and is closed' "$tmp/said"
check "with the page that the text names" [ -s "$tmp/tree/runs/first/report.html" ]
