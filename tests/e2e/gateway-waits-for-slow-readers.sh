# A client that does not read holds its upstream back: memory stays where it
# is, and the time it takes is not taken for the upstream's silence.
. tests/lib.sh
need node
start rude node tests/clients/rude.mjs
cat >"$tmp/conf.yaml" <<END
providers: [{name: rude, base_url: "http://$(address rude rude)"}]
timeouts: {first_token_ms: 5000, idle_ms: 400, total_ms: 60000}
END
start gateway "$BIN"/kf-gateway --config "$tmp/conf.yaml" --listen 127.0.0.1:0 --admin 127.0.0.1:0
timeout 60 node tests/clients/slow-reader.mjs "$(address gateway gateway)" "$(cat "$tmp/gateway.pid")" \
    >"$tmp/out" 2>"$tmp/client.err" || fail "a slow reader ($(cat "$tmp/out"))"
cat "$tmp/out"
stop gateway
check "it stops well" [ "$stopped" = 0 ]
