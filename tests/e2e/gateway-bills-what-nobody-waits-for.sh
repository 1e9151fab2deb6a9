# What a provider was asked is billed though nobody had the answer: a client or a
# gateway that waits no longer, and a gateway that is ended in between.
. tests/lib.sh
need curl
need jq
need node
gw="$BIN"/kf-gateway
serve_spender up
cat >"$tmp/a.yaml" <<END
providers: [{name: p, base_url: "http://$(address up upstream)/v1"}]
store: {path: "$tmp/s.db"}
prices: [{target: p/x, input: 1000, output: 1000}]
breaker: off
limits: {drain_ms: 300}
---
name: r
type: gateway-load-balancing-config
rules:
  - {id: x, type: priority-based-routing, when: {models: [x]}, load_balance_targets: [{target: p/x, retry_config: {attempts: 0}, override_params: {takes_ms: 60000, uses_in: 1}}]}
END
start a "$gw" --config "$tmp/a.yaml" --listen 127.0.0.1:0 --admin 127.0.0.1:0
url=http://$(address a gateway)/v1
chat='"messages":[{"role":"user","content":"hello there"}],"model":"x"'
last() { "$gw" requests --rows 1 --json --store "$tmp/s.db" | jq -c ".[0]|$1"; }
asked() { [ "$(wc -c <"$tmp/count")" -gt "$had" ]; }

# A budget ends though nobody waits for an answer.
for wish in x-tfy-ttft-timeout-ms x-tfy-request-timeout; do
	key=$("$gw" keys create "$wish" --budget 0.04 --per ever --store "$tmp/s.db" 2>/dev/null)
	known() {
		[ "$(curl -s -o /dev/null -w '%{http_code}' "$url/models")" = 401 ] &&
			[ "$(curl -s -o /dev/null -w '%{http_code}' -H "x-api-key: $key" "$url/models")" = 200 ]
	}
	await known
	i=0 got=0
	while [ $i -lt 10 ] && [ "$got" != 429 ]; do
		got=$(curl -s -m 30 -o "$tmp/answer" -w '%{http_code}' -H "x-api-key: $key" -H "$wish: 100" -d "{$chat,\"stream\":true,\"max_tokens\":5}" "$url/chat/completions")
		i=$((i + 1))
	done
	check "$wish: $i times, then $got" [ "$got" = 429 ]
done

# Who leaves is billed for no more than was asked for.
leaves() { # TOKENS PATH BODY
	had=$(wc -c <"$tmp/count")
	curl -s -m 60 -o /dev/null -H "x-api-key: $key" -d "$3" "$url/$2" &
	asking=$!
	await asked
	sleep 0.3 # fifteen tokens a choice, where nobody knows how fast they come
	kill $asking
	wait $asking 2>/dev/null || true
	await ended
	got=$(last '[.outcome,.tokens_out]')
	check "$2 $3: $got" [ "$got" = "[\"client-gone\",$1]" ]
}
ended() { [ "$(last .outcome)" != '"open"' ] && [ "$(last .outcome)" != '"invalid"' ]; }
key=$("$gw" keys create leaves --store "$tmp/s.db" 2>/dev/null)
await known
leaves 2 chat/completions "{$chat,\"max_tokens\":2}"
leaves 6 chat/completions "{$chat,\"max_tokens\":2,\"n\":3}"
leaves 3 responses '{"model":"x","input":"hi","max_output_tokens":3}'
leaves 0 embeddings '{"model":"x","input":"hi"}'
leaves 0 chat/completions "{$chat,\"max_tokens\":2,\"stream\":true}"

# The gateway goes, and does not wait.
had=$(wc -c <"$tmp/count")
key=$("$gw" keys create late --store "$tmp/s.db" 2>/dev/null)
await known
curl -s -m 60 -o /dev/null -H "x-api-key: $key" -d "{$chat,\"max_tokens\":5}" "$url/chat/completions" &
asking=$!
await asked
stop a
wait $asking || true
check "ended with the gateway: $(last .)" [ "$(last '[.status,.cost_usd>0]')" = '[503,true]' ]
