// strict.mjs OURS STRICT OURS2 STRICT2: what --strict-compat brings back of the
// original Toxiproxy, and that we do it right without.  OURS and OURS2 are two
// proxies of one seed, so are the strict ones.
import assert from 'node:assert/strict';
import net from 'node:net';
import { once } from 'node:events';
import { setTimeout as wait } from 'node:timers/promises';

const [ours, strict, ours2, strict2] = process.argv.slice(2);
const echo = net.createServer({ allowHalfOpen: true }, (s) => s.pipe(s).on('error', () => {}));
echo.listen(0, '127.0.0.1');
// Answers only after it has read the end: what a half-close is for.
const late = net.createServer({ allowHalfOpen: true }, (s) => {
  let n = 0;
  s.on('error', () => {}).on('data', (d) => { n += d.length; }).on('end', () => setTimeout(() => s.end(`got ${n}`), 30));
});
late.listen(0, '127.0.0.1');
await Promise.all([once(echo, 'listening'), once(late, 'listening')]);

async function api(admin, method, path, body) {
  const r = await fetch(admin + path, { method, body: body && JSON.stringify(body) });
  const text = await r.text();
  assert.ok(r.ok, `${method} ${path}: ${text}`);
  return path === '/metrics' ? text : text && JSON.parse(text);
}
async function proxy(admin, upstream, name = 'p') {
  const p = await api(admin, 'POST', '/proxies', { name, listen: '127.0.0.1:0', upstream: `127.0.0.1:${upstream.address().port}` });
  return Number(p.listen.split(':')[1]);
}
const add = (admin, type, attributes, toxicity = 1) => api(admin, 'POST', '/proxies/p/toxics', { name: 't', type, attributes, toxicity });
const remove = (admin) => api(admin, 'DELETE', '/proxies/p/toxics/t');
async function connect(port) {
  const s = net.connect({ host: '127.0.0.1', port, allowHalfOpen: true, noDelay: true });
  s.text = '';
  s.failed = '';
  s.on('error', (e) => { s.failed = e.code; }).on('data', (d) => { s.text += d; });
  s.over = new Promise((done) => s.on('end', () => { s.end(); done('fin'); }).on('close', () => done(s.failed || 'fin')));
  await once(s, 'connect');
  return s;
}
// What happens first: the end of s, or so many milliseconds.
const within = (s, ms) => Promise.race([s.over, wait(ms).then(() => 'open')]);

// One after the other, so that the ordinals of connections are the same.
async function touched(admin, port) {
  const seen = [];
  await add(admin, 'limit_data', { bytes: 1 }, 0.5);
  for (let i = 0; i < 64; i++) {
    const s = await connect(port);
    s.write('hello');
    while (s.text.length < 5 && !s.readableEnded && !s.destroyed) await Promise.race([once(s, 'data'), s.over]);
    s.end();
    await s.over;
    seen.push(s.text.length);
  }
  await remove(admin);
  return seen.join('');
}
const port = {};
for (const admin of [ours, strict, ours2, strict2]) port[admin] = await proxy(admin, echo);
assert.equal(await touched(ours, port[ours]), await touched(ours2, port[ours2]), 'one seed, the same connections');
assert.notEqual(await touched(strict, port[strict]), await touched(strict2, port[strict2]), 'strict: the seed does nothing');

// bandwidth 0
for (const [admin, want] of [[ours, 'hello'], [strict, '']]) {
  await add(admin, 'bandwidth', { rate: 0 });
  const s = await connect(port[admin]);
  s.write('hello');
  await wait(100);
  assert.equal(s.text, want, 'rate 0');
  await remove(admin);
  if (s.text === '') await once(s, 'data');
  assert.equal(s.text, 'hello', 'nothing is lost when it goes');
  s.destroy();
}

