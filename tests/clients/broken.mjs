// broken.mjs: every fault of the catalogue against every way in which an
// upstream can fail, for a proxy that must outlive all of it.
//
//   broken.mjs upstreams --ready-file FILE   a port for each way to fail
//   broken.mjs scenario FILE                 proxies to those ports, a rule a fault
//   broken.mjs ask ADMIN                     each rule, then each fault as a toxic
//
// A way to fail is what is done with the bytes of a good answer: whole, streamed
// or a WebSocket's, as the request asks.
import net from 'node:net';
import fs from 'node:fs';
import { execFileSync } from 'node:child_process';

const MB = 1 << 20;
const dir = new URL('.', import.meta.url).pathname;
const message = { role: 'assistant', content: 'Grüße: the quick brown fox', tool_calls: [{ id: 'a', type: 'function', function: { name: 'f', arguments: '{"a":"some text"}' } }] };
const whole = JSON.stringify({ id: 'x', object: 'chat.completion', model: 'm', choices: [{ index: 0, message, finish_reason: 'stop' }], usage: { prompt_tokens: 1, completion_tokens: 2, total_tokens: 3 } });
const event = (delta, finish = null) => `data: ${JSON.stringify({ id: 'x', model: 'm', choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`;
const events = (filling = '') => [event({ role: 'assistant', content: '' }), ...'one two three four five six'.split(' ').map((t) => event({ content: t })), filling, event({}, 'stop'), 'data: [DONE]\n\n'].join('');
const chunk = (s) => `${Buffer.byteLength(s).toString(16)}\r\n${s}\r\n`;
const framed = (body, type, chunked, more = '') => `HTTP/1.1 200 OK\r\ncontent-type: ${type}\r\n${more}${chunked ? `transfer-encoding: chunked\r\n\r\n${chunk(body)}0\r\n\r\n` : `content-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`}`;
const frame = (text) => Buffer.concat([Buffer.from([0x81, text.length]), Buffer.from(text)]);
const socket = (filling, more = '') => Buffer.concat([Buffer.from(`HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n${more}\r\n`),
  ...['{"n":1}', '{"n":2}', '{"n":3,"text":"some more of it"}'].map(frame), Buffer.from(filling ?? ''), Buffer.from([0x88, 2, 3, 0xe8])]);
const good = (stream, filling, more) => stream === 'ws' ? socket(filling, more) : Buffer.from(stream ? framed(events(filling), 'text/event-stream', true, more) : framed(whole, 'application/json', false, more));

const end = (how) => (s) => (how === 'rst' ? s.resetAndDestroy() : s.end());
const part = (cut, how) => (s, stream) => {
  const all = good(stream), n = cut(all);
  if (n) s.write(all.subarray(0, n), () => setImmediate(() => end(how)(s))); else end(how)(s);
};
const said = (bytes) => (s, stream) => s.end(typeof bytes === 'function' ? bytes(stream) : bytes);
const heads = (b) => b.indexOf('\r\n\r\n') + 4;
const cuts = { nothing: () => 0, 'half a head': () => 20, 'a head': heads, 'a byte of body': (b) => heads(b) + 9, 'half a body': (b) => (heads(b) + b.length) >> 1, 'all but a byte': (b) => b.length - 1, all: (b) => b.length };
const ways = {
  refused: null,
  ...Object.fromEntries(Object.entries(cuts).flatMap(([name, cut]) => ['fin', 'rst'].map((how) => [`${name}, ${how}`, part(cut, how)]))),
  garbage: said(Buffer.alloc(5000, 0xa7)),
  'no status': said('HTTP/1.1 OK fine\r\n\r\n'),
  'a chunk size that is none': said('HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\nzz\r\nhello\r\n'),
  'two lengths': said('HTTP/1.1 200 OK\r\ncontent-length: 4\r\ncontent-length: 5\r\n\r\nhello'),
  'a head too big': said((stream) => good(stream, '', `x-pad: ${'p'.repeat(MB)}\r\n`)),
  'an event too big': said((stream) => good(stream, event({ content: 'p'.repeat(5 * MB) }))),
  'too many informational heads': said((stream) => Buffer.concat([Buffer.from('HTTP/1.1 102 Processing\r\n\r\n'.repeat(500)), good(stream)])),
  'an error page': said('HTTP/1.1 503 Service Unavailable\r\ncontent-type: text/html\r\ncontent-length: 13\r\n\r\n<h1>no</h1>\r\n'),
  'a coding that is none': said((stream) => good(stream, '', 'content-encoding: gzip\r\n')),
  'no body': said('HTTP/1.1 204 No Content\r\n\r\n'),
  slow: (s, stream) => { const all = good(stream); let at = 0; const t = setInterval(() => { if (at >= all.length || s.destroyed) { clearInterval(t); s.end(); } else s.write(all.subarray(at, at += 30)); }, 2); },
  silent: () => {},
};

const upstreams = async (file) => {
  const ports = {};
  for (const [name, way] of Object.entries(ways)) {
    const server = net.createServer((s) => {
      let seen = '';
      s.on('error', () => {}).on('data', (p) => {
        seen += p.toString('latin1');
        const at = seen.indexOf('\r\n\r\n'), n = Number(/content-length: (\d+)/i.exec(seen)?.[1] ?? 0);
        if (at < 0 || seen.length < at + 4 + n) return;
        const stream = /upgrade: websocket/i.test(seen) ? 'ws' : /"stream":true/.test(seen);
        seen = '';
        way(s, stream);
      });
    });
    await new Promise((ok) => server.listen(0, '127.0.0.1', ok));
    ports[name] = server.address().port;
    if (!way) server.close();
  }
  fs.writeFileSync(file, `ready ports=${Buffer.from(JSON.stringify(ports)).toString('base64url')}\n`);
  console.log('ready to fail');
};

