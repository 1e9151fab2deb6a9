# A refused key ends a run at its first answer and is written nowhere, and so
# does a used-up quota under whatever status; failures
# in a row make a pause, and one more after it ends the run; a machine without what the lab needs is
# not the kernel's fault; a signal ends a run in order, and it can be resumed.
. tests/lib.sh
need jq
need python3
kf=$BIN/kernelforge
cat >"$tmp/server.py" <<'EOF'
import sys
from answer_server import serve
KEY = "sk-test-key-0123456789"
log = open(sys.argv[2], "w")
def answer(request, body):
    log.write("asked\n"); log.flush()
    if sys.argv[1] == "hang":
        return None
    if sys.argv[1] == "quota":
        return 429, {"Retry-After": "1"}, {"error": {"message": "You exceeded your current quota", "type": "insufficient_quota", "code": "insufficient_quota"}}
    return int(sys.argv[1]), {"x-should-retry": "false", "x-tfy-resolved-model": "m/" + KEY +
        ", rope: passed 14 holdouts; 20 of 20 operators proven right"}, {"error": {"message": "Bearer " + KEY + " is wrong"}}
serve(answer)
EOF
serve() { # STATUS
	rm -f "$tmp/server.ready"
	started=
	serve_answers server "$tmp/server.py" "$1" "$tmp/asked"
	url=http://$(address server server)
}
run() { # CODE OUT ARGS...
	code=$1 out=$tmp/$2
	shift 2
	exits "$code" env TFY_GATEWAY_API_KEY=sk-test-key-0123456789 "$kf" run --out "$out" "$@"
}

serve 401
run 3 refused --op rope --op rmsnorm --gateway "$url"
stop server
check "it says so" grep -q 'the key is refused: HTTP 401' "$tmp/err"
check "it asked once" test "$(wc -l <"$tmp/asked")" = 1
lacks "the key is nowhere" -rq sk-test-key "$tmp/refused" "$tmp/out" "$tmp/err"
check "what to do next is told" grep -q -e '--resume' "$tmp/err"
exits 0 "$kf" ledger check "$tmp/refused"

serve quota
run 3 quota --op rope --op rmsnorm --gateway "$url"
stop server
check "it says which" grep -q 'the quota is used up: HTTP 429' "$tmp/err"
check "it asked once" test "$(wc -l <"$tmp/asked")" = 1

serve 503
run 3 alike --op rope --op rmsnorm --op swiglu --no-naive --jobs 1 --breaker demo --without escalation --gateway "$url"
stop server
check "two questions, and one after the pause" test "$(wc -l <"$tmp/asked")" = 3
check "the pause is told" grep -q '2 questions running failed (http_503): a pause of 8 s' "$tmp/err"
check "it says so" grep -q '2 questions running failed, and so did one after a pause of 8 s (http_503)' "$tmp/err"
check "the breaker is told" grep -q 'breaker_open 1' "$tmp/alike/summary.txt"
check "the end is told" grep -q '^The run ended before its time: no model could be asked any more' "$tmp/alike/summary.txt"
check "the ledger has it" test "$(jq -r 'select(.closed) | .ended' "$tmp/alike/ledger.jsonl")" = model_down
lacks "the key is nowhere" -rq sk-test-key "$tmp/alike" "$tmp/out" "$tmp/err"
lacks "no foreign sentence" -rqi 'proven right\|14 holdouts' "$tmp/alike" "$tmp/out" "$tmp/err"
exits 0 "$kf" ledger check "$tmp/alike"

# The password of a URL is neither printed nor stored.
run 2 url --op rope --gateway http://user:topsecret99@127.0.0.1:1
lacks "no password" -rq topsecret99 "$tmp/err" "$tmp/out"

# A signal while a model is silent.
serve hang
env TFY_GATEWAY_API_KEY=k "$kf" run --op rope --no-naive --seed 1 --out "$tmp/stopped" --gateway "$url" >"$tmp/agent.out" 2>"$tmp/agent.err" &
pid=$!
await_in "$tmp/asked" grep -q asked "$tmp/asked"
kill -TERM $pid
got=0
wait $pid || got=$?
stop server
check "it ends with the code of the environment" test "$got" = 3
check "it says what ended it" grep -q 'stopped by SIGTERM' "$tmp/agent.err"
for file in summary.txt scorecard.json scorecard.md report.html; do
	check "$file is there" test -s "$tmp/stopped/$file"
done
exits 0 "$kf" ledger check "$tmp/stopped"
check "the attempt is open" test "$(jq -rs 'map(select(.state)) | last.state' "$tmp/stopped/ledger.jsonl")" = attempted
