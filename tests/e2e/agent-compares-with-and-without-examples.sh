# The A/B of the few-shot library comes to its end on a scripted model that errs
# unless it was shown examples: paired table, exact test, effect with interval;
# and nothing is compared that does not hold.
. tests/lib.sh
need jq
kf=$BIN/kernelforge
cat >"$tmp/scenario.json" <<EOF
{"chaos": 1, "name": "taught", "seed": "1", "identity": {"key": ["header:x-session-id"]},
 "proxies": {"models": {"listen": "127.0.0.1:0", "mode": "script", "answers": "$PWD/scenarios/full_suite/answers/"}},
 "rules": [
  {"id": "taught", "match": {"body": "*Example of a mistake*"}, "when": {"always": true}, "fault": {"type": "llm_usage", "how": "missing"}},
  {"id": "errs", "match": {"model": "deepseek-v4-flash"}, "when": {"always": true}, "fault": {"type": "kernel_corrupt", "operator": "half_store"}}],
 "agent": {"ops": ["exp", "sqrt", "log"], "profile": "demo", "escalation": "deepseek-coder", "deadline_ms": 10000}}
EOF
start chaos "$BIN"/kf-chaos --scenario "$tmp/scenario.json" --admin 127.0.0.1:0 --log "$tmp/chaos.jsonl"
url=http://$(address chaos models)
run() { # OUT ARGS...
	out=$1
	shift
	exits 0 "$@" "$kf" run --scenario "$tmp/scenario.json" --gateway "$url" --no-naive --out "$out" --seed "${out##*/}"
}
run "$tmp/a/1" env
run "$tmp/a/2" env
run "$tmp/b/1" env KERNELFORGE_FEWSHOT=1
exits 0 "$kf" run --scenario "$tmp/scenario.json" --gateway "$url" --no-naive --out "$tmp/b/2" --seed 2 --fewshot
asked() { jq -r '.asked[1].content' "$1/kernels/exp/1.json"; }
check "examples are shown" eval 'asked "$tmp/b/2" | grep -q "Example of a mistake"'
check "and not unasked" eval '! asked "$tmp/a/2" | grep -q "Example of a mistake"'
check "the run says so" test "$(jq .plan.agent.fewshot "$tmp/b/1/run.json")" = true

exits 0 "$kf" compare "$tmp/a" "$tmp/b" --json
cp "$tmp/out" "$tmp/ab.json"
value() { jq -c "$1" "$tmp/ab.json"; }
check "three operators, two seeds" test "$(value '.pairs | length')" = 6
check "verified in both" test "$(value '.verified | [.both, .only_a, .only_b, .neither, .p]' | tr -d .0)" = '[6,,,,1]'
check "at the first try with examples alone" test "$(value '.first_try | [.only_a, .only_b, .gain == 1, .p == 0.03125, .interval[0] > 0]')" = '[0,6,true,true,true]'
exits 0 "$kf" compare "$tmp/a/1" "$tmp/b/1"
lacks "no word of a baseline that nobody asked" -q baseline "$tmp/out"
check "a table of pairs" grep -q 'sqrt .* only B' "$tmp/out"
check "and of sums" grep -q '+1.00 (' "$tmp/out"
exits 2 "$kf" compare "$tmp/a" "$tmp/b/1"
exits 2 "$kf" compare "$tmp/a" "$tmp/none"
exits 2 "$kf" compare "$tmp/a"
sed -i 's/"state":"verified_correct"/"state":"abandoned"/' "$tmp/a/1/ledger.jsonl"
exits 1 "$kf" compare "$tmp/a" "$tmp/b"
check "what does not hold is not compared" grep -q 'a/1: does not hold' "$tmp/err"
