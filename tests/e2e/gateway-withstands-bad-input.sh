# Hostile requests and hostile upstreams get the right error, are counted, and
# cost neither others their answer nor the gateway its memory.
. tests/lib.sh
need node
need curl
ulimit -n 8192 2>/dev/null || true
start rude node tests/clients/rude.mjs
cat >"$tmp/conf.yaml" <<END
providers: [{name: rude, base_url: "http://$(address rude rude)"}]
timeouts: {first_token_ms: 2000, idle_ms: 2000, total_ms: 20000}
limits: {answer_bytes: 2097152, client_head_ms: 4000, client_body_ms: 4000}
breaker: off
END
start gateway "$BIN"/kf-gateway --config "$tmp/conf.yaml" --listen 127.0.0.1:0 --admin 127.0.0.1:0
timeout 60 node tests/clients/bad-input.mjs "$(address gateway gateway)" "$(address gateway admin)" \
    >"$tmp/out" 2>"$tmp/client.err" || fail "all rows ($(cat "$tmp/out"))"
cat "$tmp/out"
peak=$(sed -n 's/^VmHWM:[[:space:]]*\([0-9]*\) kB/\1/p' "/proc/$(cat "$tmp/gateway.pid")/status")
case $(ldd "$BIN"/kf-gateway) in
*asan*) ;; # keeps what was freed
*) check "it took $peak kB at most" [ "$peak" -lt 300000 ] ;;
esac
stop gateway
check "it stops well" [ "$stopped" = 0 ]
