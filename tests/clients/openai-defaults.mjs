// openai-defaults.mjs: npm's openai as it comes, with its base URL and key
// from the environment: one plain and one streamed question.
import OpenAI from 'openai';

const client = new OpenAI();
const ask = { model: 'deepseek-v4-flash', messages: [{ role: 'user', content: 'What is the answer?' }] };

const plain = await client.chat.completions.create(ask);
console.log(plain.choices[0].message.content);
const stream = await client.chat.completions.create({ ...ask, stream: true });
for await (const chunk of stream) process.stdout.write(chunk.choices[0]?.delta?.content ?? '');
process.stdout.write('\n');
