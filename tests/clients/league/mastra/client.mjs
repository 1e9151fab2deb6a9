// npm's @mastra/core: an agent over @ai-sdk/openai-compatible, by its defaults but for a time-out that is asked for.
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { Agent } from '@mastra/core/agent';
import { createTool } from '@mastra/core/tools';
import { z } from 'zod';
import { ask, call, question, timeout, weather, models } from '../ask.mjs';

const model = createOpenAICompatible({ name: 'chaos', baseURL: process.env.OPENAI_BASE_URL, apiKey: 'local' })(models.talk);
const agent = (tools) => new Agent({ name: 'league', instructions: 'Answer.', model, ...(tools && { tools }) });
let failed;
const more = () => ({ onError: ({ error }) => { failed = error; }, ...(timeout && { abortSignal: AbortSignal.timeout(timeout) }) });
const whole = (r) => { if (failed) throw failed; return r; }; // what it tells of nowhere else

await ask({
  chat: async () => {
    const r = await agent().generate(question, more());
    return whole({ text: r.text, finish: r.finishReason });
  },
  stream: async () => {
    let text = '';
    const r = await agent().stream(question, more());
    for await (const piece of r.textStream) text += piece;
    return whole({ text, finish: await r.finishReason });
  },
  tools: async () => {
    const getWeather = createTool({ id: weather.name, description: weather.description, inputSchema: z.object({ city: z.string() }), execute: async ({ context }) => call(context) });
    const r = await agent({ get_weather: getWeather }).generate(question, more());
    return whole({ text: r.text, finish: r.finishReason });
  },
});
