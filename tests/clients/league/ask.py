"""ask.py: what the Python programs of the league have in common.

ask(chat, stream, tools): each gives said(text, finish) and raises what its library raises, or is
a coroutine function that does.  Words, files and exit codes are those of ask.mjs beside it.
"""
import asyncio
import inspect
import json
import os
import sys
import traceback

question = "What is the answer?"
model = "test-model"
timeout = int(os.environ["KF_CHAOS_TIMEOUT_MS"]) / 1000 if os.environ.get("KF_CHAOS_TIMEOUT_MS") else None
given = {"timeout": timeout} if timeout else {}
weather = {
    "name": "get_weather",
    "description": "The weather in a city.",
    "parameters": {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]},
}
here = os.path.dirname(os.path.abspath(__file__))


def get_weather(city: str) -> str:
    """The weather in a city."""
    if not isinstance(city, str):
        raise TypeError(f"no city in {city!r}")
    return f"It is 21 degrees in {city}."


def call(args):
    return get_weather(args["city"])


def said(text, finish):
    return {"text": text, "finish": finish, "tool": None}


def is_ours(error):
    """Did the program stumble over what it was given?  A parser that it called is not to blame."""
    frames = [f for f in traceback.extract_tb(error.__traceback__) if f"{os.sep}json{os.sep}" not in f.filename]
    return bool(frames) and frames[-1].filename.startswith(here) and "site-packages" not in frames[-1].filename


def ask(**modes):
    mode = modes[sys.argv[1] if len(sys.argv) > 1 else "chat"]
    try:
        outcome = asyncio.run(mode()) if inspect.iscoroutinefunction(mode) else mode()
    except Exception as e:  # whatever the library raises is the answer
        ours = is_ours(e)
        print(f"error: {'program' if ours else 'library'}: {type(e).__name__}: {str(e)[:300]}", file=sys.stderr)
        sys.exit(2 if ours else 1)
    if os.environ.get("KF_CHAOS_DIR"):
        with open(os.path.join(os.environ["KF_CHAOS_DIR"], "outcome.json"), "w", encoding="utf-8") as f:
            json.dump(outcome, f)
    print(json.dumps(outcome))
    if not outcome or not isinstance(outcome["text"], str) or not outcome["text"]:
        print(f"error: program: no text in {json.dumps(outcome)[:200]}", file=sys.stderr)
        sys.exit(2)
