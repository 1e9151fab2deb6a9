// npm's @google/genai: Gemini, by its defaults but for a time-out that is asked for.
import { GoogleGenAI } from '@google/genai';
import { ask, call, question, timeout, weather, models } from '../ask.mjs';

const ai = new GoogleGenAI({ apiKey: 'local', httpOptions: { baseUrl: process.env.KF_CHAOS_URL, ...(timeout && { timeout }) } });
const model = models.talk, user = { role: 'user', parts: [{ text: question }] };
const finishOf = (r) => r.candidates?.[0]?.finishReason;

await ask({
  chat: async () => {
    const r = await ai.models.generateContent({ model, contents: [user] });
    return { text: r.text, finish: finishOf(r) };
  },
  stream: async () => {
    let text = '', finish;
    for await (const r of await ai.models.generateContentStream({ model, contents: [user] })) {
      text += r.text ?? '';
      finish = finishOf(r) ?? finish;
    }
    return { text, finish };
  },
  tools: async () => {
    const contents = [user];
    const config = { tools: [{ functionDeclarations: [{ name: weather.name, description: weather.description, parametersJsonSchema: weather.parameters }] }] };
    for (let turn = 0; turn < 5; turn++) {
      const r = await ai.models.generateContent({ model, contents, config });
      if (!r.functionCalls?.length) return { text: r.text, finish: finishOf(r) };
      contents.push(r.candidates[0].content);
      contents.push({ role: 'user', parts: r.functionCalls.map((f) => ({ functionResponse: { name: f.name, response: { output: call(f.args) } } })) });
    }
  },
});
