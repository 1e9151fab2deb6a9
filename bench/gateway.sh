#!/bin/sh
# What a proxied chat completion costs, side by side in one run: kf-gateway
# (routing, JSON and headers on) against nginx and HAProxy as plain reverse
# proxies, and Portkey's gateway where npm has installed it.
#
# Five tables: CPU time a request and memory (also with a store and a key of it; "book" is that without
# the decision log, as nginx is without its own: the store keeps the requests), in front of one nginx
# that gives a fixed answer; who shares the machine's processors meanwhile; time that is
# added to one request at a time, and to a stream's first event; CPU time an
# event of a stream; memory of streams held open.
#
# Repetitions are interleaved; CPU time comes from /proc of the measured
# processes, so a busy machine disturbs it far less than throughput.
# REPS (5), SECONDS_EACH (4), CONNECTIONS (32), STREAMS (10000) may be set;
# PORTKEY names the folder of npm's @portkey-ai/gateway:
#	npm install --prefix peer @portkey-ai/gateway
#	PORTKEY=peer/node_modules/@portkey-ai/gateway make bench-gateway
set -eu
cd "$(dirname "$0")/.."
ulimit -n 20480 2>/dev/null || true # two descriptors a stream, and some
. tests/lib.sh
. bench/peers.sh
REPS=${REPS:-5} SECONDS_EACH=${SECONDS_EACH:-4} CONNECTIONS=${CONNECTIONS:-32}
need wrk
need nginx
STREAMS=${STREAMS:-10000}
PORTKEY=${PORTKEY:-peer/node_modules/@portkey-ai/gateway}
ticks=$(getconf CLK_TCK)

answer='{"id":"chatcmpl-1","object":"chat.completion","created":1,"model":"m","choices":[{"index":0,"message":{"role":"assistant","content":"'$(printf 'x%.0s' $(seq 440))'"},"finish_reason":"stop"}],"usage":{"prompt_tokens":10,"completion_tokens":20,"total_tokens":30}}'
up_port=$(free_port 1) nginx_port=$(free_port 2) haproxy_port=$(free_port 3)
portkey_port=$(free_port 4) events_port=$(free_port 5)

nginx_conf() { # PORT LOCATION-TEXT NAME
	cat >"$tmp/$3.conf" <<EOF
worker_processes 1; daemon off; pid $tmp/$3.nginx.pid; error_log $tmp/$3.error;
events { worker_connections 4096; }
http { access_log off; keepalive_requests 100000000; client_body_buffer_size 64k;
  client_body_temp_path $tmp/$3.b; proxy_temp_path $tmp/$3.p; fastcgi_temp_path $tmp/$3.f;
  uwsgi_temp_path $tmp/$3.u; scgi_temp_path $tmp/$3.s;
  upstream up { server 127.0.0.1:$up_port; keepalive 64; keepalive_requests 100000000; }
  server { listen 127.0.0.1:$1 reuseport; location / { $2 } } }
EOF
}
answers() { curl -sf -m 2 -d '{"model":"deepseek-v4-flash","messages":[]}' "$1" -o /dev/null; }

nginx_conf "$up_port" "default_type application/json; return 200 '$answer';" up
nginx_conf "$nginx_port" 'proxy_pass http://up; proxy_http_version 1.1; proxy_set_header Connection "";' nginx
background up nginx -c "$tmp/up.conf"
background nginx nginx -c "$tmp/nginx.conf"
await answers "http://127.0.0.1:$up_port/"
await answers "http://127.0.0.1:$nginx_port/v1/chat/completions"

