# PyPI's pydantic-ai: an agent over chat completions, by its defaults but for a time-out that is asked for.
import os
import sys

from pydantic_ai import Agent
from pydantic_ai.models.openai import OpenAIChatModel

sys.path.insert(1, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from ask import ask, get_weather, given, model, question, said

agent = Agent(OpenAIChatModel(model), model_settings=given)


def chat():
    r = agent.run_sync(question)
    return said(r.output, r.response.finish_reason)


async def stream():
    text = ""
    async with agent.run_stream(question) as r:
        async for piece in r.stream_text(delta=True):
            text += piece
        return said(text, r.response.finish_reason)


def tools():
    agent.tool_plain(get_weather)
    return chat()


ask(chat=chat, stream=stream, tools=tools)
