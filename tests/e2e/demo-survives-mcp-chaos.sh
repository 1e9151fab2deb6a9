# scenarios/mcp_chaos: another lab refuses a wrong kernel, and ours proves it wrong;
# when it fails, hangs, or its result is silently changed, no claim is false and none is lost.
. tests/lib.sh
need jq
./run_demo.sh --scenario mcp_chaos --pace off --out "$tmp/run" >"$tmp/out" 2>&1 || fail "exit 0: $(tail -n 5 "$tmp/out")"
check "all three are proved" grep -q '^3 of 3 operators verified' "$tmp/run/summary.txt"
check "nothing is claimed falsely" jq -e '.kernelforge.silent_wrong == 0' "$tmp/run/scorecard.json"
says() { jq -se --arg s "$1" --arg op "$2" 'any(.[]; .name == "degradation" and .status == $s and .attributes.op == $op and .attributes.tool == "other_lab")' "$tmp/run/trace.jsonl"; }
check "the tool's error is an event" says tool_error rope
check "the changed result is found" says malformed rmsnorm
check "the hanging call is given up" says timeout swiglu
check "the other lab refused the wrong kernel, and ours proved it" jq -se 'any(.[]; .op == "rope" and .iteration == 1 and .state == "verified_incorrect" and .other_lab.word == "refused" and .other_lab.name == "kernelforge")' "$tmp/run/ledger.jsonl"
lacks "the tool's words claim nothing" -rqi 'disk is full' "$tmp/run/summary.txt" "$tmp/run/report.html" "$tmp/run/ledger.jsonl"
exits 0 "$BIN"/kernelforge ledger check "$tmp/run"
