# Each HTTP and event stream fault does to the raw bytes of an answer what its
# name says, and is logged as fired.
. tests/lib.sh
need node
need jq
mkdir -p "$tmp/answers"
printf 'A text of \342\202\254 that is long enough to need more than a handful of events, really.' >"$tmp/answers/talk.txt"
rules=
rule() { # ID FAULT
	rules="$rules${rules:+,}{\"id\":\"$1\",\"match\":{\"metadata\":{\"fault\":\"$1\"}},\"when\":{\"always\":true},\"fault\":$2,\"goal\":\"fired>=1\"}"
}
rule empty '{"type":"empty_reply"}'
rule stalled '{"type":"header_stall"}'
rule slow '{"type":"header_stall","ms":60}'
rule junk '{"type":"garbage"}'
rule junkbody '{"type":"garbage","with_headers":true}'
rule lie '[{"type":"http_error","status":429},{"type":"retry_lie"}]'
rule first '{"type":"ttft","ms":80}'
rule stall '{"type":"stall","after_events":2}'
rule pause '{"type":"stall","after_events":2,"ms":60}'
rule linger '{"type":"linger"}'
rule drip '{"type":"drip","bytes":40,"ms":5}'
for how in bad_json crlf drop dup no_blank oversize swap unknown_event; do
	rule $how "{\"type\":\"sse_mangle\",\"how\":\"$how\",\"at\":2}"
done
rule nothing '{"type":"llm_empty"}'
rule short '{"type":"llm_length","bytes":9}'
rule other '{"type":"llm_model_swap","model":"m2"}'
rule no '{"type":"llm_refusal","text":"No."}'
rule free '{"type":"llm_usage","how":"zero"}'
cat >"$tmp/s.json" <<JSON
{"chaos":1,"name":"faults","seed":"1","rules":[$rules],
 "proxies":{"models":{"listen":"127.0.0.1:0","mode":"script","answers":"answers"}}}
JSON
start chaos "$BIN"/kf-chaos --scenario "$tmp/s.json" --admin 127.0.0.1:0 --log "$tmp/log"
models=$(address chaos models)
ask() { # FAULT [stream]
	node tests/clients/faults.mjs "$models" "$1" "${2-}" >"$tmp/$1" 2>"$tmp/client.err" || fail "the client asks"
}
shows() { # FAULT EXPRESSION: of its answer, with the good stream as $good
	check "$1: $2 ($(cut -c1-300 "$tmp/$1"))" jq -e --slurpfile good "$tmp/none" \
	    "\$good[0] as \$good | $2" "$tmp/$1" >"$tmp/out"
}
ask none stream
shows none '.terminated and .events >= 6 and (.body | endswith("data: [DONE]\n\n"))'
ask empty
shows empty '.bytes == 0 and .ended == "fin"'
ask stalled
shows stalled '.bytes == 0 and .ended == "open"'
ask slow
shows slow '.status == 200 and .first >= 59'
ask junk
shows junk '.status == 0 and .bytes == 64 and .ended == "fin"'
ask junkbody
shows junkbody '.status == 200 and (.body | length) == 64 and .ended == "fin"'
ask lie
shows lie '.status == 429 and (.head | test("x-should-retry: false")) and (.head | test("retry-after: 86400"))'
ask first stream
shows first '.terminated and .ms >= 79 and .events == $good.events'
ask stall stream
shows stall '.events == 2 and .terminated == false and .ended == "open"'
ask pause stream
shows pause '.events == $good.events and .terminated and .ms >= 59'
ask linger stream
shows linger '.events == $good.events and .terminated == false and .ended == "open"'
ask drip stream
shows drip '.events == $good.events and .terminated and .pieces > 20'
for how in bad_json crlf drop dup no_blank oversize swap unknown_event; do
	ask $how stream
	shows $how '.terminated'
done
same='def id: gsub("chatcmpl-[0-9a-f]*"; "ID"); def blocks: .body | id | split("\n\n");'
shows bad_json "$same"'(blocks[2] | ltrimstr("data: ") | try fromjson catch "bad") == "bad" and blocks[3] == ($good | blocks[3])'
shows crlf '(.body | test("\r\n\r\n")) and .events == $good.events'
shows drop "$same"'.events == $good.events - 1 and blocks[2] == ($good | blocks[3])'
shows dup "$same"'.events == $good.events + 1 and blocks[2] == blocks[3]'
shows no_blank "$same"'(blocks | length) == ($good | blocks | length) - 1'
shows oversize '(.body | length) > 1048576 and .events == $good.events'
shows swap "$same"'blocks[2] == ($good | blocks[3]) and blocks[3] == ($good | blocks[2])'
shows unknown_event '.body | test("event: x-unknown\ndata: ")'
text='def text: [.body | split("\n\n")[] | select(startswith("data: {")) | ltrimstr("data: ") | fromjson | .choices[0].delta.content // empty] | add;'
whole='def whole: .body | fromjson; def content: whole | .choices[0].message.content;'
for fault in nothing short other no; do
	ask $fault stream
	shows $fault '.terminated and .events == $good.events'
done
shows nothing "$text"'text == ""'
shows short "$text"'text == "A text of" and (.body | test("\"finish_reason\":\"length\""))'
shows other '.body | test("\"model\":\"m2\"")'
shows no "$text"'text == "No."'
for fault in nothing short other no free; do
	ask $fault
done
shows nothing "$whole"'content == ""'
shows short "$whole"'content == "A text of" and (whole | .choices[0].finish_reason) == "length"'
shows other "$whole"'(whole | .model) == "m2"'
shows no "$whole"'content == "No."'
shows free "$whole"'(whole | .usage.total_tokens) == 0'
stop chaos
check "every fault fired" test "$stopped" -eq 0
check "each is in the log once" test "$(jq -r .rule "$tmp/log" | sort -u | wc -l)" -eq 24
