// pairs.mjs: every two faults of the catalogue on one answer, in both orders.
//
//   pairs.mjs scenario UPSTREAM STEP FROM    a rule for each STEPth pair from FROM, asked
//                                            for by the header x-case
//   pairs.mjs upstream --ready-file F [GAP_MS]   a model whose bytes come so many ms apart, in
//                                            pieces that respect nothing; 0: at once
//   pairs.mjs ask HOST:PORT CONNECTIONS ORDER FILE [leaves]   asks for each rule of the
//                                            scenario in FILE once, in an order drawn from ORDER,
//                                            and waits for the connection's end, or leaves with
//                                            the last byte of a whole answer
import net from 'node:net';
import http from 'node:http';
import fs from 'node:fs';
import { execFileSync } from 'node:child_process';

const dir = new URL('.', import.meta.url).pathname;
const [command, ...args] = process.argv.slice(2);

// Silences without end are given one, so that an answer is over by itself:
// what a client's own patience decides is not the proxy's to repeat.
const ended = (f) => (f.type === 'stall' || f.type === 'header_stall' || f.type === 'linger' ? { ...f, ms: f.ms ? 20 : 15 }
  : f.type === 'keepalive_only' ? { ...f, ms: 2, count: 3 } : f.type === 'timeout' || f.type === 'mcp_timeout' ? { ...f, [f.type === 'timeout' ? 'timeout' : 'ms']: 20 }
  : f.type === 'latency_recorded' ? { ...f, samples: [10, 20] } : f.type === 'token_latency' ? { ...f, latency: 2, jitter: 1 } : f.type === 'llm_oversize' ? { ...f, bytes: 3000 } : f.type === 'latency' ? { type: 'latency', latency: 20, jitter: 10 } : f.type === 'ttft' ? { type: 'ttft', ms: 20 }
  : f.type === 'bandwidth' ? { type: 'bandwidth', rate: 200 } : f.type === 'slow_close' ? { ...f, delay: 20 }
  : f.type === 'slicer' ? { ...f, delay: 100 } : f.type === 'reset_peer' ? { ...f, timeout: 20 } : f.type === 'drip' ? { type: 'drip', bytes: 40, ms: 1 } : f);

const tool = (name) => ({ type: 'function', function: { name, parameters: { type: 'object', properties: { city: { type: 'string' } } } } });
const asks = ['plain', 'stream', 'tools-stream', 'kernel-stream', 'kernel', 'mcp'];
const bodyOf = (ask, id) => (ask === 'mcp' ? { jsonrpc: '2.0', id, method: 'tools/call', params: { name: 'weather', arguments: { city: 'Paris' } } }
  : { model: /kernel/.test(ask) ? 'kernel' : 'm', user: id, measured: /measured/.test(ask), stream: /stream/.test(ask), tools: /tools/.test(ask) ? [tool('get_weather'), tool('get_time')] : undefined,
      messages: [{ role: 'assistant', content: 'before' }, { role: 'user', content: id }] });

const scenario = (upstream, step, from) => {
  const rows = JSON.parse(execFileSync('node', [`${dir}faults.mjs`, 'scenario', 'http://x'], { maxBuffer: 1 << 26 })).rules
    .concat({ fault: { type: 'retry_lie' } }) // which stands there behind another alone
    .filter((r) => !Array.isArray(r.fault) && !/^(blackhole|latency_load)$/.test(r.fault.type) && !(r.fault.type === 'timeout' && !r.fault.timeout))
    .map((r) => ended(r.fault)).filter((f) => !(f.type === 'sse_mangle' && f.bytes)).map((f) => (f.type === 'quota' ? { type: 'quota', requests: 1 } : f));
  const rules = [];
  let n = 0;
  for (const a of rows) for (const b of rows) {
    if (a === b || n++ % Number(step) !== Number(from)) continue;
    const ask = asks[rules.length % asks.length];
    const best = [a, b].map((f) => (/kernel/.test(f.type) ? 'kernel-stream' : /tool_args/.test(JSON.stringify(f)) ? 'tools-stream' : /^mcp/.test(f.type) ? 'mcp' : /^(sse|keepalive|linger|ttft)/.test(f.type) ? 'stream' : null)).find(Boolean);
    const id = `p${rules.length}-${rules.length % 3 ? best ?? ask : ask}`;
    rules.push({ id, match: { header: { 'x-case': id } }, when: { always: true }, fault: [a, b] });
  }
  // A stream of known length, whole before it ends: stall makes its bytes leave as they come.
  const id = `p${rules.length}-measured-stream`;
  rules.push({ id, match: { header: { 'x-case': id } }, when: { always: true }, fault: [{ type: 'linger', ms: 300 }, { type: 'stall', after_bytes: 1000000 }, { type: 'slow_close', delay: 20 }] });
  console.log(JSON.stringify({ chaos: 1, name: 'pairs', seed: '3', proxies: { front: { listen: '127.0.0.1:0', upstream } }, rules }));
};

// ---- a model, its bytes in pieces

