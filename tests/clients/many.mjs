// many.mjs HOST:PORT CONNECTIONS ORDER: 160 chat completions, plain and
// streamed, each asked twice, over so many connections at once, in an order
// drawn from ORDER.
import http from 'node:http';
import { once } from 'node:events';

const [front, connections, order] = process.argv.slice(2);
const [host, port] = front.split(':');
const agent = new http.Agent({ keepAlive: true, maxSockets: Number(connections) });
let state = Number(order) >>> 0 || 1;
const draw = (n) => { state = (Math.imul(state, 1664525) + 1013904223) >>> 0; return Math.floor(state / 2 ** 32 * n); };
const all = Array.from({ length: 160 }, (_, i) => i);
for (let i = all.length - 1; i > 0; i--) { const k = draw(i + 1); [all[i], all[k]] = [all[k], all[i]]; }

async function ask(i) {
  const body = JSON.stringify({ model: i % 3 ? 'small' : 'large', stream: i % 2 === 0, messages: [{ role: 'user', content: `question ${i}` }] });
  const q = http.request({ host, port, agent, method: 'POST', path: '/v1/chat/completions', headers: { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) } });
  const failed = new Promise((_, fail) => q.on('error', fail));
  failed.catch(() => {});
  q.end(body);
  try {
    const [a] = await Promise.race([once(q, 'response'), failed]);
    a.on('error', () => {}).resume();
    await new Promise((done) => a.on('close', done));
    return a.statusCode;
  } catch {
    return 0;
  }
}
const seen = {};
async function work() {
  for (let i = all.pop(); i !== undefined; i = all.pop())
    for (let k = 0; k < 2; k++) { const s = await ask(i); seen[s] = (seen[s] ?? 0) + 1; }
}
await Promise.all(Array.from({ length: Number(connections) }, work));
agent.destroy();
console.log(JSON.stringify(seen));
