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

# What is behind the break nobody got: it is in no log, however far it had come, and what came before it is said first.
scenario torn '{"type":"body","truncate":20,"how":"fin"}'
sed 's/"when":{"always":true}/"match":{"body":"*\\"n\\":102*"},&/' "$tmp/torn.json" >"$tmp/second.json"
for i in 1 2 3 4 5 6; do
	rm -f "$tmp/torn.jsonl" "$tmp/second.jsonl"
	lines 3 | pipe torn
	check "a torn answer is what it is, exit $rc" test "$(wc -c <"$tmp/torn.out")" = 20 -a "$rc" = 0
	check "one fault fired" test "$(grep -c '"result"' "$tmp/torn.jsonl")" = 1
	lines 6 | pipe second
	[ $i != 1 ] || cp "$tmp/second.out" "$tmp/first.out"
	check "what came before is whole, and the end torn: $(cat "$tmp/second.out")" cmp "$tmp/first.out" "$tmp/second.out"
	check "with two answers" test "$(grep -c '"result":' "$tmp/second.out")" = 2
	check "and one fault fired" test "$(grep -c '"result"' "$tmp/second.jsonl")" = 1
	cat "$tmp/torn.err" "$tmp/second.err" | grep '^run_hash' >>"$tmp/hashes"
done
check "two hashes of twelve runs: $(sort -u "$tmp/hashes")" test "$(sort -u "$tmp/hashes" | wc -l)" = 2

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

# Both ends may be slow, or go.
seq 400 | sed 's/.*/{"jsonrpc":"2.0","id":&,"method":"x"}/' >"$tmp/many"
slow() { # COMMAND: what comes out of it, its exit code in $tmp/rc
	rc=0
	"$BIN"/kf-chaos mcp --scenario "$tmp/clean.json" -- "$@" 2>"$tmp/slow.err" || rc=$?
	echo "$rc" >"$tmp/rc"
}
answer='{print "{\"jsonrpc\":\"2.0\",\"id\":" NR ",\"result\":{}}"; fflush()'
check "a server that answers slowly answers all" test "$(slow awk "$answer; system(\"sleep 0.01\")}" <"$tmp/many" | wc -l)" = 400
check "a client that reads late reads all" test "$(slow awk "$answer}" <"$tmp/many" | { sleep 1; wc -l; })" = 400
printf '%s\n%s' '{"jsonrpc":"2.0","method":"x"}' '{"jsonrpc":' >"$tmp/torn"
slow cat "$tmp/torn" </dev/null >"$tmp/torn.out"
check "a torn last line stays torn" cmp "$tmp/torn" "$tmp/torn.out"
mkfifo "$tmp/held"
exec 9<>"$tmp/held" # so the client never ends its side
ends() { # WHY CODE COMMAND...
	why=$1 code=$2
	shift 2
	head -n 1 "$tmp/many" >&9
	slow "$@" <"$tmp/held" >/dev/null
	check "$why" grep -q "$why" "$tmp/slow.err"
	check "$why: exit $code" test "$(cat "$tmp/rc")" = "$code"
}
ends 'the server ended: exit 0, too early' 1 sh -c 'read -r line'
ends 'the server ended: it closed its output and stayed' 1 sh -c 'exec >&-; sleep 30'
ends 'the server ended: it wrote a line of more than 8 MiB' 2 sh -c 'head -c 9000000 /dev/zero | tr "\0" x; echo'
ends 'the server ended: exit 0, too early' 1 sh -c 'sleep 30 & exit 0'
mkfifo "$tmp/unread" "$tmp/open"
sleep 60 >"$tmp/open" &
quiet=$!
"$BIN"/kf-chaos mcp --scenario "$tmp/clean.json" -- yes <"$tmp/open" >"$tmp/unread" 2>/dev/null &
pid=$!
sleep 60 <"$tmp/unread" &
deaf=$!
await sh -c "[ \$(wc -c </proc/$pid/io) -gt 0 ] && grep -q 'wchar: [1-9][0-9][0-9][0-9][0-9]' /proc/$pid/io"
kill -TERM "$pid"
rc=0
timeout 60 tail --pid="$pid" -f /dev/null || rc=$?
kill "$quiet" "$deaf"
check "a client that does not read keeps nobody from ending it" test "$rc" = 0
sed -n '/^{$/,/^}$/p' docs/mcp-faults.md | jq -s '.[-1]' >"$tmp/doc.json"
check "the page's example is a scenario" "$BIN"/kf-chaos check "$tmp/doc.json"

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
