"""An HTTP server for an end-to-end script (serve_answers in tests/lib.sh).

	from answer_server import serve
	serve(lambda request, body: (200, {"x-name": "value"}, b"{}"))

The function is called for each POST, with the handler (its path and headers)
and the body; it gives status, headers and body of the answer, or None where
none is to be given.  An object is sent as JSON.
"""
import http.server
import json
import os
import sys


def serve(answer):
    class Handler(http.server.BaseHTTPRequestHandler):
        def do_POST(self):
            said = answer(self, self.rfile.read(int(self.headers["Content-Length"])))
            if said is None:
                self.rfile.read(1)  # held until the client leaves
                return
            status, headers, body = said
            data = body if isinstance(body, bytes) else json.dumps(body).encode()
            headers.setdefault("Content-Type", "application/json")
            self.send_response(status)
            for name, value in headers.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, *args):
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", int(os.environ.get("PORT", "0"))), Handler)
    line = "ready server=127.0.0.1:%d" % server.server_port
    with open(sys.argv[-1], "w") as ready:
        ready.write(line + "\n")
    print(line, flush=True)
    server.serve_forever()
