// npm's ai (the AI SDK) over @ai-sdk/openai-compatible, by its defaults but for a time-out that is asked for.
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { generateText, jsonSchema, stepCountIs, streamText, tool } from 'ai';
import { ask, call, question, timeout, weather, models } from '../ask.mjs';

const model = createOpenAICompatible({ name: 'chaos', baseURL: process.env.OPENAI_BASE_URL, apiKey: 'local' })(models.talk);
const base = () => ({ model, prompt: question, ...(timeout && { abortSignal: AbortSignal.timeout(timeout) }) });

await ask({
  chat: async () => {
    const r = await generateText(base());
    return { text: r.text, finish: r.finishReason };
  },
  stream: async () => {
    let text = '', failed;
    const r = streamText({ ...base(), onError: ({ error }) => { failed = error; } });
    for await (const piece of r.textStream) text += piece;
    if (failed) throw failed;
    return { text, finish: await r.finishReason };
  },
  tools: async () => {
    const tools = { get_weather: tool({ description: weather.description, inputSchema: jsonSchema(weather.parameters), execute: async (args) => call(args) }) };
    const r = await generateText({ ...base(), tools, stopWhen: stepCountIs(5) });
    return { text: r.text, finish: r.finishReason };
  },
});
