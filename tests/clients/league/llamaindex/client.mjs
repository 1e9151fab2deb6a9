// npm's llamaindex over @llamaindex/openai, by its defaults but for a time-out that is asked for.
import { OpenAI } from '@llamaindex/openai';
import { tool } from 'llamaindex';
import { ask, call, question, timeout, weather } from '../ask.mjs';

const llm = new OpenAI({ model: 'gpt-4o', apiKey: 'local', baseURL: process.env.OPENAI_BASE_URL, ...(timeout && { timeout }) });
const messages = [{ role: 'user', content: question }];
const finishOf = (r) => r?.raw?.choices?.[0]?.finish_reason;

await ask({
  chat: async () => {
    const r = await llm.chat({ messages });
    return { text: r.message.content, finish: finishOf(r) };
  },
  stream: async () => {
    let text = '', finish;
    for await (const piece of await llm.chat({ messages, stream: true })) {
      text += piece.delta;
      finish = finishOf(piece) ?? finish;
    }
    return { text, finish };
  },
  tools: async () => {
    const tools = [tool({ name: weather.name, description: weather.description, parameters: weather.parameters, execute: (args) => call(args) })];
    let said = messages;
    for (let turn = 0; turn < 5; turn++) {
      const r = await llm.exec({ messages: said, tools });
      said = said.concat(r.newMessages);
      if (!r.toolCalls.length) return { text: r.newMessages.at(-1).content, finish: null };
    }
  },
});
