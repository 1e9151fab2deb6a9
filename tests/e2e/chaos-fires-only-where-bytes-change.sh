# A content fault that changed no byte is bypassed with a reason, and one that
# fired changed some: on answers of every API that say nothing, say it beside a
# text, in several parts or with their end, or say what the fault would.
. tests/lib.sh
need node
start up node tests/clients/changes.mjs upstream
node tests/clients/changes.mjs scenario "$(address up upstream)" >"$tmp/s.json"
start chaos "$BIN"/kf-chaos --scenario "$tmp/s.json" --admin 127.0.0.1:0 --log "$tmp/log"
timeout 200 node tests/clients/changes.mjs ask "$(address chaos front)" "$tmp/log" >"$tmp/seen" || fail "$(cat "$tmp/seen")"
stop chaos
check "it ends well" test "$stopped" = 0
