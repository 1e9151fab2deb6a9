# In every API, whole and streamed, translated either way, held, and of two choices:
# an answer that is counted by half, or by nobody, or left, or is too long to be taken,
# costs about what it says; one that fails costs what it counts; and the log, the
# store and a translated usage say the same.
. tests/lib.sh
need jq
need node
gw="$BIN"/kf-gateway
start up node tests/clients/half-counted.mjs
base=http://$(address up upstream)/v1
cat >"$tmp/g.yaml" <<END
providers:
  - {name: any, base_url: "$base"}
  - {name: chats, base_url: "$base", apis: [chat]}
  - {name: talks, base_url: "$base", apis: [messages]}
  - {name: goes, base_url: "$base", continues: prefill}
prices: [{target: any/m, input: 1000, output: 1000}, {target: chats/m, input: 1000, output: 1000}, {target: talks/m, input: 1000, output: 1000}, {target: goes/m, input: 1000, output: 1000}]
breaker: off
store: {path: "$tmp/s.db"}
limits: {answer_bytes: 3000000}
rules:
  - {id: held, type: priority-based-routing, when: {models: [held]}, buffer: {max_bytes: 4000000, max_ms: 60000}, load_balance_targets: [{target: any/m}]}
  - {id: judged, type: priority-based-routing, when: {models: [judged]}, validators: [{type: content}], escalation: {target: chats/m}, load_balance_targets: [{target: any/m}]}
  - {id: pair, type: priority-based-routing, when: {models: [pair]}, load_balance_targets: [{target: goes/m, priority: 0}]}
END
start g "$gw" --config "$tmp/g.yaml" --listen 127.0.0.1:0 --admin 127.0.0.1:0 --log "$tmp/log.jsonl"
check "each costs what it is" node tests/clients/billed.mjs "http://$(address g gateway)/v1" "$tmp/log.jsonl"
jq -s 'map({(.request): [.tokens_in, .tokens_out, (.cost_usd * 1000 | round)]}) | add' "$tmp/log.jsonl" >"$tmp/a"
"$gw" requests --rows 1000 --json --store "$tmp/s.db" | jq 'map({(.request): [.tokens_in, .tokens_out, (.cost_usd * 1000 | round)]}) | add' >"$tmp/b"
check "the store says the same" jq -se '.[0] == .[1] and all(.[0][]; .[0] + .[1] == .[2])' "$tmp/a" "$tmp/b" >"$tmp/out"
