# What only a strict reader of JSON refuses is told in the other API as well, whole;
# what is no JSON is told as a failure; and an answer that its upstream does not count
# costs what the same one does untranslated, and the client is told the counts.  A
# better target that speaks the other API is asked in it, and one that speaks
# neither is not.
. tests/lib.sh
need node
need jq
need curl
start model node tests/clients/odd-answers.mjs
cat >"$tmp/g.yaml" <<END
providers:
  - {name: talks, base_url: "http://$(address model upstream)/v1", apis: [messages]}
  - {name: chats, base_url: "http://$(address model upstream)/v1", apis: [chat]}
  - {name: embeds, base_url: "http://$(address model upstream)/v1", apis: [embeddings]}
rules:
  - {id: better, type: priority-based-routing, when: {models: [better]}, load_balance_targets: [{target: chats/plain}], validators: [{type: regex, pattern: "nobody says this"}], escalation: {target: talks/odd}}
  - {id: mute, type: priority-based-routing, when: {models: [mute]}, load_balance_targets: [{target: chats/plain}], validators: [{type: regex, pattern: "nobody says this"}], escalation: {target: embeds/plain}}
prices: [{target: chats/plain, input: 1000, output: 1000}, {target: talks/plain, input: 1000, output: 1000}]
END
check "an escalation that cannot be asked is told" [ "$("$BIN"/kf-gateway check "$tmp/g.yaml" 2>&1 | grep -c 'warning: .*escalation: embeds/plain speaks no API')" = 1 ]
start gateway "$BIN"/kf-gateway --config "$tmp/g.yaml" --listen 127.0.0.1:0 --admin 127.0.0.1:0 --log "$tmp/log.jsonl"
url=http://$(address gateway gateway)/v1

ask() { # API MODEL STREAM
	path=messages
	[ "$1" = messages ] || path=chat/completions
	curl -sS -m 10 -H 'content-type: application/json' "$url/$path" \
	    -d "{\"model\":\"$2\",\"max_tokens\":9,\"stream\":$3,\"messages\":[{\"role\":\"user\",\"content\":\"q\"}]}" >"$tmp/said"
}

# Each event's JSON, then the text in one piece: jq joins no halves, Node does.
text() {
	sed -n 's/^data: //p' "$tmp/said" | node -e '
		const all = require("fs").readFileSync(0, "utf8").split("\n").filter((l) => l && l !== "[DONE]").map((l) => JSON.parse(l));
		process.stdout.write(all.map((e) => e.delta?.text ?? e.choices?.[0]?.delta?.content ?? "").join(""));'
}

# A line of the log may come behind the last byte of its answer.
for pair in messages:chats chat:talks; do
	api=${pair%:*} to=${pair#*:}
	ask "$api" "$to/odd" true
	check "$api: nothing of it is lost" test "$(text)" = 'a😀bcd'
	ask "$api" "$to/broken" true
	check "$api: what is no JSON is a failure" grep -q '"error"' "$tmp/said"
	lacks "$api: it is no whole answer" -E 'message_stop|DONE' "$tmp/said"
	await_in "$tmp/log.jsonl" jq -se '.[-1].outcome == "malformed"' "$tmp/log.jsonl"
	ask "$api" "$to/plain" true
	await_in "$tmp/log.jsonl" jq -se '.[-1] | .outcome == "ok" and .estimated and .tokens_in > 10 and .tokens_out >= 9 and .cost_usd > 0.01' "$tmp/log.jsonl"
	ask "$api" "$to/plain" false
	await_in "$tmp/log.jsonl" jq -se '.[-1] | .estimated and .tokens_in > 10 and .tokens_out > 250 and .cost_usd > 0.2' "$tmp/log.jsonl"
	check "$api: the client is told" jq -e '.usage | (.output_tokens // .completion_tokens) > 250 and (.input_tokens // .prompt_tokens) > 10' "$tmp/said"
done
ask messages chats/plain true
check "and of a stream" sh -c "sed -n 's/^data: //p' '$tmp/said' | jq -se 'any(.usage.output_tokens > 200 and .usage.input_tokens > 10)'"
ask chat better true
check "a better target that speaks messages" test "$(text)" = 'a😀bcd'
await_in "$tmp/log.jsonl" jq -se '.[-1] | .reason == "quality-escalation" and .target == "talks/odd"' "$tmp/log.jsonl"
ask chat mute false
check "a better target that speaks neither" jq -e '.choices[0].message.content | length > 0' "$tmp/said"
await_in "$tmp/log.jsonl" jq -se '.[-1] | .target == "chats/plain" and .validator == "untranslatable"' "$tmp/log.jsonl"
stop gateway
check "the gateway exits 0" test "$stopped" = 0
