# The audit judges agents by what they have done: each effect once, none lost,
# after a fault in a turn that is named, and after a crash; a model that is let
# call tools for ever is told. The examples in Python and Node break no rule.
. tests/lib.sh
need node
need jq
need python3
audit() { # CODE ARGS...
	code=$1
	shift
	got=0
	"$BIN"/kf-chaos audit --json "$tmp/a.json" "$@" >"$tmp/out" 2>"$tmp/err" || got=$?
	check "exit $code, not $got: $* $(grep -A 3 BROKEN "$tmp/out")" test "$got" = "$code"
}
row() { # CASE JQ
	check "$1: $2: $(jq -c --arg c "$1" '.cases[] | select(.case == $c)' "$tmp/a.json")" \
	    jq -e --arg c "$1" ".cases[] | select(.case == \$c) | $2" "$tmp/a.json" >"$tmp/said"
}
breaks='([.broken[].rule] | sort)'

whole() { # AGENT...: both effects, once, wherever it was struck or killed
	row "no fault" '.effects == ["text", "text 2"] and ([.requests[].turn] == [1, 2, 3])'
	row "http_error: 503" '.effects == ["text", "text 2"]'
	row "llm_loop: the same call, for ever" '.verdict == "ok" and .exit == 1'
	for n in 1 2 3; do
		row "crash: as request $n comes" '.verdict == "ok" and .exit == 0 and .effects == ["text", "text 2"]'
	done
}
export AGENT_SILENCE_S=4
audit 0 --jobs 4 --tool-calls 2 --resume -- python3 examples/agent/tools.py
whole
audit 0 --jobs 4 --tool-calls 2 --resume --case http_error:503 --case llm_loop:the-same-call-for-ever --case llm_tool_args:cut-tool-arguments \
    --case crash:request-1 --case crash:request-2 --case crash:request-3 -- node examples/agent/tools.mjs
whole
audit 0 --jobs 4 --tool-calls 3 --turn 2 --only llm_ --only 503 -- node examples/agent/tools.mjs
row "llm_tool_args: cut tool arguments" '.verdict == "ok" and .effects == ["text", "text 2", "text 3"]'

# One that writes nothing down.
naive="python3 tests/clients/naive_tools.py"
audit 1 --jobs 2 --tool-calls 2 --resume --turns-max 10 --case llm_loop:the-same-call-for-ever --case llm_tool_args:cut-tool-arguments \
    --case crash:request-1 --case crash:request-2 --case crash:request-9 -- $naive
row "llm_loop: the same call, for ever" "$breaks == [\"never_ends\"] and .killed and .severity == 2 and (.requests | length) < 20"
# Thirteen are one too many; what it sends while it is being ended counts too.
check "and how often: $(cat "$tmp/out")" grep -qE 'the model was let call tools 1[3-9] times, stopped' "$tmp/out"
row "llm_tool_args: cut tool arguments" "$breaks == [\"effect_lost\"] and .severity == 3"
row "crash: as request 1 comes" '.verdict == "ok"'
row "crash: as request 2 comes" "$breaks == [\"effect_twice\"] and (.broken[0].norm | endswith(\"rfc9110.html#section-9.2.2\")) and .effects == [\"text\", \"text\", \"text 2\"]"
check "no row for a request that is none" test "$(jq '[.cases[] | select(.case | startswith("crash"))] | length' "$tmp/a.json")" = 2
repro=$(jq -r '.cases[] | select(.id == "crash:request-2") | .repro' "$tmp/a.json")
exits 1 sh -c "$BIN/$repro"
check "the row's own command repeats it: $(cat "$tmp/out")" grep -q 'crash: as request 2 comes  *BROKEN  \*\*\* did the same twice' "$tmp/out"

# A turn: one fault a conversation, wherever it is asked for.
for turn in 1 2 3; do
	audit 0 --tool-calls 2 --turn $turn --case http_error:503 -- $naive
	row "http_error: 503" "[.requests[] | select(.struck) | .turn] == [$turn] and .effects == [\"text\", \"text 2\"]"
