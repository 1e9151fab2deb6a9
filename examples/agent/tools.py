#!/usr/bin/env python3
"""An agent that uses a tool, with what such an agent owes its user beside agent.py's manners: it believes no
arguments before they parse, tells the model what its tool said, ends after so many turns, does each thing
once, says so when it has done nothing, and goes on where it stood when it was killed.

    kf-chaos audit --tool-calls 3 --resume -- python3 examples/agent/tools.py

The tool books a city: a line in the file "effects", and one that is booked is not booked again, whoever asks. The
conversation is in "journal.json", written before each question. Both are in KF_CHAOS_DIR, or here.
"""
import http.client
import json
import os
import pathlib
import random
import sys
import time

from agent import ATTEMPTS, BASE, SILENCE_S, AskAgain, NoUse, refuse

HOME = pathlib.Path(os.environ.get("KF_CHAOS_DIR", "."))
EFFECTS, JOURNAL = HOME / "effects", HOME / "journal.json"
TURNS_MAX = 12
TOOLS = [{"type": "function", "function": {
    "name": "book", "description": "Books a room in a city.",
    "parameters": {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}}}]


def read_answer(body):
    """The message of a whole answer, or what is wrong with it."""
    choice = json.loads(body)["choices"][0]
    message, finish = choice["message"], choice["finish_reason"]
    if message.get("refusal"):
        raise NoUse("the model refuses: " + message["refusal"])
    if not message.get("tool_calls"):
        if finish != "stop":
            raise NoUse(f"the answer is not whole: {finish}")
        if not (message.get("content") or "").strip():
            raise AskAgain("an empty answer")
    elif finish == "length":
        raise AskAgain("the call was cut")
    return message


def ask_once(said):
    door = http.client.HTTPSConnection if BASE.scheme == "https" else http.client.HTTPConnection
    connection = door(BASE.hostname, BASE.port, timeout=SILENCE_S)
    try:
        connection.request(
            "POST",
            BASE.path + "/chat/completions",
            json.dumps({"model": "deepseek-v4-flash", "messages": said, "tools": TOOLS}),
            {"Content-Type": "application/json", "Authorization": "Bearer " + os.environ.get("OPENAI_API_KEY", "local")},
        )
        answer = connection.getresponse()
        if answer.status != 200:
            refuse(answer)
        return read_answer(answer.read())
    except (OSError, http.client.HTTPException, ValueError, KeyError, IndexError, TypeError) as e:
        raise AskAgain(f"{type(e).__name__}: {e}") from e
    finally:
        connection.close()


def ask(said):
    for attempt in range(ATTEMPTS):
        try:
            return ask_once(said)
        except AskAgain as e:
            if attempt + 1 == ATTEMPTS:
                raise
            wait = 0.4 * 2**attempt
            time.sleep(max(wait, e.after_s or 0) + wait * random.random())
    raise AssertionError("not reached")


def book(city):
    """One line, written at once: it is there, or it is not. Told twice, it is done once."""
    if not EFFECTS.exists() or city not in EFFECTS.read_text().splitlines():
        with open(EFFECTS, "a") as f:
            f.write(city + "\n")
    return f"booked {city}"


def carry_out(call):
    """What the tool says, errors too: the model can only mend what it is told."""
    try:
        city = json.loads(call["function"]["arguments"])["city"]
    except (ValueError, KeyError, TypeError) as e:
        return f"Error: these are no arguments: {e}"
    if call["function"]["name"] != "book" or not isinstance(city, str):
        return "Error: there is no such tool"
    return book(city)


def keep(said):
    scratch = JOURNAL.with_suffix(".new")
    scratch.write_text(json.dumps(said))
    scratch.replace(JOURNAL)


def run():
    said = json.loads(JOURNAL.read_text()) if JOURNAL.exists() else [{"role": "user", "content": "Book my journey."}]
    for _ in range(TURNS_MAX):
        keep(said)
        message = ask(said)
        said.append(message)
        if not message.get("tool_calls"):
            if not EFFECTS.exists():
                raise NoUse("nothing was booked: " + message["content"])
            return message["content"]
        for call in message["tool_calls"]:
            said.append({"role": "tool", "tool_call_id": call["id"], "content": carry_out(call)})
    raise NoUse("the model never comes to an end")


if __name__ == "__main__":
    try:
        print(run())
    except (AskAgain, NoUse) as e:
        sys.exit(f"tools.py: {e}")
