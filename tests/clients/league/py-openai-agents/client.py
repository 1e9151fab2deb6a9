# PyPI's openai-agents over Responses, by its defaults but for a time-out that is asked for.
import os
import sys

from agents import Agent, Runner, function_tool, set_default_openai_client, set_tracing_disabled
from openai import AsyncOpenAI

sys.path.insert(1, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from ask import ask, get_weather, given, model, question, said

set_tracing_disabled(True)
set_default_openai_client(AsyncOpenAI(**given))


async def chat():
    r = await Runner.run(Agent(name="league", model=model), question)
    return said(r.final_output, None)


async def stream():
    text, finish = "", None
    r = Runner.run_streamed(Agent(name="league", model=model), question)
    async for event in r.stream_events():
        if event.type != "raw_response_event":
            continue
        if event.data.type == "response.output_text.delta":
            text += event.data.delta
        finish = getattr(getattr(event.data, "response", None), "status", finish)
    return said(text, finish)


async def tools():
    r = await Runner.run(Agent(name="league", model=model, tools=[function_tool(get_weather)]), question)
    return said(r.final_output, None)


ask(chat=chat, stream=stream, tools=tools)