done
audit 3 --tool-calls 2 --turn 4 --case http_error:503 -- $naive
check "there is no fourth: $(cat "$tmp/err")" grep -q 'longest conversation has 3 turns: there is no turn 4 to strike' "$tmp/err"
audit 0 --turn 1 --only bandwidth --only noop --only 503-and -- sh -c '
	curl -sfd "{}" "$OPENAI_BASE_URL/chat/completions" >"$KF_CHAOS_DIR/answer" && exit 0
	[ "$KF_CHAOS_RUN" = run-00 ] || for wait in 0.5 1; do sleep $wait; curl -sfd "{}" "$OPENAI_BASE_URL/chat/completions" >"$KF_CHAOS_DIR/answer"; done'
check "a connection has no turn: $(cat "$tmp/out")" test "$(jq '.cases | length' "$tmp/a.json")" = 3

# Who looks at the final state: lines are effects, and a failure is a wrong state.
cat >"$tmp/once.sh" <<'EOS'
n=$(cat "$KF_CHAOS_DIR/answers" 2>/dev/null | wc -l)
until curl -sf --max-time 5 -d "{\"n\":$n}" "$OPENAI_BASE_URL/chat/completions" >"$KF_CHAOS_DIR/answer"; do
	echo taken >>"$KF_CHAOS_DIR/answers"
	sleep 0.5
done
echo taken >>"$KF_CHAOS_DIR/answers"
EOS
look='cat "$KF_CHAOS_DIR/answers"; [ "$(wc -l <"$KF_CHAOS_DIR/answers")" = 1 ]'
audit 1 --state "$look" --case http_error:503 --case latency:300-ms-late -- sh "$tmp/once.sh"
row "no fault" '.effects == ["taken"]'
row "latency: 300 ms late" '.verdict == "ok"'
row "http_error: 503" "$breaks == [\"effect_twice\", \"wrong_state\"]"
audit 3 --state false --case http_error:503 -- sh "$tmp/once.sh"
check "a look that always fails says nothing: $(cat "$tmp/err")" grep -q 'the look at the final state must succeed' "$tmp/err"

# A counting stand-in: a tool call that reached it is an effect; a key makes it one.
cat >"$tmp/tool.py" <<'PY'
import json, os, sys, urllib.request
body = {'jsonrpc': '2.0', 'id': 1, 'method': 'tools/call', 'params': {'name': 'note', 'arguments': {'text': 'x'}}}
if 'key' in sys.argv: body['params']['_meta'] = {'idempotencyKey': 'k'}
for tries in (1, 2):
    try:
        with urllib.request.urlopen(os.environ['KF_CHAOS_URL'] + '/mcp', json.dumps(body).encode()) as r:
            json.load(r)
        break
    except Exception:
        if tries == 2: raise
PY
audit 1 --resume --case limit_data:cut-after-200-bytes --case crash:request-1 -- python3 "$tmp/tool.py"
row "crash: as request 1 comes" "$breaks == [\"effect_twice\", \"repeated_side_effect\"]"
audit 0 --resume --case crash:request-1 -- python3 "$tmp/tool.py" key
row "crash: as request 1 comes" '.verdict == "ok" and .effects == ["note {\"text\":\"x\"}"] and (.requests | length) == 2'
audit 1 --resume --case crash:request-1 -- sh -c '[ -z "${KF_CHAOS_RESUMED:-}" ] || exit 7; curl -sfd "{}" "$OPENAI_BASE_URL/chat/completions" >"$KF_CHAOS_DIR/answer"'
row "crash: as request 1 comes" "$breaks == [\"not_resumed\"] and .exit == 7"

exits 2 "$BIN"/kf-chaos audit --case crash:request-1 -- true
check "a crash is only for what can resume" grep -q 'no case "crash:request-1"' "$tmp/err"
exits 2 "$BIN"/kf-chaos audit --tool-calls 2 --upstream http://127.0.0.1:1 -- true
check "tool calls are the stand-in's: $(cat "$tmp/err")" grep -q -- '--tool-calls is for the stand-in' "$tmp/err"
