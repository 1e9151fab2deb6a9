# Over HTTP: both eras, progress as events, a client that goes away cancels; who
# may not come in stays outside, and headers must say what the body says.
. tests/lib.sh
need python3
exits 2 env -u KERNELFORGE_MCP_TOKEN "$BIN"/kernelforge mcp --http 0.0.0.0:0
check "one line says what is missing" grep -q 'KERNELFORGE_MCP_TOKEN' "$tmp/err"
exits 2 env KERNELFORGE_MCP_TOKEN=short "$BIN"/kernelforge mcp --http
exits 2 "$BIN"/kernelforge mcp 127.0.0.1:0
exits 2 "$BIN"/kernelforge mcp --http nonsense
start open "$BIN"/kernelforge mcp --http 127.0.0.1:0
KERNELFORGE_MCP_TOKEN=sk-a-token-of-some-length
export KERNELFORGE_MCP_TOKEN
start wide "$BIN"/kernelforge mcp --http 0.0.0.0:0 --allow-host lab.example
open=$(address open mcp) wide=$(address wide mcp) token=$KERNELFORGE_MCP_TOKEN
exits 3 "$BIN"/kernelforge mcp --http "$open"
export open wide token tmp
PYTHONPATH=tests/clients python3 - <<'PY' || fail "what the client expected"
import http.client, os, re, socket, subprocess
from mcp_client import *

def post(body, at="open", path="/mcp", method="POST", **headers):
    """Status, headers, messages."""
    host, port = os.environ[at].rsplit(":", 1)
    c = http.client.HTTPConnection("127.0.0.1", int(port))
    text = body if isinstance(body, bytes) else json.dumps(body).encode()
    sent = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}
    sent.update({k.replace("_", "-"): v for k, v in headers.items()})
    c.request(method, path, text, {k: v for k, v in sent.items() if v is not None})
    r = c.getresponse()
    said = r.read().decode()
    if r.headers.get_content_type() == "text/event-stream":
        return r.status, r.headers, [json.loads(x[6:]) for x in said.split("\n") if x.startswith("data: ")]
    return r.status, r.headers, [json.loads(said)] if said else []

def legacy(method, params=None, **headers):
    return post({"jsonrpc": "2.0", "id": 1, "method": method, "params": params or {}}, **headers)

def modern(method, params=None, mirror=None, name=None, **headers):
    mirror = dict({"MCP_Protocol_Version": "2026-07-28", "Mcp_Method": method}, **(mirror or {}))
    if name:
        mirror.setdefault("Mcp_Name", name)
    params = dict({"_meta": META}, **(params or {}))
    return post({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}, **dict(mirror, **headers))

def refused(answer, status, code):
    assert (answer[0], answer[2][0]["error"]["code"]) == (status, code), answer
    assert answer[2][0].get("id", 1) == 1

# the legacy era
status, head, [hello] = legacy("initialize", {"protocolVersion": "2025-11-25", "capabilities": {}})
session = head["Mcp-Session-Id"]
assert status == 200 and re.fullmatch("[0-9a-f]{32}", session) and hello["result"]["protocolVersion"] == "2025-11-25"
assert post({"jsonrpc": "2.0", "method": "notifications/initialized"}, Mcp_Session_Id=session)[0] == 202
assert legacy("ping", MCP_Protocol_Version="2025-11-25")[2][0]["result"] == {}
assert len(legacy("tools/list", Mcp_Session_Id=session)[2][0]["result"]["tools"]) == 6
refused(legacy("nope"), 200, -32601)
refused(post(b"{"), 400, -32700)
for method in ("GET", "DELETE"):
    status, head, _ = post(b"", method=method)
    assert status == 405 and head["Allow"] == "POST"

# the modern one
status, head, [found] = modern("server/discover")
assert status == 200 and found["result"]["supportedVersions"] == ["2026-07-28"] and "Mcp-Session-Id" not in head
for method in ("ping", "initialize", "logging/setLevel", "nope"):
    refused(modern(method), 404, -32601)
refused(modern("server/discover", {"_meta": {}}), 400, -32602)
other = dict(META, **{"io.modelcontextprotocol/protocolVersion": "2030-01-01"})
refused(modern("server/discover", {"_meta": other}, {"MCP_Protocol_Version": "2030-01-01"}), 400, -32022)
for mirror in ({"MCP_Protocol_Version": "2025-11-25"}, {"MCP_Protocol_Version": None}, {"Mcp_Method": "ping"}, {"Mcp_Method": None}):
    refused(modern("server/discover", mirror=mirror), 400, -32020)
