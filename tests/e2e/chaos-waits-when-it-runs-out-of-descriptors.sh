# A TCP proxy that runs out of descriptors neither spins nor fills a log: who
# waits is served once others have left.  Who has gone is let go of under a
# toxic that answers nothing, too.  The admin port opens whatever took the
# rest: a circle of proxies that nobody could see, a crowd before an HTTP proxy.
# Clients that close behind a request that a fault holds keep nothing.
. tests/lib.sh
need python3
start up python3 -c '
import socketserver, sys
class Greeter(socketserver.BaseRequestHandler):
    def handle(self):
        self.request.sendall(b"hello\n")
        while self.request.recv(4096):
            pass
socketserver.ThreadingTCPServer.request_queue_size = 512
s = socketserver.ThreadingTCPServer(("127.0.0.1", 0), Greeter)
line = "ready up=127.0.0.1:%d" % s.server_address[1]
open(sys.argv[2], "w").write(line + "\n")
print(line, flush=True)
s.serve_forever()'
cat >"$tmp/few" <<'END'
#!/bin/sh
ulimit -n 47
exec "$@"
END
chmod +x "$tmp/few"
start chaos "$tmp/few" "$BIN"/kf-chaos --admin 127.0.0.1:0
curl -s -m 5 -o "$tmp/made" -d "{\"name\":\"p\",\"listen\":\"127.0.0.1:0\",\"upstream\":\"$(address up up)\"}" \
    "http://$(address chaos admin)/proxies"
port=$(sed -n 's/.*"listen":"127.0.0.1:\([0-9]*\)".*/\1/p' "$tmp/made")
exits 0 python3 -c '
import os, select, socket, sys
port, pid = int(sys.argv[1]), sys.argv[2]
def spent():
    f = open("/proc/%s/stat" % pid).read().rsplit(")", 1)[1].split()
    return (int(f[11]) + int(f[12])) * 1000 / os.sysconf("SC_CLK_TCK")
crowd = [socket.create_connection(("127.0.0.1", port)) for _ in range(60)]
def greeted(left, s):
    return len(select.select(left, [], [], s)[0])
crowd[0].settimeout(10)
assert crowd[0].recv(6) == b"hello\n", "the first is served"
begun = spent()
assert greeted([crowd[-1]], 1.0) == 0, "the last one waits"
assert spent() - begun < 400, "%d ms of work while nothing happens" % (spent() - begun)
for c in crowd[:-1]:
    c.close()
assert greeted([crowd[-1]], 10) == 1 and crowd[-1].recv(6) == b"hello\n", "it is served in the end"
' "$port" "$(cat "$tmp/chaos.pid")"
check "the log stays short ($(wc -c <"$tmp/chaos.err") bytes)" [ "$(wc -c <"$tmp/chaos.err")" -lt 4096 ]
stop chaos
check "it stops well" [ "$stopped" = 0 ]

# Clients that give up under a blackhole: of a proxy of bytes, one that speaks
# HTTP, one of the scenario.
cat >"$tmp/s.json" <<END
{"chaos":1,"name":"hole","seed":"1","proxies":{"wire":{"listen":"127.0.0.1:0","mode":"passthrough","upstream":"$(address up up)"}},
 "rules":[{"id":"hole","proxy":"wire","when":{"always":true},"fault":{"type":"blackhole"}}]}
END
start hole "$BIN"/kf-chaos --scenario "$tmp/s.json" --admin 127.0.0.1:0
exits 0 python3 -c '
import json, os, socket, sys, time, urllib.request
admin, wire, up, pid = sys.argv[1:]
def api(path, body):
    return json.load(urllib.request.urlopen("http://" + admin + path, json.dumps(body).encode()))
def at(name, upstream, stream="downstream"):
    made = api("/proxies", {"name": name, "listen": "127.0.0.1:0", "upstream": upstream})
    api("/proxies/%s/toxics" % name, {"type": "blackhole", "stream": stream})
    return made["listen"]
def held():
    return len(os.listdir("/proc/%s/fd" % pid))
