"""sdks.py GATEWAY_URL <FAULTS: what sdks.mjs does, by the official SDKs for Python.

Each call of each SDK once, whole and streamed; then one fault a row (`sdks.mjs
faults`), one API a column: a streamed answer with tools, read as somebody reads
who trusts it.  Exits 1 when one was short in silence.
"""
import json
import sys
from concurrent.futures import ThreadPoolExecutor

import anthropic
import openai

TALK = "Let me look that up in the almanac before I call anything at all."
ARGS = json.dumps({"city": "Paris, France", "unit": "celsius"}, separators=(",", ":"))
WHOLE = (TALK, "get_weather", ARGS)
URL = sys.argv[1]
OPENAI = openai.OpenAI(base_url=URL + "/v1", api_key="local", timeout=20, max_retries=0)
ANTHROPIC = anthropic.Anthropic(base_url=URL, api_key="local", timeout=20, max_retries=0)

PARAMETERS = {"type": "object", "properties": {"city": {"type": "string"}}}
TOOLS = ["get_weather", "get_time"]
BEFORE = {"role": "assistant", "content": "What I said before."}
QUESTION = {"role": "user", "content": "What is the weather in Paris?"}
ASKS = {
    "chat": {"messages": [BEFORE, QUESTION], "tools": [{"type": "function", "function": {"name": n, "parameters": PARAMETERS}} for n in TOOLS]},
    "messages": {"max_tokens": 500, "messages": [{"role": "user", "content": "hi"}, BEFORE, QUESTION], "tools": [{"name": n, "input_schema": PARAMETERS} for n in TOOLS]},
    "responses": {"input": [BEFORE, QUESTION], "tools": [{"type": "function", "name": n, "parameters": PARAMETERS, "strict": False} for n in TOOLS]},
}


def read_chat(ask, headers):
    text = tool = args = ""
    for chunk in OPENAI.chat.completions.create(**ask, stream=True, extra_headers=headers):
        delta = chunk.choices[0].delta if chunk.choices else None
        text += (delta and delta.content) or ""
        for call in (delta and delta.tool_calls) or []:
            tool += call.function.name or ""
            args += call.function.arguments or ""
    return text, tool, args


def read_messages(ask, headers):
    text = tool = args = ""
    for e in ANTHROPIC.messages.create(**ask, stream=True, extra_headers=headers):
        tool += getattr(getattr(e, "content_block", None), "name", None) or ""
        delta = getattr(e, "delta", None)
        text += getattr(delta, "text", None) or ""
        args += getattr(delta, "partial_json", None) or ""
    return text, tool, args


def read_responses(ask, headers):
    text = tool = args = ""
    for e in OPENAI.responses.create(**ask, stream=True, extra_headers=headers):
        if e.type == "response.output_item.added":
            tool += getattr(e.item, "name", None) or ""
        if e.type == "response.output_text.delta":
            text += e.delta
        if e.type == "response.function_call_arguments.delta":
            args += e.delta
    return text, tool, args


READERS = {"chat": read_chat, "messages": read_messages, "responses": read_responses}


def told(e):
    """A status or the code of an error in the stream, else the class."""
    body = getattr(e, "body", None)
    error = body.get("error", body) if isinstance(body, dict) else {}
    status = getattr(e, "status_code", None)
    return str(status if status not in (None, 200) else (isinstance(error, dict) and error.get("code")) or type(e).__name__)


def live(api, model, fault):
    try:
        said = READERS[api]({**ASKS[api], "model": model}, {"x-case": fault["id"]})
    except Exception as e:  # whatever it raises, somebody is told
        return "told " + told(e)
    if said == WHOLE:
        return "whole"
    return "as said" if fault["isSaid"] else f"SHORT {len(said[0])}+{len(said[2])}"


def table():
    columns = [(api, model, name) for api in ASKS for model, name in (("alone", api), ("backed", api + ", 2 targets"))]
    for api, other in (("chat", "messages"), ("messages", "chat")):
        columns += [(api, f"x-{api}-alone", f"{api} as {other}"), (api, f"x-{api}-backed", "the same, 2 targets")]
    faults = json.load(sys.stdin)
    with ThreadPoolExecutor(24) as pool:
        rows = [[pool.submit(live, api, model, f) for api, model, _ in columns] for f in faults]
        rows = [[cell.result() for cell in row] for row in rows]
    for row in [["fault"] + [c[2] for c in columns], ["---"] * (len(columns) + 1)] + [[f["name"]] + row for f, row in zip(faults, rows)]:
        print("| " + " | ".join(row) + " |")
    short = sum("SHORT" in cell for row in rows for cell in row)
    print(f"\n{len(faults)} faults in {len(columns)} columns: {short} short in silence")
    return short


def same(said, want=WHOLE):
    assert said == want, said


def is_whole(text, name, arguments):
    same((text, name, json.loads(arguments) if isinstance(arguments, str) else arguments), (TALK, "get_weather", json.loads(ARGS)))


def refused(error, call):
    try:
        call()
    except error as e:
        return e
    raise AssertionError(f"no {error.__name__}")


def calls():
    ask = {api: {**ASKS[api], "model": "good"} for api in ASKS}
    for model, a in (("good", ask["chat"]), ("x-chat", {**ask["chat"], "messages": [QUESTION]})):
        with OPENAI.chat.completions.stream(**{**a, "model": model}) as s:
            streamed = s.get_final_completion()
        for c in (OPENAI.chat.completions.create(**{**a, "model": model}), streamed):
            m = c.choices[0].message
            is_whole(m.content, m.tool_calls[0].function.name, m.tool_calls[0].function.arguments)
            same(c.choices[0].finish_reason, "tool_calls")
    for model in ("good", "x-messages"):
        with ANTHROPIC.messages.stream(**{**ask["messages"], "model": model}) as s:
            streamed = s.get_final_message()
        for m in (ANTHROPIC.messages.create(**{**ask["messages"], "model": model}), streamed):
            is_whole(m.content[0].text, m.content[1].name, m.content[1].input)
            same((m.stop_reason, m.usage.output_tokens), ("tool_use", 29))
    with OPENAI.responses.stream(**ask["responses"]) as s:
        streamed = s.get_final_response()
    for r in (OPENAI.responses.create(**ask["responses"]), streamed):
        is_whole(r.output_text, r.output[1].name, r.output[1].arguments)
    same(OPENAI.embeddings.create(model="good", input="x", encoding_format="float").data[0].embedding, [0.25, -1])
    same((OPENAI.models.retrieve("up/weak").id, ANTHROPIC.models.retrieve("good").id), ("up/weak", "good"))
    # Errors are what each SDK raises by its class.
    refused(openai.NotFoundError, lambda: OPENAI.models.retrieve("nobody"))
    refused(anthropic.BadRequestError, lambda: ANTHROPIC.messages.create(**{**ask["messages"], "model": ""}))
    same(refused(openai.BadRequestError, lambda: OPENAI.chat.completions.create(**{**ask["chat"], "model": "x-chat", "seed": 1})).code, "untranslatable")
    refused(anthropic.AuthenticationError, lambda: ANTHROPIC.messages.create(**{**ask["messages"], "model": "x-messages-refused"}))
    print(f"openai {openai.__version__}, anthropic {anthropic.__version__}: every call is what it should be\n")


calls()
sys.exit(1 if table() else 0)
