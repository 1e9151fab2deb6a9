# Both official SDKs make every call through the gateway, and under each fault of
# the catalogue get a streamed answer with tools whole, or an error they raise.
. tests/lib.sh
need node
need jq
need_npm_clients
start upstream node tests/clients/sdks.mjs upstream
node tests/clients/sdks.mjs scenario "$(address upstream upstream)" >"$tmp/s.json"
start chaos "$BIN"/kf-chaos --scenario "$tmp/s.json" --admin 127.0.0.1:0 --log "$tmp/chaos.jsonl"
UP=http://$(address chaos front)/v1 UP_KEY=sk-up
export UP UP_KEY
once='timeout_ms: 3000, retry_config: {attempts: 0}'
cat >"$tmp/g.yaml" <<END
providers:
  - {name: up, base_url: "\${UP}", api_key_env: UP_KEY, forward_headers: [x-case]}
  - {name: chats, base_url: "\${UP}", api_key_env: UP_KEY, apis: [chat], forward_headers: [x-case]}
  - {name: talks, base_url: "\${UP}", api_key_env: UP_KEY, apis: [messages], forward_headers: [x-case]}
  - {name: embeds, base_url: "\${UP}", api_key_env: UP_KEY, apis: [embeddings]}
timeouts: {first_token_ms: 1200, idle_ms: 1200, total_ms: 15000}
breaker: off
prices: [{target: up/strong, input: 1, cached_input: 0.5, output: 2}]
rules:
  - {id: good, type: priority-based-routing, when: {models: [good]}, load_balance_targets: [{target: embeds/strong, priority: 0}, {target: up/strong, priority: 1}]}
  - {id: mute, type: priority-based-routing, when: {models: [speechless]}, load_balance_targets: [{target: embeds/strong}]}
  - {id: x-chat, type: priority-based-routing, when: {models: [x-chat]}, load_balance_targets: [{target: talks/strong}]}
  - {id: x-messages, type: priority-based-routing, when: {models: [x-messages]}, load_balance_targets: [{target: chats/strong}]}
  - {id: x-chat-refused, type: priority-based-routing, when: {models: [x-chat-refused]}, load_balance_targets: [{target: talks/refused}]}
  - {id: x-messages-refused, type: priority-based-routing, when: {models: [x-messages-refused]}, load_balance_targets: [{target: chats/refused}]}
  - {id: x-chat-alone, type: priority-based-routing, when: {models: [x-chat-alone]}, load_balance_targets: [{target: talks/weak, $once}]}
  - {id: x-chat-backed, type: priority-based-routing, when: {models: [x-chat-backed]}, load_balance_targets: [{target: talks/weak, $once, priority: 0}, {target: talks/strong, priority: 1}]}
  - {id: x-messages-alone, type: priority-based-routing, when: {models: [x-messages-alone]}, load_balance_targets: [{target: chats/weak, $once}]}
  - {id: x-messages-backed, type: priority-based-routing, when: {models: [x-messages-backed]}, load_balance_targets: [{target: chats/weak, $once, priority: 0}, {target: up/strong, priority: 1}]}
  - {id: alone, type: priority-based-routing, when: {models: [alone]}, load_balance_targets: [{target: up/weak, $once}]}
  - {id: backed, type: priority-based-routing, when: {models: [backed]}, load_balance_targets: [{target: up/weak, $once, priority: 0}, {target: up/strong, priority: 1}]}
END
start gateway "$BIN"/kf-gateway --config "$tmp/g.yaml" --listen 127.0.0.1:0 --admin 127.0.0.1:0 --log "$tmp/log.jsonl"
node tests/clients/sdks.mjs calls "http://$(address gateway gateway)" >"$tmp/calls" 2>&1 || { cat "$tmp/calls" >&2; fail "every call"; }
node tests/clients/sdks.mjs translated "http://$(address gateway gateway)" >"$tmp/translated" 2>&1 || { cat "$tmp/translated" >&2; fail "one API in the words of another"; }
# Tokens and money, of an answer whole and streamed: 7 new and 4 known tokens, 29 written.
for api in messages responses; do
	check "$api is counted and billed" test 2 -le "$(jq -s --arg api $api \
	    '[.[] | select(.api == $api and .outcome == "ok" and .tokens_in == 11 and .tokens_out == 29 and (.cost_usd * 1e6 | round) == 67)] | length' "$tmp/log.jsonl")"
done
check "embeddings are" jq -se 'any(.[]; .api == "embeddings" and .tokens_in == 11 and .tokens_out == 0)' "$tmp/log.jsonl"
node tests/clients/sdks.mjs table "http://$(address gateway gateway)" >"$tmp/table" 2>"$tmp/client.err" ||
    { cat "$tmp/table" "$tmp/client.err" >&2; fail "nobody is told half of it in silence"; }
cat "$tmp/table"
# On demand the same by the SDKs for Python; PYTHON_SDKS is a Python that has both.
if [ -n "${PYTHON_SDKS-}" ]; then
	node tests/clients/sdks.mjs faults >"$tmp/faults"
	"$PYTHON_SDKS" tests/clients/sdks.py "http://$(address gateway gateway)" <"$tmp/faults" >"$tmp/python" 2>&1 ||
	    { cat "$tmp/python" >&2; fail "nobody is told half of it in silence by Python"; }
	cat "$tmp/python"
fi
stop gateway
check "the gateway exits 0" test "$stopped" = 0
