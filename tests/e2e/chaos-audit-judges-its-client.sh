# The audit tells clients apart: a naive fetch loop breaks the rules that it
# breaks, npm's openai only the two that it is known for; exit codes, JUnit
# and JSON agree with the table, and a hung or failing command is named.
. tests/lib.sh
need node
need jq
need_npm_clients
audit() { # CODE ARGS...
	code=$1
	shift
	exits "$code" "$BIN"/kf-chaos audit "$@"
}
says() { # WHAT FAULT VERDICT TEXT: the row of FAULT, with what belongs to it
	check "$1" awk -v row="$2" -v verdict="$3" -v text="$4" '
	    index($0, row) == 1 { in_row = 1; ok = index($0, verdict) > 0 }
	    index($0, row) != 1 && /^[^ ]/ { in_row = 0 }
	    in_row && index($0, text) { found = 1 }
	    END { exit !(ok && found) }' "$tmp/out"
}

audit 1 --jobs 4 --only http_error --only sse_cut --only latency --only kernel --only limit --only drip --json "$tmp/a.json" --junit "$tmp/a.xml" -- node tests/clients/naive-fetch.mjs
says "no fault is fine" "no fault" " ok " "exit 0"
says "it retries at once" "http_error: 503, and again" BROKEN "no backoff"
says "it ignores Retry-After" "http_error: 429, Retry-After" BROKEN "was told 1.00 s"
says "it retries a bad request" "http_error: 400" BROKEN "asked again after 400"
says "it storms" "http_error: 503, and again" BROKEN "10 attempts of one call"
says "it takes a cut stream" "sse_cut: cut, clean end" BROKEN "accepted a truncated answer"
says "it notices a reset" "sse_cut: cut, connection reset" " ok " "2 requests"
says "a delay is fine" "latency: 300 ms late" " ok " "exit 0"
says "a toxic in front is a case too" "limit_data" BROKEN "10 attempts of one call"
says "no kernel, no lie" "kernel_corrupt" " - " "not reached: no kernel in the answer"
check "JSON agrees" python3 - "$tmp/a.json" "$tmp/a.xml" <<'PY'
import json, sys, xml.etree.ElementTree as xml
a = json.load(open(sys.argv[1]))
broken = {c['case'] for c in a['cases'] if c['verdict'] == 'broken'}
assert not a['ok'] and any('503, and again' in c for c in broken), broken
storm = next(c for c in a['cases'] if '503, and again' in c['case'])
assert len(storm['requests']) == 10 and storm['requests'][9]['status'] == 503
assert {b['rule'] for b in storm['broken']} == {'retry_storm', 'no_backoff'}
suite = xml.parse(sys.argv[2]).getroot()
assert int(suite.get('failures')) == len(broken)
assert {c.get('name') for c in suite if c.find('failure') is not None} == broken
assert int(suite.get('tests')) == len(suite) == len(a['cases'])
PY

audit 1 --jobs 4 --only quota --only 503 --only 'clean end' -- node tests/clients/openai-defaults.mjs
says "openai retries a used-up quota" "http_error: 429, quota" BROKEN "with a used-up quota"
says "openai takes a stream without an end" "sse_cut: cut, clean end" BROKEN "accepted a truncated answer"
says "openai waits longer each time" "http_error: 503, and again" " ok " "3 requests, waited"
says "openai believes x-should-retry" "http_error: 503, x-should-retry" " ok " "1 request, exit 1"
audit 0 --only 400 -- node tests/clients/openai-defaults.mjs

audit 1 --only latency --deadline 1 -- sh -c '
	curl -s -d "{}" "$OPENAI_BASE_URL/chat/completions" >"$KF_CHAOS_DIR/answer"
	[ "${KF_CHAOS_RUN}" = run-00 ] || tail -f /dev/null'
says "a hang is named" "latency" BROKEN ", killed"
audit 1 --only latency -- sh -c '[ "$KF_CHAOS_RUN" = run-00 ] && exec curl -sd {} "$KF_CHAOS_URL/v1/chat/completions"
	curl -sd {} "$KF_CHAOS_URL/v1/chat/completions"; kill -SEGV $$'
