// ai-sdk.mjs BASE_URL: a client of another family, npm's `ai` with its provider
// for OpenAI-compatible servers: a plain answer, a streamed one, a tool call,
// and how it tells a refusal and a cut stream.  Prints a line each.
import { generateText, jsonSchema, streamText, tool } from 'ai';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';

const provider = createOpenAICompatible({ name: 'gateway', baseURL: process.argv[2], apiKey: 'local' });
const ask = (situation, more = {}) => ({
  model: provider('weak'), prompt: 'talk', maxRetries: 0, onError: () => {},
  headers: { 'X-TFY-METADATA': JSON.stringify({ op: 'talk', situation }) }, ...more,
});

async function streamed(situation) {
  let text = '', error = '', finish = '';
  try {
    for await (const part of streamText(ask(situation)).fullStream) {
      if (part.type === 'text-delta') text += part.text;
      if (part.type === 'error') error ||= part.error?.message ?? part.error;
      if (part.type === 'finish') finish = part.finishReason;
    }
  } catch (e) {
    error ||= `thrown ${e.message}`;
  }
  return { text, error, finish };
}

const plain = await generateText(ask('none'));
console.log('plain', plain.finishReason, plain.text);
console.log('stamp', plain.response.headers['x-local-gateway']);
const { text, finish } = await streamed('none');
console.log('streamed', finish, text);
const refused = await generateText(ask('quota')).then(() => 'nothing', e => `${e.statusCode} ${e.isRetryable}`);
console.log('refused', refused);
const cut = await streamed('cut');
console.log('cut', cut.error);
const tools = { add: tool({ description: 'adds', inputSchema: jsonSchema({ type: 'object', properties: { a: { type: 'number' } } }) }) };
console.log('with tools', (await generateText(ask('none', { tools }))).finishReason);
