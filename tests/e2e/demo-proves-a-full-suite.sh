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
ls cltext/op_*.c | sed 's/.*op_//; s/\.c$//' | sort >"$tmp/all"
check "every corruption operator fired" cmp -s "$tmp/fired" "$tmp/all"
for rule in busy unavailable overloaded nothing pause brownout cut broken; do
	check "$rule fired" grep -q "\"result\":\"fired\",\"rule\":\"$rule\"" "$tmp/run/chaos.jsonl"
done
# Operators side by side: no line of one stands under another's heading.
exits 0 "$BIN"/kf-view --beats "$tmp/beats" "$tmp/run"
jq -se 'map(select(.op != "")) | [group_by(.pane)[] | [., .[1:]] | transpose[]
    | select(.[1] and (.[0].op != .[1].op or (.[1].try > 0 and .[0].try != .[1].try))) | .[1].kind]
    | length > 40 and all(. == "asked" or . == "back")' "$tmp/beats" >"$tmp/headed" || fail "headings: $(cat "$tmp/headed")"
# The last picture has every operator, says who made wrong what is wrong, and
# that exit 0 is what the scenario expects.
"$BIN"/kf-view "$tmp/run" --explain --beat "$(wc -l <"$tmp/beats")" --width 100 --height 26 >"$tmp/end"
for op in $(jq -r '.ops[].op' "$card"); do
	check "$op is on the last picture" grep -q " $op  *\(claimed, \|no claim\)" "$tmp/end"
done
check "the model's own mistakes are no chaos" grep -q ' [1-9][0-9]* changed by chaos, [1-9] wrong as the model wrote it$' "$tmp/end"
check "exit 0 is explained" grep -q '1 not claimed, as the scenario expects (exit code 0)$' "$tmp/end"
exits 0 "$BIN"/kernelforge ledger check "$tmp/run"
exits 2 ./run_demo.sh --jobs no
