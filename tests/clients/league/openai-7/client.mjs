// npm's openai: chat completions, by its defaults but for a time-out that is asked for.
import OpenAI from 'openai';
import { ask, call, question, timeout, weather, models } from '../ask.mjs';

const client = new OpenAI({ ...(timeout && { timeout }) });
const model = models.talk, user = { role: 'user', content: question };

await ask({
  chat: async () => {
    const r = await client.chat.completions.create({ model, messages: [user] });
    return { text: r.choices[0].message.content, finish: r.choices[0].finish_reason };
  },
  stream: async () => {
    let text = '', finish;
    for await (const c of await client.chat.completions.create({ model, messages: [user], stream: true })) {
      text += c.choices[0]?.delta?.content ?? '';
      finish = c.choices[0]?.finish_reason ?? finish;
    }
    return { text, finish };
  },
  tools: async () => {
    const messages = [user], tools = [{ type: 'function', function: weather }];
    for (let turn = 0; turn < 5; turn++) {
      const { message, finish_reason: finish } = (await client.chat.completions.create({ model, messages, tools })).choices[0];
      if (!message.tool_calls?.length) return { text: message.content, finish };
      messages.push(message);
      for (const c of message.tool_calls) messages.push({ role: 'tool', tool_call_id: c.id, content: call(JSON.parse(c.function.arguments)) });
    }
  },
});
