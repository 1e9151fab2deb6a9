# Every content fault is in chat completions, Anthropic's Messages, OpenAI's
# Responses, Gemini and Ollama, whole and streamed, what a reader of that API
# must find.
. tests/lib.sh
need node
start up node tests/clients/dialects.mjs upstream
node tests/clients/dialects.mjs scenario "$(address up upstream)" >"$tmp/s.json"
start chaos "$BIN"/kf-chaos --scenario "$tmp/s.json" --admin 127.0.0.1:0 --log "$tmp/log"
timeout 100 node tests/clients/dialects.mjs wire "$(address chaos front)" >"$tmp/wire" || fail "$(cat "$tmp/wire")"
stop chaos
check "it ends well" test "$stopped" = 0
check "every rule fired: $(grep bypassed "$tmp/log" | grep -v '"rule":"\(wrong\|kept[a-z-]*\)"')" test 0 = "$(grep '"result":"bypassed"' "$tmp/log" | grep -v -c '"rule":"\(wrong\|kept[a-z-]*\)"')"
check "a rule that no request met is told" grep -q 'rule idle met none of [0-9]* requests' "$tmp/chaos.err"
check "and one that could not act" grep -q 'rule wrong never applied: bypassed' "$tmp/chaos.err"
check "and no other" test 4 = "$(grep -c 'rules: ' "$tmp/chaos.err")"
