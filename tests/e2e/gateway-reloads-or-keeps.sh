# SIGHUP and POST /reload swap in a good configuration; a bad one changes
# nothing and says why.  Health and metrics answer on the admin port only.
. tests/lib.sh
need curl
conf() { # MODEL
	cat >"$tmp/conf.yaml" <<END
providers: [{name: p, base_url: "http://127.0.0.1:9", models: [$1]}]
END
}
conf first
start gateway "$BIN"/kf-gateway --config "$tmp/conf.yaml" --listen 127.0.0.1:0 --admin 127.0.0.1:0
url=http://$(address gateway gateway) admin=http://$(address gateway admin)
pid=$(cat "$tmp/gateway.pid")
get() { curl -s -m 10 "$@"; }
lists() { get "$url/v1/models" | grep -q "\"p/$1\""; }
check "the first model is listed" lists first

conf second
kill -HUP "$pid"
await_in "$tmp/gateway.err" grep -q "reloaded" "$tmp/gateway.err"
check "the second one is listed" lists second

printf 'providers: 7\n' >"$tmp/conf.yaml"
kill -HUP "$pid"
await_in "$tmp/gateway.err" grep -q "kept the old one: .*conf.yaml:1: providers: found 7" "$tmp/gateway.err"
check "the old one serves on" lists second
get -X POST "$admin/reload" >"$tmp/answer"
check "the verb says why" grep -q "conf.yaml:1: providers: found 7" "$tmp/answer"

# Nobody writes into it, and nobody waits for that.
rm "$tmp/conf.yaml" && mkfifo "$tmp/conf.yaml"
get -X POST "$admin/reload?now" >"$tmp/answer"
check "a pipe is refused: $(cat "$tmp/answer")" grep -q "conf.yaml: expected a plain file" "$tmp/answer"
check "and the old one serves on" lists second
rm "$tmp/conf.yaml"

conf third
get -X POST "$admin/reload" >"$tmp/answer"
check "the verb reloads" lists third

# What was opened at the start stays, and it is told.
check "nothing was told of what did not change" [ "$(grep -c 'at a restart only' "$tmp/gateway.err")" = 0 ]
conf fourth
cat >>"$tmp/conf.yaml" <<END
tls: {ca_file: /etc/ssl/certs/ca-certificates.crt}
limits: {body_bytes: 4096, drain_ms: 20000}
otlp: {endpoint: "http://127.0.0.1:9"}
END
get -X POST "$admin/reload" >"$tmp/answer"
check "the rest is taken: $(cat "$tmp/answer")" lists fourth
for what in tls: limits: otlp:; do
	check "$what $(cat "$tmp/gateway.err")" grep -q "warn config: $what.* at a restart only" "$tmp/gateway.err"
done

check "healthz" [ "$(get "$admin/healthz")" = '{"status":"ok"}' ]
check "a query is no other path" [ "$(get "$admin/healthz?x=1")" = '{"status":"ok"}' ]
check "readyz" [ "$(get "$admin/readyz")" = '{"status":"ready"}' ]
check "metrics" grep -q '^kf_gateway_requests_total{class="2xx"} [1-9]' <<END
$(get "$admin/metrics")
END
check "not on the front" [ "$(get -o /dev/null -w '%{http_code}' "$url/metrics")" = 404 ]
stop gateway
check "SIGTERM ends it well" [ "$stopped" = 0 ]
