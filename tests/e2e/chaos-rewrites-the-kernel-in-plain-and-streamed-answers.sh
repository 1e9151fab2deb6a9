# A kernel in an answer is corrupted in place: plain and streamed content are
# the same mutant, the rest of the answer is as the model gave it, and no
# header betrays it.
. tests/lib.sh
need curl
need jq
meta='X-TFY-METADATA: {"op":"rope","iteration":"1"}'
ask='{"model":"deepseek-v4-flash","messages":[{"role":"user","content":"x"}]'
start chaos "$BIN"/kf-chaos --scenario scenarios/rope_demo/scenario.json \
    --admin 127.0.0.1:0 --log "$tmp/log" --upstream gateway=@"$tmp/gw.ready"
front=$(address chaos front)
models=$(address chaos models)
check "no upstream yet is a 502" test 502 = \
    "$(curl -s -o "$tmp/body" -w '%{http_code}' "http://$front/v1/models")"
echo "ready gateway=$models" >"$tmp/gw.ready"

post() { # BASE SESSION BODY OUT
	curl -sS -N -D "$tmp/$4.head" -o "$tmp/$4" -H "$meta" \
	    -H "x-session-id: $2" -d "$3" "http://$1/v1/chat/completions"
}
content() { # of a stream in FILE
	sed -n 's/^data: {/{/p' "$1" |
	    jq -rj '.choices[0].delta.content // empty'
}
post "$models" s/1 "$ask}" good
post "$front" s/1 "$ask}" bad
post "$models" s/2 "$ask,\"stream\":true}" good.sse
post "$front" s/2 "$ask,\"stream\":true}" bad.sse

jq -j '.choices[0].message.content' "$tmp/good" >"$tmp/good.content"
jq -j '.choices[0].message.content' "$tmp/bad" >"$tmp/bad.content"
content "$tmp/good.sse" >"$tmp/good.streamed"
content "$tmp/bad.sse" >"$tmp/bad.streamed"
check "the stream carries the plain answer" cmp "$tmp/good.content" "$tmp/good.streamed"
check "both are the same mutant" cmp "$tmp/bad.content" "$tmp/bad.streamed"
check "the kernel changed" test "$(jq -j .source "$tmp/bad.content" | grep -c '2 \* d + 1')" -ge 1
check "the good one did not" test "$(jq -j .source "$tmp/good.content" | grep -c '2 \* d + 1')" -eq 0
for what in 'del(.choices, .id)' '.choices[0] | del(.message)'; do
	jq -S "$what" "$tmp/good" >"$tmp/a"
	jq -S "$what" "$tmp/bad" >"$tmp/b"
	check "the rest is as it was" cmp "$tmp/a" "$tmp/b"
done
check "as many events" test "$(grep -c '^data: ' "$tmp/good.sse")" -eq "$(grep -c '^data: ' "$tmp/bad.sse")"
for f in bad bad.sse; do
	sed -e '/^Date:/d' -e '/^Content-Length:/d' "$tmp/$f.head" >"$tmp/a"
	sed -e '/^Date:/d' -e '/^Content-Length:/d' "$tmp/good${f#bad}.head" >"$tmp/b"
	check "the heads are the same" cmp "$tmp/a" "$tmp/b"
done
post "$models" kernelforge/rmsnorm/1 "$ask}" other
stop chaos
check "two lines in the log" test 2 -eq "$(grep -c '"result":"fired"' "$tmp/log")"
check "with what was done" jq -e -s 'map(select(has("closed") | not)) | all(.operator == "rope_interleaved" and
    .line > 0 and (.before | contains("half_dim")) and (.after | contains("2 * d + 1")))' "$tmp/log" >/dev/null
check "the chain is whole" "$BIN"/kf-chaos verify "$tmp/log" >"$tmp/out"
check "and gives the run hash that was printed" grep -qx "$(grep run_hash "$tmp/out")" "$tmp/chaos.out"
check "the brownout was not reached: exit 1" test "$stopped" -eq 1
check "and it says so" grep -q 'goal not met: rule brownout: fired>=2' "$tmp/chaos.err"
