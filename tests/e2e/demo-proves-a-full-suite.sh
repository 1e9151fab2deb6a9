# The demo of full_suite: all 20 operators, every corruption operator at work
# somewhere, 19 claims that are all right, and the one that no model got right
# is not claimed.
. tests/lib.sh
need jq
./run_demo.sh --scenario full_suite --jobs 2 --out "$tmp/run" >"$tmp/out" 2>&1 || fail "exit 0: $(tail -n 5 "$tmp/out")"
card=$tmp/run/scorecard.json
check "20 operators" test "$(jq '.ops | length' "$card")" = 20
check "19 of them are claimed and right" test "$(jq -c '.kernelforge | [.claimed, .correct, .silent_wrong]' "$card")" = "[19,19,0]"
check "the baseline was deceived" test "$(jq .naive.silent_wrong "$card")" -ge 10
check "the summary says it" grep -qx '19 of 20 operators verified.' "$tmp/out"
check "what nobody got right is not claimed" grep -q '^tanh: NOT VERIFIED' "$tmp/out"
check "lines are shown in a pipe" grep -Eq '^(kernelforge|audit) +rope +13 of 20  try ' "$tmp/out"
jq -r 'select(.result == "fired" and .operator) | .operator' "$tmp/run/chaos.jsonl" | sort -u >"$tmp/fired"
sed -n 's/^\t&op_\(.*\),$/\1/p' cltext/corruption_registry.c | sort >"$tmp/all"
check "there are corruption operators" test "$(wc -l <"$tmp/all")" -gt 30
check "every corruption operator fired" cmp -s "$tmp/fired" "$tmp/all"
for rule in busy unavailable overloaded nothing pause brownout cut broken; do
	check "$rule fired" grep -q "\"result\":\"fired\",\"rule\":\"$rule\"" "$tmp/run/chaos.jsonl"
done
# Operators side by side: no line of one stands under another's heading.
exits 0 "$BIN"/kf-view --beats "$tmp/beats" "$tmp/run"
jq -se 'map(select(.op != "")) | [group_by(.pane)[] | [., .[1:]] | transpose[]
    | select(.[1] and (.[0].op != .[1].op or (.[1].try > 0 and .[0].try != .[1].try))) | .[1].kind]
    | length > 40 and all(. == "asked" or . == "back")' "$tmp/beats" >"$tmp/headed" || fail "headings: $(cat "$tmp/headed")"
# Both sides are struck alike, and what is planted is called so where it stands;
# what nobody got right has its own beat.
"$BIN"/kf-view "$tmp/run" --plain --explain --width 160 >"$tmp/told"
check "every first answer is changed alike" grep -q 'STRUCK ALIKE: 12 of the 12 first answers' "$tmp/told"
lacks "and none is said not to be" -q 'not struck alike' "$tmp/told"
for pane in naive forge; do
	check "a script's mistake is called planted ($pane)" grep -q "^$pane · not chaos: a mistake in the model's script, planted too" "$tmp/told"
done
check "in the report too" grep -q "this mistake is the script's, planted too" "$tmp/run/report.html"
lacks "names of cases are whole" -q 'float16?' "$tmp/run/report.html" "$tmp/run/scorecard.md"
lacks "what has no branch says nothing of branches" -q '0 of 0 branch' "$tmp/run/report.html"
if command -v chromium >/dev/null && [ -d tests/clients/node_modules/playwright-core ]; then
	node tests/clients/report.mjs "$tmp/run/report.html" large || fail "the cards of twenty operators in a browser"
fi
check "the refusal is told" grep -q '^forge ✗ tanh NOT VERIFIED after 3 tries: no claim$' "$tmp/told"
check "once" test "$(grep -c 'NOT VERIFIED after' "$tmp/told")" = 1
# The picture of the end has every operator, says who made wrong what is wrong, and
# that exit 0 is what the scenario expects.
"$BIN"/kf-view "$tmp/run" --explain --beat "$(grep -n '"kind":"end"' "$tmp/beats" | cut -d: -f1)" --width 100 --height 26 >"$tmp/end"
for op in $(jq -r '.ops[].op' "$card"); do
	check "$op is on the picture of the end" grep -q " $op  *\(claim \|no claim\)" "$tmp/end"
done
check "the model's own mistakes are no chaos" grep -q 'by chaos: [1-9][0-9]* of the naive agent.s; by mistakes in the models. scripts: [1-9]$' "$tmp/end"
check "exit 0 is explained" grep -q '1 not claimed, as the scenario expects (exit code 0)$' "$tmp/end"
exits 0 "$BIN"/kernelforge ledger check "$tmp/run"
exits 2 ./run_demo.sh --jobs no
