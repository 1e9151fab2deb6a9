#!/bin/sh
# Mixed traffic through the gateway for MINUTES (10): plain and streamed
# answers, clients that leave, random faults on both upstreams, cut streams that
# the other one goes on with, one of them killed and started again,
# configurations swapped, keys made and revoked, a key's and the gateway's budget
# counted in a store.  It must hold that
#  - no program crashes, and no request is without an answer or an error;
#  - memory and descriptors are flat;
#  - every request has its line, and the lines' cost is the metrics' cost, and
#    that of the store.
set -eu
cd "$(dirname "$0")/.."
. tests/lib.sh
need jq
MINUTES=${MINUTES:-10} CLIENTS=${CLIENTS:-32}
KEEP=${KEEP:-} # a folder for the log and the figures

scenario() { # PORT
	cat <<JSON
{"chaos":1,"name":"soak","seed":"soak","identity":{"key":["ordinal"]},
 "proxies":{"front":{"listen":"127.0.0.1:$1","upstream":"up"}},
 "rules":[
  {"id":"busy","when":{"p":0.02},"fault":{"type":"http_error","status":503}},
  {"id":"rate","when":{"p":0.01},"fault":{"type":"http_error","status":429,"retry_after":"1"}},
  {"id":"empty","when":{"p":0.01},"fault":{"type":"empty_reply","how":"rst"}},
  {"id":"garbage","when":{"p":0.005},"fault":{"type":"garbage","bytes":64}},
  {"id":"late","when":{"p":0.02},"fault":{"type":"latency","latency":300}},
  {"id":"cut","match":{"stream":true},"when":{"p":0.02},"fault":{"type":"sse_cut","after_events":3,"how":"rst"}},
  {"id":"fin","match":{"stream":true},"when":{"p":0.01},"fault":{"type":"sse_cut","after_events":2,"how":"clean"}},
  {"id":"said","match":{"stream":true},"when":{"p":0.01},"fault":{"type":"sse_cut","after_events":4,"how":"error_event"}},
  {"id":"stall","match":{"stream":true},"when":{"p":0.005},"fault":{"type":"stall","after_events":2,"ms":0}},
  {"id":"void","when":{"p":0.005},"fault":{"type":"llm_empty","form":"empty"}}]}
JSON
}
chaos() { # NAME
	start "$1" "$BIN"/kf-chaos --scenario "$tmp/$1.json" --admin 127.0.0.1:0 \
	    --upstream "up=$(address up upstream)" --log "$tmp/$1.jsonl"
}
config() { # PRICE BREAKER
	cat <<YAML
name: soak
type: gateway-load-balancing-config
store: {path: "$tmp/soak.db"}
timeouts: {first_token_ms: 2000, idle_ms: 2000, total_ms: 20000}
breaker: $2
providers:
  - {name: a, base_url: "http://$(address a front)/v1", continues: prefill, forward_headers: [x-tfy-metadata, x-session-id]}
  - {name: b, base_url: "http://$(address b front)/v1", continues: prefill, forward_headers: [x-tfy-metadata, x-session-id]}
prices:
  - {target: a/deepseek-v4-flash, input: $1, output: 0.42}
  - {target: b/deepseek-v4-flash, input: 0.55, output: 2.19}
rules:
  - id: all
    type: weight-based-routing
    load_balance_targets:
      - {target: a/deepseek-v4-flash, weight: 60}
      - {target: b/deepseek-v4-flash, weight: 40}
---
type: gateway-budget-config
rules: [{id: all, limit_to: 100000, unit: cost_per_month}]
YAML
}
metric() { # NAME: the sum of its series
	curl -s "http://$(address gateway admin)/metrics" |
	    awk -v n="$1" 'index($1, n "{") == 1 || $1 == n { s += $2 } END { printf "%.9f\n", s }'
}
look() { # seconds, RSS and descriptors of the gateway
	pid=$(cat "$tmp/gateway.pid")
	awk -v t="$1" '/^VmRSS/ { printf "%d %d ", t, $2 }' "/proc/$pid/status"
	find "/proc/$pid/fd" -mindepth 1 | wc -l
}

start up "$BIN"/bench-llm upstream
own_ports # b comes back to its port
for name in a b; do
	port=$((port + 1))
	scenario $port >"$tmp/$name.json"
	chaos $name
done
config 0.28 truefoundry >"$tmp/even.yaml"
config 0.29 demo >"$tmp/odd.yaml"
cp "$tmp/even.yaml" "$tmp/gateway.yaml"
start gateway "$BIN"/kf-gateway --config "$tmp/gateway.yaml" --listen 127.0.0.1:0 \
    --admin 127.0.0.1:0 --log "$tmp/gateway.jsonl"

