# Who has the last byte of an answer finds its event in the log: of a fault that
# fired, and of one that found nothing to act on until the answer was over.
. tests/lib.sh
need node
start up node tests/clients/changes.mjs upstream
node tests/clients/changes.mjs scenario "$(address up upstream)" >"$tmp/plain.json"
python3 tests/clients/events_before_end.py scenario "$tmp/plain.json" "$tmp/s.json"
start chaos "$BIN"/kf-chaos --scenario "$tmp/s.json" --admin 127.0.0.1:0 --log "$tmp/log"
timeout 200 python3 tests/clients/events_before_end.py ask "$(address chaos front)" "$tmp/s.json" "$tmp/log" >"$tmp/seen" || fail "$(cat "$tmp/seen")"
stop chaos
check "it ends well" test "$stopped" = 0
