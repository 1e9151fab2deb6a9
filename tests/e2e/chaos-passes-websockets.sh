# A WebSocket passes through an HTTP proxy, both ways, and its faults act on
# messages by their number: cut inside one, closed, delayed, garbled; faults on
# bytes and on the handshake act as on any answer; one hash however bytes come.
. tests/lib.sh
need curl
need node
need python3
node --experimental-websocket -e 'process.exit(typeof WebSocket === "function" ? 0 : 1)' 2>/dev/null || { echo "no WebSocket in this node"; exit 77; }
chaos="$BIN"/kf-chaos
start origin node tests/clients/talk.mjs server
up=$(address origin upstream)
cat >"$tmp/s.json" <<S
{"chaos":1,"name":"ws","seed":"1","identity":{"key":"ordinal"},"proxies":{"front":{"listen":"127.0.0.1:0","upstream":"$up"},"plain":{"listen":"127.0.0.1:0","upstream":"$up"}},
 "rules":[{"id":"rst","match":{"path":"/rst"},"when":{"always":true},"fault":{"type":"ws_cut","after_messages":2,"how":"rst"}},
          {"id":"fin","match":{"path":"/fin"},"when":{"always":true},"fault":{"type":"ws_cut","after_messages":1,"bytes":5}},
          {"id":"close","match":{"path":"/close"},"when":{"always":true},"fault":{"type":"ws_cut","after_messages":1,"how":"close","code":1013}},
          {"id":"slow","match":{"path":"/slow"},"when":{"always":true},"fault":{"type":"ws_delay","latency":400}},
          {"id":"letter","match":{"path":"/letter"},"when":{"always":true},"fault":{"type":"ws_garble","at":2}},
          {"id":"syntax","match":{"path":"/syntax"},"when":{"always":true},"fault":{"type":"ws_garble","how":"syntax"}},
          {"id":"utf8","match":{"path":"/utf8"},"when":{"always":true},"fault":{"type":"ws_garble","at":2,"how":"utf8"}},
          {"id":"both","match":{"path":"/both"},"when":{"always":true},"fault":[{"type":"ws_garble","at":2,"how":"syntax"},{"type":"ws_delay","latency":50},{"type":"ws_cut","after_messages":3}]},
          {"id":"never","match":{"path":"/never"},"when":{"always":true},"fault":[{"type":"ws_cut","after_messages":1},{"type":"ws_garble","at":3}]},
          {"id":"bytes","match":{"path":"/bytes"},"when":{"always":true},"fault":{"type":"limit_data","bytes":300}},
          {"id":"sse","match":{"path":"/sse"},"when":{"always":true},"fault":{"type":"sse_cut","after_events":1}},
          {"id":"early","match":{"path":"/early"},"when":{"always":true},"fault":{"type":"latency","latency":400}},
          {"id":"read","match":{"path":"/read"},"when":{"p":0},"fault":{"type":"ws_cut","after_messages":9}},
          {"id":"denied","match":{"path":"/denied"},"when":{"always":true},"fault":{"type":"http_error","status":503}}]}
S
start chaos "$chaos" --scenario "$tmp/s.json" --admin 127.0.0.1:0 --log "$tmp/log.jsonl"
front=ws://$(address chaos front)
hear() { # PATH SAY...: what the client heard, in $tmp/heard
	path=$1
	shift
	node --experimental-websocket tests/clients/talk.mjs client "$front$path" "$@" >"$tmp/heard" 2>"$tmp/node.warnings" || fail "the client of $path ($*) ends: $(cat "$tmp/heard")"
}
heard() { # WHAT LINES
	check "$1: $(cat "$tmp/heard")" test "$(cat "$tmp/heard")" = "$2"
}
n() { printf '{"n":%d,"text":"grüße from the other side"}\n' "$1"; }

# Nothing is changed where no rule acts.
hear /x one "count 2" bye
heard "an echo, fragments, a close" "one
$(n 1)
$(n 2)
closed 1000"
hear /x "drip 2" bye
heard "byte by byte" "$(n 1)
$(n 2)
closed 1000"
hear /x "long 3000000" "big 2000000" bye
heard "much, both ways" "3000000 y
2000000 x
closed 1000"
hear /x binary bye
heard "binary" "binary
closed 1000"
hear /x offer bye
heard "compression is offered as by the client" "offer permessage-deflate; client_max_window_bits
closed 1000"
hear /read offer bye
heard "but not where a rule may read the frames" "offer undefined
closed 1000"
# A client may speak before it has its 101, also more than is held for it.
cat >"$tmp/early.py" <<'PY'
import socket, struct, sys, threading
host, port = sys.argv[1].rsplit(':', 1)
def frame(text):
    n = len(text)
    return bytes([0x81, 0x80 | 127]) + struct.pack('>Q', n) + bytes(4) + text
