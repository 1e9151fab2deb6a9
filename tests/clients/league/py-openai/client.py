# PyPI's openai: chat completions, by its defaults but for a time-out that is asked for.
import json
import os
import sys

from openai import OpenAI

sys.path.insert(1, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from ask import ask, call, given, model, question, said, weather

client = OpenAI(**given)
user = {"role": "user", "content": question}


def chat():
    r = client.chat.completions.create(model=model, messages=[user])
    return said(r.choices[0].message.content, r.choices[0].finish_reason)


def stream():
    text, finish = "", None
    for chunk in client.chat.completions.create(model=model, messages=[user], stream=True):
        for choice in chunk.choices:
            text += choice.delta.content or ""
            finish = choice.finish_reason or finish
    return said(text, finish)


def tools():
    messages, offered = [user], [{"type": "function", "function": weather}]
    for _ in range(5):
        choice = client.chat.completions.create(model=model, messages=messages, tools=offered).choices[0]
        if not choice.message.tool_calls:
            return said(choice.message.content, choice.finish_reason)
        messages.append(choice.message)
        for c in choice.message.tool_calls:
            messages.append({"role": "tool", "tool_call_id": c.id, "content": call(json.loads(c.function.arguments))})


ask(chat=chat, stream=stream, tools=tools)
