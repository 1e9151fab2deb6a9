"""ask.py: what the Python programs of the league have in common.

ask(chat, stream, tools): each gives said(text, finish) and raises what its library raises, or is
a coroutine function that does.  Words, manners, files and exit codes are those of ask.mjs beside it.
"""
import asyncio
import inspect
import json
import os
import sys
import traceback

question = "What is the answer?"
model = "test-model"
good = ["stop", "end_turn", "STOP", "completed", "tool_calls"]  # the last: where the call is the answer
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


def tell(outcome):
    if os.environ.get("KF_CHAOS_DIR"):
        with open(os.path.join(os.environ["KF_CHAOS_DIR"], "outcome.json"), "w", encoding="utf-8") as f:
            json.dump(outcome, f)


def refuse(why, outcome):
    print(f"error: program: {why} in {json.dumps(outcome)[:200]}", file=sys.stderr)
    sys.exit(2)


def ask(**modes):
    words = sys.argv[1:]
    mode = modes[words[0] if words else "chat"]
    manner = words[1] if len(words) > 1 else os.environ.get("KF_CHAOS_CHECK", "text")
    try:
        outcome = asyncio.run(mode()) if inspect.iscoroutinefunction(mode) else mode()
    except Exception as e:  # whatever the library raises is the answer
        ours = is_ours(e)
        if ours and isinstance(e, (TypeError, AttributeError)):
            tell(said(None, None))
        print(f"error: {'program' if ours else 'library'}: {type(e).__name__}: {str(e)[:300]}", file=sys.stderr)
        sys.exit(2 if ours else 1)
    print(json.dumps(outcome))
    if manner != "bare":
        tell(outcome)
    if not outcome:
        refuse("no answer in five turns", outcome)
    if manner != "bare" and (not isinstance(outcome["text"], str) or not outcome["text"]):
        refuse("no text", outcome)
    if manner == "strict" and outcome["finish"] not in good:
        refuse("no good finish reason", outcome)
