# Where the lab cannot work, a run stops with exit 3, says what is lacking and
# costs no iteration; on a machine that has it, it goes on from there.
. tests/lib.sh
need jq
kf=$BIN/kernelforge
cat >"$tmp/scenario.json" <<EOF
{"chaos": 1, "name": "lab", "seed": "5",
 "proxies": {"models": {"listen": "127.0.0.1:0", "mode": "script", "answers": "$PWD/scenarios/rope_demo/answers/deepseek-v4-flash/"}},
 "agent": {"ops": ["rmsnorm"], "profile": "demo", "deadline_ms": 1200}}
EOF
start chaos "$BIN"/kf-chaos --scenario "$tmp/scenario.json" --admin 127.0.0.1:0 --log "$tmp/chaos.jsonl"
url=http://$(address chaos models)
mkdir "$tmp/t"
# The lab's folder is taken away as soon as the model was asked: nothing can be
# judged in it, and a lab opened anew finds no place either.
exits 3 env TMPDIR="$tmp/t" sh -c "
	'$kf' run --scenario $tmp/scenario.json --gateway $url --out $tmp/run &
	pid=\$!
	until [ -s $tmp/run/kernels/rmsnorm/naive.json ]; do :; done
	until rm -rf $tmp/t 2>/dev/null; do :; done # it is being written to
	wait \$pid"
check "it is the machine's fault" grep -q 'the lab cannot judge on this machine' "$tmp/err"
check "no iteration was spent" test "$(grep -c abandoned "$tmp/run/ledger.jsonl")" = 0
check "and no claim judged" test "$(jq .naive.silent_wrong "$tmp/run/scorecard.json")" = 0
exits 0 "$kf" run --resume --gateway "$url" --out "$tmp/run"
exits 0 "$kf" ledger check "$tmp/run"
