# The newcomer's page on the demo runs as it is pasted, from a clean copy of the
# tree, in its order, and with its run what demo/README.md shows of recording:
# what takes minutes there is left out by the test of all other pages.
. tests/lib.sh
need git
bin=$(cd "$BIN" && pwd)
mkdir "$tmp/tree"
git ls-files -z --cached --others --exclude-standard | tar -c --null -T - --ignore-failed-read 2>/dev/null | tar -x -C "$tmp/tree"
ln -s "$bin" "$tmp/tree/build"
awk '/^```sh( slow)?$/ { run = 1; next } /^```/ { run = 0 } run' docs/demo.md >"$tmp/script"
check "the show, its check, and the show again" [ "$(grep -cE '^(./run_demo.sh|build/)' "$tmp/script")" -ge 3 ]
check "and the three programs by hand" [ "$(grep -c '^build/k.*--scenario\|^build/kf-gateway' "$tmp/script")" = 3 ]
# Programs that are there are taken: setting up has tests of its own.
(cd "$tmp/tree" && BIN=$bin bash -eu "$tmp/script") >"$tmp/said" 2>&1 || fail "it runs: $(tail -n 20 "$tmp/said")"
check "the story is told twice" [ "$(grep -c 'rope verified, and claimed' "$tmp/said")" = 2 ]
check "and the run was checked" grep -q 'the chain holds and is closed' "$tmp/said"
check "with the page that the text names" [ -s "$tmp/tree/runs/first/report.html" ]
fingerprint() { python3 -c 'import json, sys; print(json.load(open(sys.argv[1]))["fingerprint"])' "$tmp/tree/runs/$1/run.json"; }
check "by hand it is the same run" [ "$(fingerprint hand)" = "$(fingerprint first)" ]

# Recorded: the run is there, and its folder and the files' are ours.
awk '/^```sh slow$/ { text = ""; next } /^```/ { if (text ~ /record\.sh|--beat/) printf "%s", text; text = ""; next } { text = text $0 "\n" }' demo/README.md |
    sed '/^\.\/run_demo\.sh --out \/tmp\/run /d; s#/tmp/run#runs/first#; s#/tmp/rec#rec#' >"$tmp/script"
check "a recording, and three parts of it by hand" [ "$(grep -c 'runs/first' "$tmp/script")" = 4 ]
command -v tmux >/dev/null || sed -i 's/^sh demo.record.sh/& --no-terminal/' "$tmp/script"
(cd "$tmp/tree" && BIN=$bin sh -eu "$tmp/script") >"$tmp/said" 2>&1 || fail "it is recorded: $(tail -n 20 "$tmp/said")"
for file in rec/demo.cast rec/demo.svg rec/lie.svg rec/caught.svg rec/beats.jsonl demo.cast still.svg; do
	check "there is $file" [ -s "$tmp/tree/$file" ]
done
