#!/bin/sh
# One question through a gateway, for `kf-chaos audit`: the gateway asks the
# model that OPENAI_BASE_URL names, and what reaches us must be whole.  For
# another gateway change the two lines that start it and wait for it.
set -eu
tmp=$(mktemp -d)
trap 'kill "$gateway"; rm -rf "$tmp"' EXIT
mkfifo "$tmp/says"
"${KF_GATEWAY:-build/kf-gateway}" --config examples/gateway/through.yaml --listen 127.0.0.1:0 --admin 127.0.0.1:0 >"$tmp/says" 2>/dev/null &
gateway=$!
read -r _ door _ <"$tmp/says" # ready gateway=127.0.0.1:PORT admin=...
curl -sSf --max-time 30 "http://${door#gateway=}/v1/chat/completions" \
    -d '{"model": "chat", "stream": true, "messages": [{"role": "user", "content": "What is the answer?"}]}' >"$tmp/answer"
grep -q '"finish_reason": *"stop"' "$tmp/answer"
