# What no fault acts on passes as it came, rules or none: codings are asked for
# as the client does, unless a rule may read the answer (told once); reason
# phrases and lengths without a body pass; trailers are told, announced or not;
# a torn answer is torn again from its cassette.
. tests/lib.sh
need python3
python3 - >"$tmp/up.port" 2>"$tmp/up.said" <<'PY' &
import re, socket, sys, threading
# Each path's answer, bytes as they are, then the end of the connection.
answers = {
    '/reason': b'HTTP/1.1 299 Weird reason\r\nContent-Length: 2\r\n\r\nhi',
    '/slow-reason': b'HTTP/1.1 200 Fine\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n0\r\n\r\n',
    '/304': b'HTTP/1.1 304 Not Modified\r\nETag: "a"\r\nContent-Length: 679\r\n\r\n',
    '/bare-304': b'HTTP/1.1 304 Not Modified\r\nETag: "a"\r\n\r\n',
    '/head': b'HTTP/1.1 200 OK\r\nContent-Length: 679\r\n\r\n',
    '/trailers': b'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n0\r\nX-Sum: 7\r\n\r\n',
    '/torn': b'HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 50\r\n\r\n1234567',
}
def serve(c):
    d = b''
    while b'\r\n\r\n' not in d: d += c.recv(65536)
    if b'chunked' in d.lower():
        while not d.endswith(b'\r\n\r\n') or b'\r\n0\r\n' not in d: d += c.recv(65536)
    path = d.split()[1].decode()
    coding = re.search(rb'(?im)^accept-encoding: *(.*?)\r', d)
    print(path, coding and coding[1].decode(), file=sys.stderr, flush=True)
    c.sendall(answers.get(path, b'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi'))
    c.close()
s = socket.create_server(('127.0.0.1', 0))
print(s.getsockname()[1], flush=True)
while True: threading.Thread(target=serve, args=s.accept()[:1], daemon=True).start()
PY
up=$!
trap 'kill $up 2>/dev/null || true; leave' EXIT
await test -s "$tmp/up.port"
scenario() { # NAME PROXY RULES
	printf '{"chaos":1,"name":"c","seed":"1","proxies":{"front":{"listen":"127.0.0.1:0",%s}},"rules":[%s]}' "$2" "$3" >"$tmp/$1.json"
	start "$1" "$BIN"/kf-chaos --scenario "$tmp/$1.json" --admin 127.0.0.1:0 --log "$tmp/$1.log"
}
live=$(printf '"upstream":"127.0.0.1:%s"' "$(cat "$tmp/up.port")")
# ask PROXY [METHOD] PATH ...: each path's head and body, without the Date.
cat >"$tmp/ask.py" <<'PY'
import http.client, sys
at, *paths = sys.argv[1:]
for p in paths:
    method, _, path = p.rpartition(' ')
    c = http.client.HTTPConnection(at, timeout=60)
    c.request(method or 'GET', path, '{"model":"m"}' if method == 'POST' else None, {'Accept-Encoding': 'gzip, br'})
    r = c.getresponse()
    try: body = r.read()
    except http.client.IncompleteRead as e: body = b'torn ' + e.partial
    print(p, r.status, r.reason, *sorted(f'{k}={v}' for k, v in r.getheaders() if k != 'Date'), body.decode())
PY
ask() {
	where=$1
	shift
	python3 "$tmp/ask.py" "$(address "$where" front)" "$@"
}
asked() { grep -c "^$1 $2\$" "$tmp/up.said" || true; }

scenario bare "$live" ''
scenario ruled "$live" '{"id":"slow","when":{"always":true},"also":true,"fault":{"type":"latency","latency":1}},{"id":"never","when":{"p":0},"also":true,"fault":{"type":"http_error","status":500}},
	{"id":"said","match":{"path":"/read*"},"when":{"p":0},"also":true,"fault":{"type":"llm_empty"}},{"id":"model","match":{"path":"/model","model":"other"},"when":{"p":0},"also":true,"fault":{"type":"llm_empty"}},
	{"id":"limit","match":{"method":"HEAD","path":"/head"},"when":{"always":true},"also":true,"fault":{"type":"limit_data","bytes":5000}}'
cat >"$tmp/want" <<'W'
/reason 299 Weird reason Content-Length=2 hi
/slow-reason 200 Fine Transfer-Encoding=chunked hi
/304 304 Not Modified Content-Length=679 ETag="a" 
/bare-304 304 Not Modified ETag="a" 
HEAD /head 200 OK Content-Length=679 
/trailers 200 OK Transfer-Encoding=chunked hi
/plain 200 OK Content-Length=2 hi
W
for p in bare ruled; do
	ask $p /reason /slow-reason /304 /bare-304 'HEAD /head' /trailers /plain >"$tmp/$p.got"
	check "$p: all passes as it came: $(diff "$tmp/$p.got" "$tmp/want")" cmp -s "$tmp/$p.got" "$tmp/want"
done
ask ruled /read-it 'POST /model' >"$tmp/out"
check "the coding is asked for" test 2 = "$(asked /plain 'gzip, br')"
check "not where a rule may read" test 1 = "$(asked /read-it None)"
check "nor where it may by the model that answers" test 1 = "$(asked /model None)"
python3 - "$(address bare front)" <<'PY'
import socket, sys
host, port = sys.argv[1].split(':')
c = socket.create_connection((host, int(port)), 20)
c.sendall(b'POST /asked HTTP/1.1\r\nHost: a\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\nT: 1\r\n\r\n')
while c.recv(65536): pass
PY
stop bare
stop ruled
for p in bare ruled; do check "$p: trailers that nobody announced are told, once" test 1 = "$(grep -c "warn front: an answer's trailers were taken out" "$tmp/$p.err")"; done
check "a request's too" test 1 = "$(grep -c "warn front: a request's trailers were taken out" "$tmp/bare.err")"
check "and the coding, where it was" test 1 = "$(grep -ci 'info front: accept-encoding is taken out of requests whose answers a rule may look into' "$tmp/ruled.err")"
lacks "where it was not" -qi accept-encoding "$tmp/bare.err"

scenario record "$live,\"mode\":\"record\",\"cassette\":\"tape\"" ''
ask record /torn 'HEAD /head' /reason /slow-reason >"$tmp/tape.was"
stop record
scenario replay '"mode":"replay","cassette":"tape"' ''
ask replay /torn 'HEAD /head' /reason /slow-reason >"$tmp/tape.is"
check "a torn answer is torn again, HEAD has its length, an answer its reason: $(cat "$tmp/tape.is")" cmp "$tmp/tape.was" "$tmp/tape.is"
check "it promised more than came" grep -q '^/torn 200 OK Content-Length=50 .*torn 1234567$' "$tmp/tape.is"
stop replay
