# SIGTERM: the stream that is under way goes on to its end, nobody new is let
# in, /readyz says so meanwhile, and the program ends with its last answer.
. tests/lib.sh
need curl
need node
start rude node tests/clients/rude.mjs
cat >"$tmp/conf.yaml" <<END
providers: [{name: p, base_url: "http://$(address rude rude)"}]
END
start gateway "$BIN"/kf-gateway --config "$tmp/conf.yaml" --listen 127.0.0.1:0 --admin 127.0.0.1:0 --log "$tmp/log.jsonl"
url=http://$(address gateway gateway)/v1/chat/completions admin=http://$(address gateway admin)
status() { curl -s -m 5 -o "$tmp/answer" -w '%{http_code}' "$@"; }
check "ready" [ "$(status "$admin/readyz")" = 200 ]
: >"$tmp/words"
curl -s -N -m 60 -d '{"model":"p/words","stream":true}' "$url" >"$tmp/words" &
echo $! >"$tmp/reader.pid"
started="$started reader"
words() { [ "$(grep -c '^data: ' "$tmp/words")" -ge "$1" ]; }
await_in "$tmp/words" words 1
kill -TERM "$(cat "$tmp/gateway.pid")"
await_in "$tmp/gateway.err" grep -q draining "$tmp/gateway.err"
check "not ready any more" [ "$(status "$admin/readyz")" = 503 ]
check "says why" grep -q draining "$tmp/answer"
check "nobody new" [ "$(status "$url" -d '{"model":"p/good"}' || true)" = 000 ]
seen=$(grep -c '^data: ' "$tmp/words")
await_in "$tmp/words" words $((seen + 3))
check "and lives" kill -0 "$(cat "$tmp/gateway.pid")"
stop reader
rc=0
wait "$(cat "$tmp/gateway.pid")" || rc=$?
check "ends well with its last answer" [ $rc = 0 ]
check "which is in the log" grep -q '"status":499' "$tmp/log.jsonl"