def crowd(address):
    host, port = address.split(":")
    all = [socket.create_connection((host, int(port))) for _ in range(10)]
    for c in all:
        c.sendall(b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\nhi")
    return all
def settles(what, holds):
    until = time.time() + 9
    while not holds() and time.time() < until:
        time.sleep(0.02)
    assert holds(), "%s: %d descriptors, %d before" % (what, held(), before)
fronts = {"bytes": at("bytes", up), "http": at("http", "http://" + up),
    "what the client says": at("up", up, "upstream"),
    "scenario": wire}
# The connections of the admin port end a little later than their answers.
before, again = held(), 0
while again < 10:
    time.sleep(0.05)
    now = held()
    again, before = (again + 1 if now == before else 0), now
for name, address in fronts.items():
    gone = crowd(address)
    # The ends towards the clients: before an HTTP proxy the upstream, which greets in no
    # HTTP, is dismissed at once.
    settles(name + ": they are there", lambda: held() >= before + 10)
    time.sleep(0.05)
    for c in gone:
        c.close()
    settles(name + ": they have gone", lambda: held() <= before + 2)
stays = crowd(fronts["bytes"])
settles("others stay", lambda: held() >= before + 20)
time.sleep(0.3)
assert held() >= before + 20, "who stays is not sent away"
' "$(address hole admin)" "$(address hole wire)" "$(address up up)" "$(cat "$tmp/hole.pid")"
stop hole
check "it stops well, too" [ "$stopped" = 0 ]

# In a circle of bytes through another process each connection becomes one more.
sed -i 's/ulimit -n 47/ulimit -n 160/' "$tmp/few"
echo '{"chaos":1,"name":"crowd","seed":"1","proxies":{"live":{"listen":"127.0.0.1:0","upstream":"'"$(address up up)"'"}}}' >"$tmp/crowd.json"
start circle "$tmp/few" "$BIN"/kf-chaos --scenario "$tmp/crowd.json" --admin 127.0.0.1:0
start other "$BIN"/kf-chaos --admin 127.0.0.1:0
exits 0 python3 -c '
import json, os, socket, sys, time, urllib.request
here, there, live, pid = sys.argv[1:]
def api(admin, method, path, body=None):
    r = urllib.request.Request("http://" + admin + path, body and json.dumps(body).encode(), method=method)
    return urllib.request.urlopen(r, timeout=10).read()
def listen(admin, name, upstream):
    return json.loads(api(admin, "POST", "/proxies", {"name": name, "listen": "127.0.0.1:0", "upstream": upstream}))["listen"]
def held():
    return len(os.listdir("/proc/%s/fd" % pid))
def client(address):
    host, port = address.split(":")
    c = socket.create_connection((host, int(port)))
    c.sendall(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n")
    return c
def settles(what, holds):
    until = time.time() + 10
    while not holds() and time.time() < until:
        time.sleep(0.02)
    assert holds(), "%s: %d descriptors" % (what, held())
few = held()
at = listen(here, "circle", "127.0.0.1:1")
back = listen(there, "back", at)
api(here, "PATCH", "/proxies/circle", {"upstream": back})
c = client(at)
settles("it runs in a circle", lambda: held() > 100)
time.sleep(0.3)
api(here, "DELETE", "/proxies/circle")
api(there, "DELETE", "/proxies/back")
settles("it is over", lambda: held() < few + 5)
c.close()
crowd = [client(live) for _ in range(200)]
settles("a crowd", lambda: held() > 80)
time.sleep(0.3)
api(here, "GET", "/version")
' "$(address circle admin)" "$(address other admin)" "$(address circle live)" "$(cat "$tmp/circle.pid")"
check "somebody was told: $(cat "$tmp/circle.err")" grep -q 'warn circle: connections have all of the 136 descriptors for them: more wait' "$tmp/circle.err"
stop circle
check "it stops well after all that" [ "$stopped" = 0 ]

# Clients that close right behind their request, which a fault holds: the FIN
# may be a half-close, but nobody is kept for it.
start web python3 -c '
import http.server, sys
class Web(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    def do_GET(self):
        self.send_response(200)
        self.send_header("Content-Length", "2")
        self.end_headers()
        self.wfile.write(b"ok")
s = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Web)
line = "ready up=127.0.0.1:%d" % s.server_address[1]
open(sys.argv[2], "w").write(line + "\n")
print(line, flush=True)
s.serve_forever()'
cat >"$tmp/held.json" <<END
{"chaos":1,"name":"held","seed":"1","proxies":{"p":{"listen":"127.0.0.1:0","upstream":"$(address web up)"}},"rules":[
 {"id":"hole","match":{"path":"/hole"},"when":{"always":true},"fault":{"type":"blackhole"}},
 {"id":"never","match":{"path":"/never"},"when":{"always":true},"fault":{"type":"timeout","timeout":0}},
 {"id":"head","match":{"path":"/head"},"when":{"always":true},"fault":{"type":"header_stall"}},
 {"id":"long","match":{"path":"/long"},"when":{"always":true},"fault":{"type":"header_stall","ms":600000}},
 {"id":"late","match":{"path":"/late"},"when":{"always":true},"fault":{"type":"header_stall","ms":9000}}]}
END
start held "$tmp/few" "$BIN"/kf-chaos --scenario "$tmp/held.json" --admin 127.0.0.1:0
exits 0 python3 -c '
import json, os, signal, socket, sys, time, urllib.request
admin, p = sys.argv[1:]
host, port = p.split(":")
def active():
    return json.load(urllib.request.urlopen("http://" + admin + "/limits", timeout=20))["active"]
def ask(path, more=b""):
    c = socket.create_connection((host, int(port)), timeout=40)
    # A closed socket answers probes for one second, and not for a minute.
    c.setsockopt(socket.IPPROTO_TCP, socket.TCP_LINGER2, 1)
    c.sendall(b"GET %s HTTP/1.1\r\nHost: x\r\n\r\n" % path + more)
    return c
waits = ask(b"/hole")
half = ask(b"/late")
half.shutdown(socket.SHUT_WR)
for path in b"/hole", b"/never", b"/head", b"/long":
    for i in range(5):
        ask(path).close()
        ask(path, b"GET / HTTP/1.1\r\nX: " + b"a" * 20000).close()
gone = os.fork()
if gone == 0:
    all = [ask(b"/hole") for i in range(5)]
    for c in all:
        c.shutdown(socket.SHUT_WR)
    os.kill(os.getpid(), signal.SIGKILL)
os.waitpid(gone, 0)
for i in range(100):
    ask(b"/hole").close()
until = time.time() + 40
while active() > 2 and time.time() < until:
    time.sleep(0.1)
assert active() <= 2, "%d are held, for two that wait" % active()
assert b"200 OK" in half.recv(4096), "who shut down its half and waits is answered"
c = ask(b"/")
assert b"200 OK" in c.recv(4096), "a crowd that has gone keeps nobody out"
waits.setblocking(False)
try:
    assert False, "who waits was sent %r" % waits.recv(1)
except BlockingIOError:
    pass
' "$(address held admin)" "$(address held p)"
check "and it was told: $(cat "$tmp/held.err")" grep -q 'warn p: .* connections are all that it has descriptors for (ulimit -n): more wait' "$tmp/held.err"
stop held
check "it stops well after these" [ "$stopped" = 0 ]