says "a crash is named" "latency" BROKEN "died of signal 11"
# A tool call that is sent again although it may have been carried out.
cat >"$tmp/tool.py" <<'PY'
import json, os, urllib.request
body = json.dumps({'jsonrpc': '2.0', 'id': 1, 'method': 'tools/call', 'params': {'name': 'note', 'arguments': {'text': 'x'}}}).encode()
for tries in (1, 2):
    try:
        with urllib.request.urlopen(os.environ['KF_CHAOS_URL'] + '/mcp', body) as r:
            json.load(r)
        break
    except Exception:
        if tries == 2: raise
PY
audit 1 --only limit_data -- python3 "$tmp/tool.py"
says "a side effect twice is named" "limit_data" BROKEN "repeated a side effect"
# Asking again is no answer: who gets none and exits with 0 claims a success that was none; who says so is fine.
cat >"$tmp/thrice.py" <<'PY'
import os, random, sys, time, urllib.request
body = b'{"messages":[{"role":"user","content":"hi"}]}'
for k in range(3):
    try:
        with urllib.request.urlopen(os.environ['OPENAI_BASE_URL'] + '/chat/completions', body, 3) as r:
            r.read()
        sys.exit(0)
    except Exception:
        time.sleep(random.uniform(.2, .3) * 2 ** k)
print('NO ANSWER')
sys.exit(int(sys.argv[1]))
PY
always='--case http_error:503-and-again --case reset_peer:connection-reset-always --case timeout:dropped-closed-after-200-ms --case limit_data:cut-after-200-bytes'
audit 1 --jobs 4 $always --json "$tmp/thrice.json" -- python3 "$tmp/thrice.py" 0
check "success without an answer is named" test "$(jq -c '[.cases[] | select(.broken != []) | [.case, .broken[].rule]] | sort' "$tmp/thrice.json")" = \
	'[["http_error: 503, and again","accepted_garbled"],["limit_data: cut after 200 bytes","accepted_truncated"],["reset_peer: connection reset, always","accepted_nothing"],["timeout: dropped, closed after 200 ms","accepted_nothing"]]'
audit 0 --jobs 4 $always --case http_error:503 -- python3 "$tmp/thrice.py" 1
# Another model that answers is as good as a second attempt; another key than the refused one is another request.
cat >"$tmp/instead.py" <<'PY'
import os, random, sys, time, urllib.request
def ask(model, key):
    body = b'{"model":"%s","messages":[{"role":"user","content":"hi"}]}' % model
    asked = urllib.request.Request(os.environ['OPENAI_BASE_URL'] + '/chat/completions', body, {'Authorization': 'Bearer ' + key})
    return urllib.request.urlopen(asked, timeout=20).read()
try:
    ask(b'one', 'old')
except Exception as e:
    if getattr(e, 'code', 0) == 401: ask(b'one', sys.argv[1])
    else:
        try: ask(b'two', 'old') # its first attempt is struck, too
        except Exception: time.sleep(random.uniform(.2, .3)); ask(b'two', 'old')
PY
instead='--case http_error:503 --case empty_reply:closed-without-an-answer --case http_error:401-bad-key'
audit 0 --jobs 2 $instead -- python3 "$tmp/instead.py" new
audit 1 --jobs 2 --case http_error:401-bad-key --json "$tmp/same.json" -- python3 "$tmp/instead.py" old
check "the same key again is told" test "$(jq -c '[.cases[].broken[].rule]' "$tmp/same.json")" = '["forbidden_retry","no_backoff"]'
audit 3 -- sh -c 'echo "error: no luck" >&2; exit 4'
check "a command that fails by itself is said" grep -q 'without a fault COMMAND must succeed, it ended with exit 4: error: no luck' "$tmp/err"
audit 3 -- true
check "so is one that asks for nothing" grep -q 'COMMAND sent no request' "$tmp/err"
audit 3 -- "$tmp/no such program"
check "and one that is not there" grep -q 'cannot be run: No such file' "$tmp/err"
audit 2
audit 2 --upstream http://127.0.0.1:1 --answers . -- true
audit 0 --list
check "the catalogue says what is right" grep -q '^http_error:429-retry-after-1 .*asks again after a second' "$tmp/out"

