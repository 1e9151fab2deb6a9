// npm's @anthropic-ai/sdk: Messages, by its defaults but for a time-out that is asked for.
import Anthropic from '@anthropic-ai/sdk';
import { ask, call, question, timeout, weather, models } from '../ask.mjs';

const client = new Anthropic({ ...(timeout && { timeout }) });
const base = { model: models.talk, max_tokens: 500 }, user = { role: 'user', content: question };
const textOf = (m) => m.content.filter((b) => b.type === 'text').map((b) => b.text).join('');

await ask({
  chat: async () => {
    const m = await client.messages.create({ ...base, messages: [user] });
    return { text: textOf(m), finish: m.stop_reason };
  },
  stream: async () => {
    const m = await client.messages.stream({ ...base, messages: [user] }).finalMessage();
    return { text: textOf(m), finish: m.stop_reason };
  },
  tools: async () => {
    const messages = [user], tools = [{ name: weather.name, description: weather.description, input_schema: weather.parameters }];
    for (let turn = 0; turn < 5; turn++) {
      const m = await client.messages.create({ ...base, messages, tools });
      const uses = m.content.filter((b) => b.type === 'tool_use');
      if (!uses.length) return { text: textOf(m), finish: m.stop_reason };
      messages.push({ role: 'assistant', content: m.content });
      messages.push({ role: 'user', content: uses.map((u) => ({ type: 'tool_result', tool_use_id: u.id, content: call(u.input) })) });
    }
  },
});