const upstream = (file, gap) => {
  const talk = 'Grüße aus Köln: the quick brown fox jumps over 13 lazy dogs, and wins by a nose in 7 minutes.';
  const kernel = 'Here it is:\n```c\n__kernel void sum(__global const float *x, __global float *y, uint n, __local float *part)\n{\n\tuint i = get_local_id(0);\n\n\tpart[i] = i < n ? x[i] : 0.0f;\n\tbarrier(CLK_LOCAL_MEM_FENCE);\n\tif (i == 0)\n\t\ty[0] = part[0];\n}\n```\n';
  const call = { id: 'call_a1', type: 'function', function: { name: 'get_weather', arguments: '{"city":"Paris, France","unit":"celsius"}' } };
  const usage = { prompt_tokens: 11, completion_tokens: 29, total_tokens: 40 };
  const pieces = (s, n) => s.match(new RegExp(`[^]{1,${n}}`, 'gu'));
  const chunk = (delta, finish = null) => `data: ${JSON.stringify({ id: 'c', model: 'test-model', choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`;
  const answer = (q) => {
    if (q.jsonrpc) return ['application/json', JSON.stringify({ jsonrpc: '2.0', id: q.id, result: { content: [{ type: 'text', text: 'It is 21 degrees in Paris.' }] } })];
    const text = q.model === 'kernel' ? kernel : talk, tools = q.tools?.length;
    if (!q.stream) return ['application/json', JSON.stringify({ id: 'c', model: 'test-model', choices: [{ index: 0, message: { role: 'assistant', content: text }, finish_reason: 'stop' }], usage })];
    const body = tools
      ? [chunk({ tool_calls: [{ index: 0, ...call, function: { name: 'get_weather', arguments: '' } }] }), ...pieces(call.function.arguments, 9).map((a) => chunk({ tool_calls: [{ index: 0, function: { arguments: a } }] })), chunk({}, 'tool_calls')]
      : [chunk({ role: 'assistant', content: '' }), ...pieces(text, 12).map((t) => chunk({ content: t })), chunk({}, 'stop')];
    return ['text/event-stream', [...body, `data: ${JSON.stringify({ id: 'c', model: 'test-model', choices: [], usage })}\n\n`, 'data: [DONE]\n\n'].join('')];
  };
  const server = http.createServer((req, res) => {
    const parts = [];
    req.on('data', (p) => parts.push(p)).on('end', async () => {
      const q = JSON.parse(Buffer.concat(parts).toString()), [type, text] = answer(q), bytes = Buffer.from(text);
      res.on('error', () => {}).writeHead(200, { 'content-type': type, ...(/stream/.test(type) && !q.measured ? {} : { 'content-length': bytes.length }) });
      if (!gap) return res.end(bytes);
      for (let at = 0, n = 61; at < bytes.length && !res.destroyed; at += n, n = n % 350 + 89) {
        res.write(bytes.subarray(at, at + n));
        await new Promise((ok) => setTimeout(ok, gap));
      }
      return res.end();
    });
  });
  server.keepAliveTimeout = 60000;
  server.listen(0, '127.0.0.1', () => {
    fs.writeFileSync(file, `ready upstream=127.0.0.1:${server.address().port}\n`);
    console.log('ready upstream');
  });
  process.on('SIGTERM', () => process.exit(0));
};

// ---- asking

// By its head, as a client knows it; false: only the connection's end can tell.
const isWhole = (seen) => {
  const end = seen.indexOf('\r\n\r\n'), head = seen.slice(0, end).toLowerCase(), length = head.match(/\r\ncontent-length: *(\d+)/);
  return end >= 0 && (length ? seen.length - end - 4 >= Number(length[1]) : head.includes('\r\ntransfer-encoding: chunked') && seen.endsWith('\r\n0\r\n\r\n'));
};

const ask = async (at, connections, order, file, leaves) => {
  const [host, port] = at.split(':');
  let state = Number(order) >>> 0 || 1;
  const draw = (n) => { state = (Math.imul(state, 1664525) + 1013904223) >>> 0; return Math.floor(state / 2 ** 32 * n); };
  const ids = JSON.parse(fs.readFileSync(file, 'utf8')).rules.map((r) => r.id);
  for (let i = ids.length - 1; i > 0; i--) { const k = draw(i + 1); [ids[i], ids[k]] = [ids[k], ids[i]]; }
  let late = 0;
  const one = (id) => new Promise((done) => {
    const body = JSON.stringify(bodyOf(id.slice(id.indexOf('-') + 1), id));
    const s = net.connect(Number(port), host);
    const timer = setTimeout(() => { late++; console.error(`late: ${id}`); s.destroy(); }, 20000);
    let seen = '';
    s.on('error', () => {}).on('data', (d) => { if (leaves && isWhole(seen += d.toString('latin1'))) s.destroy(); }).on('close', () => { clearTimeout(timer); done(); });
    s.write(`POST /${id.endsWith('mcp') ? 'mcp' : 'v1/chat/completions'} HTTP/1.1\r\nhost: x\r\nconnection: close\r\nx-case: ${id}\r\ncontent-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`);
  });
  const work = async () => { while (ids.length) await one(ids.pop()); };
  await Promise.all(Array.from({ length: Number(connections) }, work));
  if (late) { console.log(`${late} answers never ended`); process.exit(1); }
};

if (command === 'scenario') scenario(...args);
else if (command === 'upstream') upstream(args[args.indexOf('--ready-file') + 1], Number(args.find((a) => /^\d+$/.test(a)) ?? 0));
else await ask(...args);
