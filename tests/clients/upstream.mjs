// upstream.mjs [--tls CERT KEY] --ready-file FILE: a model and a tool server
// that always say the same, for the tests of the chaos proxy.
//
//   POST /v1/chat/completions   text, or tool calls when tools are offered, or
//                               a kernel when the model is "kernel"
//   POST .../mcp                  JSON-RPC; an event stream if only that is accepted
//
// Whole answers have a length, or with `x-framing: chunked` come in chunks of
// 7 bytes; streams come in chunks of 37, which respect no event.
import http from 'node:http';
import https from 'node:https';
import fs from 'node:fs';

const args = process.argv.slice(2);
const option = (name, n = 1) => {
  const at = args.indexOf(name);
  return at < 0 ? undefined : args.slice(at + 1, at + 1 + n);
};

const talk = 'Grüße aus Köln: the quick brown fox jumps over 13 lazy dogs, and 🦊 wins by a nose in 7 minutes.';
const kernel = `Here it is:
\`\`\`c
__kernel void sum(__global const float *x, __global float *y, uint n, __local float *part)
{
	uint i = get_local_id(0);

	part[i] = i < n ? x[i] : 0.0f;
	barrier(CLK_LOCAL_MEM_FENCE);
	for (uint half = get_local_size(0) / 2; half > 0; half /= 2)
		if (i < half)
			part[i] += part[i + half];
	if (i == 0)
		y[0] = part[0];
}
\`\`\`
`;
const calls = [
  { id: 'call_a1', type: 'function', function: { name: 'get_weather', arguments: '{"city":"Paris, France","unit":"celsius"}' } },
  { id: 'call_b2', type: 'function', function: { name: 'get_time', arguments: '{"city":"Paris"}' } },
];
const base = { id: 'chatcmpl-test', created: 1767225600, model: 'test-model' };
const usage = { prompt_tokens: 11, completion_tokens: 29, total_tokens: 40 };
const pieces = (s, n) => Array.from(s).reduce((all, c, i) => (i % n ? (all[all.length - 1] += c) : all.push(c), all), []);

const whole = (wantsTools, text) => JSON.stringify({
  ...base, object: 'chat.completion',
  choices: [{ index: 0,
    message: wantsTools ? { role: 'assistant', content: null, tool_calls: calls } : { role: 'assistant', content: text },
    finish_reason: wantsTools ? 'tool_calls' : 'stop' }],
  usage,
});

const events = (wantsTools, text, wantsUsage) => {
  const chunk = (delta, finish = null) => ({ ...base, object: 'chat.completion.chunk', choices: [{ index: 0, delta, finish_reason: finish }] });
  const all = [chunk({ role: 'assistant', content: wantsTools ? null : '' })];
  if (wantsTools)
    calls.forEach((c, index) => {
      all.push(chunk({ tool_calls: [{ index, id: c.id, type: c.type, function: { name: c.function.name, arguments: '' } }] }));
      for (const p of pieces(c.function.arguments, 9))
        all.push(chunk({ tool_calls: [{ index, function: { arguments: p } }] }));
    });
  else
    for (const p of pieces(text, 12)) all.push(chunk({ content: p }));
  all.push(chunk({}, wantsTools ? 'tool_calls' : 'stop'));
  if (wantsUsage) all.push({ ...base, object: 'chat.completion.chunk', choices: [], usage });
  return [...all.map((e) => `data: ${JSON.stringify(e)}\n\n`), 'data: [DONE]\n\n'].join('');
};

const inPieces = (res, status, type, body, n) => {
  const bytes = Buffer.from(body);
  res.writeHead(status, { 'content-type': type });
  for (let at = 0; at < bytes.length; at += n) res.write(bytes.subarray(at, at + n));
  res.end();
};

const reply = (req, res, type, body) => {
  if (req.headers['x-framing'] === 'chunked') return inPieces(res, 200, type, body, 7);
  res.writeHead(200, { 'content-type': type, 'content-length': Buffer.byteLength(body) });
  res.end(body);
};

const complete = (req, res, ask) => {
  const wantsTools = Boolean(ask.tools?.length), text = ask.model === 'kernel' ? kernel : talk;
  if (ask.stream) inPieces(res, 200, 'text/event-stream; charset=utf-8', events(wantsTools, text, ask.stream_options?.include_usage), 37);
  else reply(req, res, 'application/json', whole(wantsTools, text));
};

const rpc = (req, res, ask) => {
  const result = { content: [{ type: 'text', text: `It is 21 degrees in ${ask.params?.arguments?.city ?? 'town'}.` }], structuredContent: { degrees: 21 }, isError: false };
  const body = JSON.stringify({ jsonrpc: '2.0', id: ask.id, result });
  if (/json/.test(req.headers.accept ?? 'json')) reply(req, res, 'application/json', body);
  else inPieces(res, 200, 'text/event-stream', `event: message\ndata: ${body}\n\n`, 37);
};

const onRequest = (req, res) => {
  const parts = [];
  req.on('data', (p) => parts.push(p));
  req.on('end', () => {
    if (Object.keys(req.headers).some((h) => h.startsWith('x-chaos') || h.startsWith('x-envoy'))) {
      res.writeHead(500);
      return res.end('a control header reached the upstream');
    }
    const ask = JSON.parse(Buffer.concat(parts).toString() || '{}');
    if (req.url.endsWith('/mcp')) rpc(req, res, ask);
    else complete(req, res, ask);
  });
};

const tls = option('--tls', 2);
const server = tls
  ? https.createServer({ cert: fs.readFileSync(tls[0]), key: fs.readFileSync(tls[1]) }, onRequest)
  : http.createServer(onRequest);
server.keepAliveTimeout = 60000;
server.listen(0, '127.0.0.1', () => {
  const line = `ready upstream=127.0.0.1:${server.address().port}`;
  const file = option('--ready-file');
  if (file) fs.writeFileSync(file[0], line + '\n');
  console.log(line);
});
process.on('SIGTERM', () => process.exit(0));
