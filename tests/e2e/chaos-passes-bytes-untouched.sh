# Mode passthrough forwards any bytes unchanged; `check` says which rules cannot act there.
. tests/lib.sh
need node
cat >"$tmp/s.json" <<'S'
{"chaos":1,"name":"bytes","seed":"1",
 "proxies":{"wire":{"listen":"127.0.0.1:0","mode":"passthrough","upstream":"back"}},
 "rules":[{"id":"never","proxy":"wire","when":{"always":true},"fault":{"type":"empty_reply"}}]}
S
exits 0 "$BIN"/kf-chaos check "$tmp/s.json"
check "check warns" grep -q 'rule never can never fire: empty_reply acts on HTTP, and its proxy passes bytes' "$tmp/err" "$tmp/out"
exits 2 "$BIN"/kf-chaos check --strict "$tmp/s.json"
sed 's|"back"|"http://127.0.0.1:1"|' "$tmp/s.json" >"$tmp/url.json"
exits 2 "$BIN"/kf-chaos check "$tmp/url.json"
check "with the pointer" grep -q '/proxies/wire/upstream: found string "http://127.0.0.1:1", expected HOST:PORT' "$tmp/err"
start chaos "$BIN"/kf-chaos --scenario "$tmp/s.json" --admin 127.0.0.1:0 --upstream back=@"$tmp/back.ready"
timeout 60 node tests/clients/bytes.mjs "$(address chaos wire)" "http://$(address chaos admin)" "$tmp/back.ready" 2>"$tmp/client.err" ||
    fail "any bytes pass unchanged"
stop chaos
check "it ends well" test "$stopped" -eq 0
