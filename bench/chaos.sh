#!/bin/sh
# What the chaos proxy costs when it does nothing, and how exactly it does
# something: TCP passthrough (round trips, one way, short connections) against
# the direct way and Toxiproxy; HTTP and streams with rules that never fire
# against the gateway; a latency toxic on a thousand connections at once, the
# same through Toxiproxy; memory of connections that are held open or stalled,
# each in a process of its own.
# REPS (5), SECONDS_EACH (4), CONNECTIONS (32), HELD (10000) may be set, and
# TOXIPROXY (toxiproxy-server): its program, as `go install
# github.com/Shopify/toxiproxy/v2/cmd/server@v2.12.0` makes it.
set -eu
cd "$(dirname "$0")/.."
. tests/lib.sh
REPS=${REPS:-5} SECONDS_EACH=${SECONDS_EACH:-4} CONNECTIONS=${CONNECTIONS:-32} HELD=${HELD:-10000}
TOXIPROXY=${TOXIPROXY:-toxiproxy-server}
need wrk
need jq

median() { sort -n | awk '{ v[NR] = $1 } END { print NR % 2 ? v[(NR + 1) / 2] : (v[NR / 2] + v[NR / 2 + 1]) / 2 }'; }

start server "$BIN"/bench-tcp serve
start model "$BIN"/bench-llm upstream
server=$(address server server) model=$(address model upstream)
cat >"$tmp/s.json" <<EOF
{"chaos":1,"name":"bench","seed":"bench",
 "proxies":{"front":{"listen":"127.0.0.1:0","upstream":"$model"}},
 "rules":[
  {"id":"model","match":{"model":"never*"},"when":{"always":true},"fault":{"type":"http_error","status":503}},
  {"id":"header","match":{"header":{"x-never":"yes"}},"when":{"always":true},"fault":{"type":"latency","latency":1000}},
  {"id":"path","match":{"path":"/never"},"when":{"p":0.5},"fault":{"type":"empty_reply","how":"rst"}},
  {"id":"rare","match":{"stream":true},"when":{"nth":1000000000},"fault":{"type":"sse_cut","after_events":3,"how":"rst"}},
  {"id":"late","match":{"attempt":1000000000},"when":{"always":true},"fault":{"type":"ttft","ms":500}}]}
EOF
start chaos "$BIN"/kf-chaos --scenario "$tmp/s.json" --admin 127.0.0.1:0 --log "$tmp/chaos.jsonl"
api=http://$(address chaos admin)
proxy() { # API NAME [TOXIC]: the address it listens on
	curl -sf "$1/proxies" -d "{\"name\":\"$2\",\"listen\":\"127.0.0.1:0\",\"upstream\":\"$server\",\"enabled\":true}" |
	    jq -r .listen
	[ -z "${3:-}" ] || curl -sf "$1/proxies/$2/toxics" -d "$3" >/dev/null
}

ways="direct:$server chaos:$(proxy "$api" tcp)"
toxi=
if command -v "$TOXIPROXY" >/dev/null; then
	toxi=127.0.0.1:$((20000 + $$ % 12000))
	"$TOXIPROXY" -host 127.0.0.1 -port "${toxi##*:}" >"$tmp/toxiproxy.out" 2>&1 &
	echo $! >"$tmp/toxiproxy.pid"
	started="$started toxiproxy"
	await curl -sf "http://$toxi/version"
	ways="$ways toxiproxy:$(proxy "http://$toxi" tcp)"
else
	echo "skipped: $TOXIPROXY is not installed"
fi
i=0
while [ $i -lt "$REPS" ]; do
	for w in $ways; do
		[ "${w%%:*}" = direct ] && between= || between="--pid $(cat "$tmp/${w%%:*}.pid")"
		"$BIN"/bench-tcp probe "${w#*:}" $between >>"$tmp/probe.${w%%:*}"
	done
	i=$((i + 1))
done
figure() { awk -v k="$2" '$1 == k { print $2 }' "$1" | median; }
echo "TCP passthrough, medians of $REPS interleaved"
printf '%-10s %12s %12s %14s %15s %18s\n' way 'RTT p50 us' 'RTT p99 us' 'one way MB/s' 'connections/s' 'connection p50 us'
for w in $ways; do
	f=$tmp/probe.${w%%:*}
	printf '%-10s %12.1f %12.1f %14.0f %15.0f %18.1f\n' "${w%%:*}" "$(figure "$f" rtt_p50_us)" \
	    "$(figure "$f" rtt_p99_us)" "$(figure "$f" one_way_mb_s)" "$(figure "$f" connections_s)" \
	    "$(figure "$f" connection_p50_us)"
