# A stream of Anthropic's messages that is cut at any place of its text is gone on
# with by the next target, in the same answer; both SDKs get it whole, and one that
# is cut in a tool's arguments is told.  A client that has begun the answer itself
# is said to a target of the other API that goes on from there, or to nobody.
. tests/lib.sh
need node
need jq
need_npm_clients
KF_WHOLE='A text that is long enough to be cut in more than one place.'
export KF_WHOLE
start model node tests/clients/messages-go-on.mjs upstream
start chats node tests/clients/goes-on.mjs "$KF_WHOLE"
node tests/clients/messages-go-on.mjs rules "$(address model upstream)" "$(address chats upstream)" >"$tmp/g.yaml"
start gateway "$BIN"/kf-gateway --config "$tmp/g.yaml" --listen 127.0.0.1:0 --admin 127.0.0.1:0 --log "$tmp/log.jsonl"
node tests/clients/messages-go-on.mjs ask "http://$(address gateway gateway)" >"$tmp/asked" 2>&1 ||
    { cat "$tmp/asked" >&2; fail "whole, or told"; }
cat "$tmp/asked"
check "each whole one took two" jq -se 'all(.[] | select(.outcome == "ok" and (.from | test("begun") | not)); .attempts | length == 2)' "$tmp/log.jsonl"
stop gateway
check "the gateway exits 0" test "$stopped" = 0
