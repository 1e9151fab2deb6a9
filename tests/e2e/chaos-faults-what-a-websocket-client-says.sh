# The faults of WebSockets act on what the client says, too: cut inside a
# message, closed with a code, late, garbled behind its mask; the upstream that
# does not end has so long; one hash however the client's bytes come.
. tests/lib.sh
need node
need python3
node --experimental-websocket -e 'process.exit(typeof WebSocket === "function" ? 0 : 1)' 2>/dev/null || { echo "no WebSocket in this node"; exit 77; }
chaos="$BIN"/kf-chaos
start origin node tests/clients/talk.mjs server
up=$(address origin upstream)
start ended python3 tests/clients/ended.py
cat >"$tmp/s.json" <<S
{"chaos":1,"name":"said","seed":"1","identity":{"key":"ordinal"},"proxies":{"front":{"listen":"127.0.0.1:0","upstream":"$up"},"raw":{"listen":"127.0.0.1:0","upstream":"$(address ended upstream)"}},
 "rules":[{"id":"fin","match":{"path":"/fin"},"when":{"always":true},"fault":{"type":"ws_cut","from":"client","after_messages":1,"bytes":3}},
          {"id":"deaf","match":{"path":"/deaf"},"when":{"always":true},"fault":{"type":"ws_cut","from":"client","after_messages":1}},
          {"id":"rst","match":{"path":"/rst"},"when":{"always":true},"fault":{"type":"ws_cut","from":"client","after_messages":1,"how":"rst"}},
          {"id":"close","match":{"path":"/close"},"when":{"always":true},"fault":{"type":"ws_cut","from":"client","after_messages":1,"how":"close","code":1013}},
          {"id":"slow","match":{"path":"/slow"},"when":{"always":true},"fault":{"type":"ws_delay","from":"client","latency":400}},
          {"id":"letter","match":{"path":"/letter"},"when":{"always":true},"fault":{"type":"ws_garble","from":"client","at":2}},
          {"id":"syntax","match":{"path":"/syntax"},"when":{"always":true},"fault":{"type":"ws_garble","from":"client","how":"syntax"}},
          {"id":"utf8","match":{"path":"/utf8"},"when":{"always":true},"fault":{"type":"ws_garble","from":"client","how":"utf8"}},
          {"id":"both","match":{"path":"/both"},"when":{"always":true},"fault":[{"type":"ws_garble","from":"client","how":"syntax"},{"type":"ws_garble","at":2,"how":"syntax"},{"type":"ws_delay","from":"client","latency":20,"jitter":10},{"type":"ws_cut","from":"client","after_messages":2}]},
          {"id":"never","match":{"path":"/never"},"when":{"always":true},"fault":{"type":"ws_garble","from":"client","at":4}}]}
S
start chaos "$chaos" --scenario "$tmp/s.json" --admin 127.0.0.1:0 --log "$tmp/log.jsonl"
front=ws://$(address chaos front)
hear() { # PATH SAY...: what the client heard, in $tmp/heard
	path=$1
	shift
	node --experimental-websocket tests/clients/talk.mjs client "$front$path" "$@" >"$tmp/heard" 2>"$tmp/node.warnings" || fail "the client of $path ($*) ends: $(cat "$tmp/heard")"
}
heard() { # WHAT LINES: the client did
	check "$1: $(cat "$tmp/heard")" test "$(cat "$tmp/heard")" = "$2"
}
# Whether the other's Close comes before the end is the ends' own race.
told() { sed -n "s|^$1 ||p" "$tmp/origin.out" | sed '/^close 1000$/d; s/^reset$/end/'; }
tells() { # WHAT PATH LINES: the upstream did
	# What was told instead says more than that it did not come.
	(await_in "$tmp/origin.out" grep -Eq "^$2 ($(printf '%s\n' "$3" | tail -n 1)|reset)" "$tmp/origin.out") 2>"$tmp/awaited" || :
	check "$1: $(told "$2")" test "$(told "$2")" = "$3"
}

hear /x alpha bravo bye
tells "untouched" /x "said alpha
said bravo
said bye
end"
hear /fin alpha bravo charlie
heard "the client is closed, too" "alpha
closed 1006 unclean"
tells "a FIN inside the second: head, mask and three bytes" /fin "said alpha
end torn 9"
node --experimental-websocket tests/clients/talk.mjs client "ws://$(address chaos raw)/rst" alpha bravo charlie >"$tmp/heard" 2>"$tmp/node.warnings"
heard "a reset" "closed 1006 unclean"
await_in "$tmp/ended.out" grep -q "^/rst" "$tmp/ended.out"
check "inside the second, after the first's 11 bytes: $(cat "$tmp/ended.out")" grep -qx "/rst rst 19" "$tmp/ended.out"
hear /close alpha bravo charlie
heard "a Close frame comes back" "alpha
closed 1013"
tells "in the second's place, masked" /close "said alpha
close 1013
end"
TIMES=1 hear /deaf alpha bravo
check "an upstream that does not end has two seconds: $(cat "$tmp/heard")" grep -q "closed 1006" "$tmp/heard"
TIMES=1 hear /slow alpha bravo bye
check "messages come later: $(cat "$tmp/heard")" test "$(sed -n 's/^last after //p' "$tmp/heard")" -ge 400
tells "and whole, in order" /slow "said alpha
said bravo
said bye
end"
hear /slow "long 3000000" bye
heard "much of it" "3000000 y
closed 1000"
hear /letter alpha bravo charlie bye
check "one letter is another: $(told /letter)" node -e '
	const [one, two, three] = process.argv[1].split("\n").map((l) => l.replace("said ", ""));
	const other = [...two].filter((c, i) => c !== "bravo"[i]).length;
	process.exit(one === "alpha" && three === "charlie" && two.length === 5 && other === 1 ? 0 : 1)' "$(told /letter)"