for size in (5, 70000, 1500000):
    for at_once in (True, False):
        s = socket.create_connection((host, int(port)))
        s.settimeout(20)
        head = b'GET /early HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n'
        text = b'y' * size
        if not at_once:
            s.sendall(head)
            head = b''
        threading.Thread(target=s.sendall, args=(head + frame(text) + frame(b'count 1'),), daemon=True).start()
        seen = b''
        while 'grüße'.encode() not in seen:
            piece = s.recv(65536)
            if not piece:
                sys.exit(f'{size}: closed behind {seen[-200:]}')
            seen += piece
        assert seen.startswith(b'HTTP/1.1 101 '), seen[:100]
        s.close()
PY
timeout 100 python3 "$tmp/early.py" "$(address chaos front)" >"$tmp/early" 2>&1 || fail "who speaks early is heard: $(cat "$tmp/early")"
hear /no
heard "the upstream's no" "no WebSocket"
check "a plain answer" test 426 = "$(curl -s -m 10 -o "$tmp/answer" -w '%{http_code}' "http://$(address chaos front)/x")"

# Faults.
# Who only reads has every byte before a reset. Node answers the pings, which a reset connection refuses it, and drops
# what it has not read: of its words alone the end is sure.
cat >"$tmp/reset.py" <<'PY'
import socket, sys
host, port = sys.argv[1].rsplit(':', 1)
s = socket.create_connection((host, int(port)))
s.settimeout(20)
s.sendall(b'GET /rst HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n')
s.sendall(bytes([0x81, 0x80 | 7]) + bytes(4) + b'count 9')
seen = b''
try:
    while piece := s.recv(65536):
        seen += piece
    sys.exit(f'a FIN behind {seen[-200:]}')
except ConnectionResetError:
    pass
def message(i): # in two fragments, a ping between them
    text = f'{{"n":{i},"text":"gr\u00fc\u00dfe from the other side"}}'.encode()
    return bytes([0x01, 30]) + text[:30] + b'\x89\x04ping' + bytes([0x80, len(text) - 30]) + text[30:]
frames = seen.split(b'\r\n\r\n', 1)[1]
whole = message(1) + message(2)
assert frames.startswith(whole), frames
third = frames[len(whole):]
assert third and message(3) != third and message(3).startswith(third), third
PY
timeout 60 python3 "$tmp/reset.py" "$(address chaos front)" >"$tmp/reset" 2>&1 || fail "all before a reset inside the third: $(cat "$tmp/reset")"
hear /rst "count 9"
check "a reset is no clean end: $(cat "$tmp/heard")" test "$(tail -n 1 "$tmp/heard")" = "closed 1006 unclean"
check "a third is never heard" sh -c '! grep -q "\"n\":3" "$1"' - "$tmp/heard"
hear /fin "drip 9"
heard "a FIN inside the second" "$(n 1)
closed 1006 unclean"
hear /close "count 9"
heard "a Close frame" "$(n 1)
closed 1013"
TIMES=1 hear /slow "count 3" bye
check "messages come later: $(cat "$tmp/heard")" test "$(sed -n 's/^last after //p' "$tmp/heard")" -ge 400
sed -i '/^last after/d' "$tmp/heard"
heard "and whole, in order" "$(n 1)
$(n 2)
$(n 3)
closed 1000"
hear /letter "count 3" bye
check "one letter is another: $(cat "$tmp/heard")" node -e '
	const [one, two, three] = require("fs").readFileSync(process.argv[1], "utf8").split("\n");
	const want = (i) => `{"n":${i},"text":"grüße from the other side"}`;
	const other = [...two].filter((c, i) => c !== [...want(2)][i]).length;
	process.exit(one === want(1) && three === want(3) && two.length === want(2).length && other === 1 ? 0 : 1)' "$tmp/heard"
hear /syntax "count 2" bye
heard "no JSON any more" "}$(n 1 | cut -c 2-)
$(n 2)
closed 1000"
hear /utf8 "count 3"
check "bad UTF-8 ends a client: $(cat "$tmp/heard")" grep -q "^closed 100[67]" "$tmp/heard"
hear /both "count 9"
heard "three together" "$(n 1)
}$(n 2 | cut -c 2-)
$(n 3)
closed 1006 unclean"
hear /never "count 9"
hear /bytes "count 99"
check "300 bytes, head and frames: $(cat "$tmp/heard")" grep -q "closed 1006" "$tmp/heard"
hear /sse "count 1" bye
heard "a fault of streams does nothing" "$(n 1)
closed 1000"
hear /denied
heard "a refused handshake" "no WebSocket"
hear /letter noise bye # no frames at all pass too
result() { grep "\"rule\":\"$1\"" "$tmp/log.jsonl" | grep -q "\"result\":\"$2\""; }
for rule in rst fin close slow letter syntax utf8 both never bytes denied; do
	check "$rule is logged" result "$rule" fired
