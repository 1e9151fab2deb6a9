# A collector gets a span for each request and each attempt, in the client's
# trace; one that is gone costs nobody an answer, and the lost are counted.
. tests/lib.sh
need curl
need node
need jq
start rude node tests/clients/rude.mjs
start collector node tests/clients/collector.mjs "$tmp/spans"
: >"$tmp/spans"
cat >"$tmp/conf.yaml" <<END
providers: [{name: p, base_url: "http://$(address rude rude)"}]
otlp: {endpoint: "http://$(address collector collector)", headers: {x-tenant: tests}, service_name: my-gateway}
rules:
  - {id: r, type: priority-based-routing, when: {models: [m]}, load_balance_targets: [{target: p/nothing, priority: 0, retry_config: {attempts: 0}}, {target: p/good, priority: 1}]}
END
start gateway "$BIN"/kf-gateway --config "$tmp/conf.yaml" --listen 127.0.0.1:0 --admin 127.0.0.1:0
url=http://$(address gateway gateway)/v1/chat/completions admin=http://$(address gateway admin)
trace=0af7651916cd43dd8448eb211c80319c
ask() { curl -s -m 10 -o "$tmp/answer" -D "$tmp/head" -w '%{http_code}' -H 'Authorization: Bearer client-secret' "$@" "$url"; }
check "a fallback" [ "$(ask -H "traceparent: 00-$trace-b7ad6b7169203331-01" -d '{"model":"m","messages":["private words"]}')" = 200 ]
check "one that is not sampled" [ "$(ask -H "traceparent: 00-${trace%c}d-b7ad6b7169203331-00" -d '{"model":"m"}')" = 200 ]
check "a refusal" [ "$(ask -d '{"model":7}')" = 400 ]
has() { [ "$(jq -s '[.[].resourceSpans[].scopeSpans[].spans[]] | length' "$tmp/spans")" = "$1" ]; }
await_in "$tmp/spans" has 4
spans=$(jq -s -c '[.[].resourceSpans[].scopeSpans[].spans[] | .a = (.attributes | map({(.key): (.value | .stringValue // .intValue)}) | add)]' "$tmp/spans")
says() { check "$1 ($spans)" jq -e "$2" >"$tmp/out" <<END
$spans
END
}
says "the request is in the client's trace" ".[0] | .traceId == \"$trace\" and .parentSpanId == \"b7ad6b7169203331\" and .kind == 2 and .name == \"chat m\""
says "with the GenAI names" '.[0].a | .["gen_ai.operation.name"] == "chat" and .["gen_ai.request.model"] == "m" and .["gen_ai.response.model"] == "good" and .["kf.rule"] == "r"'
says "each attempt stands below it" '.[0].spanId as $id | .[1:3] | all(.parentSpanId == $id and .kind == 3)'
says "a failed one says so" '.[1] | .status.code == 2 and .a["error.type"] == "no-answer"'
says "a good one counts" '.[2] | (has("status") | not) and .a["gen_ai.usage.input_tokens"] == "1" and .a["http.response.status_code"] == "200"'
says "times are in order" '.[0] as $r | .[1:3] | all((.startTimeUnixNano | tonumber) >= ($r.startTimeUnixNano | tonumber) and (.startTimeUnixNano | tonumber) <= (.endTimeUnixNano | tonumber))'
says "a refused request has its status" '.[3].a["http.response.status_code"] == "400"'
check "the service is named" grep -q '"stringValue":"my-gateway"' "$tmp/spans"
check "no secrets and no words" [ "$(grep -c 'private\|secret\|Bearer' "$tmp/spans")" = 0 ]
metric() { [ "$(curl -s -m 10 "$admin/metrics" | sed -n "s/^kf_gateway_spans_$1_total //p")" = "$2" ]; }
await metric sent 4
check "two spans, of which it takes one" [ "$(ask -d '{"model":"partly"}')" = 200 ]
await metric dropped 1
check "the other was sent" metric sent 5
stop collector
check "with no collector the answers go on" [ "$(ask -d '{"model":"m"}')" = 200 ]
await metric dropped 4
check "what was sent stays sent" metric sent 5
start collector2 node tests/clients/collector.mjs "$tmp/last"
: >"$tmp/last"
sed -i "s|endpoint: [^,]*|endpoint: \"http://$(address collector2 collector)\"|" "$tmp/conf.yaml"
start gateway2 "$BIN"/kf-gateway --config "$tmp/conf.yaml" --listen 127.0.0.1:0 --admin 127.0.0.1:0
url=http://$(address gateway2 gateway)/v1/chat/completions
check "one more" [ "$(ask -d '{"model":"m"}')" = 200 ]
stop gateway2
check "SIGTERM sends what waits" grep -q '"name":"chat m"' "$tmp/last"
stop gateway
check "and both stop well" [ "$stopped" = 0 ]
sed -i 's|endpoint: [^,]*|endpoint: "ftp://x"|' "$tmp/conf.yaml"
exits 2 "$BIN"/kf-gateway check "$tmp/conf.yaml"
