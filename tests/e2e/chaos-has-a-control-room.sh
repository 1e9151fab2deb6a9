# The page on the admin port shows requests, faults and reactions as they
# happen and drives rules and toxics by clicks (headless Chromium); without
# its header, from another origin or under a foreign name its routes refuse.
. tests/lib.sh
need curl
cat >"$tmp/s.json" <<'JSON'
{"chaos":1,"name":"room","seed":"1","proxies":{"models":{"listen":"127.0.0.1:0","mode":"standin"}},
 "rules":[{"id":"storm","match":{"stream":false,"attempt":1,"method":"POST"},"when":{"always":true},"fault":{"type":"http_error","status":503}},
  {"id":"cut","match":{"stream":true},"when":{"always":true},"fault":{"type":"sse_cut","after_events":3}}]}
JSON
mkdir "$tmp/presets"
printf '{"rules":[{"id":"test_502.always","match":{"path":"*/chat/completions"},"when":{"always":true},"fault":{"type":"http_error","status":502}}]}' >"$tmp/presets/test_502.json"
printf '{"rules":[{"id":"bad","when":{"always":true},"fault":{"type":"fire"}}]}' >"$tmp/presets/test_bad.json"
export KF_PRESETS="$tmp/presets"
start chaos "$BIN"/kf-chaos --scenario "$tmp/s.json" --admin 127.0.0.1:0
admin=$(address chaos admin)
status() { curl -s -o "$tmp/body" -w '%{http_code}' "$@"; }
check "the page is there" test "$(status "http://$admin/ui")" = 200
check "it is whole" grep -q '</html>' "$tmp/body"
lacks "it asks nobody outside" -Eq '(src|href)="?(https?:)?//' "$tmp/body"
check "a foreign name is refused" test "$(status -H 'Host: evil.example:80' "http://$admin/ui/state")" = 403
check "another origin is" test "$(status -H 'Origin: http://evil.example' "http://$admin/ui/state")" = 403
check "a switch without the header is" test "$(status -d '{"enabled":false}' "http://$admin/ui/rules/storm")" = 403
check "the API without it is" test "$(status -X POST "http://$admin/ui/api/reset")" = 403
check "a browser is still refused elsewhere" test "$(status -A 'Mozilla/5.0' "http://$admin/proxies")" = 403
check "an unknown rule is said" test "$(status -H 'x-kf-room: 1' -d '{"enabled":false}' "http://$admin/ui/rules/none")" = 404
check "a bad body is said" test "$(status -H 'x-kf-room: 1' -d '{"enabled":1}' "http://$admin/ui/rules/storm")" = 400
check "an unknown preset is said" test "$(status -H 'x-kf-room: 1' -d '{"enabled":true}' "http://$admin/ui/presets/none")" = 404
check "a preset that is no good is" test "$(status -H 'x-kf-room: 1' -d '{"enabled":true}' "http://$admin/ui/presets/test_bad")" = 400
check "with its place" grep -q 'fault/type: found' "$tmp/body"
check "an audit's step without the header is refused" test "$(status -d '{}' "http://$admin/ui/audits/x")" = 403
for step in '{}' '[]' '' '{"command":"c","total":1,"at":1024,"row":{"case":"","verdict":"ok","severity":0,"how":"","said":""}}' \
	'{"command":"c","total":1,"at":-1,"row":{"case":"","verdict":"ok","severity":0,"how":"","said":""}}' '{"command":"c","total":1,"at":0,"row":{"case":1}}'; do
	check "no step: $step" test "$(status -H 'x-kf-room: 1' -d "$step" "http://$admin/ui/audits/x")" = 400
done
check "nor an id: $(cat "$tmp/body")" test "$(status -H 'x-kf-room: 1' -d '{"command":"c","total":1,"at":0,"row":{"case":"","verdict":"ok","severity":0,"how":"","said":""}}' "http://$admin/ui/audits/X%20")" = 400
check "none of it is kept" sh -c "curl -s 'http://$admin/ui/state' | grep -q '\"audits\":\[\]'"
exits 1 "$BIN"/kf-chaos audit --room "$admin" --case http_error:503 -- sh -c 'curl -sf -d "{}" "$OPENAI_BASE_URL/chat/completions" >"$KF_CHAOS_DIR/answer"'
check "an audit tells its rows, each once" sh -c "curl -s 'http://$admin/ui/state' | grep -o '\"verdict\":\"[a-z_]*\"' | tr -d '\n' | grep -qx '\"verdict\":\"ok\"\"verdict\":\"broken\"\"verdict\":\"not_reached\"'"
exits 1 "$BIN"/kf-chaos audit --room 127.0.0.1:1 --case http_error:503 -- sh -c 'curl -sf -d "{}" "$OPENAI_BASE_URL/chat/completions" >"$KF_CHAOS_DIR/answer"'
check "a room that is not there is told, once" test 1 = "$(grep -c 'it is not told any more' "$tmp/err")"
check "nothing was switched" sh -c "curl -s 'http://$admin/ui/state' | grep -q '\"id\":\"storm\"[^}]*\"enabled\":true'"
need node
need_npm_clients
need chromium
[ -d tests/clients/node_modules/playwright-core ] || { echo "no playwright-core here"; exit 77; }
node tests/clients/room.mjs "$admin" "$(address chaos models)" "$(cat "$tmp/chaos.pid")" ${SHOTS:+"$SHOTS"} ||
    fail "the page does what it shows"
stop chaos
check "an open page does not hold it up" test "$stopped" = 0
