"""A client of `kernelforge mcp` for the end-to-end scripts: messages in, messages out, nothing assumed."""
import json
import os
import subprocess

META = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
    "io.modelcontextprotocol/clientCapabilities": {},
}
TASKS = dict(META, **{"io.modelcontextprotocol/clientCapabilities": {
    "extensions": {"io.modelcontextprotocol/tasks": {}}}})


class Stdio:
    def __init__(self, *words, **more):
        self.ids = 0
        self.process = subprocess.Popen([os.environ["BIN"] + "/kernelforge", "mcp", *words],
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE, **more)

    def say(self, message):
        text = message if isinstance(message, bytes) else json.dumps(message).encode()
        self.process.stdin.write(text + b"\n")
        self.process.stdin.flush()

    def hear(self):
        return json.loads(self.process.stdout.readline())

    def send(self, method, params=None, id=None):
        self.ids += 1
        id = id or self.ids
        self.say({"jsonrpc": "2.0", "id": id, "method": method, "params": params or {}})
        return id

    def ask(self, method, params=None, notes=None):
        """The answer to one request; what comes before it goes to notes."""
        id = self.send(method, params)
        while True:
            said = self.hear()
            if said.get("id") == id:
                return said
            assert notes is not None and "id" not in said, said
            notes.append(said)

    def call(self, tool, arguments=None, meta=None, notes=None, **more):
        params = dict({"name": tool, "arguments": arguments or {}}, **more)
        if meta:
            params["_meta"] = meta
        return self.ask("tools/call", params, notes)

    def end(self):
        self.process.stdin.close()
        return self.process.wait()


def text_of(answer):
    assert answer["result"]["isError"] is True, answer
    [part] = answer["result"]["content"]
    return part["text"]


def value_of(answer):
    """What a tool gave, and that its text says the same."""
    result = answer["result"]
    assert result["isError"] is False, answer
    assert json.loads(result["content"][0]["text"]) == result["structuredContent"], answer
    return result["structuredContent"]
