# Behind an HTTP proxy with few descriptors as many requests are on their way at
# once as there are descriptors for; the others wait for theirs, and nobody is
# told of a failure that nobody asked for.
. tests/lib.sh
need python3
start up python3 -c '
import http.server, socketserver, sys, time
class Slow(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    def do_GET(self):
        time.sleep(0.3)
        self.send_response(200)
        self.send_header("Content-Length", "2")
        self.send_header("Connection", "close")
        self.end_headers()
        self.wfile.write(b"ok")
    def log_message(self, *a):
        pass
class Server(socketserver.ThreadingTCPServer):
    request_queue_size = 512
    daemon_threads = True
s = Server(("127.0.0.1", 0), Slow)
line = "ready up=127.0.0.1:%d" % s.server_address[1]
open(sys.argv[2], "w").write(line + "\n")
print(line, flush=True)
s.serve_forever()'
cat >"$tmp/s.json" <<END
{"chaos":1,"name":"few","seed":"1","proxies":{"p":{"listen":"127.0.0.1:0","upstream":"http://$(address up up)"}}}
END
printf '#!/bin/sh\nulimit -n 47\nexec "$@"\n' >"$tmp/few"
chmod +x "$tmp/few"
start few "$tmp/few" "$BIN"/kf-chaos --scenario "$tmp/s.json" --admin 127.0.0.1:0
exits 0 python3 -c '
import collections, http.client, sys, threading
host, port = sys.argv[1].split(":")
seen = collections.Counter()
def ask():
    c = http.client.HTTPConnection(host, int(port), timeout=30)
    c.request("GET", "/")
    r = c.getresponse()
    seen[r.status, r.read()] += 1
all = [threading.Thread(target=ask) for _ in range(80)]
for t in all: t.start()
for t in all: t.join()
assert seen == {(200, b"ok"): 80}, seen
' "$(address few p)"
stop few
check "it stops well" [ "$stopped" = 0 ]
