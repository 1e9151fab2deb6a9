# PyPI's instructor over openai: a validated object instead of text, by its defaults (the object is the
# arguments of a tool call) but for a time-out that is asked for.
import os
import sys

import instructor
from openai import OpenAI
from pydantic import BaseModel

sys.path.insert(1, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from ask import ask, given, model, question, said


class Answer(BaseModel):
    text: str


client = instructor.from_openai(OpenAI(**given))
user = {"role": "user", "content": question}


def chat():
    answer, r = client.chat.completions.create_with_completion(model=model, messages=[user], response_model=Answer)
    return said(answer.text, r.choices[0].finish_reason)


def stream():
    last = None
    for answer in client.chat.completions.create_partial(model=model, messages=[user], response_model=Answer):
        last = answer
    return said(last.text, None)


ask(chat=chat, stream=stream, tools=chat)
