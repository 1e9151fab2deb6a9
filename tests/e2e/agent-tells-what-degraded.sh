# What goes wrong on the way is typed and told in trace, ledger and final
# answer: cut, empty, malformed, stale and swapped answers, busy and slow
# servers; none of it changes a verdict.  The deadline of a question is told to
# the gateway, and what the gateway says that it cost is counted.
. tests/lib.sh
need jq
need python3
kf=$BIN/kernelforge
cat >"$tmp/server.py" <<'EOF'
import itertools, json, re, sys
from answer_server import serve
good, log = open(sys.argv[1]).read(), open(sys.argv[2], "w")
entry, source = re.search(r"entry: (\w+)", good)[1], good
def kernel(text, name=entry):
    head = {k: re.search("// %s: (.*)" % k, text)[1].split(", ") for k in ("global", "local")}
    return json.dumps({"source": text, "entry": name, "global_size": head["global"], "local_size": head["local"]})
WRONG = json.dumps({"source": "__kernel void silu(__global KF_T *x) { }", "entry": "silu",
    "global_size": ["1"], "local_size": ["1"]})
def event(d): return ("data: " + json.dumps(d) + "\n\n").encode()
def stream(text, model="small", cut=False, cost="0.25"):
    out = event({"model": model, "choices": [{"delta": {"content": text}}]})
    if cut: return out
    return out + event({"model": model, "choices": [{"delta": {}, "finish_reason": "stop"}],
        "usage": {"prompt_tokens": 100, "completion_tokens": 50}}) + \
        (": x-kf-attempts m/small;cause=ok;cost=%s\n\n" % cost).encode() + b"data: [DONE]\n\n"
# What each request gets, in order.
PLAN = [(503, b"{}"), (429, b"{}"), (200, stream("x", cut=True)), (200, stream(WRONG)),
        (200, stream("")), (200, b"data: {nonsense\n\n"), (200, stream(WRONG, model="other")),
        (200, stream(kernel(source)))]
REASONS = {len(PLAN) - 1: "quality-escalation", len(PLAN): "fallback"}
asked = itertools.count()
def answer(request, body):
    n = next(asked)
    log.write(json.dumps(dict(request.headers)) + "\n"); log.flush()
    status, body = PLAN[min(n, len(PLAN) - 1)]
    return status, {"Content-Type": "text/event-stream" if status == 200 else "application/json", "x-tfy-resolved-model": "m/small",
        "x-tfy-routing": "from=small to=m/small reason=" + REASONS.get(n + 1, "configured"), "retry-after-ms": "1"}, body
serve(answer)
EOF
serve_answers server "$tmp/server.py" scenarios/rope_demo/answers/deepseek-v4-flash/rmsnorm.cl "$tmp/asked"
exits 0 "$kf" run --op rmsnorm --model small --no-naive --seed 1 --out "$tmp/run" --gateway "http://$(address server server)" --answer-s 100
stop server
check "the escalation model is spoken of where the gateway says so" test "$(grep -c 'the escalation model' "$tmp/err")" = 1
check "after it answered" grep -q 'the escalation model answered: m/small reason=quality-escalation' "$tmp/err"
check "it is verified" grep -q '^1 of 1 operators verified' "$tmp/run/summary.txt"
check "the answer tells what it went through" grep -q \
    '^degraded on the way: rate_limit 1, server_error 1, truncated 1, empty 1, malformed 1, stale 1, swapped 3, fallback 1$' "$tmp/run/summary.txt"
kinds() { # KEY...: what trace and ledger count
	jq -r 'select(.name == "degradation") | .status' "$tmp/run/trace.jsonl" | sort | uniq -c | tr -s ' \n' ' '
}
check "the trace counts the same" test "$(kinds)" = " 1 empty 1 fallback 1 malformed 1 rate_limit 1 server_error 1 stale 3 swapped 1 truncated "
check "the ledger has it where it happened" test "$(jq -c 'select(.degraded) | [.iteration, .state, .degraded]' "$tmp/run/ledger.jsonl" | tr '\n' ' ')" = \
    '[1,"generated",{"rate_limit":1,"server_error":1,"swapped":1,"truncated":1}] [2,"generated",{"empty":1,"malformed":1,"stale":1,"swapped":2}] [3,"generated",{"fallback":1}] '
check "the cost is the gateway's" test "$(jq -s 'map(.spent.usd) | add' "$tmp"/run/kernels/rmsnorm/[0-9].json)" = 1
check "the deadline is told" test "$(head -n 1 "$tmp/asked" | jq -r '."x-tfy-request-timeout" | tonumber | . > 90000 and . <= 95000')" = true
check "and gets less" sh -c "jq -rs '.[1] as \$b | .[0][\"x-tfy-request-timeout\"] as \$a | (\$a|tonumber) >= (\$b[\"x-tfy-request-timeout\"]|tonumber)' $tmp/asked | grep -qx true"
check "retries are told" test "$(jq -r '."x-stainless-retry-count"' "$tmp/asked" | tr '\n' ' ')" = '0 1 2 3 0 1 2 0 '
exits 0 "$kf" ledger check "$tmp/run"
