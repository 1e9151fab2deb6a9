#!/bin/sh
# The sixteen situations for kf-gateway and for the gateways that are installed,
# by the public failover benchmark's rule, as a table.  Each is named by where it
# is; what is not named is left out:
#	LITELLM=venv/bin/litellm PORTKEY=peer/node_modules/@portkey-ai/gateway \
#	BIFROST=bin/bifrost-http make situations PEERS=1
# Where bifrost-http cannot be had, tests/clients/bifrost is its core behind a door.
# NODE is who runs Portkey (Node 20 refuses its streams); some two minutes each.
set -eu
cd "$(dirname "$0")/.."
. tests/lib.sh
. bench/peers.sh
need node
need curl
need jq
need_npm_clients
# Nobody asks this machine by way of another one.
unset http_proxy https_proxy all_proxy HTTP_PROXY HTTPS_PROXY ALL_PROXY
KF_WHOLE='A text that is long enough to be streamed in more than a handful of events, so that there is something to cut.'
export KF_WHOLE
start second node tests/clients/goes-on.mjs "$KF_WHOLE"
second=$(address second upstream)
node tests/clients/peers.mjs scenario "$second" >"$tmp/s.json"
answers() { curl -s -m 2 -o /dev/null "$1"; }

# Asks NAME at URL; a proxy of its own, since some faults happen once.
ask() {
	node tests/clients/peers.mjs ask "$1" "$2" "$chaos" "$closed" "$second" >>"$tmp/seen"
	stop "chaos-$1"
}
prepare() { # NAME
	start "chaos-$1" "$BIN"/kf-chaos --scenario "$tmp/s.json" --admin 127.0.0.1:0
	chaos=$(address "chaos-$1" models)
	node tests/clients/peers.mjs conf "$1" "$chaos" "$closed" "$second" >"$tmp/$1.conf"
}
closed=127.0.0.1:$(free_port 1)

prepare kf-gateway
start gateway "$BIN"/kf-gateway --config "$tmp/kf-gateway.conf" --listen 127.0.0.1:0 --admin 127.0.0.1:0
ask kf-gateway "http://$(address gateway gateway)/v1"

if [ -n "${LITELLM-}" ]; then
	prepare litellm
	port=$(free_port 2)
	background litellm env LITELLM_LOCAL_MODEL_COST_MAP=True LITELLM_DANGEROUSLY_PERMIT_WEAK_OR_UNSET_MASTER_KEY=true "$LITELLM" --config "$tmp/litellm.conf" --host 127.0.0.1 --port "$port"
	begun=$(date +%s)
	until answers "http://127.0.0.1:$port/health/liveliness"; do
		[ $(($(date +%s) - begun)) -le 180 ] || fail "LiteLLM starts"
		sleep 1
	done
	ask litellm "http://127.0.0.1:$port/v1"
fi
if [ -n "${PORTKEY-}" ]; then
	prepare portkey
	port=$(free_port 3)
	background portkey env TRUSTED_CUSTOM_HOSTS=127.0.0.1 "${NODE:-node}" "$PORTKEY/build/start-server.js" --port="$port" --headless
	await answers "http://127.0.0.1:$port/"
	ask portkey "http://127.0.0.1:$port/v1"
fi
if [ -n "${BIFROST-}" ]; then
	prepare bifrost
	port=$(free_port 4)
	mkdir "$tmp/bifrost"
	cp "$tmp/bifrost.conf" "$tmp/bifrost/config.json"
	background bifrost "$BIFROST" -host 127.0.0.1 -port "$port" -app-dir "$tmp/bifrost"
	begun=$(date +%s)
	until answers "http://127.0.0.1:$port/health"; do
		[ $(($(date +%s) - begun)) -le 60 ] || fail "Bifrost starts"
		sleep 1
	done
	ask bifrost "http://127.0.0.1:$port/v1"
fi
node tests/clients/peers.mjs table <"$tmp/seen"
