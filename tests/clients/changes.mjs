// changes.mjs: fired means that the client got other bytes than the upstream sent, bypassed that it got the same.
//
//   changes.mjs upstream --ready-file FILE   says what x-answer names, in the pieces that x-pieces asks for
//   changes.mjs scenario HOST:PORT           a rule a fault, asked for by x-fault
//   changes.mjs ask HOST:PORT LOG            every fault on every answer, in one piece and in many
//
// The answers are those that faults stumble over: nothing is said, only a tool is called, several
// parts, what the fault would make of it stands there already, everything in one chunk.
import http from 'node:http';
import fs from 'node:fs';
import { strict as assert } from 'node:assert';

const sse = (list, nl = '\n') => list.map((e) => `${e.type ? `event: ${e.type}${nl}` : ''}data: ${typeof e === 'string' ? e : JSON.stringify(e)}${nl}${nl}`).join('');
const lines = (list) => list.map((l) => JSON.stringify(l) + '\n').join('');
const args = '{"city":"Oslo","n":12}';

const said = (message, finish_reason = 'stop', more = []) => ({ id: 'c', model: 'm-1', choices: [{ index: 0, message: { role: 'assistant', ...message }, finish_reason }, ...more], usage: { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 } });
const chunk = (delta, finish_reason = null) => ({ id: 'c', model: 'm-1', choices: [{ index: 0, delta, finish_reason }] });
const call = (id) => ({ id, type: 'function', function: { name: 'w', arguments: args } });
const block = (content, stop_reason = 'end_turn') => ({ id: 'm', type: 'message', role: 'assistant', model: 'm-1', content, stop_reason, usage: { input_tokens: 3, output_tokens: 4 } });
const blocks = (all, stop_reason = 'end_turn') => sse([{ type: 'message_start', message: block([], null) },
  ...all.flatMap(([b, deltas], index) => [{ type: 'content_block_start', index, content_block: b }, ...deltas.map((delta) => ({ type: 'content_block_delta', index, delta })), { type: 'content_block_stop', index }]),
  { type: 'message_delta', delta: { stop_reason }, usage: { output_tokens: 4 } }, { type: 'message_stop' }]);
const text = (t) => ({ type: 'message', id: 'i', role: 'assistant', content: [{ type: 'output_text', text: t, annotations: [] }] });
const fn = { type: 'function_call', id: 'f', call_id: 'a', name: 'w', arguments: args };
const resp = (output, status = 'completed', incomplete_details = null) => ({ id: 'r', object: 'response', status, incomplete_details, model: 'm-1', output, usage: { input_tokens: 3, output_tokens: 4, total_tokens: 7 } });
const told = (output) => sse([{ type: 'response.created', response: { ...resp([], 'in_progress'), usage: null } },
  ...output.flatMap((o, output_index) => o.type === 'message'
    ? [{ type: 'response.output_item.added', output_index, item: { ...o, content: [] } }, { type: 'response.output_text.delta', output_index, delta: o.content[0].text }, { type: 'response.output_text.done', output_index, text: o.content[0].text }, { type: 'response.output_item.done', output_index, item: o }]
    : [{ type: 'response.output_item.added', output_index, item: { ...o, arguments: '' } }, { type: 'response.function_call_arguments.delta', output_index, delta: args }, { type: 'response.function_call_arguments.done', output_index, arguments: args }, { type: 'response.output_item.done', output_index, item: o }]),
  { type: 'response.completed', response: resp(output) }]);
const parts = (list, finishReason) => ({ candidates: [{ content: { parts: list, role: 'model' }, finishReason, index: 0 }], usageMetadata: { promptTokenCount: 3, candidatesTokenCount: 4, totalTokenCount: 7 }, modelVersion: 'm-1' });
const go = { functionCall: { name: 'w', args: { city: 'Oslo' } } };
const line = (message, done = true) => ({ model: 'm-1', message: { role: 'assistant', ...message }, done, ...(done ? { done_reason: 'stop', prompt_eval_count: 3, eval_count: 4 } : {}) });

