# A Toxiproxy client adds faults of HTTP, streams and models to a TCP proxy; they act
# from the next request on, also on open connections, and the log has each of them.
. tests/lib.sh
need node
need jq
need_npm_clients
start chaos "$BIN"/kf-chaos --admin 127.0.0.1:0 --log "$tmp/log.jsonl"
at=http://$(address chaos admin)
(cd tests/clients && timeout 60 node http-toxics.mjs "$at") >"$tmp/out" 2>"$tmp/client.err" || fail "faults of HTTP are toxics"
exits 1 "$BIN"/kf-chaos verify "$tmp/log.jsonl"
check "a log that is still written is not closed" grep -q "not closed after" "$tmp/err"
check "the log names the toxic" jq -e -s 'map(select(.rule == "busy" and .fault == "http_error" and .proxy == "llm" and .result == "fired")) | length >= 2' \
    "$tmp/log.jsonl" >"$tmp/ok"

# Every type of the registry is a toxic type: none is invalid.
curl -s -o "$tmp/body" -d '{"name":"all","upstream":"127.0.0.1:1"}' "$at/proxies"
types=$("$BIN"/kf-chaos schema | jq -r '.definitions.fault.properties.type.enum[]')
check "there are types" test "$(echo "$types" | wc -l)" -ge 30
for type in $types; do
	curl -s -d "{\"type\":\"$type\"}" "$at/proxies/all/toxics" >"$tmp/body"
	check "$type is a toxic type: $(cat "$tmp/body")" jq -e --arg t "$type" \
	    '.name == $t + "_downstream" or (.status == 400 and (.error | startswith("bad request body: ")))' "$tmp/body" >"$tmp/ok"
done
stop chaos
check "it ends well" test "$stopped" -eq 0
exits 0 "$BIN"/kf-chaos verify "$tmp/log.jsonl"
sed -i '$d' "$tmp/log.jsonl"
exits 1 "$BIN"/kf-chaos verify "$tmp/log.jsonl"
check "a log whose end is gone is not closed" grep -q 'not closed after' "$tmp/err"
