# What the content faults do to an answer reaches the callers of the providers'
# own clients (npm's openai, @anthropic-ai/sdk, @google/genai, ollama), or the
# client throws where the answer is not whole; an error is never an answer.
. tests/lib.sh
need node
need_npm_clients
start up node tests/clients/dialects.mjs upstream
node tests/clients/dialects.mjs scenario "$(address up upstream)" >"$tmp/s.json"
start chaos "$BIN"/kf-chaos --scenario "$tmp/s.json" --admin 127.0.0.1:0
timeout 200 node tests/clients/dialects.mjs sdks "$(address chaos front)" >"$tmp/out" 2>"$tmp/client.err" || fail "$(cat "$tmp/out" "$tmp/client.err")"
check "some were tried" grep -Eq '^[1-9][0-9]{2} of' "$tmp/out"
stop chaos
check "it ends well" test "$stopped" = 0