gateway() { # NAME UPSTREAM [LINES [no-log]]
	cat >"$tmp/$1.yaml" <<EOF
${3-}
name: bench
type: gateway-load-balancing-config
providers:
  - name: up
    base_url: http://$2/v1
rules:
  - id: all
    type: priority-based-routing
    load_balance_targets:
      - target: up/deepseek-v4-flash
        priority: 0
EOF
	set -- "$1" "${4:---log}" "$tmp/$1.jsonl"
	[ "$2" != no-log ] || set -- "$1"
	name=$1
	shift
	start "$name" "$BIN"/kf-gateway --config "$tmp/$name.yaml" --listen 127.0.0.1:0 \
	    --admin 127.0.0.1:0 "$@"
}
gateway gateway 127.0.0.1:"$up_port"
# The same with a store: a key that was handed out, its rate and its budget, and
# every request written down before it is sent and when it ends.
keep() { # NAME UPSTREAM [no-log]; its key: $tmp/NAME.key
	"$BIN"/kf-gateway keys create bench --store "$tmp/$1.db" --models 'deepseek*' --rate 1000000 --budget 1000000 \
	    2>/dev/null >"$tmp/$1.key"
	gateway "$1" "$2" "store: {path: $tmp/$1.db}
prices: [{target: up/deepseek-v4-flash, input: 0.28, output: 0.42}]" "${3---log}"
}
keep store 127.0.0.1:"$up_port"
keep book 127.0.0.1:"$up_port" no-log
targets="gateway:http://$(address gateway gateway)/v1/chat/completions store:http://$(address store gateway)/v1/chat/completions book:http://$(address book gateway)/v1/chat/completions nginx:http://127.0.0.1:$nginx_port/v1/chat/completions"

if command -v haproxy >/dev/null; then
	cat >"$tmp/haproxy.cfg" <<EOF
global
  nbthread 1
defaults
  mode http
  timeout client 60s
  timeout server 60s
  timeout connect 5s
frontend f
  bind 127.0.0.1:$haproxy_port
  default_backend b
backend b
  http-reuse always
  server s 127.0.0.1:$up_port
EOF
	background haproxy haproxy -f "$tmp/haproxy.cfg"
	await answers "http://127.0.0.1:$haproxy_port/v1/chat/completions"
	targets="$targets haproxy:http://127.0.0.1:$haproxy_port/v1/chat/completions"
else
	echo "skipped: haproxy is not installed"
fi
if [ -e "$PORTKEY/build/start-server.js" ]; then
	background portkey node "$PORTKEY/build/start-server.js" --port="$portkey_port" --headless
	await curl -s -m 2 -o /dev/null "http://127.0.0.1:$portkey_port/"
	targets="$targets portkey:http://127.0.0.1:$portkey_port/v1/chat/completions"
else
	echo "skipped: npm's @portkey-ai/gateway is not installed"
fi

# User and system ticks of a program and its children that run.
ticks_of() { # NAME
	top=$(cat "$tmp/$1.pid")
	for pid in $top $(pgrep -P "$top" || true); do
		awk '{ print $14 + $15 }' "/proc/$pid/stat"
	done | awk '{ s += $1 } END { print s }'
}
rss_of() { # NAME: kB, with its children
	top=$(cat "$tmp/$1.pid")
	for pid in $top $(pgrep -P "$top" || true); do
		awk '/^VmRSS/ { print $2 }' "/proc/$pid/status"
	done | awk '{ s += $1 } END { print s }'
}

