// toxics.mjs ADMIN_URL: what each toxic does to the bytes and to the clock.
// A delay must never be shorter than asked; that it is less than half as long
// again must hold in one of twenty tries, since the machine may be busy (how
// exact delays are, the bench says).
import assert from 'node:assert/strict';
import net from 'node:net';
import { once } from 'node:events';
import { createHash, randomBytes } from 'node:crypto';

const admin = process.argv[2];
const TRIES = 20, LATE = 1.5;
async function api(method, path, body) {
  const r = await fetch(admin + path, { method, body: body && JSON.stringify(body) });
  const text = await r.text();
  return { status: r.status, body: text && JSON.parse(text) };
}
const echo = net.createServer({ allowHalfOpen: true }, (s) => s.pipe(s).on('error', () => {}));
echo.listen(0, '127.0.0.1');
await once(echo, 'listening');
const { body: proxy } = await api('POST', '/proxies', { name: 'p', listen: '127.0.0.1:0', upstream: `127.0.0.1:${echo.address().port}` });
const port = proxy.listen.split(':')[1];

async function connect() {
  const s = net.connect({ host: '127.0.0.1', port, allowHalfOpen: true, noDelay: true });
  s.on('error', () => {}).on('end', () => s.end());
  await once(s, 'connect');
  return s;
}
// Sends data (and the end), reads all: { bytes, ms, failed, chunks }.
async function talk(data, { end = true } = {}) {
  // A toxic's clock may start with the connection, before we hear of it.
  const from = performance.now(), s = await connect(), parts = [];
  s.on('data', (d) => parts.push(d));
  if (end) s.end(data); else if (data) s.write(data);
  const failed = await new Promise((done) => s.on('close', done));
  return { bytes: Buffer.concat(parts), ms: performance.now() - from, failed, chunks: parts.length };
}
async function withToxic(type, attributes, stream, run) {
  const made = await api('POST', '/proxies/p/toxics', { name: 't', type, stream, attributes });
  assert.equal(made.status, 200, JSON.stringify(made));
  try { return await run(); } finally { await api('DELETE', '/proxies/p/toxics/t'); }
}
async function lasts(what, want, run) {
  const seen = [];
  for (let i = 0; i < TRIES; i++) {
    const ms = await run();
    assert.ok(ms >= want - 0.5, `${what}: ${ms} ms is too early, expected ${want}`);
    seen.push(ms.toFixed(1));
    if (ms <= want * LATE) return;
  }
  assert.fail(`${what}: expected ${want} to ${want * LATE} ms, saw ${seen}`);
}
const text = Buffer.from('0123456789');
const sha = (b) => createHash('sha256').update(b).digest('hex');

for (const stream of ['upstream', 'downstream'])
  await withToxic('latency', { latency: 80, jitter: 0 }, stream, () =>
    lasts(`latency ${stream}`, 80, async () => {
      const r = await talk(text);
      assert.deepEqual(r.bytes, text);
      return r.ms;
    }));
await withToxic('latency', { latency: 100 }, 'downstream', () => lasts('delays do not add up', 100, async () => {
  const r = await talk(Buffer.alloc(400000, 'x'));
  assert.equal(r.bytes.length, 400000);
  return r.ms;
}));
await withToxic('slow_close', { delay: 60 }, 'downstream', () => lasts('slow_close', 60, async () => (await talk(text)).ms));
await withToxic('timeout', { timeout: 70 }, 'downstream', () => lasts('timeout', 70, async () => {
  const r = await talk(text, { end: false });
  assert.equal(r.bytes.length, 0);
  return r.ms;
}));
await withToxic('reset_peer', { timeout: 50 }, 'downstream', () => lasts('reset_peer on a silent connection', 50, async () => {
  const r = await talk(null, { end: false });
  assert.equal(r.failed, true);
  return r.ms;
}));
await withToxic('bandwidth', { rate: 1000 }, 'downstream', () => lasts('bandwidth', 300, async () => {
  const data = randomBytes(300000), r = await talk(data);
  assert.equal(sha(r.bytes), sha(data));
  return r.ms;
}));
for (const n of [0, 1, 9, 10, 11])
  await withToxic('limit_data', { bytes: n }, 'downstream', async () =>
    assert.equal((await talk(text)).bytes.toString(), text.toString().slice(0, n), `limit_data ${n}`));
await withToxic('slicer', { average_size: 100, size_variation: 20, delay: 3000 }, 'downstream', async () => {
  const data = randomBytes(4000), r = await talk(data);
  assert.equal(sha(r.bytes), sha(data), 'slicer keeps the bytes');
  assert.ok(r.chunks >= 25, `slicer: ${r.chunks} pieces`);
});
await withToxic('noop', {}, 'downstream', async () => assert.deepEqual((await talk(text)).bytes, text));

// Toxicity 0 touches nobody, 0.5 about half, and the same ones each time.
for (const [toxicity, lo, hi] of [[0, 0, 0], [0.5, 5, 35], [1, 40, 40]]) {
  await api('POST', '/proxies/p/toxics', { name: 't', type: 'limit_data', attributes: { bytes: 1 }, toxicity });
  const all = await Promise.all(Array.from({ length: 40 }, () => talk(text)));
  const touched = all.filter((r) => r.bytes.length === 1).length;
  assert.ok(touched >= lo && touched <= hi, `toxicity ${toxicity}: ${touched} of 40`);
  await api('DELETE', '/proxies/p/toxics/t');
}

// A hundred times on and off on a busy connection, and no byte is lost.
const data = randomBytes(24 << 20), s = await connect(), parts = [];
s.on('data', (d) => parts.push(d));
s.end(data);
const closed = once(s, 'close');
for (let i = 0; i < 100; i++) {
  const [type, attributes] = [['latency', { latency: 5 }], ['slicer', { average_size: 9000, delay: 10 }], ['bandwidth', { rate: 100000 }]][i % 3];
  await api('POST', '/proxies/p/toxics', { name: 't', type, stream: i % 2 ? 'upstream' : 'downstream', attributes });
  if (i % 5 === 0) await api('POST', '/proxies/p/toxics/t', { toxicity: 0 });
  await api('DELETE', '/proxies/p/toxics/t');
}
await closed;
assert.equal(sha(Buffer.concat(parts)), sha(data), 'adding and removing toxics loses nothing');

// Removing `timeout` closes what it held; disabling closes everything.
await api('POST', '/proxies/p/toxics', { name: 't', type: 'timeout', attributes: { timeout: 0 } });
const silent = talk(text, { end: false });
await connect();
await api('DELETE', '/proxies/p/toxics/t');
assert.equal((await silent).bytes.length, 0);
const open = await connect();
open.resume();
const shut = once(open, 'close');
await api('POST', '/proxies/p', { enabled: false });
await shut;

// Counters are live.
const metrics = await (await fetch(admin + '/metrics')).text();
const sent = metrics.match(/^toxiproxy_proxy_sent_bytes_total\{direction="upstream",listener="[^"]*",proxy="p",upstream="[^"]*"\} (\d+)$/m);
assert.ok(Number(sent[1]) > 24 << 20, 'metrics count');
const late = metrics.match(/^kf_chaos_late_seconds_count\{proxy="p"\} (\d+)$/m);
assert.ok(Number(late[1]) > 0, 'and how late delayed bytes were');
echo.close();
console.log('every toxic does what it says');
