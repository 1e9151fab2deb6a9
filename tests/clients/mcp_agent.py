"""An MCP client with the standard library alone, for the audit: takes a note and tells what its tool said.

    mcp_agent.py http|stdio [naive]

It initializes, lists the tools, calls "note" and checks what comes back: it answers this call, it is JSON-RPC 2.0, it
is no failure, its structure is what the tool promised, and it comes in time. Naive, it checks nothing and waits for
ever. A tool that failed ends it with 1: there is no model to tell.
"""
import json
import os
import select
import subprocess
import sys
import time
import urllib.request

how, naive = sys.argv[1], "naive" in sys.argv
PATIENCE_S = None if naive else 3


class Http:
    def send(self, message):
        request = urllib.request.Request(os.environ["KF_CHAOS_MCP_URL"], json.dumps(message).encode(), {
            "content-type": "application/json", "accept": "application/json, text/event-stream"})
        with urllib.request.urlopen(request, timeout=PATIENCE_S) as answer:
            body = answer.read().decode()
            if answer.headers.get_content_type() != "text/event-stream":
                return [body] if body else []
        return [line[6:] for line in body.splitlines() if line.startswith("data: ")]


class Stdio:
    def __init__(self):
        self.server = subprocess.Popen([os.environ["KF_CHAOS_MCP_COMMAND"]], stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def send(self, message):
        self.server.stdin.write(json.dumps(message).encode() + b"\n")
        self.server.stdin.flush()
        if "id" not in message:
            return []
        if not naive and not select.select([self.server.stdout], [], [], PATIENCE_S)[0]:
            sys.exit("no answer in time")
        line = self.server.stdout.readline().decode()
        if not line.endswith("\n"):
            sys.exit("the server is gone")
        return [line]


def fits(value, schema):
    kinds = {"integer": int, "boolean": bool, "string": str}
    return isinstance(value, dict) and set(schema["required"]) <= set(value) and all(
        isinstance(v, kinds[schema["properties"][k]["type"]]) for k, v in value.items() if k in schema["properties"])


def ask(to, id, method, params):
    for text in to.send({"jsonrpc": "2.0", "id": id, "method": method, "params": params}):
        message = json.loads(text)
        if naive or (message.get("id") == id and message.get("jsonrpc") == "2.0"):
            if naive:
                return message.get("result") or {}
            if "result" not in message:
                sys.exit(f"the server says {message.get('error')}")
            return message["result"]
    if naive:
        return {}
    sys.exit("nothing that answers the call")


to = Http() if how == "http" else Stdio()
ask(to, 1, "initialize", {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "mcp_agent", "version": "1"}})
to.send({"jsonrpc": "2.0", "method": "notifications/initialized"})
tool = ask(to, 2, "tools/list", {})["tools"][0]
said = ask(to, 3, "tools/call", {"name": tool["name"], "arguments": {"text": "milk"}})
if not naive:
    if said.get("isError"):
        sys.exit("the tool failed: " + said["content"][0]["text"])
    if not fits(said.get("structuredContent"), tool["outputSchema"]):
        sys.exit("the result is not what the tool promised")
print(said)