// api: path, answers whole (objects) and streamed (text).
const apis = {
  chat: ['/v1/chat/completions', { text: said({ content: 'Hello there' }), empty: said({ content: '' }), audio: said({ content: null, audio: { id: 'a', transcript: 'hi' } }), refusal: said({ content: null, refusal: 'no way' }), bare: said({ tool_calls: [call('a')] }, 'tool_calls'), tools: said({ content: null, tool_calls: [call('a'), call('b')] }, 'tool_calls'), none: { model: 'm-1', choices: [] },
    odd: '{"model":"m-1","choices":[{"index":0,"message":{"content":"AB\\u0000CD"},"finish_reason":"length"}]}', half: '{"choices":[{"index":0,"message":{"content":"\\ud83c ABCD"},"finish_reason":"stop"}]}' },
  { text: sse([chunk({ role: 'assistant', content: 'All ' }), chunk({ content: 'done' }), chunk({ content: ' now.' }, 'stop'), '[DONE]']), empty: sse([chunk({ role: 'assistant', content: '' }), chunk({}, 'stop'), '[DONE]']), refusal: sse([chunk({ role: 'assistant', refusal: 'no ' }), chunk({ refusal: 'way' }), chunk({}, 'stop'), '[DONE]']), crlf: sse([chunk({ content: 'a' }), chunk({ content: 'b' }), chunk({}, 'stop'), '[DONE]'], '\r\n'), same: sse([chunk({ content: 'a' }), chunk({ content: 'a' }), chunk({ content: 'a' }), chunk({}, 'stop')]),
    tools: sse([chunk({ role: 'assistant', content: null, tool_calls: [{ index: 0, ...call('a') }] }), chunk({ tool_calls: [{ index: 1, ...call('b') }] }, 'tool_calls'), '[DONE]']), fields: ': hi\r\nevent: chunk\r\nid: 7\r\ndata: {"model":"m-1","usage":{"prompt_tokens":1,"completion_tokens":2,"total_tokens":3},\r\ndata:"choices":[{"index":0,"delta":{"content":"x"},"finish_reason":"stop"}]}\r\nretry: 5\r\n\r\n', several: 'data: {"choices":[{"index":0,\ndata: "delta":{"content":"x"}}]}\n\ndata: [DONE]\n\n' }],
  messages: ['/v1/messages', { text: block([{ type: 'text', text: 'Hello' }]), tools: block([{ type: 'tool_use', id: 'a', name: 'w', input: { city: 'Oslo' } }], 'tool_use'), empty: block([]) },
    { text: blocks([[{ type: 'text', text: '' }, [{ type: 'text_delta', text: 'He' }, { type: 'text_delta', text: 'llo' }]]]), tools: blocks([[{ type: 'tool_use', id: 'a', name: 'w', input: {} }, [{ type: 'input_json_delta', partial_json: args }]]], 'tool_use'), empty: blocks([]) }],
  responses: ['/v1/responses', { text: resp([text('Hello')]), tools: resp([fn]), filtered: resp([text('He')], 'incomplete', { reason: 'content_filter' }), empty: resp([]) }, { text: told([text('Hello')]), tools: told([fn]), both: told([text('ok'), fn]), empty: told([]) }],
  gemini: ['/v1beta/models/m:generateContent', { text: parts([{ text: 'a' }, { text: 'b' }], 'STOP'), tools: parts([go], 'STOP'), empty: parts([{ text: '' }], 'STOP') },
    { text: sse([parts([{ text: 'a' }, { text: 'b' }]), parts([{ text: 'c' }, { text: 'd' }], 'STOP')], '\r\n'), tools: sse([parts([go], 'STOP')]), empty: sse([parts([{ text: 'hm', thought: true }]), parts([{ text: '' }], 'STOP')]) }],
  ollama: ['/api/chat', { text: line({ content: 'Hello' }), tools: line({ content: '', tool_calls: [{ function: { name: 'w', arguments: { city: 'Oslo' } } }] }), empty: line({ content: '' }) },
    { text: lines([line({ content: 'He' }, false), line({ content: 'llo' }, false), line({ content: '' })]), tools: lines([line({ content: '', tool_calls: [{ function: { name: 'w', arguments: { city: 'Oslo' } } }] }, false), line({ content: '' })]), empty: lines([line({ content: '' })]) }],
};
// What the fault `body html` sends, as an answer of an upstream that is such a portal itself.
const page = '<!DOCTYPE html>\n<html>\n<head><title>Sign in to the network</title></head>\n<body>\n<h1>Sign in to the network</h1>\n<p>Please open your browser and accept the terms of use to go on.</p>\n</body>\n</html>\n';
const answers = [{ id: 'portal', api: 'chat', path: '/v1/chat/completions', name: 'page', type: 'text/html; charset=utf-8', body: page },
  { id: 'portal-other', api: 'chat', path: '/v1/chat/completions', name: 'page', type: 'text/html; charset=utf-8', body: page.replace('terms', 'rules') }].concat(Object.entries(apis).flatMap(([api, [path, whole, stream]]) => [
  ...Object.entries(whole).map(([name, v]) => ({ id: `${api}-whole-${name}`, api, path, name, type: 'application/json', body: typeof v === 'string' ? v : JSON.stringify(v) })),
  ...Object.entries(stream).map(([name, body]) => ({ id: `${api}-stream-${name}`, api, name, stream: true, path: api === 'gemini' ? path.replace(':g', ':streamG') + '?alt=sse' : path, type: api === 'ollama' ? 'application/x-ndjson' : 'text/event-stream', body })),
]));

