# The page on the admin port shows targets, breakers, times, cost, keys and the
# last requests with their attempts as they happen (headless Chromium); from
# another origin or under a foreign name neither it nor its figures are given.
. tests/lib.sh
need curl
need jq
cat >"$tmp/s.json" <<'JSON'
{"chaos":1,"name":"status","seed":"1","proxies":{"good":{"listen":"127.0.0.1:0","mode":"standin"},"bad":{"listen":"127.0.0.1:0","mode":"standin"}},
 "rules":[{"id":"down","proxy":"bad","when":{"always":true},"fault":{"type":"http_error","status":503}}]}
JSON
start chaos "$BIN"/kf-chaos --scenario "$tmp/s.json" --admin 127.0.0.1:0
cat >"$tmp/conf.yaml" <<END
store: {path: "$tmp/s.db"}
breaker: production
log_bodies: {max_bytes: 1000}
providers:
  - {name: bad, base_url: "http://$(address chaos bad)/v1"}
  - {name: good, base_url: "http://$(address chaos good)/v1"}
prices: [{target: good/m, input: 2, output: 8}]
rules:
  - id: chat
    type: priority-based-routing
    when: {models: [chat]}
    load_balance_targets: [{target: bad/m, priority: 0, retry_config: {attempts: 0}}, {target: good/m, priority: 1}]
END
store="--store $tmp/s.db"
key=$("$BIN"/kf-gateway keys create ann --budget 5 $store 2>/dev/null)
"$BIN"/kf-gateway keys create '<b onclick=alert(2)>eve' --models 'chat,*' $store >/dev/null 2>&1
"$BIN"/kf-gateway keys create old --rate 60 --budget 0.5 --per day $store >/dev/null 2>&1
"$BIN"/kf-gateway keys revoke old $store
start gateway "$BIN"/kf-gateway --config "$tmp/conf.yaml" --listen 127.0.0.1:0 --admin 127.0.0.1:0
admin=$(address gateway admin)
status() { curl -s -m 10 -o "$tmp/body" -D "$tmp/head" -w '%{http_code}' "$@"; }
check "the page is there" [ "$(status "http://$admin/ui")" = 200 ]
check "it is whole" grep -q '</script>' "$tmp/body"
lacks "it asks nobody outside" -Eq '(src|href)="?(https?:)?//' "$tmp/body"
check "its browser is told so, too" grep -qi "^content-security-policy: default-src 'none'" "$tmp/head"
for path in ui status recent keys spend requests; do
	check "$path under a foreign name" [ "$(status -H 'Host: evil.example:80' "http://$admin/$path")" = 403 ]
	check "$path from another origin" [ "$(status -H 'Origin: http://evil.example' "http://$admin/$path")" = 403 ]
	check "$path from another site" [ "$(status -H 'Sec-Fetch-Site: cross-site' "http://$admin/$path")" = 403 ]
done
curl -s -m 10 -H "api-key: $key" -d '{"model":"chat","messages":[{"role":"user","content":"a word to keep"}]}' "http://$(address gateway gateway)/v1/chat/completions" >/dev/null
check "the last request" [ "$(curl -s "http://$admin/recent" | jq -r '.requests[0]|.from,.attempts[1].cause' | tr '\n' ' ')" = 'chat ok ' ]
check "without its body" sh -c "! curl -s 'http://$admin/recent' | grep -q 'a word to keep'"
stop gateway
start gateway "$BIN"/kf-gateway --config "$tmp/conf.yaml" --listen 127.0.0.1:0 --admin 127.0.0.1:0
need node
need_npm_clients
need chromium
[ -d tests/clients/node_modules/playwright-core ] && [ -d tests/clients/node_modules/axe-core ] || { echo "no playwright-core here"; exit 77; }
node tests/clients/status-page.mjs "$(address gateway admin)" "$(address gateway gateway)" "$key" "$(cat "$tmp/gateway.pid")" ${SHOTS:+"$SHOTS"} ||
    fail "the page shows what happens"
