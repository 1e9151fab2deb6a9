# What is written down before a provider is asked is what it may bill: the
# largest limit that goes upstream, for each of the choices; so no budget is
# passed by requests that are under way together.
. tests/lib.sh
need curl
need jq
need node
gw="$BIN"/kf-gateway
serve_spender up
held() { echo "  - {id: $1, type: priority-based-routing, when: {models: [$1]}, load_balance_targets: [{target: $2, retry_config: {attempts: 0}, override_params: {takes_ms: 60000, uses_in: 1$3}}]}"; }
{
	cat <<END
providers:
  - {name: c, base_url: "http://$(address up upstream)/v1"}
  - {name: gone, base_url: "http://127.0.0.1:1/v1"}
  - {name: m, base_url: "http://$(address up upstream)/v1", apis: [messages]}
store: {path: "$tmp/s.db"}
breaker: production
prices:
  - {target: gone/x, input: 0, output: 1}
  - {target: c/x, input: 0, output: 1000}
  - {target: m/x, input: 0, output: 1000}
  - {target: c/e, input: 1000, output: 1000}
---
name: r
type: gateway-load-balancing-config
rules:
END
	held chat c/x ''
	held messages m/x ''
	held said c/x ', max_tokens: 50'
	held one c/x ', n: 1'
	held vectors c/e ''
	echo '  - {id: behind, type: priority-based-routing, when: {models: [behind]}, load_balance_targets: [{target: gone/x, priority: 0, retry_config: {attempts: 0}}, {target: c/x, priority: 1, retry_config: {attempts: 0}, override_params: {takes_ms: 60000, uses_in: 1}}]}'
} >"$tmp/a.yaml"
start a "$gw" --config "$tmp/a.yaml" --listen 127.0.0.1:0 --admin 127.0.0.1:0
url=http://$(address a gateway)/v1
open() { "$gw" requests --status open --json --store "$tmp/s.db"; }
none_open() { [ "$(open)" = '[]' ]; }
asked() { [ "$(wc -c <"$tmp/count")" -gt "$had" ]; }

reserves() { # THOUSANDTHS PATH BODY: while its provider writes
	had=$(wc -c <"$tmp/count")
	curl -s -m 60 -o /dev/null -d "$3" "$url/$2" &
	asking=$!
	await asked
	got=$(open | jq -c '[.[].cost_usd*1000|round]')
	check "$2 $3: reserved $got" [ "$got" = "[$1]" ]
	kill $asking
	wait $asking 2>/dev/null || true
	await none_open
}
chat='"messages":[{"role":"user","content":"hi"}]'
reserves 100 chat/completions "{\"model\":\"chat\",$chat,\"max_tokens\":100}"
reserves 1000 chat/completions "{\"model\":\"chat\",$chat,\"max_tokens\":100,\"n\":10}"
reserves 700 chat/completions "{\"model\":\"chat\",$chat,\"max_tokens\":100,\"n\":2,\"best_of\":7}"
reserves 5000 chat/completions "{\"model\":\"chat\",$chat,\"max_tokens\":1,\"max_completion_tokens\":5000}"
reserves 200 chat/completions "{\"model\":\"chat\",$chat,\"max_tokens\":\"100\",\"n\":2.0}"
reserves 1024 chat/completions "{\"model\":\"chat\",$chat}"
reserves 3072 chat/completions "{\"model\":\"chat\",$chat,\"n\":3}"
reserves 50 chat/completions "{\"model\":\"said\",$chat,\"max_tokens\":9000}"
reserves 20 chat/completions "{\"model\":\"one\",$chat,\"max_tokens\":20,\"n\":9}"
reserves 300 responses '{"model":"chat","input":"hi","max_output_tokens":300}'
reserves 4096 chat/completions "{\"model\":\"messages\",$chat}"
reserves 5000 chat/completions "{\"model\":\"messages\",$chat,\"max_tokens\":1,\"max_completion_tokens\":5000}"
reserves 40 messages "{\"model\":\"messages\",$chat,\"max_tokens\":40}"
# Forty tokens as numbers, in 110 bytes; as text a quarter of those.
tokens=$(printf '1,%.0s' $(seq 39))1
body="{\"model\":\"vectors\",\"input\":[[$tokens]]}"
reserves $((${#body} / 2)) embeddings "$body"

# The first target is held off: who is asked then is dearer.
held_off() {
	curl -s -m 0.5 -o /dev/null -d "{\"model\":\"behind\",$chat,\"max_tokens\":1}" "$url/chat/completions" || true
	"$gw" requests --rows 1 --json --store "$tmp/s.db" | grep -q '"breaker"'
}
await held_off
await none_open
reserves 100 chat/completions "{\"model\":\"behind\",$chat,\"max_tokens\":100}"

# One request may pass a budget, others that come meanwhile may not.
for limits in '"max_tokens":1000' '"max_tokens":100,"n":10' '"max_tokens":1,"max_completion_tokens":1000'; do
	key=$("$gw" keys create "k$limits" --budget 1 --per ever --store "$tmp/s.db" 2>/dev/null)
	known() { # and nobody else is
		[ "$(curl -s -o /dev/null -w '%{http_code}' "$url/models")" = 401 ] &&
			[ "$(curl -s -o /dev/null -w '%{http_code}' -H "x-api-key: $key" "$url/models")" = 200 ]
	}
	await known
	set -- curl -s -m 60 -o "$tmp/answer" -w '%{http_code}' -H "x-api-key: $key" -d "{\"model\":\"chat\",$chat,$limits}" "$url/chat/completions"
	had=$(wc -c <"$tmp/count")
	"$@" >/dev/null &
	asking=$!
	await asked
	had=$(wc -c <"$tmp/count")
	for i in 1 2 3; do check "$limits: $i more" [ "$("$@")" = 429 ]; done
	check "$limits: nobody was asked" [ "$(wc -c <"$tmp/count")" = "$had" ]
	kill $asking
	wait $asking 2>/dev/null || true
done
