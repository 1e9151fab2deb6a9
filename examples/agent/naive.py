#!/usr/bin/env python3
"""The same question as it is often asked first: by urllib, again at once when
something throws, and whatever comes is taken for the answer."""
import json
import os
import urllib.request

URL = os.environ.get("OPENAI_BASE_URL", "http://127.0.0.1:8765/v1") + "/chat/completions"
QUESTION = json.dumps({"model": "deepseek-v4-flash", "messages": [{"role": "user", "content": "What is the answer?"}]})


def ask():
    request = urllib.request.Request(URL, QUESTION.encode(), {"Content-Type": "application/json"})
    with urllib.request.urlopen(request) as answer:
        return json.load(answer)["choices"][0]["message"]["content"]


for tries in range(10):
    try:
        print(ask())
        break
    except Exception:
        if tries == 9:
            raise
