# Standard streams that are closed do not get into the ledger, and are told by
# the exit code; a report that cannot be written ends the run with the
# environment's code, and is made from the journals afterwards; escapes in names
# do not reach a terminal; answers that were cut off at their length cost what
# they cost.
. tests/lib.sh
need jq
need python3
kf=$BIN/kernelforge
cat >"$tmp/server.py" <<'EOF'
import sys
from answer_server import serve
serve(lambda request, body: (200, {}, {"choices": [{"message": {"content": "no kernel"}, "finish_reason": sys.argv[1]}],
    "usage": {"prompt_tokens": 1000, "completion_tokens": 500}}))
EOF
serve_answers server "$tmp/server.py" stop
run() { # OUT ARGS...
	out=$tmp/$1
	shift
	"$kf" run --op relu --no-naive --model m --out "$out" --base-url "http://$(address server server)" "$@"
}
got=0
run closed <&- >&- 2>&- || got=$?
check "a result that nobody can read is the environment's ($got)" test "$got" = 3
exits 0 "$kf" ledger check "$tmp/closed"

# bash counts in blocks of 1024, dash of 512: the page is larger than both.
got=0
(ulimit -f 12 && run small) >"$tmp/out" 2>"$tmp/err" || got=$?
check "a report that cannot be written is the environment's ($got)" test "$got" = 3
check "what to do is told" grep -q "report.html: File too large (kernelforge report $tmp/small makes it when that is mended)" "$tmp/err"
"$kf" report "$tmp/small" >"$tmp/out" 2>"$tmp/err" || true
check "the page is there" test -s "$tmp/small/report.html"
exits 0 "$kf" ledger check "$tmp/small"

exits 1 run escapes --escalation "$(printf '\033[2Jlarge')"
lacks "no escape is printed" -q "$(printf '\033')" "$tmp/err"
stop server
rm "$tmp/server.ready"
serve_answers server "$tmp/server.py" length
exits 1 run length --price 1000,1000
check "they are called so" grep -q 'class: length' "$tmp/length/summary.txt"
check "and paid for" test "$(jq .spent.usd "$tmp"/length/kernels/relu/1.json)" = 1.5
