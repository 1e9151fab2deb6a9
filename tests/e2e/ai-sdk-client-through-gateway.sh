# A client of another family, npm's ai with its OpenAI-compatible provider, gets
# plain and streamed answers through the gateway, and is told of failures.
. tests/lib.sh
need node
need_npm_clients
[ -e tests/clients/node_modules/ai ] || { echo "no npm ai here"; exit 77; }
whole='An answer of several words, so that it is streamed in several events.'
mkdir "$tmp/answers"
printf %s "$whole" >"$tmp/answers/talk.txt"
cat >"$tmp/s.json" <<'END'
{"chaos":1,"name":"ai","seed":"1","proxies":{"models":{"listen":"127.0.0.1:0","mode":"script","answers":"answers"}},
 "rules":[{"id":"quota","match":{"metadata":{"situation":"quota"}},"when":{"always":true},"goal":"fired>=1",
   "fault":{"type":"http_error","status":429,"body":{"error":{"message":"no money","type":"insufficient_quota","param":null,"code":"insufficient_quota"}}}},
  {"id":"cut","match":{"metadata":{"situation":"cut"}},"when":{"always":true},"goal":"fired>=1",
   "fault":{"type":"sse_cut","after_events":3,"how":"clean"}}]}
END
start chaos "$BIN"/kf-chaos --scenario "$tmp/s.json" --admin 127.0.0.1:0 --log "$tmp/chaos.jsonl"
cat >"$tmp/gateway.yaml" <<END
providers: [{name: p, base_url: "http://$(address chaos models)/v1", forward_headers: [x-tfy-metadata, x-session-id]}]
END
start gateway "$BIN"/kf-gateway --config "$tmp/gateway.yaml" --listen 127.0.0.1:0 --admin 127.0.0.1:0
node tests/clients/ai-sdk.mjs "http://$(address gateway gateway)/v1" >"$tmp/out" 2>"$tmp/client.err" || fail "the client runs"
says() { check "says $1 ($(cat "$tmp/out"))" grep -qxF "$1" "$tmp/out"; }
says "plain stop $whole"
says "stamp yes"
says "streamed stop $whole"
check "a refusal is raised" grep -q '^refused 429 ' "$tmp/out"
check "a cut stream is an error ($(cat "$tmp/out"))" grep -q '^cut p/weak ended its stream without finishing' "$tmp/out"
says "with tools stop"
stop gateway
check "the gateway exits 0" test "$stopped" = 0
stop chaos
check "both faults were met" test "$stopped" = 0
