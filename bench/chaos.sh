#!/bin/sh
# What the chaos proxy costs when it does nothing, and how exactly it does
# something: TCP passthrough (round trips, one way, short connections) against
# the direct way, nginx's stream module, HAProxy in TCP mode and Toxiproxy; HTTP
# and streams with rules that never fire against the gateway; a latency toxic on
# a thousand connections at once, the same through Toxiproxy; memory of
# connections that are held open or stalled, each in a process of its own.
#
# Marks that were set beside a direct figure are judged twice: as a ratio to the
# direct way of the same run, and as they were said.  Peers that are not
# installed are named.
# REPS (5), SECONDS_EACH (4), CONNECTIONS (32), HELD (10000) may be set, and
# TOXIPROXY (toxiproxy-server): its program, as `go install
# github.com/Shopify/toxiproxy/v2/cmd/server@v2.12.0` makes it; STREAM_MODULE:
# where Debian's libnginx-mod-stream puts its own.
set -eu
cd "$(dirname "$0")/.."
. tests/lib.sh
. bench/peers.sh
REPS=${REPS:-5} SECONDS_EACH=${SECONDS_EACH:-4} CONNECTIONS=${CONNECTIONS:-32} HELD=${HELD:-10000}
TOXIPROXY=${TOXIPROXY:-toxiproxy-server}
STREAM_MODULE=${STREAM_MODULE:-/usr/lib/nginx/modules/ngx_stream_module.so}
need wrk
need jq

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

listens() { awk -v at="$(printf ':%04X$' "$1")" '$2 ~ at && $4 == "0A" { n++ } END { exit !n }' /proc/net/tcp; }
peer() { # NAME PORT CMD...: one more way
	way=$1 at=$2
	shift 2
	background "$way" "$@"
	await listens "$at"
	ways="$ways $way:127.0.0.1:$at"
}
skipped() { echo "skipped: $*"; }

ways="direct:$server chaos:$(proxy "$api" tcp)"
port=$(free_port 1)
[ ! -e "$STREAM_MODULE" ] || echo "load_module $STREAM_MODULE;" >"$tmp/nginx.conf"
cat >>"$tmp/nginx.conf" <<EOF
worker_processes 1; daemon off; master_process off; pid $tmp/nginx.self; error_log $tmp/nginx.error;
events { worker_connections 4096; }
stream { server { listen 127.0.0.1:$port; proxy_pass $server; } }
EOF
if ! command -v nginx >/dev/null; then
	skipped "nginx is not installed"
elif ! nginx -t -q -c "$tmp/nginx.conf" 2>/dev/null; then
	skipped "nginx has no stream module"
else
	peer nginx "$port" nginx -c "$tmp/nginx.conf"
fi
port=$(free_port 2)
cat >"$tmp/haproxy.cfg" <<EOF
global
  nbthread 1
defaults
  mode tcp
  timeout client 60s
  timeout server 60s
  timeout connect 5s
listen tcp
  bind 127.0.0.1:$port
  server s $server
EOF
if command -v haproxy >/dev/null; then
	peer haproxy "$port" haproxy -f "$tmp/haproxy.cfg"
else
	skipped "haproxy is not installed"
fi
toxi=
if command -v "$TOXIPROXY" >/dev/null; then
	toxi=127.0.0.1:$(free_port 3)
	background toxiproxy "$TOXIPROXY" -host 127.0.0.1 -port "${toxi##*:}"
	await curl -sf "http://$toxi/version"
	ways="$ways toxiproxy:$(proxy "http://$toxi" tcp)"
else
	skipped "$TOXIPROXY is not installed"
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
judge() { # VALUE MARK: at most
	awk -v v="$1" -v m="$2" 'BEGIN { print v <= m ? "met" : "missed" }'
}
# WHAT FIGURE MARK DIRECT SIGN: the mark was set where the direct way gave
# DIRECT; SIGN 1: at most, and what is added counts; -1: at least.
beside_direct() {
	awk -v what="$1" -v v="$(figure "$tmp/probe.chaos" "$2")" -v d="$(figure "$tmp/probe.direct" "$2")" \
	    -v m="$3" -v md="$4" -v s="$5" 'function said(v, m) { return s * v <= s * m ? "met" : "missed" }
	    BEGIN { printf "mark: %s: %.2f x direct, %.2f wanted: %s; ", what, v / d, m / md, said(v / d, m / md)
		if (s > 0) { v -= d; m -= md }
		printf "%s%.0f, %.0f wanted: %s\n", (s > 0 ? "+" : ""), v, m, said(v, m) }'
}
beside_direct "round trip, us" rtt_p50_us 75 50 1
beside_direct "one way, MB/s" one_way_mb_s 1500 1763 -1
beside_direct "connections a second" connections_s 8000 10907 -1
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
for f in request event; do
	times=$(awk -v c="$(median <"$tmp/$f.chaos")" -v g="$(median <"$tmp/$f.gateway")" 'BEGIN { printf "%.2f", c / g }')
	echo "mark: $f: $times x the gateway, 1.30 wanted: $(judge "$times" 1.30)"
done

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
p99=$(figure "$tmp/late.chaos" error_p99_us)
echo "mark: p99 of chaos: $p99 us, 1000 wanted: $(judge "$p99" 1000)"
# The share of chunks that left at most so late, by the proxy's own clock.
curl -sf "$api/metrics" | sed -n 's/^kf_chaos_late_seconds_bucket{proxy="late",le="\(.*\)"} /\1 /p' |
    awk '{ le[NR] = $1; n[NR] = $2 }
	END { for (i = 1; i < NR && n[i] < 0.99 * n[NR]; i++) continue
	    for (j = 1; j < NR; j++) s = s sprintf(" %s:%.1f%%", le[j] * 1e6, 100 * n[j] / n[NR])
	    printf "chaos, late by its own clock: p99 at most %s us (mark 1000); at most so many us:%s\n", i < NR ? le[i] * 1e6 : "(more)", s }'

# Two descriptors a connection in the proxy, and its own.
most=$((($(ulimit -Hn) - 40) / 2))
echo
[ "$HELD" -le "$most" ] || {
	echo "$HELD connections need $((2 * HELD + 40)) descriptors in the proxy, $(ulimit -Hn) are allowed"
	HELD=$most
}
echo "$HELD connections held open, then as many that are stalled, each in a fresh process"
start holder "$BIN"/kf-chaos --admin 127.0.0.1:0
"$BIN"/bench-tcp held "$(proxy "http://$(address holder admin)" held)" --count "$HELD" --pid "$(cat "$tmp/holder.pid")"
stop holder
start staller "$BIN"/kf-chaos --admin 127.0.0.1:0
"$BIN"/bench-tcp held "$(proxy "http://$(address staller admin)" stalled '{"type":"timeout","stream":"upstream","attributes":{"timeout":0}}')" \
    --count "$HELD" --delay-ms 0 --pid "$(cat "$tmp/staller.pid")" >"$tmp/stalled"
cat "$tmp/stalled"
each=$(sed -n 's/^held .* each_bytes //p' "$tmp/stalled")
echo "mark: $each bytes each when stalled, 8192 wanted: $(judge "$each" 8192)"