# A case by its id, with what its client handed over: a cut stream is hidden, exposed or raised.
for end in hide luck expose raise; do
	cat >"$tmp/$end.py" <<PY
import json, os, sys, urllib.request
body = json.dumps({'stream': True, 'messages': [{'role': 'user', 'content': 'x'}]}).encode()
text, finish = '', None
with urllib.request.urlopen(os.environ['OPENAI_BASE_URL'] + '/chat/completions', body) as r:
    for line in r:
        if line.startswith(b'data: {'):
            c = json.loads(line[6:])['choices'][0]
            text, finish = text + c['delta'].get('content', ''), c['finish_reason'] or finish
if '$end' == 'raise' and not finish: sys.exit('cut')
if '$end' == 'luck': text = text[:5] # the cut is behind what it wanted
json.dump({'text': text, 'finish': 'stop' if '$end' in ('hide', 'luck') else finish}, open(os.environ['KF_CHAOS_DIR'] + '/outcome.json', 'w'))
PY
	case $end in hide | luck) code=1 ;; *) code=0 ;; esac
	audit $code --case sse_cut:cut-clean-end --json "$tmp/$end.json" -- python3 "$tmp/$end.py"
	case $end in hide | luck) want='hidden 3' ;; expose) want='exposed 0' ;; raise) want='raised 0' ;; esac
	check "$end: $(cat "$tmp/out")" test "$want" = "$(jq -r '.cases[1] | "\(.handling) \(.severity)"' "$tmp/$end.json")"
done
audit 1 --case stall:silent-in-mid-stream-for-good --deadline 8 --json "$tmp/killed.json" -- python3 "$tmp/raise.py"
check "who was killed has raised nothing" test null = "$(jq -r '.cases[1].handling' "$tmp/killed.json")"
# A torn tool call that the model is told of was not hidden, whatever the model then says.
cat >"$tmp/tells.py" <<'PY'
import json, os, urllib.request
tools = [{'type': 'function', 'function': {'name': 'note', 'parameters': {'type': 'object', 'properties': {'text': {'type': 'string'}}, 'required': ['text']}}}]
messages, choice = [{'role': 'user', 'content': 'x'}], None
for _ in range(4):
    body = json.dumps({'messages': messages, 'tools': tools}).encode()
    with urllib.request.urlopen(os.environ['OPENAI_BASE_URL'] + '/chat/completions', body) as r:
        choice = json.load(r)['choices'][0]
    calls = choice['message'].get('tool_calls')
    if not calls: break
    messages.append(choice['message'])
    for c in calls:
        try: said = 'noted ' + json.loads(c['function']['arguments'])['text']
        except ValueError: said = 'Error: the arguments are no JSON'
        messages.append({'role': 'tool', 'tool_call_id': c['id'], 'content': said})
json.dump({'text': choice['message']['content'], 'finish': choice['finish_reason']}, open(os.environ['KF_CHAOS_DIR'] + '/outcome.json', 'w'))
PY
audit 0 --case llm_tool_args:cut-tool-arguments --json "$tmp/tells.json" -- python3 "$tmp/tells.py"
check "it is not hidden: $(cat "$tmp/out")" test null = "$(jq -r '.cases[1].handling' "$tmp/tells.json")"
# The row's command has what the verdict hangs on: the deadline, and who answered.
check "it names the deadline" grep -q -- '--seed 1 --deadline 8 -- ' "$tmp/killed.json"
audit 1 --case http_error:503 --answers scenarios/rope_demo/answers --json "$tmp/answers.json" -- sh -c 'curl -s -d "{\"messages\":[]}" "$OPENAI_BASE_URL/chat/completions" >"$KF_CHAOS_DIR/answer"'
check "and who answers" grep -q -- "--seed 1 --answers 'scenarios/rope_demo/answers' -- " "$tmp/answers.json"
repro=$(jq -r '.cases[1].repro' "$tmp/hide.json")
exits 1 sh -c "$BIN/$repro"
says "the row's own command repeats it" "sse_cut: cut, clean end" BROKEN "*** accepted a truncated answer"
audit 2 --case sse_cut:no-such -- true
audit 2 --only no-such-word -- true
check "it says so: $(cat "$tmp/err")" grep -q 'no case holds "no-such-word"' "$tmp/err"
audit 2 --only 503 --only no-such-word -- true
# A report to a pipe goes into it, and puts no file in its place.
mkfifo "$tmp/pipe"
timeout 60 cat "$tmp/pipe" >"$tmp/piped" &
reader=$!
timeout 60 "$BIN"/kf-chaos audit --only quota --deadline 2 --junit "$tmp/pipe" -- sh -c 'curl -s -d "{}" "$OPENAI_BASE_URL/chat/completions" >"$KF_CHAOS_DIR/answer"' >"$tmp/out" 2>"$tmp/err" || true
wait $reader
check "the pipe is one still" test -p "$tmp/pipe"
check "and the report went through" grep -q '</testsuite>' "$tmp/piped"

