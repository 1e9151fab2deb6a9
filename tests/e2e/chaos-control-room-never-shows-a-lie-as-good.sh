# The control room shows what was changed in an answer and what the client did
# with it, never in green; on a telephone, with forty proxies, with hostile
# names; its history outlives a reload; axe finds nothing (headless Chromium).
. tests/lib.sh
need node
need_npm_clients
need chromium
[ -d tests/clients/node_modules/axe-core ] || { echo "no axe-core here"; exit 77; }
cp -r scenarios/rope_demo/answers "$tmp/answers"
cat >"$tmp/s.json" <<'JSON'
{"chaos":1,"name":"lies","seed":"1","identity":{"key":["header:x-session-id","body-sha256"]},
 "proxies":{"models":{"listen":"127.0.0.1:0","mode":"script","answers":"answers/"}},
 "rules":[{"id":"lie","match":{"op":"rope","model":"deepseek-v4-flash"},"when":{"always":true},
  "fault":{"type":"kernel_corrupt","operator":"rope_interleaved"}}]}
JSON
# As long as a name may be, and nothing to break it at.
sed -i "s/\"lies\"/\"$(printf '%0200d' 0)\"/" "$tmp/s.json"
start chaos "$BIN"/kf-chaos --scenario "$tmp/s.json" --admin 127.0.0.1:0
node tests/clients/room-lies.mjs "$(address chaos admin)" "$(address chaos models)" ${SHOTS:+"$SHOTS"} ||
    fail "the page tells the truth about lies"
