# PyPI's anthropic: Messages, by its defaults but for a time-out that is asked for.
import os
import sys

from anthropic import Anthropic

sys.path.insert(1, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from ask import ask, call, given, model, question, said, weather

client = Anthropic(**given)
base = {"model": model, "max_tokens": 500}
user = {"role": "user", "content": question}


def told(message):
    return said("".join(b.text for b in message.content if b.type == "text"), message.stop_reason)


def chat():
    return told(client.messages.create(**base, messages=[user]))


def stream():
    with client.messages.stream(**base, messages=[user]) as events:
        return told(events.get_final_message())


def tools():
    offered = [{"name": weather["name"], "description": weather["description"], "input_schema": weather["parameters"]}]
    messages = [user]
    for _ in range(5):
        message = client.messages.create(**base, messages=messages, tools=offered)
        uses = [b for b in message.content if b.type == "tool_use"]
        if not uses:
            return told(message)
        messages.append({"role": "assistant", "content": message.content})
        messages.append({"role": "user", "content": [{"type": "tool_result", "tool_use_id": u.id, "content": call(u.input)} for u in uses]})


ask(chat=chat, stream=stream, tools=tools)