idle_rss=$(rss_of gateway)
# NAME URL -> "us_per_request p50_us requests errors", and what of a processor
# the proxy, the upstream and the client took, in percent
measure() {
	name=$1 url=$2
	set -- -H "Authorization: Bearer $(cat "$tmp/$name.key" 2>/dev/null || echo none)"
	[ "$name" != portkey ] || set -- "$@" -H 'x-portkey-provider: openai' \
	    -H "x-portkey-custom-host: http://127.0.0.1:$up_port/v1"
	proxy=$(ticks_of "$name") up=$(ticks_of up)
	(
		wrk -t1 -c "$CONNECTIONS" -d "${SECONDS_EACH}s" --latency -s bench/chat.lua "$@" "$url" >"$tmp/wrk"
		times >"$tmp/times"
	)
	proxy=$(($(ticks_of "$name") - proxy)) up=$(($(ticks_of up) - up))
	awk -v t="$proxy" -v u="$up" -v hz="$ticks" -v s="$SECONDS_EACH" '
	    /requests in/ { n = $1 }
	    /50%/ { v = $2; if (v ~ /ms$/) v *= 1000; else if (v ~ /us$/) v += 0; p50 = v + 0 }
	    /Non-2xx/ { bad = $NF }
	    /^[0-9]+m/ { split($1 "m" $2, c, "[ms]"); client = c[1] * 60 + c[2] + c[4] * 60 + c[5] }
	    END { printf "%.2f %.0f %d %d %.0f %.0f %.0f\n", t / hz * 1e6 / n, p50, n, bad,
		t / hz / s * 100, u / hz / s * 100, client / s * 100 }' "$tmp/wrk" "$tmp/times"
}

echo "1.1 KB chat completion, 0.6 KB answer, $CONNECTIONS keep-alive connections, $REPS x ${SECONDS_EACH} s interleaved, $(nproc) cores"
i=0
while [ $i -lt "$REPS" ]; do
	for t in $targets; do
		measure "${t%%:*}" "${t#*:}" >>"$tmp/result.${t%%:*}"
	done
	i=$((i + 1))
done

base=$(cut -d' ' -f1 "$tmp/result.nginx" | median)
printf '%-10s %14s %8s %10s %14s %8s %10s %24s\n' proxy 'CPU us/request' spread 'p50 us' 'x nginx CPU' errors 'RSS kB' '% of a CPU, up, client'
for t in $targets; do
	f=$tmp/result.${t%%:*}
	cpu=$(cut -d' ' -f1 "$f" | median)
	low=$(cut -d' ' -f1 "$f" | sort -n | head -n 1)
	high=$(cut -d' ' -f1 "$f" | sort -n | tail -n 1)
	p50=$(cut -d' ' -f2 "$f" | median)
	errors=$(awk '{ s += $4 } END { print s + 0 }' "$f")
	share=$(for k in 5 6 7; do cut -d' ' -f$k "$f" | median; done | tr '\n' ' ')
	awk -v n="${t%%:*}" -v c="$cpu" -v l="$low" -v h="$high" -v p="$p50" -v b="$base" -v e="$errors" \
	    -v r="$(rss_of "${t%%:*}")" -v s="$share" \
	    'BEGIN { printf "%-10s %14.2f %7.0f%% %10.0f %14.2f %8d %10d %24s\n", n, c, (h - l) / c * 100, p, c / b, e, r, s }'
done
echo "mark: at most 1.30 x nginx; idle RSS of kf-gateway: $idle_rss kB (mark 8192)"

# ---- one request at a time, and streams: bench-llm is the upstream
start events "$BIN"/bench-llm upstream
events=$(address events upstream)
gateway streams "$events"
keep kept "$events" no-log
up_port=${events##*:}
nginx_conf "$events_port" 'proxy_pass http://up; proxy_http_version 1.1; proxy_set_header Connection ""; proxy_buffering off;' nginx2
background nginx2 nginx -c "$tmp/nginx2.conf"
await answers "http://127.0.0.1:$events_port/v1/chat/completions"
ways="gateway:$(address streams gateway) nginx:127.0.0.1:$events_port"
kept="kept:$(address kept gateway)" # with a store and a key, as "book" above
[ ! -e "$tmp/portkey.pid" ] || portkey="portkey:127.0.0.1:$portkey_port"

i=0
while [ $i -lt "$REPS" ]; do
	for w in direct:$events $ways "$kept" ${portkey-}; do
		case $w in
		kept:*) "$BIN"/bench-llm latency "${w#*:}" --count 2000 --key "$(cat "$tmp/kept.key")" >"$tmp/latency" ;;
		# Its streams may end in a 500 (seen with Node 20: "immutable").
		portkey:*) "$BIN"/bench-llm latency "${w#*:}" --count 200 --portkey "http://$events/v1" >"$tmp/latency" || true ;;
		*) "$BIN"/bench-llm latency "${w#*:}" --count 2000 >"$tmp/latency" ;;
		esac
		awk '/^plain_whole_p50/ { p = $2 } /^stream_first_p50/ { s = $2 } END { print p, s ? s : "-" }' \
		    "$tmp/latency" >>"$tmp/latency.${w%%:*}"
	done
	i=$((i + 1))