hear /syntax alpha bravo bye
heard "no JSON any more" "}lpha
bravo
closed 1000"
hear /utf8 alpha bye
check "no UTF-8 any more: $(told /utf8)" test "$(told /utf8 | head -n 1 | tr -d 'a-z ' | wc -c)" -ge 3
hear /both alpha bravo charlie
heard "both sides" "}lpha
}ravo
closed 1006 unclean"
hear /never alpha bravo bye
result() { grep "\"rule\":\"$1\"" "$tmp/log.jsonl" | grep -q "\"result\":\"$2\""; }
for rule in fin rst close deaf slow letter syntax utf8 both; do
	check "$rule is logged" result "$rule" fired
done
check "the fourth never came" result never bypassed
check "whose conversation was cut, and by which code" grep -q '"code":1013,.*"from":"client",.*"rule":"close"' "$tmp/log.jsonl"
stop chaos
check "it ends well" test "$stopped" = 0

# Codes that no Close frame has.
for code in 1004 1005 1006 1015 2999; do
	sed "s/\"code\":1013/\"code\":$code/" "$tmp/s.json" >"$tmp/bad.json"
	exits 2 "$chaos" check "$tmp/bad.json"
	check "refused: $(cat "$tmp/err")" grep -q "/code: $code is in no Close frame" "$tmp/err"
done

# The hash does not hang on the client's packets; nor do clients that go away.
cat >"$tmp/say.py" <<'P'
import os, socket, struct, sys
address, step = sys.argv[1], int(sys.argv[2])
host, port = address.rsplit(':', 1)
def frame(opcode, body, final=True, mask=b'\x11\x22\x33\x44'):
    return bytes([opcode | (128 if final else 0), 128 | len(body)]) + mask + bytes(b ^ mask[i % 4] for i, b in enumerate(body))
said = frame(1, b'al', False) + frame(9, b'ping') + frame(0, b'pha') + frame(1, b'bravo') + frame(1, b'charlie') + frame(1, b'delta')
def begin(path):
    s = socket.create_connection((host, int(port)), 10)
    s.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    s.sendall(f'GET {path} HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: {"A" * 22}==\r\n\r\n'.encode())
    got = b''
    while not got.endswith(b'\r\n\r\n'):
        got += s.recv(1)
    return s
for path in ('/fin', '/rst', '/close', '/letter', '/utf8', '/both', '/never'):
    s = begin(path)
    try:
        for at in range(0, len(said), step):
            s.sendall(said[at:at + step])
        s.shutdown(socket.SHUT_WR)
        while s.recv(1000):
            pass
    except OSError:
        pass
    s.close()
if step > 1:
    sys.exit(0)
for path in ('/x', '/slow', '/both', '/fin', '/rst', '/close'):
    for how in range(4):
        s = begin(path)
        try:
            s.sendall(said[:40 if how else 11])
            if how == 1:
                s.sendall(os.urandom(5000))
            if how == 2:
                s.shutdown(socket.SHUT_WR)
        except OSError:
            pass  # cut already
        if how == 3:
            s.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack('ii', 1, 0))
        s.close()
P
hash_of() { # STEP: of two runs
	start "h$1" "$chaos" --scenario "$tmp/s.json" --admin 127.0.0.1:0
	python3 "$tmp/say.py" "$(address "h$1" front)" "$1" || fail "a client that says $1 bytes at a time"
	stop "h$1"
	check "it ends well by $1" test "$stopped" = 0
	sed -n 's/^run_hash //p' "$tmp/h$1.out"
}
two=$(hash_of 2) whole=$(hash_of 9999)
check "one hash: $two, $whole" test "$two" = "$whole"
start h1 "$chaos" --scenario "$tmp/s.json" --admin 127.0.0.1:0
python3 "$tmp/say.py" "$(address h1 front)" 1 || fail "rude clients"
front=ws://$(address h1 front)
hear /x one bye
heard "it goes on" "one
closed 1000"
stop h1
check "and ends well" test "$stopped" = 0
