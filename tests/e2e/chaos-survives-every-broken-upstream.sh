# Every fault of the catalogue, as a rule and as a toxic, meets every way in
# which an upstream can fail: refused, cut and reset at each point, garbage,
# too big, slow, silent; plain, streamed and as a WebSocket.  A fault that the
# program knows and the table does not fails here.  The proxy answers to the end, its log is whole, and
# (in a build with sanitizers) nothing is read or freed that is not its own.
. tests/lib.sh
need node
start up node tests/clients/broken.mjs upstreams
node tests/clients/broken.mjs scenario "$tmp/up.ready" >"$tmp/s.json"
start chaos "$BIN"/kf-chaos --scenario "$tmp/s.json" --admin 127.0.0.1:0 --log "$tmp/log"
node tests/clients/catalogue.mjs "$(address chaos admin)" "$tmp/s.json" >"$tmp/gaps" || fail "every fault is in the table: $(cat "$tmp/gaps")"
timeout 400 node tests/clients/broken.mjs ask "$(address chaos admin)" >"$tmp/asked" 2>"$tmp/ask.err" ||
    fail "it outlives all of it: $(cat "$tmp/ask.err")"
stop chaos
check "it ends well" test "$stopped" = 0
check "no sanitizer spoke" test 0 = "$(grep -c -E 'Sanitizer|runtime error' "$tmp/chaos.err")"
check "the log is whole" "$BIN"/kf-chaos verify "$tmp/log" >"$tmp/out"
