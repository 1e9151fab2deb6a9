# An upstream behind TLS whose connections end inside their answers, without a
# close_notify.
import os
import socket
import ssl
import sys

key, cert, ready = sys.argv[1], sys.argv[2], sys.argv[sys.argv.index("--ready-file") + 1]
context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
context.load_cert_chain(cert, key)
listener = socket.create_server(("127.0.0.1", 0))
with open(ready, "w") as f:
    f.write("ready upstream=127.0.0.1:%d\n" % listener.getsockname()[1])
print("ready ", flush=True)
HEAD = b"HTTP/1.1 200 OK\r\ncontent-type: %s\r\n\r\n"
CHUNK = b'data: {"id":"i","object":"chat.completion.chunk","model":"m","choices":[{"index":0,"delta":{"content":"half"},"finish_reason":%s}]}\n\n'
while True:
    s = context.wrap_socket(listener.accept()[0], server_side=True)
    asked = b""
    while not asked.endswith(b"]}") and not asked.endswith(b"true}"):
        asked += s.recv(65536)
    if b"stream" not in asked:
        s.sendall(HEAD % b"application/json" + b'{"id":"i","choi')
    elif b"whole" in asked:
        s.sendall(HEAD % b"text/event-stream" + CHUNK % b'"stop"')
    else:
        s.sendall(HEAD % b"text/event-stream" + CHUNK % b"null")
    os.close(s.detach())
