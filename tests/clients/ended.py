"""An upstream of WebSockets that answers nothing and says how each ended.

	python3 ended.py --ready-file FILE    prints "PATH rst N" or "PATH fin N", N the bytes heard

Node cannot: where a reset comes with the last bytes, libuv takes it for an end.
"""
import base64
import hashlib
import http.server
import sys

GUID = b"258EAFA5-E914-47DA-95CA-C5AB0DC85B11"


class Upstream(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        key = self.headers["Sec-WebSocket-Key"].encode()
        self.send_response_only(101)
        self.send_header("Upgrade", "websocket")
        self.send_header("Connection", "Upgrade")
        self.send_header("Sec-WebSocket-Accept", base64.b64encode(hashlib.sha1(key + GUID).digest()).decode())
        self.end_headers()
        heard, end = 0, "fin"
        try:
            while bytes_in := self.rfile.read1(65536):
                heard += len(bytes_in)
        except ConnectionResetError:
            end = "rst"
        print(self.path, end, heard, flush=True)
        self.close_connection = True


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Upstream)
line = f"ready upstream=127.0.0.1:{server.server_address[1]}"
with open(sys.argv[2], "w", encoding="ascii") as ready:
    print(line, file=ready)
print(line, flush=True)
server.serve_forever()
