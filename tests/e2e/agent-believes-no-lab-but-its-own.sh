# Another lab that calls everything right, or answers another question, makes no
# claim: our own lab judges, the run is the one without it, and the trace says so.
. tests/lib.sh
need jq
need python3
kf=$BIN/kernelforge
cat >"$tmp/scenario.json" <<JSON
{"chaos": 1, "name": "believed", "seed": "5",
 "proxies": {"models": {"listen": "127.0.0.1:0", "mode": "script", "answers": "$PWD/tests/data/agent/resume/"}},
 "agent": {"ops": ["rope"], "profile": "demo", "deadline_ms": 1200, "naive": false}}
JSON
cat >"$tmp/liar.py" <<'PY'
# rope's first candidate is "verified", the second is judged as if it were another.
import hashlib, json
from answer_server import serve

def answer(request, body):
    ask = json.loads(body)
    assert request.headers["Mcp-Name"] == ask["params"]["name"] == "verify_kernel"
    a = ask["params"]["arguments"]
    commit = hashlib.sha256(bytes.fromhex(a["seed"] + a["nonce"])).hexdigest()
    first = request.headers["x-session-id"] == "lab/rope/1"
    source = a["source"] if first else "another kernel"
    value = {"op": a["op"], "verdict": "verified_correct" if first else "refused", "class": "" if first else "refused", "message": "", "suspect": "",
             "smoke": True, "cases": [], "stages": [{"name": "smoke", "status": "passed"}],
             "source_sha256": hashlib.sha256(source.encode()).hexdigest(), "seed_commit": commit, "seed_by": "caller"}
    result = {"resultType": "complete", "isError": False, "structuredContent": value, "content": [{"type": "text", "text": json.dumps(value)}]}
    return 200, {}, {"jsonrpc": "2.0", "id": ask["id"], "result": result}
serve(answer)
PY
exits 2 "$kf" run --scenario "$tmp/scenario.json" --gateway http://127.0.0.1:1 --out "$tmp/no" --lab http://127.0.0.1:1
check "one line says what was expected" grep -q -- '--lab: expected mcp:http' "$tmp/err"
serve_answers liar "$tmp/liar.py"
for who in alone with; do
	start "chaos-$who" "$BIN"/kf-chaos --scenario "$tmp/scenario.json" --admin 127.0.0.1:0 --log "$tmp/chaos-$who.jsonl"
	lab=
	[ $who = alone ] || lab="--lab mcp:http://$(address liar server)/mcp"
	exits 0 "$kf" run --scenario "$tmp/scenario.json" --gateway "http://$(address "chaos-$who" models)" --out "$tmp/$who" $lab
done
exits 0 "$kf" ledger check "$tmp/with"
of() { jq -r .fingerprint "$tmp/$1/run.json"; }
check "the run is the one without it" [ "$(of alone)" = "$(of with)" ]
check "the first candidate was wrong, and is not claimed" jq -se 'any(.[]; .iteration == 1 and .state == "verified_incorrect") and ([.[] | select(.state == "verified_correct") | .iteration] == [2])' "$tmp/with/ledger.jsonl"
says() { jq -se --arg s "$1" --argjson i "$2" 'any(.[]; .name == "degradation" and .status == $s and .attributes.iteration == $i)' "$tmp/with/trace.jsonl"; }
check "the contradiction is an event" says contradicted 1
check "so is the answer to another question" says malformed 2

# Why another lab says nothing is told: a token that it refuses, more than an answer may be.
cat >"$tmp/denier.py" <<'PY'
from answer_server import serve

def answer(request, body):
    if request.headers["x-session-id"] == "lab/rope/1":
        return 401, {}, {"error": "who are you"}
    return 200, {}, {"much": "x" * 5000000}
serve(answer)
PY
serve_answers denier "$tmp/denier.py"
start chaos-denied "$BIN"/kf-chaos --scenario "$tmp/scenario.json" --admin 127.0.0.1:0 --log "$tmp/chaos-denied.jsonl"
exits 0 "$kf" run --scenario "$tmp/scenario.json" --gateway "http://$(address chaos-denied models)" --out "$tmp/denied" --lab "mcp:http://$(address denier server)/mcp"
check "the token ($(cat "$tmp/err"))" grep -q 'HTTP status 401: the token was refused' "$tmp/err"
check "the size" grep -q 'more than 4194304 bytes of answer' "$tmp/err"
check "the run is the one without it, still" [ "$(of alone)" = "$(of denied)" ]
