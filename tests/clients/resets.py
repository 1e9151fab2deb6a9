# resets.py ADMIN: how a reset by the upstream, and a limit while it still sends, reach the client.
import json, socket, struct, sys, threading, urllib.request
admin = sys.argv[1]
def api(path, v): return json.load(urllib.request.urlopen(urllib.request.Request('http://%s%s' % (admin, path), json.dumps(v).encode(), {'User-Agent': 'x'})))
def serve(act):
    s = socket.create_server(('127.0.0.1', 0))
    def run():
        while True:
            c, _ = s.accept()
            threading.Thread(target=act, args=(c,), daemon=True).start()
    threading.Thread(target=run, daemon=True).start()
    return s.getsockname()[1]
def reset(c):
    c.sendall(b'last words'); c.recv(1)
    c.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack('ii', 1, 0)); c.close()
def endless(c):
    try:
        while True: c.sendall(b'x' * 65536)
    except OSError: pass
def through(name, port, say=b''):
    at = api('/proxies', {'name': name, 'listen': '127.0.0.1:0', 'upstream': '127.0.0.1:%d' % port})['listen']
    return int(at.rsplit(':', 1)[1])
def read_all(c):
    got = b''
    try:
        while True:
            p = c.recv(65536)
            if not p: return got, 'end'
            got += p
    except ConnectionResetError: return got, 'reset'
c = socket.create_connection(('127.0.0.1', through('r', serve(reset))), 5)
assert c.recv(10) == b'last words'
c.sendall(b'!')
print('reset', read_all(c)[1])
port = through('l', serve(endless))
api('/proxies/l/toxics', {'type': 'limit_data', 'attributes': {'bytes': 300000}})
for i in range(20):
    c = socket.create_connection(('127.0.0.1', port), 5); c.sendall(b'GET / HTTP/1.0\r\n\r\n')
    got, how = read_all(c)
    if (len(got), how) != (300000, 'end'): print('limit', len(got), how)
print('limit ok')
