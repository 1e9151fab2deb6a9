# Of a streamed kernel all events before the statement that is edited reach
# the client before that statement comes, and those of it, edited, before
# anything comes behind it.
. tests/lib.sh
need node
kernel=scenarios/rope_demo/answers/deepseek-v4-flash/rmsnorm.cl
printf '{"chaos":1,"name":"c","seed":"1","proxies":{"front":{"listen":"127.0.0.1:0","upstream":"gateway"}},
 "rules":[{"id":"lie","when":{"always":true},"fault":{"type":"kernel_corrupt","operator":"sync_drop","site":0},"goal":"fired==1"}]}' >"$tmp/s.json"
start chaos "$BIN"/kf-chaos --scenario "$tmp/s.json" --admin 127.0.0.1:0 --upstream gateway=@"$tmp/upstream.ready"
node tests/clients/cadence.mjs "$(address chaos front)" "$tmp/upstream.ready" "$kernel" >"$tmp/got" 2>"$tmp/client.err" ||
    fail "the client reads what is before the statement, then the rest"
stop chaos
check "the edit was made" test "$stopped" = 0
check "a barrier is gone" test "$(grep -c 'barrier(' "$tmp/got")" = $(($(grep -c 'barrier(' "$kernel") - 1))
check "one line changed" test "$(diff "$kernel" "$tmp/got" | grep -c '^[<>]')" = 2