done
check "the third never came" result never bypassed
check "bypassed, and why" sh -c 'grep "\"rule\":\"sse\"" "$1" | grep -q "a WebSocket"' - "$tmp/log.jsonl"
curl -s -m 10 -o "$tmp/answer" "http://$(address chaos front)/letter"
check "and on a plain answer" sh -c 'grep "\"rule\":\"letter\"" "$1" | grep -q "not a WebSocket"' - "$tmp/log.jsonl"
stop chaos
check "it ends well" test "$stopped" = 0

# Through a forward proxy's tunnel, and inside TLS.
exits 0 "$chaos" ca "$tmp/ca"
cat >"$tmp/ways.json" <<S
{"chaos":1,"name":"ways","seed":"1","proxies":{"way":{"listen":"127.0.0.1:0","mode":"forward","ca":"ca","hosts":["127.0.0.1"]},
  "safe":{"listen":"127.0.0.1:0","upstream":"$up","tls":{"ca":"ca"}}},
 "rules":[{"id":"close","match":{"path":"/close"},"when":{"always":true},"fault":{"type":"ws_cut","after_messages":1,"how":"close","code":1013}}]}
S
start ways "$chaos" --scenario "$tmp/ways.json" --admin 127.0.0.1:0
cat >"$tmp/talk.py" <<'P'
import socket, ssl, struct, sys
way, to, ca, path, say = sys.argv[1:]
host, port = way.rsplit(':', 1)
s = socket.create_connection((host, int(port)), 10)
def head():
    got = b''
    while not got.endswith(b'\r\n\r\n'):
        got += s.recv(1)
    return got
if to:
    s.sendall(f'CONNECT {to} HTTP/1.1\r\nHost: {to}\r\n\r\n'.encode())
    assert b' 200 ' in head(), 'a tunnel'
if ca:
    s = ssl.create_default_context(cafile=ca).wrap_socket(s, server_hostname=host)
s.sendall(f'GET {path} HTTP/1.1\r\nHost: {to or way}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: {"A" * 22}==\r\n\r\n'.encode())
assert b' 101 ' in head(), 'a handshake'
s.sendall(bytes([0x81, 0x80 | len(say)]) + bytes(4) + say.encode())
r, text, heard = s.makefile('rb'), b'', []
while len(heard) < 2:
    first, n = r.read(2)
    if n == 126:
        n, = struct.unpack('>H', r.read(2))
    body = r.read(n)
    if first & 15 == 8:
        heard.append('closed %d' % struct.unpack('>H', body[:2]))
    elif first & 15 < 2:
        text += body
        if first & 128:
            heard.append(text.decode())
            text = b''
    if say == 'one' and heard:
        break
print('\n'.join(heard))
P
talks() { # PATH SAY: through $way, by a tunnel to $to or inside TLS by $ca
	python3 "$tmp/talk.py" "$way" "$to" "$ca" "$@" >"$tmp/heard" 2>"$tmp/talk.err" || fail "$way, $1: $(tail -n 1 "$tmp/talk.err")"
}
for name in way safe; do
	way=$(address ways $name) to=$up ca=
	[ $name = way ] || to= ca=$tmp/ca/ca.pem
	talks /x one
	heard "an echo by $name" one
	talks /close "count 9"
	heard "a Close frame by $name" "$(n 1)
closed 1013"
done
stop ways
check "it ends well after that" test "$stopped" = 0

# The hash does not hang on packets.
hash_of() { # WORD
	start "h$1" "$chaos" --scenario "$tmp/s.json" --admin 127.0.0.1:0
	front=ws://$(address "h$1" front)
	hear /both "$1 9"
	hear /letter "$1 3" bye
	hear /never "$1 9"
	hear /fin "$1 9"
	stop "h$1"
	sed -n 's/^run_hash //p' "$tmp/h$1.out"
}
whole=$(hash_of count) dripped=$(hash_of drip)
check "one hash: $whole, $dripped" test "$whole" = "$dripped"

# Clients that go away in the middle.
start rude "$chaos" --scenario "$tmp/s.json" --admin 127.0.0.1:0
python3 - "$(address rude front)" <<'P'
import os, socket, struct, sys
host, port = sys.argv[1].rsplit(':', 1)
for path in ('/x', '/slow', '/both', '/bytes', '/fin'):
    for how in range(6):
        s = socket.create_connection((host, int(port)))
        s.settimeout(10)
        s.send(f'GET {path} HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: {"A" * 22}==\r\n\r\n'.encode()
               + (b'\x81\x88\0\0\0\0count 50' if how else b''))
        try:
            if how > 1:
                s.recv(100)
            if how == 3:
                s.send(os.urandom(5000))
            if how == 4:
                s.shutdown(socket.SHUT_WR)
                s.recv(100)
        except OSError:
            pass  # the fault was first
        if how == 5:
            s.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack('ii', 1, 0))
        s.close()
P
front=ws://$(address rude front)
hear /x one bye
heard "goes on" "one
closed 1000"
stop rude
check "and ends well" test "$stopped" = 0
