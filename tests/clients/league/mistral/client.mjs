// npm's @mistralai/mistralai: chat completions, by its defaults (it does not retry unless it is told to).
import { Mistral } from '@mistralai/mistralai';
import { ask, call, question, timeout, weather, models } from '../ask.mjs';

const client = new Mistral({ apiKey: 'local', serverURL: process.env.KF_CHAOS_URL, ...(timeout && { timeoutMs: timeout }) });
const model = models.talk, user = { role: 'user', content: question };

await ask({
  chat: async () => {
    const r = await client.chat.complete({ model, messages: [user] });
    return { text: r.choices[0].message.content, finish: r.choices[0].finishReason };
  },
  stream: async () => {
    let text = '', finish;
    for await (const e of await client.chat.stream({ model, messages: [user] })) {
      text += e.data.choices[0]?.delta?.content ?? '';
      finish = e.data.choices[0]?.finishReason ?? finish;
    }
    return { text, finish };
  },
  tools: async () => {
    const messages = [user], tools = [{ type: 'function', function: weather }];
    for (let turn = 0; turn < 5; turn++) {
      const { message, finishReason: finish } = (await client.chat.complete({ model, messages, tools })).choices[0];
      if (!message.toolCalls?.length) return { text: message.content, finish };
      messages.push({ ...message, role: 'assistant' });
      for (const c of message.toolCalls) {
        const args = typeof c.function.arguments === 'string' ? JSON.parse(c.function.arguments) : c.function.arguments;
        messages.push({ role: 'tool', toolCallId: c.id, content: call(args) });
      }
    }
  },
});
