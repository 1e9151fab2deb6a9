# kernelforge run --ops A,B --base-url URL --model M --escalation N needs no
# scenario: M is asked first and N after a failure; the key comes from an env
# file and is printed nowhere; a budget that is used up ends the run cleanly.
. tests/lib.sh
need jq
kf=$BIN/kernelforge
mkdir -p "$tmp/answers/small" "$tmp/answers/large"
cp tests/data/agent/resume/*.cl "$tmp/answers/large/" 2>/dev/null || true
good=scenarios/rope_demo/answers/deepseek-v4-flash
cp $good/rope.cl "$tmp/answers/large/rope.cl"
rm -f "$tmp"/answers/large/rope.*.cl
cp $good/rmsnorm.cl "$tmp/answers/small/rmsnorm.cl"
echo 'I am sorry, I cannot help with kernels.' >"$tmp/answers/small/rope.txt"
cat >"$tmp/scenario.json" <<EOF
{"chaos": 1, "name": "live", "seed": "5",
 "proxies": {"models": {"listen": "127.0.0.1:0", "mode": "script", "answers": "$tmp/answers/"}}}
EOF
cat >"$tmp/env" <<EOF
# keys
export KERNELFORGE_API_KEY="sk-live-key-0123456789"

EOF
start chaos "$BIN"/kf-chaos --scenario "$tmp/scenario.json" --admin 127.0.0.1:0 --log "$tmp/chaos.jsonl"
url=http://$(address chaos models)/v1
run() { # CODE OUT ARGS...
	code=$1 out=$tmp/$2
	shift 2
	exits "$code" env -u TFY_GATEWAY_API_KEY -u TFY_GATEWAY_BASE_URL "$kf" run --out "$out" \
	    --base-url "$url" --model small --env-file "$tmp/env" "$@"
}
run 0 live --ops rmsnorm,rope --escalation large --no-naive --answer-tokens 4000 --first-token-s 20 --idle-s 20 --answer-s 60
check "both are verified" grep -q '^2 of 2 operators verified' "$tmp/live/summary.txt"
check "the first was asked of the model" test "$(jq -r '.ops[0].routes[0]' "$tmp/live/scorecard.json")" = 'small reason=direct'
check "the second of both" test "$(jq -c '.ops[1].routes' "$tmp/live/scorecard.json")" = '["small reason=direct","large reason=direct"]'
lacks "no escalation model is spoken of without a gateway" -q 'escalation model' "$tmp/err"
check "prose is called so" grep -q '"class":"parse"' "$tmp/live/ledger.jsonl"
lacks "the key is nowhere" -rq sk-live-key "$tmp/live" "$tmp/out" "$tmp/err"
check "a seed was drawn" sh -c "jq -r .seed $tmp/live/run.json | grep -Eq '^[0-9a-f]{64}$'"
check "where it is is told" grep -q '2 of 2  try 1' "$tmp/err"
check "nothing is judged that nobody stated" test "$(jq -c .expectations "$tmp/live/run.json")" = '[]'
exits 0 "$kf" ledger check "$tmp/live"

# The view tells of no proxy that was not there: neither in words nor in marks,
# when all goes well, and when a kernel is wrong.
mkdir "$tmp/answers/wrong"
exits 0 "$kf" mutants $good/rope.cl --apply rope_interleaved --site 0
cp "$tmp/out" "$tmp/answers/wrong/rope.cl"
exits 1 env -u TFY_GATEWAY_API_KEY "$kf" run --out "$tmp/wrong" --base-url "$url" --model wrong --ops rope
for shown in live wrong; do
	for how in "--plain --explain" "--explain --cast -" "--explain --beat 3"; do
		exits 0 "$BIN"/kf-view "$tmp/$shown" $how
		lacks "no chaos is invented ($shown, $how)" -qi 'chaos\|gateway' "$tmp/out"
	done
done
"$BIN"/kf-view "$tmp/wrong" --explain >"$tmp/told"
check "a wrong kernel is caught" grep -q '^forge » Caught: no claim is made.$' "$tmp/told"

# Holdouts are counted as the ledger counts them: the cases of whole numbers
# beside them are none.
cp scenarios/full_suite/answers/deepseek-v4-flash/relu.cl "$tmp/answers/small/"
run 0 exact --ops relu --no-naive
holdouts=$(jq -r 'select(.state == "verified_correct").holdouts' "$tmp/exact/ledger.jsonl")
check "the record lists more than the holdouts" [ "$(jq '.judged.cases | length' "$tmp/exact/kernels/relu/1.json")" -gt $((holdouts + 1)) ]
exits 0 "$BIN"/kf-view "$tmp/exact" --plain
check "the view counts $holdouts" grep -q "▪ gate: $holdouts/$holdouts hidden holdouts passed" "$tmp/out"

# Without the larger model rope is not verified: exit 1, and said.
run 1 small --ops rope --no-naive
check "it is not verified" grep -q '^rope: NOT VERIFIED, its answer held no kernel' "$tmp/small/summary.txt"

# One token is a budget that the first answer uses up, where it tells any.
run 1 budget --ops rmsnorm,rope --no-naive --max-tokens 1
check "the budget is told" grep -q 'the budget of 1 tokens is used up' "$tmp/err"
check "and traced" grep -q '"status":"budget"' "$tmp/budget/trace.jsonl"
exits 0 "$kf" ledger check "$tmp/budget"
run 1 budget --resume --max-tokens 1000000
check "a resumed run may have another budget" grep -q '^1 of 2 operators verified' "$tmp/budget/summary.txt"
exits 2 "$kf" run --ops rope,nosuch --out "$tmp/x" --base-url "$url" --model small
mv "$tmp/env" "$tmp/good-env"
echo 'sk-live-key-0123456789' >"$tmp/env"
run 2 bad --ops rope
lacks "a bad env file's text is not shown" -q sk-live "$tmp/err"
mv "$tmp/good-env" "$tmp/env"

# A busy network before the provider: scenarios/live.json, on a free port.
jq '.proxies.front.listen = "127.0.0.1:0"' scenarios/live.json >"$tmp/weather.json"
start weather "$BIN"/kf-chaos --scenario "$tmp/weather.json" --admin 127.0.0.1:0 --log "$tmp/weather.jsonl" \
    --upstream "gateway=$(address chaos models)"
url=http://$(address weather front)/v1
run 0 weather --ops rmsnorm --no-naive --seed 5
check "it is verified in any weather" grep -q '^1 of 1 operators verified' "$tmp/weather/summary.txt"
check "the weather was there" grep -q '"rule":"realistic.ttft"' "$tmp/weather.jsonl"
