"""Conversations of several turns with a stand-in, many at once, in five model APIs.

    converse.py HOST:PORT SEED [REACT]

Each conversation offers a tool and gives it what REACT says (fine, fail, deny), until the model answers in words;
a request that is answered 503 is asked again. SEED is the order in which they start. Printed, sorted: API,
conversation, the turns that were asked twice, the arguments of each call, and the beginning of the last words.
"""
import concurrent.futures
import json
import random
import sys
import urllib.error
import urllib.request

at, seed, react = sys.argv[1], int(sys.argv[2]), sys.argv[3] if len(sys.argv) > 3 else "fine"
result = {"fine": "it is 21 degrees", "fail": "Error: no such city", "deny": "denied by the user"}[react]
schema = {"type": "object", "properties": {"city": {"type": "string"}}}


class Chat:
    path, calls = "/v1/chat/completions", "messages"
    tools = [{"type": "function", "function": {"name": "weather", "parameters": schema}}]

    def begin(self, text):
        return [{"role": "user", "content": text}]

    def read(self, answer):
        m = answer["choices"][0]["message"]
        call = (m.get("tool_calls") or [None])[0]
        return m, m.get("content"), call and (call["id"], call["function"]["arguments"])

    def give(self, m, id):
        return [m, {"role": "tool", "tool_call_id": id, "content": result}]


class Ollama(Chat):
    path = "/api/chat"

    def read(self, answer):
        m = answer["message"]
        call = (m.get("tool_calls") or [None])[0]
        return m, m.get("content"), call and (None, json.dumps(call["function"]["arguments"]))


class Messages(Chat):
    path = "/v1/messages"
    tools = [{"name": "weather", "input_schema": schema}]

    def read(self, answer):
        part = answer["content"][0]
        m = {"role": "assistant", "content": answer["content"]}
        return m, part.get("text"), part["type"] == "tool_use" and (part["id"], json.dumps(part["input"]))

    def give(self, m, id):
        return [m, {"role": "user", "content": [{"type": "tool_result", "tool_use_id": id, "is_error": react == "fail", "content": result}]}]


class Responses(Chat):
    path, calls = "/v1/responses", "input"
    tools = [{"type": "function", "name": "weather", "parameters": schema}]

    def read(self, answer):
        item = answer["output"][0]
        if item["type"] == "function_call":
            return item, None, (item["call_id"], item["arguments"])
        return item, item["content"][0]["text"], None

    def give(self, m, id):
        return [m, {"type": "function_call_output", "call_id": id, "output": result}]


class Gemini(Chat):
    path, calls = "/v1beta/models/m:generateContent", "contents"
    tools = [{"functionDeclarations": [{"name": "weather", "parameters": schema}]}]

    def begin(self, text):
        return [{"role": "user", "parts": [{"text": text}]}]

    def read(self, answer):
        part = answer["candidates"][0]["content"]["parts"][0]
        call = part.get("functionCall")
        return {"role": "model", "parts": [part]}, part.get("text"), call and (None, json.dumps(call["args"]))

    def give(self, m, id):
        return [m, {"role": "user", "parts": [{"functionResponse": {"name": "weather", "response": {"error" if react == "fail" else "output": result}}}]}]


def post(url, body):
    with urllib.request.urlopen(urllib.request.Request(url, json.dumps(body).encode(), {"content-type": "application/json"})) as r:
        return json.load(r)


def converse(job):
    api, n = job
    said, again, calls, ids = api.begin(f"question {n}"), [], [], []
    for turn in range(1, 20):
        body = {"model": "m", "stream": False, "tools": api.tools, api.calls: said}
        for _ in (1, 2):
            try:
                answer = post(f"http://{at}{api.path}", body)
                break
            except urllib.error.HTTPError as e:
                assert e.code == 503, e
                again.append(turn)
        m, text, call = api.read(answer)
        if not call:
            assert len(set(ids)) == len(ids), ids
            return " ".join([type(api).__name__, str(n), f"again={again}", *calls, text[:24]])
        ids += [call[0]] if call[0] else []
        calls.append(call[1].replace(" ", ""))
        said = said + api.give(m, call[0])
    sys.exit("it never ends")


jobs = [(api(), n) for api in (Chat, Ollama, Messages, Responses, Gemini) for n in range(8)]
random.Random(seed).shuffle(jobs)
with concurrent.futures.ThreadPoolExecutor(16) as pool:
    print("\n".join(sorted(pool.map(converse, jobs))))