done
echo "marks: +25 us, 1500 MB/s, 8000/s where direct gives 1763 MB/s and 10907/s"
for w in ${ways#* }; do
	f=$tmp/probe.${w%%:*}
	echo "CPU us of ${w%%:*}: $(figure "$f" rtt_cpu_us) a round trip, $(figure "$f" mib_cpu_us) a MiB, $(figure "$f" connection_cpu_us) a connection"
done

cat >"$tmp/gateway.yaml" <<EOF
name: bench
type: gateway-load-balancing-config
providers:
  - name: up
    base_url: http://$model/v1
rules:
  - id: all
    type: priority-based-routing
    load_balance_targets:
      - target: up/deepseek-v4-flash
        priority: 0
EOF
start gateway "$BIN"/kf-gateway --config "$tmp/gateway.yaml" --listen 127.0.0.1:0 \
    --admin 127.0.0.1:0 --log "$tmp/gateway.jsonl"
ticks_of() { awk '{ print $14 + $15 }' "/proc/$(cat "$tmp/$1.pid")/stat"; }
http() { # NAME ADDRESS: CPU us a request, and an event
	before=$(ticks_of "$1")
	wrk -t1 -c "$CONNECTIONS" -d "${SECONDS_EACH}s" -s bench/chat.lua "http://$2/v1/chat/completions" >"$tmp/wrk"
	after=$(ticks_of "$1")
	awk -v t=$((after - before)) -v hz="$(getconf CLK_TCK)" '/requests in/ { printf "%.2f\n", t / hz * 1e6 / $1 }' \
	    "$tmp/wrk" >>"$tmp/request.$1"
	"$BIN"/bench-llm streams "$2" --pid "$(cat "$tmp/$1.pid")" --count 200 --events 500 --interval-ms 10 \
	    --rounds 1 >"$tmp/streams" || fail "streams through $1"
	awk '$1 == "events" { print $6 }' "$tmp/streams" >>"$tmp/event.$1"
}
i=0
while [ $i -lt "$REPS" ]; do
	http gateway "$(address gateway gateway)"
	http chaos "$(address chaos front)"
	i=$((i + 1))
done
echo
echo "HTTP and streams, five rules and none fires, $REPS interleaved, CPU us"
printf '%-10s %10s %10s\n' proxy request event
for p in gateway chaos; do
	printf '%-10s %10.2f %10.2f\n' $p "$(median <"$tmp/request.$p")" "$(median <"$tmp/event.$p")"
done
echo "mark: at most 1.30 x the gateway"

echo
echo "a latency toxic of 500 ms, 1000 connections delayed at once"
latency='{"type":"latency","stream":"downstream","attributes":{"latency":500}}'
lates="chaos:$(proxy "$api" late "$latency")"
[ -z "$toxi" ] || lates="$lates toxiproxy:$(proxy "http://$toxi" late "$latency")"
i=0
while [ $i -lt "$REPS" ]; do
	for w in $lates; do
		"$BIN"/bench-tcp delayed "${w#*:}" --count 1000 --delay-ms 500 >>"$tmp/late.${w%%:*}"
	done
	i=$((i + 1))
done
for w in $lates; do
	f=$tmp/late.${w%%:*}
	echo "${w%%:*}: error with the way there and back and the probe's own delays: p50 $(figure "$f" error_p50_us) us, p99 $(figure "$f" error_p99_us) us"
done
# The share of chunks that left at most so late, by the proxy's own clock.
curl -sf "$api/metrics" | sed -n 's/^kf_chaos_late_seconds_bucket{proxy="late",le="\(.*\)"} /\1 /p' |
    awk '{ le[NR] = $1; n[NR] = $2 }
	END { for (i = 1; i < NR && n[i] < 0.99 * n[NR]; i++) continue
	    for (j = 1; j < NR; j++) s = s sprintf(" %s:%.1f%%", le[j] * 1e6, 100 * n[j] / n[NR])
	    printf "chaos, late by its own clock: p99 at most %s us (mark 1000); at most so many us:%s\n", i < NR ? le[i] * 1e6 : "(more)", s }'

most=$((($(ulimit -Hn) - 600) / 2))
[ "$HELD" -le "$most" ] || HELD=$most
echo
echo "$HELD connections held open, then as many that are stalled, each in a fresh process"
start holder "$BIN"/kf-chaos --admin 127.0.0.1:0
"$BIN"/bench-tcp held "$(proxy "http://$(address holder admin)" held)" --count "$HELD" --pid "$(cat "$tmp/holder.pid")"
stop holder
start staller "$BIN"/kf-chaos --admin 127.0.0.1:0
"$BIN"/bench-tcp held "$(proxy "http://$(address staller admin)" stalled '{"type":"timeout","stream":"upstream","attributes":{"timeout":0}}')" \
    --count "$HELD" --delay-ms 0 --pid "$(cat "$tmp/staller.pid")"
echo "mark: 8192 bytes each when stalled"