const each = (type, key, values, more = {}) => values.map((v) => ({ type, [key]: v, ...more }));
const faults = [...each('llm_empty', 'form', ['empty', 'null', 'no_choices']), ...each('llm_finish', 'reason', ['stop', 'length', 'content_filter', 'tool_calls']), ...each('llm_refusal', 'form', ['content', 'refusal', 'content_filter']),
  ...each('llm_length', 'bytes', [0, 2, 100]), { type: 'llm_stale' }, ...each('llm_model_swap', 'model', ['m-1', 'm-2']), { type: 'llm_oversize', bytes: 9 }, ...each('llm_tool_args', 'kind', ['cut', 'invalid', 'repaired', 'wrong_tool', 'dup_id']), { type: 'llm_invented_tool' }, { type: 'llm_invented_tool', name: 'w' }, { type: 'llm_wrong_args' },
  ...each('llm_usage', 'how', ['zero', 'negative', 'mismatch', 'huge', 'missing']), { type: 'body', patch: { '/model': 'm-1' } }, { type: 'body', content_type: 'application/json' }, { type: 'body', html: true }, { type: 'body', truncate: 100000 }, { type: 'body', gzip_broken: 'crc' },
  ...[0, 1, 2, 3].flatMap((at) => each('sse_mangle', 'how', ['dup', 'drop', 'swap', 'bad_json', 'no_blank', 'crlf', 'unknown_event', 'oversize'], { at, bytes: 10 })),
  ...each('sse_cut', 'at', ['tool_args', 'before_finish', 'after_finish']), ...each('kernel_corrupt', 'operator', ['sync_drop'])];

// Of an event whose data is another all else stays: its name, its id, comments, line ends.
const keeps = (f, a) => a.stream && a.api !== 'ollama' && (/^llm_(model_swap|finish|usage)$/.test(f.type) || f.patch);
const beside = (text) => text.split('\n').filter((l) => !l.startsWith('data')).join('\n');

// Where the whole and the streamed answer hold the same, both are struck or neither is; the
// blocks of these two begin and end in events of their own, and a call there stays a call.
const alike = (f, a) => /^llm_(empty|refusal|stale)$/.test(f.type) && f.form !== 'no_choices' && f.form !== 'null' && a.stream && !/^(messages|responses)/.test(a.id);

const upstream = (file) => {
  const server = http.createServer((req, res) => {
    req.resume().on('end', () => {
      const a = answers.find((x) => x.id === req.headers['x-answer']), body = Buffer.from(a.body), n = Number(req.headers['x-pieces']) || body.length;
      res.socket.setNoDelay(true);
      res.writeHead(200, { 'content-type': a.type, ...(a.stream ? {} : { 'content-length': body.length }) });
      for (let at = 0; at < body.length; at += n) res.write(body.subarray(at, at + n));
      res.end();
    });
  });
  server.listen(0, '127.0.0.1', () => { fs.writeFileSync(file, `ready upstream=127.0.0.1:${server.address().port}\n`); console.log('ready upstream'); });
  process.on('SIGTERM', () => process.exit(0));
};

const scenario = (up) => console.log(JSON.stringify({ chaos: 1, name: 'changes', seed: '3', identity: { key: ['header:x-case'] }, proxies: { front: { listen: '127.0.0.1:0', upstream: `http://${up}` } },
  rules: faults.map((fault, i) => ({ id: `r${i}`, match: { header: { 'x-fault': `${i}` } }, when: { always: true }, fault })) }));

