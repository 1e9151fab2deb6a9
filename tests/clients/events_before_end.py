"""Is the event on file when the client has the last byte of its answer?

    events_before_end.py scenario FROM TO          each fault of changes.mjs, where asked on bytes that a slicer cuts
    events_before_end.py ask HOST:PORT FILE LOG    a client that looks at LOG as soon as an answer is whole
"""
import json
import os
import socket
import sys

ANSWERS = ["portal", "chat-whole-text", "chat-stream-text", "chat-stream-empty"]
ROUNDS = 4
BODY = {False: b'{"model":"m","messages":[{"role":"user","content":"q"}]}',
        True: b'{"model":"m","stream":true,"messages":[{"role":"user","content":"q"}]}'}


def sliced(path):
    with open(path) as f:
        scenario = json.load(f)
    scenario["rules"].insert(0, {"id": "slices", "match": {"header": {"x-sliced": "1"}}, "when": {"always": True},
                                 "fault": {"type": "slicer", "average_size": 9}, "also": True})
    return scenario


def is_whole(got):
    """RFC 9112, 6.3: by its length, or by its last chunk."""
    head, sep, body = got.partition(b"\r\n\r\n")
    if not sep:
        return False
    for line in head.lower().split(b"\r\n"):
        if line.startswith(b"content-length:"):
            return len(body) >= int(line[15:])
    return body.endswith(b"\r\n0\r\n\r\n")


def connect(at):
    host, port = at.split(":")
    s = socket.create_connection((host, int(port)), timeout=20)
    s.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return s


def one(s, answer, fault, sliced, name):
    """True: the connection may be used again."""
    body = BODY["stream" in answer]
    s.sendall(b"POST /v1/chat/completions HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\n"
              b"x-answer: %s\r\nx-fault: %d\r\nx-pieces: 7\r\nx-sliced: %d\r\nx-case: %s\r\ncontent-length: %d\r\n\r\n%s"
              % (answer.encode(), fault, sliced, name.encode(), len(body), body))
    got = b""
    while not is_whole(got):
        try:
            more = s.recv(65536)
        except ConnectionResetError:
            return False
        if not more:
            return False
        got += more
    return True


def ask(at, path, log):
    with open(path) as f:
        rules = [r["id"] for r in json.load(f)["rules"] if r["id"] != "slices"]
    s, bad, asked = connect(at), [], 0
    with open(log) as lines:
        for sliced in (0, 1):
            for fault, rule in enumerate(rules):
                for n, answer in enumerate(ANSWERS * ROUNDS):
                    name = f"{fault}-{n}-{sliced}"
                    is_open = one(s, answer, fault, sliced, name)
                    size = os.stat(log).st_size
                    seen = lines.read(size - lines.tell())
                    asked += 1
                    if f'"key":"{name}"' not in seen or f'"rule":"{rule}"' not in seen:
                        bad.append(f"{rule} on {answer}{' sliced' * sliced}")
                    if not is_open:
                        s.close()
                        s = connect(at)
    print(f"{asked} answers, {len(bad)} of them whole before their events: {sorted(set(bad))[:8]}")
    return 1 if bad or not asked else 0


if sys.argv[1] == "scenario":
    with open(sys.argv[3], "w") as out:
        json.dump(sliced(sys.argv[2]), out)
else:
    sys.exit(ask(*sys.argv[2:5]))
