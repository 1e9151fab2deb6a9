# A kernel is timed only after its verdict; sizes, floors and speed-ups are
# complete, one size is held out; a run with --bench records perf_measured and
# keeps its fingerprint; bad sizes are refused.
. tests/lib.sh
need jq
kf=$BIN/kernelforge
holds() { jq -e "$@" >/dev/null; }

exits 1 "$kf" bench swiglu tests/corpus/bad/swiglu_float_pointer.cl
check "it says why" grep -q 'verified_incorrect: not timed' "$tmp/err"
check "no figure is shown" test ! -s "$tmp/out"

exits 0 "$kf" bench silu --size rows=64,cols=64 --json
cp "$tmp/out" "$tmp/silu.json"
check "one size, both kernels, enough samples" holds '.op == "silu" and
    .verdict == "verified_correct" and (.sizes | length) == 1 and
    (.sizes[0] | .shape == "64x64" and .plain.samples >= 20 and
    .candidate.samples >= 20 and .bytes == 32768 and .floor_ms > 0 and
    .candidate.q1_ms <= .candidate.median_ms and
    .candidate.median_ms <= .candidate.q3_ms)' "$tmp/silu.json"
check "the machine was measured" holds '.machine | .read_gbs > 0 and
    .triad_gbs > 0 and .peak_gflops > 0 and .cache_bytes > 0' "$tmp/silu.json"
exits 0 "$kf" bench relu tests/corpus/good/relu_four.cl --size rows=64,cols=64
check "people get a table" grep -q 'Roofline' "$tmp/out"

for size in rows=1 rows=1,cols=0 rows=1,cols=x rows=1,rows=2,cols=1 \
    rows=1,cols=1,depth=1 rows=1048576,cols=1048576 x_stride=3 = ,; do
	exits 2 "$kf" bench silu --size "$size"
	check "$size is explained" grep -q -- '--size: ' "$tmp/err"
done
exits 2 "$kf" bench nosuch
exits 2 "$kf" bench silu "$tmp/nosuch.cl"

mkdir "$tmp/answers"
cp tests/corpus/good/relu_four.cl "$tmp/answers/relu.cl"
cat >"$tmp/scenario.json" <<EOF
{"chaos": 1, "name": "bench", "seed": "5",
 "proxies": {"models": {"listen": "127.0.0.1:0", "mode": "script", "answers": "$tmp/answers/"}},
 "agent": {"ops": ["relu"], "profile": "demo", "deadline_ms": 1200, "naive": false}}
EOF
start chaos "$BIN"/kf-chaos --scenario "$tmp/scenario.json" --admin 127.0.0.1:0 --log "$tmp/chaos.jsonl"
url=http://$(address chaos models)
exits 0 "$kf" run --scenario "$tmp/scenario.json" --gateway "$url" --out "$tmp/plain"
exits 0 "$kf" run --scenario "$tmp/scenario.json" --gateway "$url" --out "$tmp/timed" --bench
check "without --bench nothing is timed" holds '.ops[0].speedups == [] and .speed == null' "$tmp/plain/scorecard.json"
check "with it every size is" holds '.ops[0] | .state == "perf_measured" and
    (.speedups | length) == 4 and (.speedups | map(select(.held_out)) | length) == 1' "$tmp/timed/scorecard.json"
check "the run has its speed" holds '.speed | .measured == 1 and .geometric_mean > 0' "$tmp/timed/scorecard.json"
check "the ledger holds" "$kf" ledger check "$tmp/timed/ledger.jsonl" >/dev/null
check "time does not decide the fingerprint" test \
    "$(jq -r .fingerprint "$tmp/plain/run.json")" = "$(jq -r .fingerprint "$tmp/timed/run.json")"
