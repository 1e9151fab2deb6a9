#!/usr/bin/env python3
"""A small agent with the standard library alone, and with what a client of a
model owes its user: it waits before it asks again, longer each time and never
at the same moment as others; it gives up on silence; it asks again when an
answer is cut, empty or garbled; and when nothing helps it says so and exits 1.

    kf-chaos audit -- python3 examples/agent/agent.py

OPENAI_BASE_URL says where the model is; AGENT_SILENCE_S how long it may be
silent (30).
"""
import http.client
import json
import os
import random
import sys
import time
import urllib.parse

BASE = urllib.parse.urlsplit(os.environ.get("OPENAI_BASE_URL", "http://127.0.0.1:8765/v1"))
SILENCE_S = float(os.environ.get("AGENT_SILENCE_S", "30"))
ANSWER_S = 4 * SILENCE_S
ATTEMPTS = 4


class NoUse(Exception):
    """Asking again would not help."""


class AskAgain(Exception):
    """It may come right the next time, after so many seconds if that is known."""

    def __init__(self, why, after_s=None):
        super().__init__(why)
        self.after_s = after_s


def refuse(answer):
    """What an answer with an error status means."""
    body = answer.read(65536).decode("utf-8", "replace")
    why = f"HTTP {answer.status}"
    if answer.headers.get("x-should-retry") == "false" or "insufficient_quota" in body:
        raise NoUse(why)
    if answer.status not in (408, 409, 429) and answer.status < 500:
        raise NoUse(why)
    after = answer.headers.get("retry-after", "")
    raise AskAgain(why, float(after) if after.isdigit() else None)


def read_stream(answer, deadline):
    """The text of a stream of events, which is whole only with a finish_reason."""
    text, finish = "", None
    while True:
        if time.monotonic() > deadline:
            raise AskAgain("it takes too long")
        line = answer.readline(1 << 20)
        if not line or line.strip() == b"data: [DONE]":
            break
        if not line.startswith(b"data: "):
            continue
        event = json.loads(line[6:])
        if "error" in event:
            raise AskAgain("an error in the stream")
        for choice in event.get("choices", [])[:1]:
            delta = choice.get("delta", {})
            if delta.get("refusal"):
                raise NoUse("the model refuses: " + delta["refusal"])
            text += delta.get("content") or ""
            finish = choice.get("finish_reason") or finish
    if finish is None:
        raise AskAgain("the stream ended early")
    if finish != "stop":
        raise NoUse(f"the answer is not whole: {finish}")
    if not text.strip():
        raise AskAgain("an empty answer")
    return text


def ask_once(question):
    door = http.client.HTTPSConnection if BASE.scheme == "https" else http.client.HTTPConnection
    connection = door(BASE.hostname, BASE.port, timeout=SILENCE_S)
    try:
        connection.request(
            "POST",
            BASE.path + "/chat/completions",
            json.dumps({"model": "deepseek-v4-flash", "stream": True, "messages": [{"role": "user", "content": question}]}),
            {"Content-Type": "application/json", "Authorization": "Bearer " + os.environ.get("OPENAI_API_KEY", "local")},
        )
        answer = connection.getresponse()
        if answer.status != 200:
            refuse(answer)
        return read_stream(answer, time.monotonic() + ANSWER_S)
    except (OSError, http.client.HTTPException, ValueError) as e:
        # Lost, silent, or no JSON: all of them may come right.
        raise AskAgain(f"{type(e).__name__}: {e}") from e
    finally:
        connection.close()


def ask(question):
    for attempt in range(ATTEMPTS):
        try:
            return ask_once(question)
        except AskAgain as e:
            if attempt + 1 == ATTEMPTS:
                raise
            wait = 0.4 * 2**attempt
            time.sleep(max(wait, e.after_s or 0) + wait * random.random())
    raise AssertionError("not reached")


if __name__ == "__main__":
    try:
        print(ask("What is the answer?"))
    except (AskAgain, NoUse) as e:
        sys.exit(f"agent.py: {e}")
