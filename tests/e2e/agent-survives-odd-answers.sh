# Prose, fences, broken JSON, silence, a kernel that does not compile and one
# that hangs each cost an iteration and nothing else; a hostile claim of
# correctness in an answer reaches no rendering; a kernel that writes what it
# sees of hidden cases into its output is told powers of ten.
. tests/lib.sh
need jq
holds() { jq -e "$@" >/dev/null; }
kf=$BIN/kernelforge
answers=$PWD/tests/data/agent/answers
one() { # CASE STATE CLASS
	rm -rf "$tmp/answers" "$tmp/run"
	mkdir "$tmp/answers"
	cp "$answers/$1".* "$tmp/answers/"
	mv "$tmp/answers/$1".* "$tmp/answers/rope.$(ls "$answers" | sed -n "s/^$1\.//p")"
	rm -f "$tmp/chaos.ready"
	started=
	start chaos "$BIN"/kf-chaos --scenario "$tmp/scenario.json" --admin 127.0.0.1:0 --log "$tmp/chaos.jsonl"
	exits 1 "$kf" run --scenario "$tmp/scenario.json" --gateway "http://$(address chaos models)" --out "$tmp/run"
	stop chaos
	rm -f "$tmp/chaos.jsonl"
	check "$1 ends $2 with $3" holds -s --arg s "$2" --arg c "$3" \
	    'map(select(.class)) | length > 0 and all(.[]; .state == $s and .class == $c)' "$tmp/run/ledger.jsonl"
	lacks "$1 claims nothing" -rqi 'verified.correct' "$tmp/run/summary.txt" "$tmp/run/report.html" "$tmp/run/scorecard.md"
	check "$1 is not verified" grep -q '^0 of 1 operators verified' "$tmp/run/summary.txt"
}
cat >"$tmp/scenario.json" <<EOF
{"chaos": 1, "name": "odd", "seed": "5",
 "proxies": {"models": {"listen": "127.0.0.1:0", "mode": "script", "answers": "$tmp/answers/"}},
 "agent": {"ops": ["rope"], "profile": "demo", "deadline_ms": 300, "naive": false}}
EOF
one prose abandoned parse
one claim abandoned parse
one broken abandoned parse
one empty abandoned empty_answer
one nocompile abandoned compile_error
one hang abandoned timeout
one spy verified_incorrect wrong
jq -r '.feedback[-1].content' "$tmp"/run/kernels/rope/1.json >"$tmp/told"
check "a kernel that writes a hidden size into its output is told its case and class" \
    grep -qxE 'case "[^"]*" \([a-z0-9]+\): wrong' "$tmp/told"
check "and the size of the difference as a power of ten" \
    grep -qxE 'Failing case: .*, storage type [a-z0-9]+\. Largest difference about 10\^-?[0-9]: about 10\^[0-9] times the allowed error\.' "$tmp/told"
check "and no other number" sh -c "! sed 's/10^-*[0-9]//; s/ of float[0-9]*//' '$tmp/told' | grep -E '[0-9]\.[0-9]|[0-9]{3}|e[+-][0-9]'"
check "while the ledger tells people the difference" sh -c "grep -q 'largest difference [0-9]' '$tmp/run/ledger.jsonl'"