seconds=${SECONDS_ALL:-$((MINUTES * 60))}
keys() { "$BIN"/kf-gateway keys "$@" --store "$tmp/soak.db" 2>/dev/null; }
key=$(keys create soak --budget 100000 --rate 1000000 --models 'deepseek*')
# Until it has seen the first key the door is open, and who asks is nobody.
asks_keys() { [ "$(curl -s -o /dev/null -w '%{http_code}' "http://$(address gateway gateway)/v1/models")" = 401 ]; }
await asks_keys
before=$(metric kf_gateway_requests_total) # these have no line
"$BIN"/bench-llm soak "$(address gateway gateway)" --key "$key" --count "$CLIENTS" --seconds $seconds \
    --events 30 --interval-ms 20 >"$tmp/soak.txt" 2>"$tmp/soak.err" &
echo $! >"$tmp/soak.pid"
started="$started soak"
begun=$(date +%s) round=0 kills=0 reloads=0
while :; do
	sleep 5
	now=$(($(date +%s) - begun))
	[ $now -lt $seconds ] || break
	kill -0 "$(cat "$tmp/soak.pid")" || fail "the clients go on"
	kill -0 "$(cat "$tmp/gateway.pid")" || fail "the gateway lives"
	round=$((round + 1))
	look $now >>"$tmp/looks"
	[ $((round % 2)) = 0 ] && which=even || which=odd
	cp "$tmp/$which.yaml" "$tmp/gateway.yaml"
	kill -HUP "$(cat "$tmp/gateway.pid")"
	keys create "guest-$round" --expires 60s >/dev/null
	[ $((round % 3)) != 0 ] || keys revoke "guest-$round"
	reloads=$((reloads + 1))
	if [ $((round % 4)) = 0 ]; then
		kill -KILL "$(cat "$tmp/b.pid")"
		wait "$(cat "$tmp/b.pid")" 2>/dev/null || true
		rm -f "$tmp/b.jsonl" "$tmp/b.ready"
		chaos b
		kills=$((kills + 1))
	fi
done
wait "$(cat "$tmp/soak.pid")" || { cat "$tmp/soak.txt"; fail "every request has an end that tells the truth"; }
idle() { [ "$(metric kf_gateway_in_flight)" = 0.000000000 ]; }
await idle
look "$seconds" >>"$tmp/looks"

cat "$tmp/soak.txt"
echo "reloads $reloads, kills of an upstream $kills"
requests=$(metric kf_gateway_requests_total | awk -v b="$before" '{ printf "%d\n", $1 - b }')
cost=$(metric kf_gateway_cost_usd_total)
dropped=$(metric kf_gateway_log_dropped_total)
stop gateway
check "the gateway ends well" [ "$stopped" = 0 ]
lines=$(jq -c 'select(.request)' "$tmp/gateway.jsonl" | wc -l)
logged=$(jq -r '.cost_usd // 0' "$tmp/gateway.jsonl" | awk '{ s += $1 } END { printf "%.9f\n", s }')
asked=$(awk '$1 == "asked" { print $2 }' "$tmp/soak.txt")
[ -z "$KEEP" ] || cp "$tmp/gateway.jsonl" "$tmp/looks" "$tmp/soak.txt" "$KEEP"
# Whole streams of which an earlier attempt had begun to answer.
went_on=$(jq -c 'select(.stream and .status == 200 and .outcome == "ok" and
    ([.attempts[]|select(.status == 200)]|length) > 1)' "$tmp/gateway.jsonl" | wc -l)
echo "streams that another attempt went on with or replaced: $went_on"
check "cut streams are survived" [ "$went_on" -gt 0 ]
echo "asked $asked, answered by the metrics $requests, lines $lines, dropped $dropped"
echo "cost by the metrics $cost, by the lines $logged"
awk 'NR == 1 { first = $2 } { rss[NR] = $2; fd = $3 > fd ? $3 : fd; last = $3 }
    END { n = int(NR / 4); for (i = n + 1; i <= 2 * n; i++) a += rss[i]; for (i = NR - n + 1; i <= NR; i++) b += rss[i]
	printf "RSS KiB: first %d, second quarter %.0f, last quarter %.0f; descriptors: most %d, at the end %d\n", first, a / n, b / n, fd, last
	exit !(b / n < a / n * 1.1 + 1024 && last < 700) }' "$tmp/looks" || fail "memory and descriptors are flat"
awk -v a="$requests" -v b="$lines" -v d="$dropped" 'BEGIN { exit !(a == b + d) }' ||
    fail "every answer has a line"
stored=$("$BIN"/kf-gateway spend --json --store "$tmp/soak.db" | jq -r '"\(map(.cost_usd)|add) \(map(.requests)|add)"')
asleep=$("$BIN"/kf-gateway requests --json --status open --store "$tmp/soak.db" | jq length)
echo "cost and requests by the store: $stored; never settled: $asleep; its file: $(stat -c %s "$tmp/soak.db") bytes"
check "every bill is settled" [ "$asleep" = 0 ]
awk -v a="$cost" -v b="${stored% *}" 'BEGIN { d = a - b; exit !(d < 1e-6 && d > -1e-6) }' ||
    fail "the store has every cost"
[ "$dropped" != 0.000000000 ] ||
    awk -v a="$cost" -v b="$logged" 'BEGIN { d = a - b; exit !(d < 1e-6 && d > -1e-6) }' ||
    fail "no cost is unaccounted"
