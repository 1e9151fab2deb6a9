// npm's @openai/agents over Responses, by its defaults but for a time-out that is asked for.
import OpenAI from 'openai';
import { Agent, run, setDefaultOpenAIClient, setTracingDisabled, tool } from '@openai/agents';
import { ask, call, question, timeout, weather, models } from '../ask.mjs';

setTracingDisabled(true);
setDefaultOpenAIClient(new OpenAI({ ...(timeout && { timeout }) }));
const agent = (tools = []) => new Agent({ name: 'league', model: models.talk, tools });
const last = (r) => r.rawResponses?.at(-1)?.providerData?.status;

await ask({
  chat: async () => {
    const r = await run(agent(), question);
    return { text: r.finalOutput, finish: last(r) };
  },
  stream: async () => {
    let text = '';
    const r = await run(agent(), question, { stream: true });
    for await (const piece of r.toTextStream()) text += piece;
    await r.completed;
    return { text, finish: last(r) };
  },
  tools: async () => {
    const parameters = { ...weather.parameters, additionalProperties: false };
    const r = await run(agent([tool({ name: weather.name, description: weather.description, parameters, strict: true, execute: async (args) => call(args) })]), question);
    return { text: r.finalOutput, finish: last(r) };
  },
});