const agent = new http.Agent({ keepAlive: true, maxSockets: 8 });
const ask = (at, a, i, pieces) => new Promise((done) => {
  const [host, port] = at.split(':'), past = { role: 'assistant', content: 'said before' }, q = { role: 'user', content: 'q' };
  const body = JSON.stringify(a.api === 'gemini' ? { contents: [{ role: 'model', parts: [{ text: 'said before' }] }, { role: 'user', parts: [{ text: 'q' }] }] } : { model: 'm', stream: Boolean(a.stream), [a.api === 'responses' ? 'input' : 'messages']: [past, q] });
  const req = http.request({ host, port, agent, method: 'POST', path: a.path, headers: { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body), 'x-answer': a.id, 'x-fault': `${i}`, 'x-case': `${a.id}/${i}/${pieces}`, 'x-pieces': `${pieces}` } }, (res) => {
    const got = [];
    const over = (end) => done({ end, body: Buffer.concat(got).toString(), type: res.headers['content-type'] });
    res.on('data', (p) => got.push(p)).on('end', () => over('whole')).on('error', () => over('torn'));
  });
  req.on('error', () => done({ end: 'torn', body: '' })).end(body);
});

const askAll = async (at, log) => {
  const jobs = answers.flatMap((a) => faults.flatMap((f, i) => (a.stream || !f.type.startsWith('sse') ? [0, 7].map((pieces) => ({ a, f, i, pieces })) : [])));
  const left = [...jobs];
  await Promise.all(Array.from({ length: 8 }, async () => { for (let j; (j = left.pop());) j.got = await ask(at, j.a, j.i, j.pieces); }));
  const events = new Map(fs.readFileSync(log, 'utf8').split('\n').filter(Boolean).map((l) => JSON.parse(l)).filter((e) => e.rule).map((e) => [e.key, e]));
  let bad = 0;
  const tell = (j, what) => { bad++; if (bad < 20) console.log(`not ok ${j.a.id}, ${JSON.stringify(j.f)}, pieces ${j.pieces}: ${what}`); };
  const result = new Map();
  for (const j of jobs) {
    const e = events.get(`${j.a.id}/${j.i}/${j.pieces}`), same = j.got.end === 'whole' && j.got.body === j.a.body && j.got.type === j.a.type;
    if (!e) { tell(j, 'no event'); continue; }
    if ((e.result === 'fired') === same) tell(j, `${e.result} (${e.reason}), and the answer is ${same ? 'what the upstream sent' : j.got.body.slice(0, 300)}`);
    if (e.result === 'bypassed' && !e.reason) tell(j, 'no reason');
    const key = `${j.a.id}/${j.i}`, mine = JSON.stringify([e.result, e.reason, j.got.end, j.got.body]);
    if (result.has(key) && result.get(key) !== mine) tell(j, `in pieces ${mine}, else ${result.get(key)}`);
    result.set(key, mine);
    if (keeps(j.f, j.a) && beside(j.got.body) !== beside(j.a.body)) tell(j, `the lines beside its data are ${JSON.stringify(beside(j.got.body))}`);
    // Nothing that says why the answer ended may go with a text.
    if (/^llm_(empty|refusal|stale|length)$/.test(j.f.type) && /"(finish_reason|stop_reason|finishReason|done_reason)":"/.test(j.a.body) && j.f.form !== 'no_choices' && !/"(finish_reason|stop_reason|finishReason|done_reason)":"/.test(j.got.body)) tell(j, `the finish reason is gone: ${j.got.body}`);
    if (j.f.type === 'llm_empty' && j.f.form === 'empty' && e.result === 'fired' && /"(text|content|delta|refusal|transcript)":"(Hel|He|llo|All|done| now|hi|no |way|ok|[abcdx]")/.test(j.got.body)) tell(j, `something is said: ${j.got.body}`);
  }
  for (const a of answers.filter((x) => x.stream)) for (const [i, f] of faults.entries()) {
    const whole = result.get(`${a.id.replace('-stream-', '-whole-')}/${i}`);
    if (whole && alike(f, a)) try { assert.equal(JSON.parse(result.get(`${a.id}/${i}`))[0], JSON.parse(whole)[0]); } catch { tell({ a, f, pieces: 0 }, `streamed ${result.get(`${a.id}/${i}`)}, whole ${whole}`); }
  }
  console.log(`${jobs.length} answers, ${bad} not as they should be`);
  process.exit(bad ? 1 : 0);
};

const [command, arg, file] = process.argv.slice(2);
if (command === 'upstream') upstream(file);
else if (command === 'scenario') scenario(arg);
else await askAll(arg, file);
