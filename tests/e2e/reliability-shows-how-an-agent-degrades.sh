# A scenario run with its faults scaled, whole and without a defence: numbers and
# a picture; without faults all agents are equal, with them KernelForge makes no
# false claim, and runs that nothing struck are counted apart.
. tests/lib.sh
need jq
kf=$BIN/kernelforge
# Draws depend on the scenario's text: no path of this machine in it.
ln -s "$PWD/scenarios/full_suite/answers" "$tmp/answers"
jq --arg answers "answers/" '.agent.ops = ["exp"] | .proxies.models.answers = $answers
    | .rules |= map(select(.id == "lie" or .id == "cut") | .when.p = (if .id == "lie" then 0.5 else 0.05 end))' \
    scenarios/reliability/scenario.json >"$tmp/one.json"
out=$tmp/study
exits 0 "$kf" reliability --scenario "$tmp/one.json" --gateway-config scenarios/reliability/gateway.yaml \
    --out "$out" --factors 0,2 --without retry
json=$out/reliability.json
value() { jq -r "$1" "$json"; }
check "five agents" test "$(value '.agents | keys | join(",")')" = "kernelforge,naive,without holdouts,without retry"
check "two points each" test "$(value '[.agents[] | length] | unique == [2]')" = true
check "without faults all is right" test "$(value '[.agents[][0].success] | unique == [1]')" = true
check "nothing struck there" test "$(value '[.agents[][0] | .fired == 0 and .struck.runs == 0 and .unstruck.runs == 1] | all')" = true
check "something struck at the other end" test "$(value '.agents.kernelforge[1] | .fired > 0 and .struck.runs == 1')" = true
check "each kernel is a lie there: no claim holds, and KernelForge makes none" \
    test "$(value '[.agents.naive[1].false_claims, .agents["without holdouts"][1].false_claims, .agents.kernelforge[1].false_claims] == [1, 1, 0]')" = true
check "one call goes on as one where nothing is lost" test "$(value '.agents.kernelforge[0].amplification == 1')" = true
check "pass^k has a value a run" test "$(value '.agents.naive[0].pass_k | length')" = 1
check "the picture is there" grep -q '</svg>' "$out/reliability.svg"
check "it names who has a line" grep -q 'without the agent.s retries' "$out/reliability.svg"
check "and nobody else" test "$(grep -c 'without the agent.s breaker' "$out/reliability.svg")" = 0
for dir in "$out"/whole/0.00/1 "$out"/whole/2.00/1 "$out"/retry/2.00/1; do
	exits 0 "$kf" report "$dir"
done
check "what was left out is told" test "$(jq -c .arguments.without "$out/retry/2.00/1/run.json")" = '["retry"]'
exits 2 "$kf" reliability --scenario "$tmp/one.json" --out "$out" --gateway-config scenarios/gateway.yaml
check "a folder that is there is left alone" grep -q 'give another --out' "$tmp/err"
for bad in '--factors 1,0.5' '--factors x' '--factors -1' '--without holdouts' '--without retry,retry' '--runs 0'; do
	# shellcheck disable=SC2086
	exits 2 "$kf" reliability --scenario "$tmp/one.json" --out "$tmp/no" --gateway-config scenarios/gateway.yaml $bad
done
exits 2 "$kf" run --scenario "$tmp/one.json" --gateway http://127.0.0.1:1 --out "$tmp/no" --without holdouts
exits 2 "$kf" reliability --scenario "$tmp/none.json" --out "$tmp/no"
