# headers_override acts, Retry-After is never 0 and at most 60, what a full disk
# loses of the log is counted, an answer leaves without waiting for an ACK, and a
# limit for each of many thousands holds each to its own; sixteen attempts are said.
. tests/lib.sh
need curl
need node
need jq
start rude node tests/clients/rude.mjs
cat >"$tmp/conf.yaml" <<END
providers: [{name: p, base_url: "http://$(address rude rude)", headers: {x-provider: mine}, forward_headers: [x-kept, x-hop, x-second, "a*", "co*"]}, {name: gone, base_url: "http://127.0.0.1:1"}, {name: q, base_url: "http://$(address rude rude)"}]
breaker: off
rules:
  - id: r
    type: priority-based-routing
    when: {models: [headers]}
    load_balance_targets: [{target: p/headers, headers_override: {set: {x-set: new}, remove: [x-gone]}}]
  - {id: w, type: priority-based-routing, when: {models: [wait-zero]}, load_balance_targets: [{target: p/wait-zero, retry_config: {attempts: 0}}]}
  - id: bound
    type: priority-based-routing
    when: {models: [bound]}
    load_balance_targets: [{target: p/nothing, priority: 0, retry_config: {attempts: 10, delay: 1}}, {target: q/nothing, priority: 1, retry_config: {attempts: 10, delay: 1}}]
  - {id: n, type: priority-based-routing, when: {models: [none]}, load_balance_targets: [{target: gone/m, retry_config: {attempts: 0}}]}
  - {id: d, type: priority-based-routing, when: {models: [wait-date]}, load_balance_targets: [{target: p/wait-date, retry_config: {attempts: 0}}]}
---
type: gateway-rate-limiting-config
rules: [{id: each, when: {models: [none]}, limit_to: 1, unit: requests_per_day, rate_limit_applies_per: [metadata.who]}]
END
start gateway "$BIN"/kf-gateway --config "$tmp/conf.yaml" --listen 127.0.0.1:0 --admin 127.0.0.1:0 --log /dev/full
url=http://$(address gateway gateway)/v1/chat/completions admin=http://$(address gateway admin)
ask() { curl -s -m 20 -o "$tmp/answer" -D "$tmp/head" -w '%{http_code}' "$@" "$url"; }
check "headers" [ "$(ask -H 'x-set: old' -H 'x-gone: 1' -H 'x-kept: 2' -H 'Authorization: Bearer private' -H 'x-api-key: private' \
    -H 'api-key: private' -H 'Cookie: a=private' -H 'Proxy-Authorization: private' -H 'Connection: x-hop, X-Second' -H 'x-hop: private' -H 'x-second: private' -H 'Accept-Encoding: gzip' \
    -H 'x-goog-api-key: private' -H 'Ocp-Apim-Subscription-Key: private' -H 'x-amz-security-token: private' -H 'OpenAI-Organization: private' \
    -H 'X-TFY-METADATA: user=private' -H 'x-portkey-api-key: private' -H 'cf-access-token: private' -d '{"model":"headers"}')" = 200 ]
jq -r '.choices[0].message.content' "$tmp/answer" >"$tmp/seen"
check "set, removed, kept, added ($(cat "$tmp/seen"))" jq -e '.["x-set"] == "new" and (has("x-gone") | not) and .["x-kept"] == "2"
    and .["x-provider"] == "mine" and (has("accept-encoding") | not)' "$tmp/seen" >"$tmp/out"
check "no credential and nothing that Connection names goes on" [ "$(grep -c private "$tmp/seen")" = 0 ]
check "an answer" [ "$(ask -d '{"model":"p/nominated"}')" = 200 ]
check "tells its headers" grep -q '^x-ratelimit-theirs: told' "$tmp/head"
lacks "but none that its Connection names" -i 'x-ratelimit-mine' "$tmp/head"
check "after sixteen attempts" [ "$(ask -d '{"model":"bound"}')" = 502 ]
check "the last one is marked: $(grep -i '^x-kf-attempts' "$tmp/head")" [ "$(grep -i '^x-kf-attempts' "$tmp/head" | grep -o 'cause=\|;bound=16' | sort | uniq -c | tr -d ' \n')" = '1;bound=1616cause=' ]
check "and the error says so" grep -q 'no more attempts than these sixteen' "$tmp/answer"
check "check warns of it" sh -c "'$BIN'/kf-gateway check '$tmp/conf.yaml' 2>&1 | grep -q 'rules.*22 attempts at most by these targets; a request makes 16'"
check "busy" [ "$(ask -d '{"model":"wait-zero"}')" = 429 ]
check "no Retry-After of 0" [ "$(grep -ci '^retry-after: 0' "$tmp/head")" = 0 ]
check "busy for long" [ "$(ask -d '{"model":"p/wait-long"}')" = 429 ]
check "a minute at most" grep -qi '^retry-after: 60' "$tmp/head"
check "busy until a date" [ "$(ask -d '{"model":"wait-date"}')" = 429 ]
check "the date is told on as seconds" grep -qi '^retry-after: \(3[0-9]\|40\)' "$tmp/head"
lost() { curl -s -m 5 "$admin/metrics" | grep -q '^kf_gateway_log_dropped_total 6'; }
await lost

# A hundred requests on one connection: Nagle against delayed ACK would take 4 s.
for i in 1 2 3 4 5 6 7 8 9 10; do printf 'url = "%s"\ndata = "{\\"model\\":\\"p/good\\"}"\noutput = /dev/null\nnext\n' "$url"; done >"$tmp/ten"
for i in 1 2 3 4 5 6 7 8 9 10; do cat "$tmp/ten"; done | sed '$d' >"$tmp/hundred"
begin=$(date +%s%N)
check "a hundred" curl -s -m 20 -K "$tmp/hundred"
took=$((($(date +%s%N) - begin) / 1000000))
check "in $took ms" [ "$took" -lt 2500 ]

awk -v url="$url" 'BEGIN { for (i = 0; i < 9000; i++) printf "%surl = \"%s\"\ndata = \"{\\\"model\\\":\\\"none\\\"}\"\nheader = \"x-tfy-metadata: who=w%d\"\noutput = /dev/null\nwrite-out = \"%%{http_code}\\n\"\n", i ? "next\n" : "", url, i }' >"$tmp/many"
curl -s -m 100 -K "$tmp/many" >"$tmp/codes"
check "each of nine thousand is let in once: $(sort "$tmp/codes" | uniq -c | tr '\n' ' ')" [ "$(grep -c 502 "$tmp/codes")" = 9000 ]
check "and the first of them not again" [ "$(ask -H 'x-tfy-metadata: who=w0' -d '{"model":"none"}')" = 429 ]
check "which says why" grep -q 'the limit each is reached' "$tmp/answer"
stop gateway
check "it stops well" [ "$stopped" = 0 ]
