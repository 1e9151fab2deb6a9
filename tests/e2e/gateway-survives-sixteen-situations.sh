# In sixteen failure situations two major versions of npm's openai get the
# whole answer or an error that they raise, never a short answer in silence.
. tests/lib.sh
need node
need curl
need jq
need_npm_clients
KF_WHOLE='A text that is long enough to be streamed in more than a handful of events, so that there is something to cut.'
export KF_WHOLE
mkdir "$tmp/answers"
printf %s "$KF_WHOLE" >"$tmp/answers/talk.txt"
rules=
rule() { # SITUATION WHEN FAULT [MATCH]
	rules="$rules${rules:+,}{\"id\":\"$1${4:+-plain}\",\"proxy\":\"models\",\"match\":{\"model\":\"weak\",\"metadata\":{\"situation\":\"$1\"}${4-}},\"when\":{$2},\"fault\":$3,\"goal\":\"fired>=1\"}"
}
once='"nth":1' ever='"always":true'
rule later "$once" '{"type":"http_error","status":429,"retry_after":"1"}'
rule quota "$ever" '{"type":"http_error","status":429,"body":{"error":{"message":"You exceeded your current quota.","type":"insufficient_quota","param":null,"code":"insufficient_quota"}}}'
rule once "$once" '{"type":"http_error","status":500}'
rule storm "$ever" '{"type":"http_error","status":503}'
rule silent "$ever" '{"type":"header_stall"}'
rule slow "$ever" '{"type":"ttft","ms":60000}'
rule cut "$ever" '{"type":"sse_cut","after_events":3,"how":"clean"}'
rule stall "$ever" '{"type":"stall","after_events":3}'
rule reset "$ever" '{"type":"sse_cut","after_events":3,"how":"rst"}'
rule error0 "$ever" '{"type":"sse_cut","after_events":0,"how":"error_event"}'
rule error3 "$ever" '{"type":"sse_cut","after_events":3,"how":"error_event"}'
rule broken "$ever" '{"type":"body","truncate":120}' ',"stream":false'
rule broken "$ever" '{"type":"sse_mangle","how":"bad_json","at":3}'
rule html "$ever" '{"type":"body","html":true}'
rule alive "$ever" '{"type":"keepalive_only","ms":100}'
rule empty "$ever" '{"type":"llm_empty"}'
cat >"$tmp/s.json" <<END
{"chaos":1,"name":"situations","seed":"1","identity":{"key":["header:x-session-id"]},"rules":[$rules],
 "proxies":{"models":{"listen":"127.0.0.1:0","mode":"script","answers":"answers"}}}
END
start chaos "$BIN"/kf-chaos --scenario "$tmp/s.json" --admin 127.0.0.1:0 --log "$tmp/chaos.jsonl"
KF_MODELS_URL=http://$(address chaos models)
own_ports
KF_CLOSED_URL=http://127.0.0.1:$port # nobody is there
export KF_MODELS_URL KF_CLOSED_URL
weak='timeout_ms: 1500, retry_config: {attempts: 1, delay: 20}'
cat >"$tmp/direct.yaml" <<END
providers: [{name: p, base_url: "\${KF_MODELS_URL}/v1", forward_headers: [x-tfy-metadata, x-session-id]}, {name: closed, base_url: "\${KF_CLOSED_URL}/v1", forward_headers: [x-tfy-metadata, x-session-id]}]
timeouts: {first_token_ms: 800, idle_ms: 800, total_ms: 20000}
breaker: off
rules:
  - {id: alone, type: priority-based-routing, when: {models: [alone]}, load_balance_targets: [{target: p/weak, $weak}]}
  - {id: backed, type: priority-based-routing, when: {models: [backed]}, load_balance_targets: [{target: p/weak, $weak, priority: 0}, {target: p/strong, priority: 1}]}
  - {id: refused-alone, type: priority-based-routing, when: {models: [refused-alone]}, load_balance_targets: [{target: closed/weak, $weak}]}
  - {id: refused-backed, type: priority-based-routing, when: {models: [refused-backed]}, load_balance_targets: [{target: closed/weak, $weak, priority: 0}, {target: p/strong, priority: 1}]}
END
{ echo 'buffer: {max_bytes: 1048576, max_ms: 20000}'; cat "$tmp/direct.yaml"; } >"$tmp/held.yaml"
for kind in direct held; do
	start $kind "$BIN"/kf-gateway --config "$tmp/$kind.yaml" --listen 127.0.0.1:0 --admin 127.0.0.1:0
done
node tests/clients/situations.mjs "http://$(address direct gateway)" "http://$(address held gateway)" \
    >"$tmp/table" 2>"$tmp/client.err" || { cat "$tmp/table" >&2; fail "16 of 16"; }
cat "$tmp/table"
for kind in direct held; do
	stop $kind
	check "$kind exits 0" test "$stopped" = 0
done
stop chaos
check "every fault was met" test "$stopped" = 0
# No client and no gateway asks again when the quota is gone.
check "quota is asked for once" test 0 = "$(jq -s '[.[] | select(.rule == "quota") | .attempt | select(. > 1)] | length' "$tmp/chaos.jsonl")"