# Interrupted: what was judged is told, and the rest is not taken for good.
export GO="$tmp/go"
cat >"$tmp/halts.sh" <<'EOF'
[ "$KF_CHAOS_RUN" != "$1" ] || { : >"$GO"; exec tail -f /dev/null; }
exec curl -sf -d '{}' "$OPENAI_BASE_URL/chat/completions" >"$KF_CHAOS_DIR/answer"
EOF
interrupt() { # SIGNAL RUN ARGS...: while that run hangs
	signal=$1 run=$2
	shift 2
	rm -f "$GO"
	"$BIN"/kf-chaos "$@" --deadline 600 -- sh "$tmp/halts.sh" "$run" >"$tmp/out" 2>"$tmp/err" &
	reader=$! code=0
	await test -e "$GO"
	kill -"$signal" $reader
	wait $reader || code=$?
}
interrupt TERM run-02 audit --case http_error:400-bad-request --case latency:300-ms-late --json "$tmp/i.json" --junit "$tmp/i.xml"
check "128 and the signal: $code" test $code = 143
check "the rest is not run: $(cat "$tmp/out")" grep -q '1 not run: interrupted$' "$tmp/out"
check "JSON says it" jq -e '.interrupted_by == 15 and .ok == false and [.cases[].verdict] == ["ok", "ok", "not_run", "not_reached"]' "$tmp/i.json" >"$tmp/jq"
check "and JUnit" grep -q 'errors="1"' "$tmp/i.xml"
interrupt INT run-001 explore
check "explore, too: $code" test $code = 130
check "with its counts" grep -q '^0 points before it was interrupted' "$tmp/out"

# A client that repeats itself without a fault teaches nothing.
audit 3 --only 503 -- sh -c 'for i in 1 2; do curl -s -d "{}" "$OPENAI_BASE_URL/chat/completions" >"$KF_CHAOS_DIR/answer"; done'
check "a noisy clean run is refused" grep -q 'nothing can be learned from a client that repeats itself' "$tmp/err"

# Silent servers: its own patience, and the time-out that it is given.
cat >"$tmp/patient.py" <<'PY'
import json, os, urllib.request
ms = os.environ.get('KF_CHAOS_TIMEOUT_MS')
body = json.dumps({'messages': []}).encode()
urllib.request.urlopen(os.environ['OPENAI_BASE_URL'] + '/chat/completions', body, timeout=int(ms) / 1000 if ms else None).read()
PY
audit 1 --case header_stall:no-answer-ever --deadline 2 --timeout 1 --jobs 2 -- python3 "$tmp/patient.py"
says "by itself it waits for ever" "header_stall: no answer, ever " BROKEN "** hung past its deadline"
says "a time-out is obeyed" "header_stall: no answer, ever, a time-out set" " ok " "1 request"
sed -i 's/timeout=int(ms).*/timeout=None).read()/' "$tmp/patient.py"
audit 1 --case header_stall:no-answer-ever --deadline 2 --timeout 1 --jobs 2 -- python3 "$tmp/patient.py"
says "or it is not" "header_stall: no answer, ever, a time-out set" BROKEN "*** waited past the time-out that it was given"
# One that backs off longer than the deadline is still retrying.
cat >"$tmp/slow.sh" <<'EOF'
for wait in 1 2 4 8; do
	curl -sf -d '{}' "$OPENAI_BASE_URL/chat/completions" >"$KF_CHAOS_DIR/answer" && exit 0
	sleep $wait
