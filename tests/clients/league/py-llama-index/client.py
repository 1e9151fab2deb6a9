# PyPI's llama-index over its OpenAI model, by its defaults but for a time-out that is asked for.
import os
import sys

from llama_index.core.llms import ChatMessage
from llama_index.core.tools import FunctionTool
from llama_index.llms.openai import OpenAI

sys.path.insert(1, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from ask import ask, call, get_weather, given, question, said

llm = OpenAI(model="gpt-4o", api_base=os.environ["OPENAI_BASE_URL"], **given)
user = ChatMessage(role="user", content=question)


def finish_of(r):
    return r.raw.choices[0].finish_reason if r and r.raw and r.raw.choices else None


def chat():
    r = llm.chat([user])
    return said(r.message.content, finish_of(r))


def stream():
    text, finish = "", None
    for piece in llm.stream_chat([user]):
        text += piece.delta or ""
        finish = finish_of(piece) or finish
    return said(text, finish)


def tools():
    offered, history = [FunctionTool.from_defaults(get_weather)], [user]
    for _ in range(5):
        r = llm.chat_with_tools(offered, chat_history=history)
        calls = llm.get_tool_calls_from_response(r, error_on_no_tool_call=False)
        if not calls:
            return said(r.message.content, finish_of(r))
        history.append(r.message)
        for c in calls:
            history.append(ChatMessage(role="tool", content=call(c.tool_kwargs), additional_kwargs={"tool_call_id": c.tool_id}))


ask(chat=chat, stream=stream, tools=tools)