done
echo
echo "one connection, one request at a time, $REPS x 2000 interleaved, p50 in us"
printf '%-10s %8s %8s %14s %8s\n' way plain added 'first event' added
plain0=$(cut -d' ' -f1 "$tmp/latency.direct" | median)
first0=$(cut -d' ' -f2 "$tmp/latency.direct" | median)
for w in direct:$events $ways "$kept" ${portkey-}; do
	plain=$(cut -d' ' -f1 "$tmp/latency.${w%%:*}" | median)
	first=$(cut -d' ' -f2 "$tmp/latency.${w%%:*}" | median)
	! grep -q -- ' -$' "$tmp/latency.${w%%:*}" || first=-
	awk -v n="${w%%:*}" -v p="$plain" -v f="$first" -v p0="$plain0" -v f0="$first0" \
	    'BEGIN { printf "%-10s %8.0f %8.0f", n, p, p - p0; if (f == "-") printf " %14s\n", "no stream"
		else printf " %14.0f %8.0f\n", f, f - f0 }'
done
echo "marks: +25 us; first event +100 us"

pid_of() { # NAME: the process that does the work
	case $1 in
	nginx) pgrep -P "$(cat "$tmp/nginx2.pid")" ;;
	*) cat "$tmp/streams.pid" ;;
	esac
}
# Name, streams, events each, milliseconds between, and how many at once.
loads='sparse 1000 12 500 1
dense 200 500 10 1
bursts 200 5000 10 10'
held() { # WAY LOAD STREAMS EVENTS INTERVAL_MS BURST
	"$BIN"/bench-llm streams "${1#*:}" --pid "$(pid_of "${1%%:*}")" --count "$3" --events "$4" \
	    --interval-ms "$5" --burst "$6" --rounds 1 >"$tmp/held" || fail "streams through ${1%%:*}"
	awk '$1 == "events" { print $6 }' "$tmp/held" >>"$tmp/held.${1%%:*}.$2"
}
i=0
while [ $i -lt "$REPS" ]; do
	for w in $ways; do
		echo "$loads" | while read -r load; do held "$w" $load; done
	done
	i=$((i + 1))
done
echo
echo "CPU us per event of a stream, $REPS interleaved: each event in a write of its own; ten in a write"
printf '%-10s %26s %26s %26s\n' proxy '1000 streams, 2 events/s' '200 streams, 100 events/s' '200 x 100 bursts/s of 10'
for w in $ways; do
	printf '%-10s %26.2f %26.2f %26.2f\n' "${w%%:*}" "$(median <"$tmp/held.${w%%:*}.sparse")" \
	    "$(median <"$tmp/held.${w%%:*}.dense")" "$(median <"$tmp/held.${w%%:*}.bursts")"
done
echo "mark: 3 us"

# Two descriptors a stream.
most=$((($(ulimit -Hn) - 40) / 2))
[ "$STREAMS" -le "$most" ] || {
	echo "$STREAMS streams need $((2 * STREAMS)) descriptors, $(ulimit -Hn) are allowed"
	STREAMS=$most
}
echo
echo "$STREAMS streams open at once, twice"
gateway fresh "$events"
"$BIN"/bench-llm streams "$(address fresh gateway)" --pid "$(cat "$tmp/fresh.pid")" \
    --count "$STREAMS" --events 8 --interval-ms 3000 --rounds 2
echo "mark: 12288 bytes each, both legs; afterwards nothing is left over"