for method in ("ping", "tools/list", "initialize"):
    refused(legacy(method, MCP_Protocol_Version="1999-01-01"), 400, -32022)
call = {"name": "list_ops", "arguments": {}}
for name in ("get_ledger", "=?base64?!!!?=", None):
    refused(modern("tools/call", call, {"Mcp_Name": name}), 400, -32020)
for name in ("list_ops", "=?base64?bGlzdF9vcHM=?="):
    assert len(value_of(modern("tools/call", call, name=name)[2][0])["ops"]) == 20

# progress is a stream of events that ends with the answer
kernel = open("kernels/plain/relu.cl").read()
job = {"name": "compile_kernel", "arguments": {"op": "relu", "source": kernel}}
status, head, said = modern("tools/call", dict(job, _meta=dict(META, progressToken=7)), name="compile_kernel")
assert head.get_content_type() == "text/event-stream" and head["X-Accel-Buffering"] == "no"
assert [m.get("method") for m in said] == ["notifications/progress"] * (len(said) - 1) + [None] and len(said) > 2
assert value_of(said[-1])["verdict"] == "compiled"
status, head, said = legacy("tools/call", job)
assert head.get_content_type() == "application/json" and value_of(said[0])["verdict"] == "compiled"

# who may not come in
for headers, status in (({"Host": "evil.example"}, 403), ({"Host": "127.0.0.1.evil.example"}, 403), ({"Origin": "http://evil.example"}, 403),
                        ({"Origin": "null"}, 403), ({"Origin": "evil://localhost"}, 403), ({"Origin": "localhost"}, 403), ({"Origin": "http://localhost.evil.example:80"}, 403),
                        ({"Content_Type": "text/plain"}, 415), ({"Accept": "text/html"}, 406), ({"path": "/"}, 404)):
    assert legacy("ping", **headers)[0] == status, headers
for headers in ({"Origin": "http://localhost:3000"}, {"Host": "localhost:1"}, {"Host": "[::1]:80"}, {"Accept": None}):
    assert legacy("ping", **headers)[0] == 200, headers
bearer = "Bearer " + os.environ["token"]
for headers, status in (({}, 401), ({"Authorization": "Bearer wrong"}, 401), ({"Authorization": "Basic " + bearer}, 401),
                        ({"Authorization": bearer, "Host": "evil.example"}, 403),
                        ({"Authorization": bearer}, 200), ({"Authorization": bearer, "Host": "lab.example", "Origin": "https://lab.example"}, 200)):
    got = legacy("ping", at="wide", **headers)
    assert got[0] == status, (headers, got)
    assert os.environ["token"] not in json.dumps(got[2])
assert post(b"x" * 2000000)[0] == 413

def raw(head):
    """The status of a request that no client library makes; the connection ends behind it."""
    with socket.create_connection(os.environ["open"].rsplit(":", 1)) as s:
        s.sendall(("POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n" + head + "\r\n{}").encode())
        said = b""
        while more := s.recv(65536):
            said += more
    return int(said.split()[1])

assert raw("Content-Length: 2\r\nOrigin: http://localhost\r\nOrigin: http://evil.example\r\n") == 400
assert raw("") == 411

# a client that goes away has cancelled, and so has one that says so
server = open(os.environ["tmp"] + "/open.pid").read().strip()
children = lambda: subprocess.run(["pgrep", "-P", server], capture_output=True, text=True).stdout.split()
host, port = os.environ["open"].rsplit(":", 1)
work = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "bench_kernel", "arguments": {"op": "matmul"}}})
for goes in (True, False):
    c = http.client.HTTPConnection(host, int(port))
    c.request("POST", "/mcp", work, {"Content-Type": "application/json", "Mcp-Session-Id": session})
    while not children():
        pass
    assert legacy("ping")[0] == 200
    if goes:
        c.sock.close()
        c.close()
    else:
        cancel = {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1}}
        assert post(cancel, Mcp_Session_Id="another")[0] == 202 and children()
        assert post(cancel, Mcp_Session_Id=session)[0] == 202
        ended = c.getresponse()
        assert (ended.status, ended.headers.get_content_type(), ended.read()) == (200, "text/event-stream", b"")
    while children():
        pass
PY
stop open
check "SIGTERM ends it" [ "$stopped" = 0 ]
