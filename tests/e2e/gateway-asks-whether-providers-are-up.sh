# Providers with a health check are asked while nobody else asks: one that is
# down is skipped, and back after so many good answers; the log, the metrics and
# the status say so.
. tests/lib.sh
need curl
need jq
need node
gw="$BIN"/kf-gateway
KF_TEST_B=key-of-b
export KF_TEST_B
own_ports
for n in a b; do
	echo good >"$tmp/$n.mood"
	: >"$tmp/$n.seen"
	port=$((port + 1))
	start up-$n env PORT=$port node tests/clients/up-or-down.mjs "$tmp/$n.mood" "$tmp/$n.seen"
done
conf() { # LINES OF A
	cat >"$tmp/g.yaml" <<END
providers:
  - {name: a, base_url: "http://$(address up-a upstream)/v1"$1}
  - {name: b, base_url: "http://$(address up-b upstream)/v1", api_key_env: KF_TEST_B, health_check: {model: tiny, interval_ms: 100, timeout_ms: 3000, fails: 2, passes: 2}}
breaker: off
rules:
  - id: chat
    type: priority-based-routing
    when: {models: [chat]}
    load_balance_targets: [{target: a/m, priority: 0}, {target: b/m, priority: 1}]
END
}
checked=', health_check: {path: /models, interval_ms: 100, timeout_ms: 3000, fails: 2, passes: 2}'
conf "$checked"
start g "$gw" --config "$tmp/g.yaml" --listen 127.0.0.1:0 --admin 127.0.0.1:0
g=http://$(address g gateway) admin=http://$(address g admin)
ask() { curl -s -m 5 -o "$tmp/answer" -D "$tmp/head" -w '%{http_code}' -d "{\"model\":\"${1:-chat}\",\"messages\":[]}" "$g/v1/chat/completions"; }
went_to() { tr -d '\r' <"$tmp/head" | sed -n 's/^x-tfy-resolved-model: //p'; }
is_down() { [ "$(curl -s "$admin/status" | jq -r ".targets[]|select(.target==\"$1\").down")" = "$2" ]; }
asked() { grep -c '"model":"m"' "$tmp/$1.seen" || true; }

seen() { [ "$(grep -c "$2" "$tmp/$1.seen")" -ge 3 ]; }
await seen a '"url":"/v1/models"'
await seen b '"max_tokens":1'
check "a tiny question, with the key" [ "$(head -n 1 "$tmp/b.seen" | jq -c '[.method,.url,.key,.body]')" = \
    '["POST","/v1/chat/completions","Bearer key-of-b",{"model":"tiny","messages":[{"role":"user","content":"ping"}],"max_tokens":1}]' ]
check "both are up" is_down a/m false
check "the first is asked" [ "$(ask)" = 200 ]
check "it was: $(went_to)" [ "$(went_to)" = a/m ]

for mood in down silent; do
	echo $mood >"$tmp/a.mood"
	await is_down a/m true
	before=$(asked a)
	check "$mood: the next one answers" [ "$(ask)" = 200 ]
	check "$mood: $(went_to)" [ "$(went_to)" = b/m ]
	check "$mood: nobody asked it" [ "$(asked a)" = "$before" ]
	check "$mood: and says why" grep -qi '^x-tfy-routing: .*reason=down' "$tmp/head"
	check "$mood: the attempts too" grep -qi '^x-kf-attempts: a/m;cause=down.*b/m;cause=ok' "$tmp/head"
	check "$mood: the metrics" [ "$(curl -s "$admin/metrics" | grep -c '^kf_gateway_target_down{target="a.*} 1')" -ge 2 ]
	check "$mood: its other models" [ "$(ask a/x)" = 503 ]
	check "$mood: in words" grep -q 'does not answer its health check' "$tmp/answer"
	check "$mood: to be asked again" grep -qi '^retry-after: 1' "$tmp/head"
	[ $mood != down ] || check "a reload forgets nothing" [ "$(curl -s -o /dev/null -w '%{http_code}' -X POST "$admin/reload")" = 200 ]
	check "$mood: it is down still" is_down a/m true
	echo good >"$tmp/a.mood"
	await is_down a/m false
	check "$mood: then it is asked again" [ "$(ask)" = 200 ]
	check "$mood: $(went_to)" [ "$(went_to)" = a/m ]
done
check "the log: why" grep -q 'error health: a is down: it answered 503, 2 times in a row; its targets are skipped' "$tmp/g.err"
check "the log: silence" grep -q 'error health: a is down: it did not answer in time' "$tmp/g.err"
check "the log: the end" [ "$(grep -c 'info health: a is up again' "$tmp/g.err")" = 2 ]

echo down >"$tmp/a.mood"
await is_down a/m true
conf ''
check "a reload without a check" [ "$(curl -s -o /dev/null -w '%{http_code}' -X POST "$admin/reload")" = 200 ]
check "and nobody says that it is down" is_down a/m false

# A provider that is gone altogether.
kill "$(cat "$tmp/up-b.pid")"
wait "$(cat "$tmp/up-b.pid")" 2>/dev/null || true
await is_down b/m true
check "refused" grep -q 'error health: b is down: .*refused' "$tmp/g.err"
stop g
check "it ends well" [ "$stopped" = 0 ]

for bad in '{}' '{path: models}' '{path: /m, model: m}' '{path: /m, interval_ms: 1}' '{path: /m, fails: 0}' '{path: /m, nonsense: 1}' '7'; do
	conf ", health_check: $bad"
	case $bad in *nonsense*) ;; *) exits 2 "$gw" check "$tmp/g.yaml" ;; esac
done
conf ", apis: [messages], health_check: {model: m}"
exits 2 "$gw" check "$tmp/g.yaml"
