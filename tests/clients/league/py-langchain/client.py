# PyPI's langchain-openai, by its defaults but for a time-out that is asked for.
import os
import sys

from langchain_core.messages import HumanMessage
from langchain_core.tools import tool
from langchain_openai import ChatOpenAI

sys.path.insert(1, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from ask import ask, get_weather, given, model, question, said

llm = ChatOpenAI(model=model, **given)


def told(message):
    return said(message.text if isinstance(message.text, str) else message.text(), message.response_metadata.get("finish_reason"))


def chat():
    return told(llm.invoke(question))


def stream():
    whole = None
    for piece in llm.stream(question):
        whole = piece if whole is None else whole + piece
    return told(whole)


def tools():
    offered, messages = tool(get_weather), [HumanMessage(question)]
    bound = llm.bind_tools([offered])
    for _ in range(5):
        message = bound.invoke(messages)
        if not message.tool_calls:
            return told(message)
        messages.append(message)
        messages += [offered.invoke(c) for c in message.tool_calls]


ask(chat=chat, stream=stream, tools=tools)
