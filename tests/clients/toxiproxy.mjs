// toxiproxy.mjs ADMIN_URL PORT: every call of npm's toxiproxy-node-client, unmodified,
// against an echo server behind a proxy at a port that is nobody else's while the
// proxy is off; exits 1 at the first untrue thing.
import assert from 'node:assert/strict';
import net from 'node:net';
import { once } from 'node:events';
import { Toxiproxy } from 'toxiproxy-node-client';

const api = new Toxiproxy(process.argv[2]);
const echo = net.createServer({ allowHalfOpen: true }, (s) => s.pipe(s).on('error', () => {}));
echo.listen(0, '127.0.0.1');
await once(echo, 'listening');
const upstream = `127.0.0.1:${echo.address().port}`;

async function ask(listen, text) {
  const [host, port] = listen.split(':');
  const s = net.connect({ host, port, allowHalfOpen: true });
  const parts = [];
  s.on('data', (d) => parts.push(d));
  let failed = '';
  s.on('error', (e) => { failed = e.code; });
  s.end(text);
  await new Promise((done) => s.on('close', done));
  return failed || Buffer.concat(parts).toString();
}
const status = (promise) => promise.then(() => 0, (e) => e.response?.status ?? e.statusCode ?? e.status ?? String(e));

assert.match(JSON.stringify(await api.getVersion()), /2\.12\.0/);
assert.deepEqual(await api.getAll(), {});

const one = await api.createProxy({ name: 'one', listen: `127.0.0.1:${process.argv[3]}`, upstream });
assert.equal(one.listen, `127.0.0.1:${process.argv[3]}`);
assert.equal(one.enabled, true);
assert.equal(await ask(one.listen, 'hello'), 'hello');
assert.notEqual(await status(api.createProxy({ name: 'one', listen: '127.0.0.1:0', upstream })), 0);
assert.notEqual(await status(api.get('two')), 0);
assert.equal((await api.get('one')).upstream, upstream);

const latency = await one.addToxic({ name: 'slow', type: 'latency', stream: 'downstream', toxicity: 1, attributes: { latency: 50, jitter: 0 } });
const before = performance.now();
assert.equal(await ask(one.listen, 'slowly'), 'slowly');
assert.ok(performance.now() - before >= 50, 'latency');
assert.deepEqual((await one.getToxic('slow')).attributes, { latency: 50, jitter: 0 });
const changed = await latency.update({ ...latency.toJson(), attributes: { latency: 0 } });
assert.deepEqual(changed.attributes, { latency: 0, jitter: 0 });
assert.equal((await one.getToxic('slow')).attributes.latency, 0);
await latency.remove();
assert.notEqual(await status(one.getToxic('slow')), 0);
for (const [type, attributes] of Object.entries({
  bandwidth: { rate: 1000 }, slow_close: { delay: 1 }, timeout: { timeout: 1 }, reset_peer: { timeout: 1 },
  slicer: { average_size: 2, size_variation: 1, delay: 1 }, limit_data: { bytes: 2 },
})) {
  const toxic = await one.addToxic({ name: '', type, stream: 'downstream', toxicity: 1, attributes });
  assert.equal(toxic.name, `${type}_downstream`);
  const got = await ask(one.listen, 'some text');
  const want = { timeout: '', reset_peer: 'ECONNRESET', limit_data: 'so' }[type] ?? 'some text';
  assert.equal(got, want, type);
  await toxic.remove();
}
await one.addToxic({ name: 'cut', type: 'limit_data', stream: 'upstream', toxicity: 1, attributes: { bytes: 0 } });
one.enabled = false;
assert.equal((await one.update({ enabled: false, listen: one.listen, upstream })).enabled, false);
assert.equal(await ask(one.listen, 'x'), 'ECONNREFUSED');
await api.reset();
assert.equal((await api.get('one')).enabled, true);
assert.equal(await ask(one.listen, 'again'), 'again');

const made = await api.populate([
  { name: 'one', listen: one.listen, upstream },
  { name: 'two', listen: '127.0.0.1:0', upstream },
]);
assert.match(made.two.listen, /^127\.0\.0\.1:[1-9]/);
assert.equal(await ask(made.two.listen, 'two'), 'two');
assert.deepEqual(Object.keys(await api.getAll()), ['one', 'two']);
await made.two.remove();
assert.deepEqual(Object.keys(await api.getAll()), ['one']);
await one.remove();
echo.close();
console.log('every call works');
