# The stand-in talks and calls tools in chat completions, Anthropic's Messages,
# OpenAI's Responses, Gemini and Ollama, whole and streamed, as a reader of that
# API expects it; what it cannot answer it says.
. tests/lib.sh
need node
cat >"$tmp/s.json" <<'EOF'
{"chaos": 1, "name": "standin", "seed": "1", "proxies": {"models": {"listen": "127.0.0.1:0", "mode": "standin"}}}
EOF
start chaos "$BIN"/kf-chaos --scenario "$tmp/s.json" --admin 127.0.0.1:0
at=$(address chaos models)
timeout 60 node tests/clients/dialects.mjs standin "$at" >"$tmp/out" 2>&1 || fail "$(cat "$tmp/out")"
curl -s -o "$tmp/body" -d '{}' "http://$at/v1/elsewhere"
check "it says what it can" grep -q 'Messages, Responses, Gemini, Ollama' "$tmp/body"
stop chaos
check "it ends well" test "$stopped" = 0
