# A cut event stream ends at exactly the event or byte it says, in the way it
# says: clean terminator, FIN, reset, or an error event.
. tests/lib.sh
need curl
mkdir -p "$tmp/answers"
printf 'A text that is long enough to need more than a handful of events, really.' >"$tmp/answers/talk.txt"
rule() { # ID JSON
	printf '{"id":"%s","proxy":"models","match":{"metadata":{"cut":"%s"}},"when":{"always":true},"fault":{"type":"sse_cut",%s},"goal":"fired>=1"}' "$1" "$1" "$2"
}
cat >"$tmp/s.json" <<JSON
{"chaos":1,"name":"cuts","seed":"1",
 "proxies":{"models":{"listen":"127.0.0.1:0","mode":"script","answers":"answers"}},
 "rules":[$(rule clean '"after_events":2,"how":"clean"'),
  $(rule fin '"after_events":3,"how":"fin"'),
  $(rule rst '"after_events":3,"how":"rst"'),
  $(rule error '"after_events":1,"how":"error_event"'),
  $(rule bytes '"after_bytes":100,"how":"fin"'),
  {"id":"late","proxy":"models","match":{"metadata":{"cut":"late"}},"when":{"always":true},
   "fault":{"type":"sse_cut","after_events":1000,"how":"fin"},"goal":"bypassed==1"}]}
JSON
start chaos "$BIN"/kf-chaos --scenario "$tmp/s.json" --admin 127.0.0.1:0 --log "$tmp/log"
models=$(address chaos models)
ask() { # CUT
	got=0
	curl -sN -o "$tmp/$1" -H "X-TFY-METADATA: {\"op\":\"talk\",\"cut\":\"$1\"}" \
	    -d '{"model":"m","stream":true,"messages":[]}' \
	    "http://$models/v1/chat/completions" || got=$?
}
events() { grep -c '^data: ' "$tmp/$1" || true; }
ask none
full=$(events none)
check "the whole stream ends with [DONE]" test "$got:$(tail -n 2 "$tmp/none" | head -n 1)" = "0:data: [DONE]"
check "and has several events" test "$full" -ge 6
ask clean
check "a clean end looks like success" test "$got:$(events clean)" = 0:2
ask fin
check "a FIN inside is seen as a cut" test "$got:$(events fin)" = 18:3
ask rst
check "a reset is seen as one, after the events" test "$got:$(events rst)" = 56:3
ask error
check "an error event ends the stream" test "$got:$(events error)" = 0:2
check "with an error object" grep -q '^data: {"error":{"message":"The server had an error' "$tmp/error"
ask bytes
check "cut after 100 bytes" test "$got:$(wc -c <"$tmp/bytes")" = 18:100
same_but_id() { sed 's/chatcmpl-[0-9a-f]*/ID/'; }
check "the first 100 of the stream" test "$(same_but_id <"$tmp/bytes")" = "$(head -c 100 "$tmp/none" | same_but_id)"
ask late
check "a cut after the end is no cut" test "$got:$(events late)" = "0:$full"
stop chaos
check "all goals are met" test "$stopped" -eq 0
check "the late one is logged as bypassed" grep -q '"reason":"the stream ended before the cut".*"result":"bypassed","rule":"late"' "$tmp/log"
