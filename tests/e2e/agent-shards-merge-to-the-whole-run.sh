# Shards of a run are disjoint and together the whole; their merged scorecard is
# the whole run's; nothing is merged or exported that does not hold, and what is
# exported is what the ledger proves.
. tests/lib.sh
need jq
kf=$BIN/kernelforge
cat >"$tmp/scenario.json" <<EOF
{"chaos": 1, "name": "shards", "seed": "5",
 "proxies": {"models": {"listen": "127.0.0.1:0", "mode": "script", "answers": "$PWD/scenarios/full_suite/answers/"}},
 "agent": {"ops": ["exp", "matmul", "abs"], "profile": "demo", "escalation": "deepseek-coder", "deadline_ms": 10000},
 "expect": {"verified": ["exp", "matmul", "abs"], "false_claims": 0, "naive_silent_wrong": 0}}
EOF
start chaos "$BIN"/kf-chaos --scenario "$tmp/scenario.json" --admin 127.0.0.1:0 --log "$tmp/chaos.jsonl"
url=http://$(address chaos models)
exits 0 "$kf" run --scenario "$tmp/scenario.json" --gateway "$url" --out "$tmp/whole"
for i in 1 2; do
	exits 0 "$kf" run --scenario "$tmp/scenario.json" --gateway "$url" --out "$tmp/s$i" --shard "$i/2"
done
ops() { jq -c .ops "$1/run.json"; }
check "the first shard" test "$(ops "$tmp/s1")" = '["exp","abs"]'
check "the second shard" test "$(ops "$tmp/s2")" = '["matmul"]'
mkdir "$tmp/merged"
exits 0 "$kf" merge "$tmp/s1" "$tmp/s2" --out "$tmp/merged"
check "it is told" grep -qx '3 of 3 operators verified.' "$tmp/out"
card() { jq -Sc '.ops |= sort_by(.op)' "$1/scorecard.json"; }
check "merged is whole" test "$(card "$tmp/merged")" = "$(card "$tmp/whole")"
check "nothing else is said of shards of one run" test ! -s "$tmp/err"
# What is no shard of the same run, and what ended before its time.
exits 0 "$kf" run --op relu --seed 6 --no-naive --gateway "$url" --out "$tmp/other"
exits 1 "$kf" merge "$tmp/s1" "$tmp/other"
check "a shard that is not there is told ($(cat "$tmp/err"))" grep -q 'merge: shard 2/2 is not among them' "$tmp/err"
exits 1 "$kf" merge "$tmp/s2"
check "whichever it is" grep -q 'merge: shard 1/2 is not among them' "$tmp/err"
exits 0 "$kf" merge "$tmp/other"
check "a run that is no shard lacks none" test ! -s "$tmp/err"
exits 1 "$kf" merge "$tmp/s1" "$tmp/other"
for key in scenario seed; do
	check "another $key is told" grep -q "warn merge: $tmp/other: its $key is not the one of $tmp/s1" "$tmp/err"
done
exits 3 "$kf" run --op silu --seed 5 --no-naive --base-url http://127.0.0.1:9 --out "$tmp/down"
exits 1 "$kf" merge "$tmp/s1" "$tmp/down"
check "an early end is told" grep -q "merge: $tmp/down: the run ended before its time: no model could be asked any more" "$tmp/err"
check "beside the table" grep -qx '2 of 3 operators verified.' "$tmp/out"
exits 1 "$kf" merge "$tmp/s1" "$tmp/whole"
check "who has an operator twice is named" grep -q 'has exp, which .*s1 has as well' "$tmp/err"
exits 2 "$kf" merge "$tmp/none"
for bad in 0/2 3/2 2 1/2/3 x/y -1/2 4/4 ''; do
	exits 2 "$kf" run --scenario "$tmp/scenario.json" --gateway "$url" --out "$tmp/no" --shard "$bad"
done
exits 2 "$kf" run --resume --gateway "$url" --out "$tmp/s1" --shard 2/2
exits 0 "$kf" run --resume --gateway "$url" --out "$tmp/s1"

# matmul: the primary's kernel does not compile, the escalation's is right.
exits 0 "$kf" export "$tmp/s1" "$tmp/s2" --licence MIT
cp "$tmp/out" "$tmp/lines"
check "a line an attempt" test "$(jq -r '"\(.op) \(.iteration) \(.state)"' "$tmp/lines" | tr '\n' ',')" = \
    'exp 1 verified_correct,abs 1 verified_correct,matmul 1 abandoned,matmul 2 verified_correct,'
check "models and licences are named" test "$(jq -c '[.model, .licence]' "$tmp/lines" | tail -n 1)" = '["deepseek-coder","MIT"]'
check "the next answer stands beside a refused one" \
    test "$(jq -r 'select(.op == "matmul" and .iteration == 1).next_answer' "$tmp/lines")" = "$(jq -r 'select(.op == "matmul" and .iteration == 2).answer' "$tmp/lines")"
check "with the feedback" \
    test "$(jq -c 'select(.op == "matmul" and .iteration == 1) | [.class, (.feedback | length)]' "$tmp/lines")" = '["compile_error",2]'
exits 0 "$kf" export --pairs "$tmp/s1" "$tmp/s2"
check "one pair" test "$(jq -c '[.op, .rejected_class, .chosen_model, .rejected_model, .corrupted]' "$tmp/out")" = \
    '["matmul","compile_error","deepseek-coder","deepseek-v4-flash",false]'
exits 2 "$kf" export "$tmp/s1" --format csv
printf '{}' >"$tmp/s2/kernels/matmul/1.json"
for command in merge export; do
	exits 1 "$kf" $command "$tmp/s2"
	check "$command refuses what does not hold" grep -q 's2: does not hold' "$tmp/err"
	check "$command gives nothing of it" test ! -s "$tmp/out"
done