// timeout: a chunk each 40 ms for 400 ms, a deadline of 120 ms.
for (const [admin, want] of [[ours, 'fin'], [strict, 'open']]) {
  await add(admin, 'timeout', { timeout: 120 });
  const begin = performance.now(); // the proxy's clock may begin before we hear that we are connected
  const s = await connect(port[admin]);
  const ticks = setInterval(() => s.write('x'), 40);
  assert.equal(await within(s, 400), want, 'the timer of timeout');
  if (want === 'fin') assert.ok(performance.now() - begin >= 119, 'not early');
  clearInterval(ticks);
  assert.equal(await within(s, 1000), 'fin', 'in the end it closes');
  await remove(admin);
}

// reset_peer: open before, opened after, silent.
for (const [admin, before, silent] of [[ours, 'ECONNRESET', 'ECONNRESET'], [strict, 'fin', 'open']]) {
  const open = await connect(port[admin]);
  open.write('a');
  await once(open, 'data');
  await add(admin, 'reset_peer', { timeout: 20 });
  const fresh = await connect(port[admin]), mute = await connect(port[admin]);
  open.write('b');
  fresh.write('b');
  assert.equal(await within(open, 2000), before, 'reset_peer on a connection that was open');
  assert.equal(await within(fresh, 2000), 'ECONNRESET', 'reset_peer on a new connection');
  assert.equal(await within(mute, silent === 'open' ? 200 : 2000), silent, 'reset_peer on a silent connection');
  mute.destroy();
  await remove(admin);
}

// half-close
for (const [admin, want] of [[ours, 'got 5'], [strict, '']]) {
  const s = await connect(await proxy(admin, late, 'late'));
  s.end('hello');
  await s.over;
  assert.equal(s.text, want, 'a half-close');
}

// metrics
for (const [admin, want] of [[ours, 7], [strict, 0]]) {
  const s = await connect(await proxy(admin, echo, 'm'));
  const count = async () => Number((await api(admin, 'GET', '/metrics'))
    .match(/^toxiproxy_proxy_received_bytes_total\{direction="upstream",listener="[^"]*",proxy="m",upstream="[^"]*"\} (\d+)$/m)[1]);
  s.write('1234567');
  await once(s, 'data');
  assert.equal(await count(), want, 'metrics of an open connection');
  s.end();
  await s.over;
  let n = 0;
  for (let i = 0; i < 100 && (n = await count()) !== 7; i++) await wait(5);
  assert.equal(n, 7, 'metrics of a closed connection');
}

// blackhole and refuse are ours alone; both kinds know them.
for (const admin of [ours, strict]) {
  await add(admin, 'blackhole', {});
  const s = await connect(port[admin]);
  s.write('hello');
  assert.equal(await within(s, 100), 'open', 'blackhole says nothing');
  await remove(admin);
  assert.equal(await within(s, 2000), 'fin', 'without it the connection ends');
  assert.equal(s.text, '');
  const old = await connect(port[admin]);
  await add(admin, 'refuse', {});
  const refused = await connect(port[admin]).catch((e) => e.code);
  assert.equal(refused, 'ECONNREFUSED', 'refuse');
  old.write('old');
  await once(old, 'data');
  assert.equal(old.text, 'old', 'refuse lets old connections be');
  old.destroy();
  assert.equal((await api(admin, 'GET', '/proxies/p')).enabled, true);
  await api(admin, 'POST', '/proxies/p/toxics/t', { toxicity: 0.5 });
  const seen = new Set();
  for (let i = 0; i < 40; i++) {
    const s2 = await connect(port[admin]).catch((e) => e);
    if (s2 instanceof Error) { seen.add('cut'); continue; }
    s2.write('x');
    seen.add(await Promise.race([once(s2, 'data').then(() => 'whole', () => 'cut'), s2.over.then(() => 'cut')]));
    s2.destroy();
  }
  assert.deepEqual([...seen].sort(), ['cut', 'whole'], 'refuse with a share');
  await remove(admin);
  const back = await connect(port[admin]);
  back.write('back');
  await once(back, 'data');
  assert.equal(back.text, 'back', 'the port is there again');
  back.destroy();
}
echo.close();
late.close();
console.log('each defect is there when asked for, and only then');
