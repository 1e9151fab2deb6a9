// npm's @langchain/openai, by its defaults but for a time-out that is asked for.
import { ChatOpenAI } from '@langchain/openai';
import { tool } from '@langchain/core/tools';
import { HumanMessage } from '@langchain/core/messages';
import { ask, call, question, timeout, weather, models } from '../ask.mjs';

const model = new ChatOpenAI({ model: models.talk, apiKey: 'local', configuration: { baseURL: process.env.OPENAI_BASE_URL }, ...(timeout && { timeout }) });
const finishOf = (m) => m.response_metadata?.finish_reason;

await ask({
  chat: async () => {
    const m = await model.invoke(question);
    return { text: m.content, finish: finishOf(m) };
  },
  stream: async () => {
    let all;
    for await (const piece of await model.stream(question)) all = all ? all.concat(piece) : piece;
    return { text: all?.content, finish: all && finishOf(all) };
  },
  tools: async () => {
    const getWeather = tool(async (args) => call(args), { name: weather.name, description: weather.description, schema: weather.parameters });
    const bound = model.bindTools([getWeather]), messages = [new HumanMessage(question)];
    for (let turn = 0; turn < 5; turn++) {
      const m = await bound.invoke(messages);
      if (!m.tool_calls?.length) return { text: m.content, finish: finishOf(m) };
      messages.push(m);
      for (const c of m.tool_calls) messages.push(await getWeather.invoke({ ...c, type: 'tool_call' }));
    }
  },
});
