# A run that is cut after any line of its ledger, also in the middle of one,
# is resumed to the same fingerprint; no answer is asked for twice; a ledger
# that was edited is refused.
. tests/lib.sh
need jq
need python3
holds() { jq -e "$@" >/dev/null; }
kf=$BIN/kernelforge
cat >"$tmp/scenario.json" <<EOF
{"chaos": 1, "name": "resume", "seed": "5",
 "proxies": {"models": {"listen": "127.0.0.1:0", "mode": "script", "answers": "$PWD/tests/data/agent/resume/"}},
 "agent": {"ops": ["rope"], "profile": "demo", "deadline_ms": 1200}}
EOF
start chaos "$BIN"/kf-chaos --scenario "$tmp/scenario.json" --admin 127.0.0.1:0 --log "$tmp/chaos.jsonl"
url=http://$(address chaos models)
run() { exits "$1" "$kf" run --scenario "$tmp/scenario.json" --gateway "$url" --out "$2" ${3:+"$3"}; }

run 0 "$tmp/whole"
print=$(jq -r .fingerprint "$tmp/whole/run.json")
lines=$(wc -l <"$tmp/whole/ledger.jsonl")
check "a first try fails, a second is good, and a line closes it" test "$lines" = 11

n=0
while [ "$n" -lt "$lines" ]; do
	as_killed "$tmp/whole" "$tmp/cut$n" "$n"
	# Half of the next line, as a crash leaves it.
	sed -n "$((n + 1))p" "$tmp/whole/ledger.jsonl" | head -c 40 >>"$tmp/cut$n/ledger.jsonl"
	exits 1 "$kf" ledger check "$tmp/cut$n/ledger.jsonl"
	run 0 "$tmp/cut$n" --resume
	check "the cut is told (after line $n)" grep -q 'cut a torn last line' "$tmp/err"
	check "the same fingerprint after line $n" test "$print" = "$(jq -r .fingerprint "$tmp/cut$n/run.json")"
	exits 0 "$kf" ledger check "$tmp/cut$n/ledger.jsonl"
	n=$((n + 3))
done
run 0 "$tmp/whole" --resume
check "a finished run stays as it is" test "$print" = "$(jq -r .fingerprint "$tmp/whole/run.json")"

# One that was cut between a claim and its times owes the times, though nobody asks for them again.
exits 0 "$kf" run --scenario "$tmp/scenario.json" --gateway "$url" --out "$tmp/timed" --bench
as_killed "$tmp/timed" "$tmp/untimed" "$(grep -n '"verified_correct"' "$tmp/timed/ledger.jsonl" | cut -d : -f 1)"
exits 0 "$kf" run --gateway "$url" --out "$tmp/untimed" --resume
for way in timed untimed; do
	check "its speed is told ($way)" holds '.speed.measured == 1' "$tmp/$way/scorecard.json"
	check "and stands in the ledger ($way)" test "$(grep -c '"perf_measured"' "$tmp/$way/ledger.jsonl")" = 1
	check "the same fingerprint ($way)" test "$print" = "$(jq -r .fingerprint "$tmp/$way/run.json")"
	exits 0 "$kf" ledger check "$tmp/$way"
done

# What is refused writes nothing: the run keeps its exit and its reason.
find "$tmp/whole" -type f -exec sha256sum {} + | sort >"$tmp/before"
refused() { # CODE ARGS...
	code=$1
	shift
	exits "$code" "$kf" run --out "$tmp/whole" --resume "$@"
	find "$tmp/whole" -type f -exec sha256sum {} + | sort >"$tmp/after"
	check "$*: nothing is written" cmp "$tmp/before" "$tmp/after"
}
refused 2 --gateway ftp://127.0.0.1/
refused 2 --gateway http://user:pw@127.0.0.1:1/
refused 2 --gateway "$url" --device none-such
refused 2 --gateway "$url" --bench

sed -i '5s/verified_incorrect/verified_correct/' "$tmp/whole/ledger.jsonl"
exits 1 "$kf" ledger check "$tmp/whole/ledger.jsonl"
check "the edited line is named" grep -q ':5' "$tmp/err"
exits 1 "$kf" report "$tmp/whole"
lacks "nothing is claimed from it" -q verified_correct "$tmp/whole/summary.txt"
exits 2 "$kf" run --scenario "$tmp/scenario.json" --gateway "$url" --out "$tmp/whole" --resume
