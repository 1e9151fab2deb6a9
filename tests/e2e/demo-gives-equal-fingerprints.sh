# The demo of rope_demo, run twice, gives equal fingerprints and run hashes.
. tests/lib.sh
./run_demo.sh --repeat 2 --out "$tmp/runs" >"$tmp/out" 2>&1 || fail "exit 0: $(tail -n 5 "$tmp/out")"
check "the runs are equal" grep -q '^all 2 runs are equal' "$tmp/out"
check "fingerprints are there" grep -Eq 'fingerprint [0-9a-f]{64} ' "$tmp/out"
check "run hashes are there" grep -Eq 'chaos run hash [0-9a-f]{64}$' "$tmp/out"
for file in run.json ledger.jsonl naive.jsonl trace.jsonl chaos.jsonl \
    gateway.jsonl scorecard.json scorecard.md summary.txt report.html; do
	check "the run directory is whole" test -s "$tmp/runs/1/$file"
done
"$BIN"/kernelforge ledger check "$tmp/runs/1/ledger.jsonl" >/dev/null || fail "the ledger's chain holds"
"$BIN"/kf-chaos verify "$tmp/runs/1/chaos.jsonl" >/dev/null || fail "the chaos log's chain holds"