// Those that act on a WebSocket alone stand beside the others' table.
const onSockets = [{ type: 'ws_cut', after_messages: 1 }, { type: 'ws_cut', after_messages: 1, how: 'rst', from: 'client' }, { type: 'ws_cut', after_messages: 2, how: 'close' },
  { type: 'ws_delay', latency: 5, jitter: 5 }, { type: 'ws_delay', latency: 5, from: 'client' },
  { type: 'ws_garble', at: 2 }, { type: 'ws_garble', at: 1, how: 'utf8', from: 'client' }]
  .map((fault, i) => ({ id: `socket-${i}`, match: { header: { 'x-case': `socket-${i}` } }, when: { always: true }, fault }));
const rows = () => [...inTable(), ...onSockets];
const inTable = () => JSON.parse(execFileSync('node', [`${dir}faults.mjs`, 'scenario', 'http://127.0.0.1:1'], { maxBuffer: 64 * MB })).rules;
const named = (i) => `way${i}`;

const scenario = (file) => {
  const ports = JSON.parse(Buffer.from(/ports=(\S+)/.exec(fs.readFileSync(file, 'utf8'))[1], 'base64url'));
  const proxies = Object.fromEntries(Object.values(ports).map((port, i) => [named(i), { listen: '127.0.0.1:0', upstream: `http://127.0.0.1:${port}` }]));
  console.log(JSON.stringify({ chaos: 1, name: 'broken', seed: '1', proxies, rules: rows().map(({ goal, ...r }) => ({ ...r })) }));
};

const messages = [{ role: 'assistant', content: 'before' }, { role: 'user', content: 'now?' }];
const ask = (at, id, stream, most = 250) => new Promise((done) => {
  const body = JSON.stringify({ model: 'm', stream, messages }), [host, port] = at.split(':');
  let n = 0;
  const s = net.connect(Number(port), host);
  const timer = setTimeout(() => s.destroy(), most);
  s.on('error', () => {}).on('data', (p) => { n += p.length; }).on('close', () => { clearTimeout(timer); done(n); });
  if (stream === 'ws') s.write(`GET /v1/realtime HTTP/1.1\r\nhost: x\r\nconnection: upgrade\r\nupgrade: websocket\r\nsec-websocket-version: 13\r\nsec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==\r\nx-case: ${id}\r\n\r\n\x81\x85\0\0\0\0hello`, 'latin1');
  else s.write(`POST /v1/chat/completions HTTP/1.1\r\nhost: x\r\nconnection: close\r\nx-case: ${id}\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`);
});
const all = async (jobs, at_once) => {
  let next = 0;
  await Promise.all(Array.from({ length: at_once }, async () => { while (next < jobs.length) await jobs[next++](); }));
};

const run = async (admin) => {
  const api = async (method, path, body) => {
    const r = await fetch(`http://${admin}${path}`, { method, body: body && JSON.stringify(body) });
    if (r.status >= 500) throw new Error(`${method} ${path}: ${r.status}`);
    return r.status === 204 ? null : r.json();
  };
  const proxies = Object.values(await api('GET', '/proxies')).filter((p) => /^way/.test(p.name));
  const faults = rows();
  const jobs = proxies.flatMap((p) => faults.flatMap((r) => [false, true, 'ws'].map((stream) => () => ask(p.listen, r.id, stream))));
  await all(jobs, 96);
  // The same as toxics: one fault on all proxies at a time.
  let toxics = 0;
  for (const { fault } of faults.filter((r) => !Array.isArray(r.fault))) {
    const { type, ...attributes } = fault;
    await Promise.all(proxies.map((p) => api('POST', `/proxies/${p.name}/toxics`, { name: 't', type, attributes })));
    await Promise.all(proxies.flatMap((p) => [ask(p.listen, 'none', true, 120), ask(p.listen, 'none', false, 120), ask(p.listen, 'none', 'ws', 120)]));
    await Promise.all(proxies.map((p) => api('DELETE', `/proxies/${p.name}/toxics/t`)));
    toxics += 3 * proxies.length;
  }
  // A stream that is looked at, with an event longer than any stage holds.
  const long = proxies.find((p) => p.name === named(Object.keys(ways).indexOf('an event too big')));
  await api('POST', `/proxies/${long.name}/toxics`, { name: 't', type: 'ttft', attributes: { ms: 1 } });
  const r = await fetch(`http://${long.listen}/v1/chat/completions`, { method: 'POST', body: JSON.stringify({ model: 'm', stream: true, messages }) });
  if (await r.text() !== events(event({ content: 'p'.repeat(5 * MB) }))) throw new Error('a long event does not come as it was sent');
  console.log(`${proxies.length} ways to fail x ${faults.length} faults: ${jobs.length} requests, and ${toxics} under toxics`);
};

const [command, arg, file] = process.argv.slice(2);
if (command === 'upstreams') { await upstreams(file); process.on('SIGTERM', () => process.exit(0)); }
else if (command === 'scenario') scenario(arg);
else await run(arg);
