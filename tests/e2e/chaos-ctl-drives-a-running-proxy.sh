# ctl lists, makes, disables and removes proxies and toxics of a running proxy.
. tests/lib.sh
need jq
start chaos "$BIN"/kf-chaos --admin 127.0.0.1:0
ctl() { "$BIN"/kf-chaos ctl --admin "$(address chaos admin)" "$@"; }
says() { # JQ VERB...
	expression=$1
	shift
	ctl "$@" >"$tmp/out" || fail "ctl $*"
	check "ctl $*: $expression, got $(cat "$tmp/out")" jq -e "$expression" "$tmp/out" >"$tmp/ok"
}
says '. == {}' list
says '.name == "a" and .enabled and (.listen | test(":0$") | not)' create a 127.0.0.1:0 127.0.0.1:1
says '.name == "lag" and .toxicity == 0.5 and .attributes.latency == 7' \
    toxic-add a latency latency=7 jitter=1 --name lag --toxicity 50 --stream upstream
says '.toxicity == 0.5 and .attributes == {"latency":9,"jitter":1}' toxic-update a lag latency=9
says '.toxics | length == 1' inspect a
says '.enabled == false' disable a
says '.enabled' enable a
ctl toxic-remove a lag
says '.toxics == []' inspect a
ctl delete a
says '. == {}' list
exits 1 ctl inspect a
check "the API's own words" grep -q 'proxy not found' "$tmp/out"
exits 2 ctl dance
exits 2 ctl toxic-add a latency latency=soon
at=$(address chaos admin)
stop chaos
exits 3 "$BIN"/kf-chaos ctl --admin "$at" list
