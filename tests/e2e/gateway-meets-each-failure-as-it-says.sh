# Each way in which a model, a client or a configuration fails has its own
# consequence: which statuses go on to the next target and which errors to
# nobody, what a client's impatience costs a target, whether a request is sent
# again, who may look whether a target is back, what becomes of a broken event
# and of who waits for a held stream, and what check refuses.
. tests/lib.sh
need curl
need jq
need python3
cat >"$tmp/model.py" <<'PY'
"""What a model does is in its name; GET /go/NAME lets one go on that waits, and
GET /asked says how often each was asked."""
import collections
import http.server
import json
import sys
import threading
import time

asked, lock, go = collections.Counter(), threading.Lock(), {name: threading.Event() for name in ("down", "hangs", "silent", "held")}
GOOD = {"id": "1", "object": "chat.completion", "model": "m", "choices": [{"index": 0, "message": {"role": "assistant", "content": "a" * 40}, "finish_reason": "stop"}],
        "usage": {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}}


def event(text, why=None):
    return "data: " + json.dumps({"id": "1", "choices": [{"index": 0, "delta": {"content": text}, "finish_reason": why}]}) + "\n\n"


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def whole(self, status, answer):
        data = json.dumps(answer).encode()
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def stream(self, *pieces):
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.send_header("connection", "close")
        self.end_headers()
        for piece in pieces:
            if piece is None:
                go["held"].wait(60)
            else:
                self.wfile.write(piece.encode())
                self.wfile.flush()
        self.close_connection = True

    def do_GET(self):
        if self.path.startswith("/go/"):
            go[self.path[4:]].set()
        self.whole(200, asked)

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        model = body["model"]
        with lock:
            asked[model] += 1
            nth = asked[model]
        if model.startswith("status-"):
            self.whole(int(model[7:]), {"error": {"message": "no", "type": "t"}})
        elif model == "policy":
            self.whole(400, {"error": {"message": "not that", "type": "invalid_request_error", "code": "content_policy_violation"}})
        elif model == "late":
            time.sleep(0.3)
            self.whole(200, GOOD)
        elif model == "works-then-leaves" and nth > 1:
            time.sleep(0.2)
            self.close_connection = True
        elif model == "down" and nth <= 2:
            self.whole(500, {"error": {"message": "down"}})
        elif model in go and model != "held":
            go[model].wait(60)
            self.whole(200, GOOD)
        elif model == "held":
            self.stream(event("one "), None, event("two", "stop"), "data: [DONE]\n\n")
        elif model == "half":
            self.stream(event("one "), 'data: {"id":"1","choices":[{"index":0,"delta":{"con\n\n', event("two", "stop"), "data: [DONE]\n\n")
        elif model == "seen":
            self.whole(200, dict(GOOD, choices=[dict(GOOD["choices"][0], message={"role": "assistant", "content": str(self.headers["x-mine"])})]))
        else:
            self.whole(200, GOOD)

    def log_message(self, *args):
        pass


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
server.daemon_threads = True
server.handle_error = lambda *_: None  # clients may leave
line = "ready server=127.0.0.1:%d" % server.server_port
with open(sys.argv[-1], "w") as ready:
    ready.write(line + "\n")
print(line, flush=True)
server.serve_forever()
PY
start model python3 "$tmp/model.py"
model=$(address model server)
statuses='408 409 425 429 500 501 502 503 504 520 521 522 523 524 529'
alone='retry_config: {attempts: 0}'
rule() { # NAME [MORE]
	echo "  - {id: $1, type: priority-based-routing, when: {models: [$1]}, ${2:+$2, }load_balance_targets: [{target: p/$1, $alone}]}"
}
backed() { # NAME
	echo "  - {id: $1, type: priority-based-routing, when: {models: [$1]}, load_balance_targets: [{target: p/$1, $alone, priority: 0}, {target: p/good, $alone, priority: 1}]}"
}
export MINE='said by the environment'
{
	cat <<-Y
		providers:
		  - {name: p, base_url: "http://$model/v1", headers: {x-mine: "\${MINE}"}}
		  - {name: named, base_url: "http://localhost:${model##*:}/v1"}
		timeouts: {total_ms: 8000}
		breaker: off
		limits: {drain_ms: 300}
		rules:
	Y
	for status in $statuses; do backed "status-$status"; done
	backed policy
	backed silent
	rule late 'breaker: demo'
	rule works-then-leaves
	rule down 'breaker: demo'
	rule held 'buffer: {max_bytes: 100000, max_ms: 30000, comment_ms: 50}'
	for how in auto drop cut; do
		echo "  - {id: $how, type: priority-based-routing, when: {models: [$how]}, malformed_events: $how, load_balance_targets: [{target: p/half, $alone}]}"
	done
	rule pattern 'validators: [{type: regex, pattern: "(a+)+b$"}]'
} >"$tmp/g.yaml"
"$BIN"/kf-gateway check "$tmp/g.yaml" >"$tmp/out" 2>&1 || fail "the configuration is good: $(cat "$tmp/out")"
start gateway "$BIN"/kf-gateway --config "$tmp/g.yaml" --listen 127.0.0.1:0 --admin 127.0.0.1:0
url=http://$(address gateway gateway)/v1
ask() { # MODEL [CURL'S ...]
	asks=$1
	shift
	curl -s -m 30 -o "$tmp/answer" -D "$tmp/head" -w '%{http_code}' -d "{\"model\":\"$asks\",\"messages\":[]}" "$@" "$url/chat/completions"
}
asked() { curl -s "http://$model/asked" | jq ".\"$1\" // 0"; }
went_to() { tr -d '\r' <"$tmp/head" | sed -n 's/^x-tfy-resolved-model: //p'; }

