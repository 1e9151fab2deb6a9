// npm's ollama, by its defaults; it has no time-out of its own, so a fetch with one where one is asked for.
import { Ollama } from 'ollama';
import { ask, call, question, timeout, weather, models } from '../ask.mjs';

const limited = (url, init) => fetch(url, { ...init, signal: AbortSignal.timeout(timeout) });
const client = new Ollama({ host: process.env.OLLAMA_HOST, ...(timeout && { fetch: limited }) });
const model = models.talk, user = { role: 'user', content: question };

await ask({
  chat: async () => {
    const r = await client.chat({ model, messages: [user] });
    return { text: r.message.content, finish: r.done_reason };
  },
  stream: async () => {
    let text = '', finish;
    for await (const r of await client.chat({ model, messages: [user], stream: true })) {
      text += r.message.content;
      finish = r.done_reason ?? finish;
    }
    return { text, finish };
  },
  tools: async () => {
    const messages = [user], tools = [{ type: 'function', function: weather }];
    for (let turn = 0; turn < 5; turn++) {
      const r = await client.chat({ model, messages, tools });
      if (!r.message.tool_calls?.length) return { text: r.message.content, finish: r.done_reason };
      messages.push(r.message);
      for (const c of r.message.tool_calls) messages.push({ role: 'tool', tool_name: c.function.name, content: call(c.function.arguments) });
    }
  },
});
