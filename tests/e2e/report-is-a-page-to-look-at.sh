# report.html says what happened, to eyes, keyboards and screen readers, in a
# real browser; of files that were edited it says so above everything else.
. tests/lib.sh
need node
need jq
need_npm_clients
need chromium
[ -d tests/clients/node_modules/playwright-core ] || { echo "no playwright-core here"; exit 77; }
./run_demo.sh --out "$tmp/run" >"$tmp/out" 2>&1 || fail "the demo runs: $(tail -n 5 "$tmp/out")"
node tests/clients/report.mjs "$tmp/run/report.html" good ${SHOTS:+"$SHOTS"} || fail "a good run's page"

# One character of a line that was written, and a line that is gone.
cp -r "$tmp/run" "$tmp/edited"
sed -i '2s/smoke/smok3/;2s/generated/generat3d/' "$tmp/edited/ledger.jsonl"
"$BIN"/kernelforge report "$tmp/edited" >/dev/null 2>&1 || true
node tests/clients/report.mjs "$tmp/edited/report.html" broken || fail "an edited ledger's page"
cp -r "$tmp/run" "$tmp/cut"
sed -i '1d' "$tmp/cut/chaos.jsonl"
"$BIN"/kernelforge report "$tmp/cut" >/dev/null 2>&1 || true
node tests/clients/report.mjs "$tmp/cut/report.html" broken || fail "a cut chaos log's page"

# A model's own doubts, as text; figures of a record that somebody edited.
cp -r "$tmp/run" "$tmp/doubts"
record=$tmp/doubts/kernels/rope/1.json
jq '.assumptions = ["positions fit in <b>32</b> bits", 7, "rows are dense"]
    | (.judged.cases[] | select(.passed == false) | .errors) |= {exact: -5, to_1: "x", more: 1e300, not_finite: 1e308}' \
    "$record" >"$tmp/edited.json" && mv "$tmp/edited.json" "$record"
"$BIN"/kernelforge report "$tmp/doubts" >/dev/null 2>&1 || true
grep -q 'the model assumed: .*&lt;b&gt;32&lt;/b&gt; bits.*rows are dense' "$tmp/doubts/report.html" ||
    fail "assumptions are shown, as text"
node tests/clients/report.mjs "$tmp/doubts/report.html" broken || fail "a page of an edited record"
