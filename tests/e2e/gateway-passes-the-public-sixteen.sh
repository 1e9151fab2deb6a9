# By the rule of the public failover benchmark (two retries, 30 s, one fallback,
# defaults otherwise) sixteen of sixteen give the whole answer, streaming kept:
# a cut or stalled stream is gone on with where the fallback can.
. tests/lib.sh
need node
need jq
need curl
need_npm_clients
KF_WHOLE='A text that is long enough to be streamed in more than a handful of events, so that there is something to cut.'
export KF_WHOLE
mkdir "$tmp/answers"
printf %s "$KF_WHOLE" >"$tmp/answers/talk.txt"
rules=
rule() { # SITUATION WHEN FAULT
	rules="$rules${rules:+,}{\"id\":\"$1\",\"proxy\":\"models\",\"match\":{\"metadata\":{\"situation\":\"$1\"}},\"when\":{$2},\"fault\":$3,\"goal\":\"fired>=1\"}"
}
once='"nth":1' ever='"always":true'
rule later "$once" '{"type":"http_error","status":429,"retry_after":"1"}'
rule quota "$ever" '{"type":"http_error","status":429,"body":{"error":{"message":"You exceeded your current quota.","type":"insufficient_quota","param":null,"code":"insufficient_quota"}}}'
rule once "$once" '{"type":"http_error","status":500}'
rule storm "$ever" '{"type":"http_error","status":503}'
rule silent "$ever" '{"type":"header_stall"}'
rule slow "$ever" '{"type":"ttft","ms":20000}'
rule cut "$ever" '{"type":"sse_cut","after_events":3,"how":"clean"}'
rule stall "$ever" '{"type":"stall","after_events":3}'
rule reset "$ever" '{"type":"sse_cut","after_events":3,"how":"rst"}'
rule error0 "$ever" '{"type":"sse_cut","after_events":0,"how":"error_event"}'
rule error3 "$ever" '{"type":"sse_cut","after_events":3,"how":"error_event"}'
rule broken "$ever" '{"type":"sse_mangle","how":"bad_json","at":3}'
rule html "$ever" '{"type":"body","html":true}'
rule alive "$ever" '{"type":"keepalive_only","ms":100}'
rule empty "$ever" '{"type":"llm_empty"}'
for way in prefix prefill final; do rule way-$way "$ever" '{"type":"sse_cut","after_events":4,"how":"rst"}'; done
cat >"$tmp/s.json" <<END
{"chaos":1,"name":"sixteen","seed":"1","identity":{"key":["header:x-session-id"]},"rules":[$rules],
 "proxies":{"models":{"listen":"127.0.0.1:0","mode":"script","answers":"answers"}}}
END
start chaos "$BIN"/kf-chaos --scenario "$tmp/s.json" --admin 127.0.0.1:0 --log "$tmp/chaos.jsonl"
start second node tests/clients/goes-on.mjs "$KF_WHOLE"
second="base_url: \"http://$(address second upstream)/v1\""
model() { # NAME FIRST SECOND
	echo "  - {id: $1, type: priority-based-routing, when: {models: [$1]}, load_balance_targets: [{target: $2, priority: 0}, {target: $3, priority: 1}]}"
}
{
	cat <<END
providers:
  - {name: first, base_url: "http://$(address chaos models)/v1", forward_headers: [x-tfy-metadata, x-session-id]}
  - {name: closed, base_url: "http://127.0.0.1:1/v1"}
  - {name: final, $second, continues: continue_final_message}
  - {name: prefix, $second, continues: prefix}
  - {name: prefill, $second, continues: prefill}
timeouts: {total_ms: 30000}
breaker: off
rules:
END
	model chat first/m final/final
	model refused closed/m final/final
	for way in prefix prefill final; do model way-$way first/m $way/$way; done
	echo "  - {id: long, type: priority-based-routing, when: {models: [long]}, load_balance_targets: [{target: final/full, priority: 0, context_tokens: 100}, {target: closed/small, priority: 1}, {target: final/final, priority: 2, context_tokens: 1000}]}"
	echo "  - {id: none, type: priority-based-routing, when: {models: [none]}, load_balance_targets: [{target: final/full, priority: 0, context_tokens: 100}, {target: closed/small, priority: 1}]}"
} >"$tmp/conf.yaml"
start gateway "$BIN"/kf-gateway --config "$tmp/conf.yaml" --listen 127.0.0.1:0 --admin 127.0.0.1:0 --log "$tmp/log.jsonl"
url=http://$(address gateway gateway)
timeout 60 node tests/clients/public-sixteen.mjs "$url" later quota once storm refused silent slow cut stall reset error0 error3 broken html alive empty \
    way-prefix way-prefill way-final >"$tmp/table" 2>"$tmp/client.err" || { cat "$tmp/table" >&2; fail "all of them"; }
cat "$tmp/table"
# What was done is told: in the stream, and in the log.
curl -sN -m 20 -H 'X-TFY-METADATA: {"op":"talk","situation":"cut"}' -H 'x-session-id: told' \
    -d '{"model":"chat","stream":true,"messages":[{"role":"user","content":"talk"}]}' "$url/v1/chat/completions" >"$tmp/stream"
check "a comment where it went on" grep -q '^: x-kf-continues after=first/m cause=unfinished$' "$tmp/stream"
check "both attempts at the end" grep -q '^: x-kf-attempts first/m;cause=unfinished.*, final/final;cause=ok' "$tmp/stream"
# Tokens of both; the log is written behind the answer.
await jq -se '[.[] | select(.attempts | length == 2) | select(.attempts[0].cause == "unfinished" and .attempts[1].cause == "ok")] | length >= 2' "$tmp/log.jsonl"
# What an error means: too long goes where there is room, and nowhere else.
ask() { curl -s -m 20 -o "$tmp/answer" -w '%{http_code}' -d "{\"model\":\"$1\",\"messages\":[{\"role\":\"user\",\"content\":\"talk\"}]}" "$url/v1/chat/completions"; }
check "to a target with room" [ "$(ask long)" = 200 ]
check "to no other" [ "$(ask none)" = 400 ]
check "in the provider's words" grep -q context_length_exceeded "$tmp/answer"
stop gateway
check "it stops well" [ "$stopped" = 0 ]
