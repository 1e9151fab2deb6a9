# ctl does what toxiproxy-cli does: lists, makes, toggles and removes proxies and
# toxics of a running proxy, for people or with --json.
. tests/lib.sh
need jq
own_ports
start chaos "$BIN"/kf-chaos --admin 127.0.0.1:$port
ctl() { "$BIN"/kf-chaos ctl --admin "$(address chaos admin)" "$@"; }
says() { # JQ VERB...
	expression=$1
	shift
	ctl --json "$@" >"$tmp/out" || fail "ctl $*"
	check "ctl $*: $expression, got $(cat "$tmp/out")" jq -e "$expression" "$tmp/out" >"$tmp/ok"
}
shows() { # LINE VERB...
	line=$1
	shift
	ctl "$@" >"$tmp/out" || fail "ctl $*"
	check "ctl $*: $line, got $(cat "$tmp/out")" grep -q -x -e "$line" "$tmp/out"
}
says '. == {}' list
says '.name == "a" and .enabled and .listen == "127.0.0.1:'$((port + 1))'"' create a 127.0.0.1:$((port + 1)) 127.0.0.1:1
says '.name == "lag" and .toxicity == 0.5 and .attributes.latency == 7' \
    toxic add a latency latency=7 jitter=1 --name lag --toxicity 50 --stream upstream
says '.toxicity == 0.5 and .attributes == {"latency":9,"jitter":1}' toxic-update a lag latency=9
says '.toxics | length == 1' inspect a
says '.attributes == {"status":429,"provider":"cdn","headers":{"x-a":"1"}}' \
    toxic add a http_error status=429 provider=cdn 'headers={"x-a":"1"}' --name busy
shows 'NAME  *LISTEN  *UPSTREAM  *STATE  *TOXICS' list
shows 'a  *127.0.0.1:[0-9]*  *127.0.0.1:1  *enabled  *2' list
shows 'a: listen=127.0.0.1:[0-9]* upstream=127.0.0.1:1 enabled' inspect a
shows '  lag: type=latency stream=upstream toxicity=0.50 jitter=1 latency=9' inspect a
says '.enabled == false' disable a
says '.enabled' enable a
shows 'a: .* disabled' toggle a
shows 'a: .* enabled' toggle a
ctl toxic remove a lag
ctl toxic-remove a busy
says '.toxics == []' inspect a
echo '[{"name":"b","listen":"127.0.0.1:0","upstream":"127.0.0.1:1"},{"name":"c","listen":"127.0.0.1:0","upstream":"127.0.0.1:1","enabled":false}]' >"$tmp/all.json"
says '.proxies | map(.name) == ["b", "c"]' populate "$tmp/all.json"
shows 'c: .* disabled' populate "$tmp/all.json"
says '.name == "noop_downstream"' toxic add b noop
says '.attributes.form == "null"' toxic add b llm_empty form=null
says '.attributes.form == "no_choices"' toxic update b llm_empty_downstream form=no_choices
says '.attributes == {"status":429,"retry_after":"1"}' toxic add b http_error status=429 retry_after=1
says '.attributes.retry_after == "2"' toxic update b http_error_downstream retry_after='"2"'
exits 2 ctl toxic-add b latency latency=null
check "it says what is wrong" grep -q 'found "latency=null", expected a value' "$tmp/err"
ctl reset
says '.b.toxics == [] and .c.enabled' list
says '.ttl_s == 60 and .max_fires == 5' set-limits ttl_s=60 max_fires=5
says '.left_ms <= 60000 and .expired == false' limits
says '.left_ms > 59000' renew
says '.version == "2.12.0"' version
shows '# TYPE toxiproxy_proxy_sent_bytes_total counter' metrics
says '.name == "my proxy/1?%" and (.listen | test(":0$") | not)' create 'my proxy/1?%' 127.0.0.1:0 127.0.0.1:1
says '.name == "my proxy/1?%"' inspect 'my proxy/1?%'
ctl delete 'my proxy/1?%'
for name in a b c; do ctl delete $name; done
says '. == {}' list
exits 1 ctl inspect a
check "the API's own words" grep -q 'proxy not found' "$tmp/out"
exits 1 ctl toggle a
check "the API's own words" grep -q 'proxy not found' "$tmp/out"
exits 2 ctl dance
exits 2 ctl toxic dance
exits 2 ctl populate "$tmp/none.json"
exits 2 ctl toxic-add a latency latency
exits 1 ctl toxic-add a latency latency=soon
at=$(address chaos admin)
stop chaos
exits 3 "$BIN"/kf-chaos ctl --admin "$at" list
exits 3 "$BIN"/kf-chaos ctl --admin "$at" toggle a
