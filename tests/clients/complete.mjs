// complete.mjs MODULE BASE_URL OP: one plain and one streamed completion with
// npm's openai; prints what the end-to-end script checks.
const [name, baseURL, op] = process.argv.slice(2);
const OpenAI = (await import(name)).default;
const client = new OpenAI({ baseURL, apiKey: 'local', maxRetries: 0 });
const ask = { model: 'deepseek-v4-flash', messages: [{ role: 'user', content: 'a kernel, please' }] };
const headers = { 'X-TFY-METADATA': JSON.stringify({ op, iteration: '1' }) };

const { data, response } = await client.chat.completions.create(ask, { headers }).withResponse();
const plain = data.choices[0].message.content;

const stream = await client.chat.completions.create({ ...ask, stream: true }, { headers });
let streamed = '', finish = '';
for await (const chunk of stream) {
  streamed += chunk.choices[0]?.delta?.content ?? '';
  finish = chunk.choices[0]?.finish_reason ?? finish;
}
console.log('x-local-gateway', response.headers.get('x-local-gateway'));
console.log('entry', JSON.parse(plain).entry);
console.log('equal', plain === streamed);
console.log('finish', finish);