done
exit 1
EOF
audit 0 --case http_error:503-and-again --deadline 3 -- sh "$tmp/slow.sh"
says "it is given time" "http_error: 503, and again" " " "still retrying"

# How much a program looks at by itself is said by the row; what it needs to start is its own affair.
cat >"$tmp/starts.py" <<'PY'
import json, os, sys, time, urllib.request
if not os.path.exists(os.environ['WARM']): time.sleep(6)
body = json.dumps({'messages': [{'role': 'user', 'content': 'x'}]}).encode()
choice = json.load(urllib.request.urlopen(os.environ['OPENAI_BASE_URL'] + '/chat/completions', body))['choices'][0]
how = os.environ.get('KF_CHAOS_CHECK')
if how != 'bare' and not choice['message']['content'].startswith('Here is what'): sys.exit('no such text')
if how == 'strict' and choice['finish_reason'] != 'stop': sys.exit('not to its end')
PY
export WARM="$tmp/warm"
audit 1 --deadline 5 --jobs 6 --case llm_length:cut-by-max-tokens --case llm_empty:no-content --check bare --check text --check strict --json "$tmp/checks.json" -- python3 "$tmp/starts.py"
says "a slow start is no hanging" "no fault" " ok " "1 request, exit 0"
says "who looks at nothing takes all" "llm_length: cut by max_tokens, bare" BROKEN "accepted a truncated answer"
says "who looks at the text takes its beginning" "llm_length: cut by max_tokens, text" BROKEN "accepted a truncated answer"
says "who looks at the finish reason does not" "llm_length: cut by max_tokens, strict" " ok " "exit 1"
says "an empty answer is seen by its text" "llm_empty: no content, text" " ok " "exit 1"
check "JSON says it, and how long it took to start" jq -e '[.cases[] | select(.id == "llm_empty:no-content") | .check] == ["bare", "text", "strict"] and all(.cases[:-1][]; .start_ms >= 6000)' "$tmp/checks.json" >"$tmp/jq"
check "and the row's own command" jq -e '.cases[1].repro | contains("--check bare")' "$tmp/checks.json" >"$tmp/jq"
audit 1 --case llm_empty:no-content --check bare --warm-up ': >"$WARM"' --json "$tmp/warm.json" -- python3 "$tmp/starts.py"
check "it was warmed up before" test -e "$WARM"
check "which the report says" jq -e '.warm_up == ": >\"$WARM\""' "$tmp/warm.json" >"$tmp/jq"
audit 3 --warm-up 'echo "error: cold" >&2; exit 4' -- python3 "$tmp/starts.py"
check "a warm-up that fails is said" grep -q -- '--warm-up must succeed, it ended with exit 4: error: cold' "$tmp/err"
audit 2 --check sloppy -- true
check "so is a check that is none" grep -q 'found "sloppy", expected bare, text or strict' "$tmp/err"

# Crash rows are chosen by words, as all others.
audit 0 --resume --only 'request 1' --json "$tmp/crash.json" -- python3 "$tmp/starts.py"
check "the one, alone" jq -e '[.cases[1:-1][].id] == ["crash:request-1"]' "$tmp/crash.json" >"$tmp/jq"
audit 0 --resume --only crash --only 'llm_usage' --json "$tmp/crash.json" -- python3 "$tmp/starts.py"
check "or beside others" jq -e '[.cases[1:-1][].id] | length == 2' "$tmp/crash.json" >"$tmp/jq"
audit 2 --resume --only 'request 9' -- python3 "$tmp/starts.py"
check "one that never comes is told" grep -q 'a clean run has 1 requests' "$tmp/err"
audit 2 --only crash -- python3 "$tmp/starts.py"
