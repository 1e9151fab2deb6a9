// drawn.mjs ADMIN_URL SEED: jitter and slices are draws that anybody can make
// (docs/decisions.md).  Here they are made again, and each connection must be
// held exactly so long and cut exactly there: never earlier, and no more than
// 10 ms later in one of twenty connections that drew the same, since the machine
// may be busy; how late the proxy itself was is in its histogram.
import assert from 'node:assert/strict';
import net from 'node:net';
import { once } from 'node:events';
import { createHash } from 'node:crypto';

const [admin, seed] = process.argv.slice(2);
const LATE_MS = 10, TRIES = 20;
const draw = (toxic, key, n, lo, hi) => {
  const hash = createHash('sha256').update(`v1|${seed}||${toxic}|${key}|${n}|toxic`).digest();
  return lo + Number(hash.readBigUInt64BE(0) % BigInt(hi - lo + 1));
};
const api = async (method, path, body) => {
  const r = await fetch(admin + path, { method, body: body && JSON.stringify(body) });
  assert.ok(r.ok, `${method} ${path}: ${r.status}`);
  return r.status === 204 ? undefined : r.json();
};
const data = Buffer.from(Array.from({ length: 3000 }, (_, i) => i * 7 % 256));
const back = net.createServer((s) => s.on('error', () => {}).end(data));
back.listen(0, '127.0.0.1');
await once(back, 'listening');

// A proxy of its own for each try: connection 1 draws the same in each.
const talk = async (name, toxic) => {
  const { listen } = await api('POST', '/proxies', { name, listen: '127.0.0.1:0', upstream: `127.0.0.1:${back.address().port}` });
  await api('POST', `/proxies/${name}/toxics`, toxic);
  const s = net.connect(Number(listen.split(':')[1]), '127.0.0.1'), from = performance.now(), ends = [];
  let n = 0, first;
  s.on('data', (p) => { first ??= performance.now() - from; ends.push(n += p.length); });
  await once(s, 'close');
  await api('DELETE', `/proxies/${name}`);
  assert.equal(n, data.length, 'no byte is lost');
  return { first, last: performance.now() - from, ends };
};
// The first of the tries that is not late; each must not be early.
const punctual = async (what, want, run) => {
  const late = [];
  for (let i = 0; i < TRIES; i++) {
    const ms = await run(i);
    assert.ok(ms >= want - 0.5, `${what}: after ${ms} ms, ${want} were drawn`);
    late.push((ms - want).toFixed(1));
    if (ms <= want + LATE_MS) return;
  }
  assert.fail(`${what}: ${want} ms were drawn, late by ${late}`);
};

// latency 60, jitter 40: each draw is from 20 to 100 ms, and they are spread.
const drawn = [];
for (let k = 0; k < 12; k++) {
  const toxic = `jitter${k}`, attributes = { latency: 60, jitter: 40 };
  const want = draw(toxic, 'p/1', 1, 20000, 100000) / 1000;
  drawn.push(want);
  await punctual(toxic, want, async () => (await talk('p', { name: toxic, type: 'latency', attributes })).first);
}
assert.ok(Math.min(...drawn) >= 20 && Math.max(...drawn) <= 100, 'in the range');
assert.ok(Math.min(...drawn) < 40 && Math.max(...drawn) > 80, `over the range: ${drawn}`);

// slicer 100 +- 20, 2 ms after each: where it cuts follows from the draws, and
// the last piece leaves when all the rests before it are over.
const slices = (toxic, size, variation) => {
  const stack = [[0, data.length]], cuts = [];
  for (let n = 0; stack.length;) {
    const [at, len] = stack.pop();
    if (len <= size + variation) { cuts.push(at + len); continue; }
    const mid = Math.min(Math.max((len >> 1) + draw(toxic, 'p/1', ++n, 0, 2 * variation) - variation, 1), len - 1);
    stack.push([at + mid, len - mid], [at, mid]);
  }
  return cuts;
};
for (const [size, variation, delay] of [[100, 20, 2000], [400, 90, 9000]]) {
  const toxic = `slicer${size}`, cuts = slices(toxic, size, variation), sizes = cuts.map((c, i) => c - (cuts[i - 1] ?? 0));
  assert.ok(Math.max(...sizes) <= size + variation && Math.min(...sizes) >= (size - variation) / 2, `${sizes}`);
  await punctual(toxic, (cuts.length - 1) * delay / 1000, async () => {
    const r = await talk('p', { name: toxic, type: 'slicer', attributes: { average_size: size, size_variation: variation, delay } });
    assert.deepEqual(r.ends.filter((e) => !cuts.includes(e)), [], 'cut where it was drawn');
    return r.last;
  });
}
back.close();
console.log('each delay and each cut is as drawn');
