# The audit judges MCP clients over HTTP and over a pipe by the same faults: one
# that checks what comes back breaks nothing that a tool's answer can break, one
# that does not takes each, and npm's SDK is judged by both.
. tests/lib.sh
need jq
need python3
audit() { # CODE ARGS...
	code=$1
	shift
	got=0
	"$BIN"/kf-chaos audit --json "$tmp/a.json" --junit "$tmp/a.xml" "$@" >"$tmp/out" 2>"$tmp/err" || got=$?
	check "exit $code, not $got: $* $(grep -A 3 BROKEN "$tmp/out") $(cat "$tmp/err")" test "$got" = "$code"
}
row() { # ID JQ
	check "$1: $2: $(jq -c --arg c "$1" '.cases[] | select(.id == $c)' "$tmp/a.json")" \
	    jq -e --arg c "$1" ".cases[] | select(.id == \$c) | $2" "$tmp/a.json" >"$tmp/said"
}
rules='([.broken[].rule] | sort)'

for how in http stdio; do
	audit 0 --mcp $how --jobs 4 --only mcp_ --only empty_reply --only noop -- python3 tests/clients/mcp_agent.py $how
	check "nothing else strikes" test "$(jq '[.cases[].requests[]? | select(.struck and .path != "/mcp")] | length' "$tmp/a.json")" = 0
	check "over $how one tool call is the effect" jq -e '.cases[0].effects == ["note {\"text\":\"milk\"}"]' "$tmp/a.json" >"$tmp/said"
	row mcp_wrong_result:a-tool-that-is-wrong '.verdict == "ok" and .exit == 0'
	row mcp_timeout:a-tool-that-hangs '.verdict == "ok" and .exit == 1'
	row mcp_malformed:a-result-that-breaks-its-schema '.exit == 1'

	audit 1 --mcp $how --jobs 4 --deadline 10 --only mcp_ -- python3 tests/clients/mcp_agent.py $how naive
	for id in mcp_error:a-tool-that-fails mcp_error:a-tool-that-says-that-it-failed mcp_malformed:a-result-that-breaks-its-schema \
	    mcp_malformed:neither-result-nor-error mcp_malformed:the-answer-to-another-call; do
		row $id "($rules | index(\"accepted_garbled\")) and .severity == 3"
	done
	row mcp_timeout:a-tool-that-hangs "$rules == [\"hung\"]"
done
check "JUnit has the same failures" test "$(grep -c '<failure' "$tmp/a.xml")" = "$(jq '[.cases[].broken[]] | length' "$tmp/a.json")"
repro=$(jq -r '.cases[] | select(.id == "mcp_error:a-tool-that-fails") | .repro' "$tmp/a.json")
exits 1 sh -c "$BIN/$repro"

# A stream that ends before the result is a cut one.
audit 0 --mcp http --case sse_cut:cut-in-its-first-event -- python3 tests/clients/mcp_agent.py http
row sse_cut:cut-in-its-first-event '.exit == 1 and ([.requests[] | select(.struck) | .answer] == ["truncated"])'

# An agent that tells its model of a failed tool has done right; one that hides it has not.
cat >"$tmp/agent.py" <<'PY'
import json, os, sys, urllib.request
def post(url, body):
    with urllib.request.urlopen(urllib.request.Request(url, json.dumps(body).encode(), {'content-type': 'application/json'})) as r:
        return json.load(r)
tools = [{'type': 'function', 'function': {'name': 'note', 'parameters': {'type': 'object', 'properties': {'text': {'type': 'string'}}}}}]
said, calls = [{'role': 'user', 'content': 'Take a note.'}], 0
while True:
    m = post(os.environ['OPENAI_BASE_URL'] + '/chat/completions', {'model': 'm', 'messages': said, 'tools': tools})['choices'][0]['message']
    said.append(m)
    if not m.get('tool_calls'):
        break
    for c in m['tool_calls']:
        calls += 1
        r = post(os.environ['KF_CHAOS_MCP_URL'], {'jsonrpc': '2.0', 'id': calls, 'method': 'tools/call', 'params': {'name': 'note', 'arguments': json.loads(c['function']['arguments'])}})
        text = 'Error: ' + r['error']['message'] if 'error' in r else r['result']['content'][0]['text']
        said.append({'role': 'tool', 'tool_call_id': c['id'], 'content': 'done' if 'hide' in sys.argv else text})
PY
audit 0 --mcp http --case mcp_error:a-tool-that-fails -- python3 "$tmp/agent.py"
row mcp_error:a-tool-that-fails '.exit == 0 and .effects == ["note {\"text\":\"text\"}"] or (.requests | length) > 3'
audit 1 --mcp http --case mcp_error:a-tool-that-fails -- python3 "$tmp/agent.py" hide
row mcp_error:a-tool-that-fails "$rules == [\"accepted_garbled\", \"effect_lost\"]"

# npm's own SDK, where it is installed.
if [ -e tests/clients/mcp-sdk/node_modules ] && command -v node >/dev/null; then
	for how in http stdio; do
		code=0
		[ $how = stdio ] || code=1 # it asks no second time, though the server says when
		audit $code --mcp $how --jobs 4 --deadline 75 --timeout 2 --case mcp_error:a-tool-that-fails --case http_error:429-retry-after-1 \
		    --case mcp_malformed:a-result-that-breaks-its-schema --case mcp_malformed:the-answer-to-another-call --case mcp_timeout:a-tool-that-hangs -- node tests/clients/mcp-sdk/client.mjs $how
		row mcp_error:a-tool-that-fails '.verdict == "ok" and .exit == 1'
		row mcp_malformed:a-result-that-breaks-its-schema '.verdict == "ok" and .exit == 1'
		[ $how = stdio ] || row http_error:429-retry-after-1 "$rules == [\"gave_up\"]"
		check "$how: a time-out is kept" test "$(jq '[.cases[] | select(.timeout_ms and .verdict != "ok")] | length' "$tmp/a.json")" = 0
	done
fi

exits 2 "$BIN"/kf-chaos audit --mcp carrier-pigeon -- true
check "it says which there are: $(cat "$tmp/err")" grep -q 'expected http or stdio' "$tmp/err"
exits 2 "$BIN"/kf-chaos audit --mcp stdio --only http_error -- true
check "nor of no case: $(cat "$tmp/err")" grep -q 'no case is left' "$tmp/err"
exits 2 "$BIN"/kf-chaos mcp --connect 127.0.0.1:1 --log x
check "a relay has no log of its own: $(cat "$tmp/err")" grep -q 'of where it connects to' "$tmp/err"
