# An answer that has said why it ends is whole: nobody goes on with it, whatever
# becomes of its stream.  What is counted by half, and a stream of large events,
# cost what they say.  Names that clients make up cut no page of metrics.
. tests/lib.sh
need node
need jq
need curl
start model node tests/clients/finished-and-broken.mjs
cat >"$tmp/g.yaml" <<END
providers:
  - {name: a, base_url: "http://$(address model upstream)/a/v1", apis: [chat, messages], continues: prefill}
  - {name: b, base_url: "http://$(address model upstream)/b/v1", apis: [chat, messages], continues: prefill}
  - {name: chats, base_url: "http://$(address model upstream)/a/v1", apis: [chat], continues: prefill}
  - {name: all, base_url: "http://$(address model upstream)/a/v1"}
  - {name: talks, base_url: "http://$(address model upstream)/a/v1", apis: [messages], continues: prefill}
  - {name: later-chats, base_url: "http://$(address model upstream)/b/v1", apis: [chat], continues: prefill}
  - {name: later-talks, base_url: "http://$(address model upstream)/b/v1", apis: [messages], continues: prefill}
prices: [{target: a/m, input: 1000, output: 1000}]
breaker: off
rules:
  - {id: r, type: priority-based-routing, when: {models: [m, half, large, filter]}, load_balance_targets: [{target: a/m, priority: 0, retry_config: {attempts: 1, delay: 1}}, {target: b/m, priority: 1}]}
END
for kind in chats talks; do
	for next in chats talks; do
		echo "  - {id: $kind-$next, type: priority-based-routing, when: {models: [$kind-$next]}, load_balance_targets: [{target: $kind/m, priority: 0, retry_config: {attempts: 1, delay: 1}}, {target: later-$next/m, priority: 1}]}"
	done
done >>"$tmp/g.yaml"
cat >>"$tmp/g.yaml" <<END
  - {id: held, type: priority-based-routing, when: {models: [held]}, buffer: {max_bytes: 100000, max_ms: 60000}, load_balance_targets: [{target: a/m, priority: 0, retry_config: {attempts: 0}}, {target: later-chats/m, priority: 1}]}
  - {id: short, type: priority-based-routing, when: {models: [short]}, buffer: {max_bytes: 1, max_ms: 60000}, load_balance_targets: [{target: a/m, priority: 0, retry_config: {attempts: 0}}, {target: later-chats/m, priority: 1}]}
END
start gateway "$BIN"/kf-gateway --config "$tmp/g.yaml" --listen 127.0.0.1:0 --admin 127.0.0.1:0 --log "$tmp/log.jsonl"
url=http://$(address gateway gateway)/v1

ask() { # PATH HOW MODEL MORE
	curl -sS -m 10 "$url/$1" -H 'content-type: application/json' \
	    -d "{\"model\":\"${3:-m}\",\"stream\":true,\"max_tokens\":9000,\"${5:-messages}\":[{\"role\":\"user\",\"content\":\"$2\"}]${4:-}}" >"$tmp/said" 2>/dev/null && got=0 || got=$?
}

# The story is told once: with the beginning alone, or, where it was all held, as
# somebody else's; never as both.
whole_once() { # WHAT
	check "$1: it is told as far as it goes" grep -q 'I will not.' "$tmp/said"
	lacks "$1: nobody goes on" 'Sure' "$tmp/said"
	lacks "$1: and nothing says so" 'x-kf-continues' "$tmp/said"
	# Where the reason is translated with the count behind it, it was not told yet.
	case $1 in 'messages, chats'*error) most=0 ;; *) most=1 ;; esac
	check "$1: it ends once at most" [ "$(grep -c 'content_filter\|"refusal"\|end_turn\|finish_reason": *"stop' "$tmp/said")" = $most ]
	# How a connection ends says nothing more; an error that is told does.
	case $1 in *error) return ;; esac
	check "$1: the client has all of it" [ "$got" = 0 ]
	lacks "$1: no error" '"error"' "$tmp/said"
	check "$1: its end" grep -q '^data: \[DONE\]\|"message_stop"\|"response.completed"' "$tmp/said"
}
for how in fin reset stall error; do
	for path in chat/completions messages; do
		for model in m chats-chats chats-talks talks-chats talks-talks short; do
			ask $path $how $model
			whole_once "$path, $model, $how"
		done
	done
	ask responses $how all/m '' input
	whole_once "responses, $how"
	ask chat/completions $how held
	check "held, $how: one story" [ "$(grep -c 'will not\|Sure' "$tmp/said")" = 1 ]
done

# Ten thousand bytes are 2,500 tokens, counted by half, by nobody, or left.
for how in half null other large; do
	: >"$tmp/log.jsonl"
	ask chat/completions $how
	await_in "$tmp/log.jsonl" jq -se '.[-1] | .estimated and .tokens_out >= 2500 and .tokens_out < 2600 and .tokens_in > 0 and .cost_usd > 2.5' "$tmp/log.jsonl"
done

node -e '
(async () => {
	for (let i = 0; i < 300; i++)
		await fetch(process.argv[1] + "/chat/completions", { method: "POST", headers: { "content-type": "application/json" },
			body: JSON.stringify({ model: "b/" + String(i).padStart(200, "x"), messages: [{ role: "user", content: "whole" }] }) }).then((r) => r.text());
})();' "$url"
curl -sS "http://$(address gateway admin)/metrics" >"$tmp/metrics"
check "more than four megabytes" [ "$(wc -c <"$tmp/metrics")" -gt 4194304 ]
check "the page has its end" grep -q "^kf_gateway_overhead_seconds_count[ {]" "$tmp/metrics"
for family in gen_ai_server_time_to_first_token_seconds gen_ai_server_time_per_output_token_seconds kf_gateway_cost_usd_total; do
	check "the rule's own target is in $family" grep -q "^$family.*\"a/m\"" "$tmp/metrics"
done
