"""An agent that uses a tool as they are often written first: no bound on its turns, nothing written down, every call
carried out, and each failure passed over. Its tool appends a line to KF_CHAOS_DIR/effects.
"""
import json
import os
import time
import urllib.error
import urllib.request

TOOLS = [{"type": "function", "function": {"name": "book", "parameters": {"type": "object", "properties": {"city": {"type": "string"}}}}}]
HOME = os.environ["KF_CHAOS_DIR"]


def ask(said):
    body = json.dumps({"model": "m", "messages": said, "tools": TOOLS}).encode()
    for wait in (0.3, 0.7, None):
        try:
            with urllib.request.urlopen(os.environ["OPENAI_BASE_URL"] + "/chat/completions", body) as r:
                return json.load(r)["choices"][0]["message"]
        except urllib.error.HTTPError:
            if wait is None:
                raise
            time.sleep(wait)


said = [{"role": "user", "content": "Book my journey."}]
while (message := ask(said)).get("tool_calls"):
    said.append(message)
    for call in message["tool_calls"]:
        try:
            city = json.loads(call["function"]["arguments"])["city"]
            with open(HOME + "/effects", "a") as f:
                f.write(city + "\n")
        except ValueError:
            pass
        said.append({"role": "tool", "tool_call_id": call["id"], "content": "booked"})
