// http-toxics.mjs ADMIN_URL: faults of HTTP, event streams and models as toxics
// of a TCP proxy, added by npm's toxiproxy-node-client, unmodified.
import assert from 'node:assert/strict';
import http from 'node:http';
import { once } from 'node:events';
import OpenAI from 'openai';
import { Toxiproxy } from 'toxiproxy-node-client';

const api = new Toxiproxy(process.argv[2]);
let held, seen = 0;
const event = (text) => `data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', created: 1, model: 'm', choices: [{ index: 0, delta: { content: text }, finish_reason: null }] })}\n\n`;
const server = http.createServer((q, a) => {
  seen++;
  q.resume().on('end', () => {
    if (q.url === '/plain') return a.end('plain');
    a.writeHead(200, { 'content-type': 'text/event-stream' });
    if (q.url === '/held') { a.write(event('begin')); held = a; return undefined; }
    for (const w of ['one ', 'two ', 'three ', 'four ']) a.write(event(w));
    a.write(`data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', created: 1, model: 'm', choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] })}\n\n`);
    return a.end('data: [DONE]\n\n');
  });
});
server.keepAliveTimeout = 0;
server.listen(0, '127.0.0.1');
await once(server, 'listening');
const proxy = await api.createProxy({ name: 'llm', listen: '127.0.0.1:0', upstream: `127.0.0.1:${server.address().port}` });
const [host, port] = proxy.listen.split(':');

async function ask(path, agent, on) {
  const q = http.get({ host, port, path, agent });
  const [a] = await once(q, 'response');
  let text = '';
  a.setEncoding('utf8').on('data', (d) => { text += d; on?.(text); });
  const whole = await new Promise((done) => a.on('end', () => done(true)).on('error', () => done(false)));
  return { status: a.statusCode, headers: a.headers, text, whole, reused: q.reusedSocket };
}
const keep = () => new http.Agent({ keepAlive: true, maxSockets: 1 });
const one = keep(), two = keep();

// A connection that is open answers its next request with the fault, and a
// stream that is under way is not touched.
assert.equal((await ask('/plain', one)).text, 'plain');
let begun;
const hasBegun = new Promise((done) => { begun = done; });
const stream = ask('/held', two, begun);
await hasBegun;
const error = await proxy.addToxic({ name: 'busy', type: 'http_error', stream: 'downstream', toxicity: 1, attributes: { status: 503, retry_after: '7', provider: 'deepseek' } });
assert.deepEqual(error.attributes, { status: 503, retry_after: '7', provider: 'deepseek' });
const before = seen, busy = await ask('/plain', one);
assert.deepEqual([busy.status, busy.headers['retry-after'], busy.reused, seen], [503, '7', true, before]);
assert.match(busy.text, /Service is too busy/);
held.end(event('end') + 'data: [DONE]\n\n');
const whole = await stream;
assert.deepEqual([whole.status, whole.whole], [200, true]);
assert.equal(whole.text, event('begin') + event('end') + 'data: [DONE]\n\n');
assert.equal((await ask('/plain', two)).status, 503);

// Attributes merge; what cannot be is refused and changes nothing.
const update = (attributes) => error.update({ ...error.toJson(), attributes });
assert.equal((await update({ status: 429 })).attributes.provider, 'deepseek');
assert.equal((await ask('/plain', one)).status, 429);
await assert.rejects(update({ status: 4 }));
assert.equal((await ask('/plain', one)).status, 429);
await error.remove();
const again = await ask('/plain', one);
assert.deepEqual([again.status, again.text, again.reused], [200, 'plain', true]);

// Toxicity is a probability for each request.
const half = await proxy.addToxic({ name: 'half', type: 'http_error', stream: 'downstream', toxicity: 0.5, attributes: { status: 500 } });
let hit = 0;
for (let i = 0; i < 60; i++) hit += (await ask('/plain', one)).status === 500;
assert.ok(hit >= 12 && hit <= 48, `half: ${hit} of 60`);
await half.remove();

// On streams, together with taps on the bytes, seen by npm's openai.
const cut = await proxy.addToxic({ name: 'cut', type: 'sse_cut', stream: 'downstream', toxicity: 1, attributes: { after_events: 2, how: 'clean' } });
const late = await proxy.addToxic({ name: 'late', type: 'latency', stream: 'downstream', toxicity: 1, attributes: { latency: 60, jitter: 0 } });
const openai = new OpenAI({ apiKey: 'k', baseURL: `http://${proxy.listen}/v1`, maxRetries: 0 });
const from = performance.now();
let text = '';
for await (const e of await openai.chat.completions.create({ model: 'm', stream: true, messages: [{ role: 'user', content: 'hi' }] }))
  text += e.choices[0]?.delta?.content ?? '';
assert.equal(text, 'one two ');
assert.ok(performance.now() - from >= 60, 'latency acts too');
const listed = await (await fetch(`${process.argv[2]}/proxies/llm/toxics`)).json();
assert.deepEqual(listed.map((t) => t.name), ['cut', 'late']);
await cut.remove();
await late.remove();

// A URL for an upstream: HTTP from the start.
const url = await api.createProxy({ name: 'url', listen: '127.0.0.1:0', upstream: `http://127.0.0.1:${server.address().port}` });
assert.equal(await (await fetch(`http://${url.listen}/plain`)).text(), 'plain');
await assert.rejects(url.addToxic({ name: '', type: 'http_error', stream: 'downstream', toxicity: 1, attributes: {} }));
await url.addToxic({ name: '', type: 'empty_reply', stream: 'downstream', toxicity: 1, attributes: {} });
await assert.rejects(fetch(`http://${url.listen}/plain`));
await api.reset();
assert.equal(await (await fetch(`http://${url.listen}/plain`)).text(), 'plain');
await url.remove();
one.destroy();
two.destroy();
server.closeAllConnections();
server.close();
console.log('faults of HTTP are toxics');