# What goes on to the next one, and what to nobody.
for status in $statuses; do
	check "$status: the next one answers" [ "$(ask status-$status) $(went_to)" = '200 p/good' ]
done
check "what a policy forbids is told" [ "$(ask policy)" = 400 ]
check "by whom it was" grep -q content_policy_violation "$tmp/answer"
lacks "nobody else was asked" -i '^x-kf-attempts: .*p/good' "$tmp/head"
check "who is silent is left in time" [ "$(ask silent) $(went_to)" = '200 p/good' ]

# A client's impatience is no fault of the target's.
for i in 1 2 3 4 5 6; do check "impatient $i" [ "$(ask late -H 'x-tfy-request-timeout: 1')" = 504 ]; done
check "it is asked all the same" [ "$(ask late)" = 200 ]

# Who took a request and left may have acted on it.
check "answered" [ "$(ask works-then-leaves)" = 200 ]
check "left without an answer" [ "$(ask works-then-leaves)" = 502 ]
check "it is not sent again: $(cat "$tmp/answer")" [ "$(asked works-then-leaves)" = 2 ]

# localhost is whichever of its addresses answers.
check "by a name" [ "$(ask named/good)" = 200 ]

# One looks whether it is back, and the others wait for what it finds.
for i in 1 2; do check "down $i" [ "$(ask down)" = 500 ]; done
check "the breaker is open" [ "$(ask down)" = 503 ]
looks() { curl -s -m 60 -o /dev/null -w '%{http_code}' -d '{"model":"down","messages":[]}' "$url/chat/completions"; }
(until looks >"$tmp/found" && ! grep -q 503 "$tmp/found"; do sleep 0.2; done) &
looking=$!
looked() { [ "$(asked down)" = 3 ]; }
await looked
for i in 1 2 3 4 5 6 7; do check "meanwhile $i" [ "$(ask down)" = 503 ]; done
check "nobody else was sent" looked
curl -s -o "$tmp/answer" "http://$model/go/down"
wait $looking || fail "who looks is answered"
check "it is back: $(cat "$tmp/found")" [ "$(cat "$tmp/found") $(ask down)" = '200 200' ]

# Who waits for a held stream hears that it comes.
curl -sN -m 60 -d '{"model":"held","stream":true,"messages":[]}' "$url/chat/completions" >"$tmp/held" &
listening=$!
await_in "$tmp/held" grep -q '^: x-kf-held' "$tmp/held"
lacks "nothing of it yet" one "$tmp/held"
curl -s -o "$tmp/answer" "http://$model/go/held"
wait $listening || fail "the held stream ends"
check "then all of it" [ "$(grep -c '^data: ' "$tmp/held") $(tail -n 4 "$tmp/held" | grep -c DONE)" = '3 1' ]

# An event that broke, as the rule says.
stream() { curl -sN -m 30 -d "{\"model\":\"$1\",\"stream\":true,\"messages\":[]}" "$url/chat/completions" >"$tmp/said" || true; }
stream drop
check "dropped: $(cat "$tmp/said")" grep -q DONE "$tmp/said"
check "what is good passes" [ "$(grep -c '"content": "\(one \|two\)"' "$tmp/said")" = 2 ]
for how in auto cut; do
	stream $how
	check "$how: it is told: $(cat "$tmp/said")" grep -q '"error"' "$tmp/said"
	lacks "$how: as no whole answer" DONE "$tmp/said"
done

check "a pattern that tries for ever ends" [ "$(ask pattern)" = 200 ]
check "headers hold what the environment says" [ "$(ask p/seen) $(jq -r '.choices[0].message.content' "$tmp/answer")" = "200 $MINE" ]
for path in models models/policy; do
	check "HEAD of $path" [ "$(curl -s -I -o "$tmp/head" -w '%{http_code}' "$url/$path")" = 200 ]
	check "GET of $path" [ "$(curl -s -o "$tmp/answer" -w '%{http_code}' "$url/$path")" = 200 ]
done
check "none of that name" [ "$(curl -s -I -o "$tmp/head" -w '%{http_code}' "$url/models/none")" = 404 ]

# What cannot be right is refused before anybody asks, with its place.
refuses() { # WHAT LINE SAYS
	{ printf "%s\n" "$2"; grep -v '^providers' "$tmp/g.yaml" | sed '1,2d'; } >"$tmp/bad.yaml"
	exits 2 "$BIN"/kf-gateway check "$tmp/bad.yaml"
	check "$1: $(cat "$tmp/err")" grep -q "bad.yaml:1: .*$3" "$tmp/err"
}
p='providers: [{name: named, base_url: "http://h.example/v1", insecure_http: true}, {name: p, base_url: "https://h.example/v1", headers:'
refuses "a line end in a value" "$p {x-a: \"b\\r\\nc: d\"}}]" 'x-a'
refuses "a name that is none" "$p {\"x a\": b}}]" 'x a'
refuses "a header of ours" "$p {Host: b}}]" '[Hh]ost'

# It ends in its own time, whoever hangs.
(ask p/hangs >"$tmp/hung" || true) &
hung() { [ "$(asked hangs)" = 1 ]; }
await hung
kill -TERM "$(cat "$tmp/gateway.pid")"
timeout 9 tail -f --pid="$(cat "$tmp/gateway.pid")" /dev/null || fail "it ends in 0.3 s, not in 10"
