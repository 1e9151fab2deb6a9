# Between an MCP client and its server over a pipe nothing is changed, lost or reordered but by a rule, and a fault there is what it is over HTTP.
. tests/lib.sh
need node
server='node tests/clients/mcp-server.mjs'

scenario() { # NAME FAULT [MORE]
	printf '{"chaos":1,"name":"%s","seed":"7","rules":[{"id":"r","when":{"always":true},"fault":%s}]%s}\n' "$1" "$2" "${3:-}" >"$tmp/$1.json"
}
lines() { # N: as many calls, with a notification before and behind them
	echo '{"jsonrpc":"2.0","id":"i","method":"initialize","params":{}}'
	echo '{"jsonrpc":"2.0","method":"notifications/initialized"}'
	for n in $(seq "$1"); do
		printf '{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"t","arguments":{"n":%d}}}\n' "$n" "$((n + 100))"
	done
}
pipe() { # NAME: the answers of what standard input says
	rc=0
	"$BIN"/kf-chaos mcp --scenario "$tmp/$1.json" --log "$tmp/$1.jsonl" -- $server >"$tmp/$1.out" 2>"$tmp/$1.err" || rc=$?
}

scenario clean '{"type":"noop"}'
lines 40 >"$tmp/in"
$server <"$tmp/in" >"$tmp/direct"
pipe clean <"$tmp/in"
check "without a fault the pipe is as if nobody stood in it" cmp "$tmp/direct" "$tmp/clean.out"
check "and ends well" test "$rc" = 0
cat "$tmp/in" | pipe clean
check "from a pipe as from a file" cmp "$tmp/direct" "$tmp/clean.out"

scenario lie '{"type":"mcp_wrong_result"}'
pipe lie <"$tmp/in"
check "one digit of each result is another" test "$(diff "$tmp/direct" "$tmp/lie.out" | grep -c '^> .*the answer is')" = 40
check "nothing else is" test "$(grep -vc 'the answer is' "$tmp/lie.out")" = "$(grep -vc 'the answer is' "$tmp/direct")"
check "the order is the server's" sh -c 'sed "s/the answer is [0-9]*//" "$1" | cmp - "$2"' - "$tmp/lie.out" "$(sed 's/the answer is [0-9]*//' "$tmp/direct" >"$tmp/order"; echo "$tmp/order")"
check "each is in the log" test "$(grep -c '"result":"fired"' "$tmp/lie.jsonl")" = 40
check "whose chain is whole" "$BIN"/kf-chaos verify "$tmp/lie.jsonl"
hash=$(sed -n 's/^run_hash //p' "$tmp/lie.err")
pipe lie <"$tmp/in"
check "the run hash is the same again" test "$hash" = "$(sed -n 's/^run_hash //p' "$tmp/lie.err")"

scenario error '{"type":"mcp_error","code":-32000,"message":"busy"}'
pipe error <"$tmp/in"
check "a failing call is answered in the server's place" test "$(grep -c '"code":-32000' "$tmp/error.out")" = 40
check "which never sees it" test "$(grep -c progress "$tmp/error.out")" = 0

scenario malformed '{"type":"mcp_malformed","kind":"not_json"}'
lines 1 | pipe malformed
check "a malformed answer is a line" grep -qx 'Internal Server Error' "$tmp/malformed.out"

scenario gone '{"type":"empty_reply"}'
lines 3 | pipe gone
check "a broken connection is the end of the pipe" test ! -s "$tmp/gone.out" -a "$rc" = 0

scenario hangs '{"type":"mcp_timeout"}'
{ lines 1; echo '{"jsonrpc":"2.0","id":2,"method":"ping"}'; } | pipe hangs
check "a call that hangs holds up nobody, and no end" grep -q '"id":2' "$tmp/hangs.out"
check "and is never answered" test "$(grep -c '"id":1,' "$tmp/hangs.out")" = 0

scenario late '{"type":"latency","latency":300}' ',"identity":{"key":["ordinal"]}'
lines 2 | pipe late
check "late answers come" test "$(grep -c 'the answer is' "$tmp/late.out")" = 2

echo '{"jsonrpc":"2.0","id":1,"method":"die"}' >"$tmp/die"
pipe clean <"$tmp/die"
check "a server that dies is told of" grep -q 'the server ended: exit 5' "$tmp/clean.err"
check "with exit 1" test "$rc" = 1
printf 'no JSON\n{"jsonrpc":"2.0","id":9,"result":{}}\n[]\n' >"$tmp/odd"
"$BIN"/kf-chaos mcp --scenario "$tmp/clean.json" -- cat <"$tmp/odd" >"$tmp/odd.out" 2>"$tmp/odd.err"
check "what is no request passes as it is" cmp "$tmp/odd" "$tmp/odd.out"
head -c 9000000 /dev/zero | tr '\0' x >"$tmp/long"
rc=0
"$BIN"/kf-chaos mcp --scenario "$tmp/clean.json" -- cat <"$tmp/long" >"$tmp/long.out" 2>"$tmp/long.err" || rc=$?
check "a line over the cap ends it with a reason" test "$rc" = 2
check "in one line" grep -q 'a line of more than 8 MiB' "$tmp/long.err"

refused() { # WHY CODE ARGS...
	why=$1 code=$2 rc=0
	shift 2
	"$BIN"/kf-chaos mcp "$@" </dev/null >"$tmp/refused.out" 2>"$tmp/refused.err" || rc=$?
	check "exit $code: $why" test "$rc" = "$code"
	check "$why" grep -q -- "$why" "$tmp/refused.err"
}
scenario status '{"type":"http_error","status":503}'
refused 'http_error means nothing over a pipe' 2 --scenario "$tmp/status.json" -- $server
refused 'cannot be run' 3 --scenario "$tmp/clean.json" -- "$tmp/nonesuch"
refused 'expected -- COMMAND' 2 --scenario "$tmp/clean.json"
refused 'expected --scenario FILE or --preset NAME' 2 -- $server
