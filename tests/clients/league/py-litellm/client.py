# PyPI's litellm over chat completions, by its defaults but for a time-out that is asked for; its list of
# prices is the one that it ships, so that no run asks the network for it.
import json
import os
import sys

os.environ.setdefault("LITELLM_LOCAL_MODEL_COST_MAP", "True")
import litellm

sys.path.insert(1, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from ask import ask, call, given, model, question, said, weather

base = {"model": f"openai/{model}", **given}
user = {"role": "user", "content": question}


def chat():
    r = litellm.completion(**base, messages=[user])
    return said(r.choices[0].message.content, r.choices[0].finish_reason)


def stream():
    text, finish = "", None
    for chunk in litellm.completion(**base, messages=[user], stream=True):
        for choice in chunk.choices:
            text += choice.delta.content or ""
            finish = choice.finish_reason or finish
    return said(text, finish)


def tools():
    messages, offered = [user], [{"type": "function", "function": weather}]
    for _ in range(5):
        choice = litellm.completion(**base, messages=messages, tools=offered).choices[0]
        if not choice.message.tool_calls:
            return said(choice.message.content, choice.finish_reason)
        messages.append(choice.message)
        for c in choice.message.tool_calls:
            messages.append({"role": "tool", "tool_call_id": c.id, "content": call(json.loads(c.function.arguments))})


ask(chat=chat, stream=stream, tools=tools)
