# A TCP proxy that runs out of descriptors neither spins nor fills a log: who
# waits is served once others have left.
. tests/lib.sh
need python3
start up python3 -c '
import socketserver, sys
class Greeter(socketserver.BaseRequestHandler):
    def handle(self):
        self.request.sendall(b"hello\n")
        self.request.recv(1)
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
