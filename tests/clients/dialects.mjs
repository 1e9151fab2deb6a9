// dialects.mjs: every content fault in every model API, whole and streamed.
//
//   dialects.mjs upstream --ready-file FILE   says the same in five APIs
//   dialects.mjs scenario HOST:PORT           a rule a fault, asked for by x-case
//   dialects.mjs wire HOST:PORT               reads what is on the wire, and compares
//   dialects.mjs sdks HOST:PORT               the same faults as each provider's own SDK sees them
//   dialects.mjs standin HOST:PORT            reads what the stand-in says by itself
//
// The readers below are written from the providers' documents, not from ours.
import http from 'node:http';
import fs from 'node:fs';
import assert from 'node:assert/strict';

const talk = 'The quick brown fox jumps over 13 lazy dogs, and wins by a nose in 7 minutes.';
const kernel = 'Here it is:\n```c\n__kernel void sum(__global const float *x, __global float *y, uint n, __local float *part)\n{\n\tuint i = get_local_id(0);\n\n\tpart[i] = i < n ? x[i] : 0.0f;\n\tbarrier(CLK_LOCAL_MEM_FENCE);\n\tif (i == 0)\n\t\ty[0] = part[0];\n}\n```\n';
const args = { city: 'Paris, France', unit: 'celsius' };
const pieces = (s, n = 12) => s.match(new RegExp(`[^]{1,${n}}`, 'gu')) ?? [];
const sse = (list) => list.map((e) => (e.type && e.type !== 'chunk' ? `event: ${e.type}\n` : '') + `data: ${JSON.stringify(e)}\n\n`).join('');

// ---- the APIs: path, an answer whole and streamed, and how a client reads them

const apis = {
  chat: {
    path: () => '/v1/chat/completions',
    ask: (q) => ({ model: 'm', stream: q.stream, tools: q.tools && ['get_weather', 'get_time'].map((name) => ({ type: 'function', function: { name } })), messages: [{ role: 'assistant', content: 'What I said before.' }, { role: 'user', content: q.what }] }),
    whole: (text, tools) => ({ id: 'c', model: 'test-model', choices: [{ index: 0, message: { role: 'assistant', content: tools ? null : text, tool_calls: tools ? [{ id: 'a', type: 'function', function: { name: 'get_weather', arguments: JSON.stringify(args) } }] : undefined }, finish_reason: tools ? 'tool_calls' : 'stop' }], usage: { prompt_tokens: 11, completion_tokens: 29, total_tokens: 40 } }),
    stream: (text, tools) => {
      const chunk = (delta, finish_reason = null, index = 0) => `data: ${JSON.stringify({ id: 'c', model: 'test-model', choices: [{ index, delta, finish_reason }] })}\n\n`;
      return [chunk({ role: 'assistant', content: '' }), chunk({ content: 'the second choice' }, null, 1),
        ...(tools ? [chunk({ tool_calls: [{ index: 0, id: 'a', type: 'function', function: { name: 'get_weather', arguments: '' } }] }), ...pieces(JSON.stringify(args), 9).map((a) => chunk({ tool_calls: [{ index: 0, function: { arguments: a } }] }))] : pieces(text).map((t) => chunk({ content: t }))),
        chunk({}, tools ? 'tool_calls' : 'stop'), `data: ${JSON.stringify({ id: 'c', model: 'test-model', choices: [], usage: { prompt_tokens: 11, completion_tokens: 29, total_tokens: 40 } })}\n\n`, 'data: [DONE]\n\n'].join('');
    },
    read: (list, r) => { for (const e of list) {
      const c = e.choices?.[0], m = c?.index ? {} : c?.message ?? c?.delta ?? {};
      r.text += m.content ?? ''; r.model ??= e.model; r.finish ??= c?.finish_reason ?? undefined;
      for (const t of m.tool_calls ?? []) { r.tool ??= t.function.name; r.args += t.function.arguments; }
      if (e.usage) r.usage = [e.usage.prompt_tokens, e.usage.completion_tokens]; if (e.error) r.error = e.error.message;
    } },
    words: { stop: 'stop', length: 'length' },
  },
  messages: {
    path: () => '/v1/messages',
    ask: (q) => ({ model: 'm', max_tokens: 99, stream: q.stream, tools: q.tools && ['get_weather', 'get_time'].map((name) => ({ name, input_schema: { type: 'object' } })), messages: [{ role: 'assistant', content: [{ type: 'text', text: 'What I said before.' }] }, { role: 'user', content: q.what }] }),
    whole: (text, tools) => ({ id: 'msg_1', type: 'message', role: 'assistant', model: 'test-model', content: tools ? [{ type: 'tool_use', id: 'toolu_1', name: 'get_weather', input: args }] : [{ type: 'text', text }], stop_reason: tools ? 'tool_use' : 'end_turn', stop_sequence: null, usage: { input_tokens: 11, output_tokens: 29 } }),
    stream: (text, tools) => sse([
      { type: 'message_start', message: { id: 'msg_1', type: 'message', role: 'assistant', model: 'test-model', content: [], stop_reason: null, usage: { input_tokens: 11, output_tokens: 1 } } },
      { type: 'content_block_start', index: 0, content_block: tools ? { type: 'tool_use', id: 'toolu_1', name: 'get_weather', input: {} } : { type: 'text', text: '' } }, { type: 'ping' },
      ...(tools ? pieces(JSON.stringify(args), 9).map((a) => ({ type: 'content_block_delta', index: 0, delta: { type: 'input_json_delta', partial_json: a } })) : pieces(text).map((t) => ({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: t } }))),
      { type: 'content_block_stop', index: 0 }, { type: 'message_delta', delta: { stop_reason: tools ? 'tool_use' : 'end_turn', stop_sequence: null }, usage: { output_tokens: 29 } }, { type: 'message_stop' }]),
    read: (list, r) => { for (const e of list) {
      const m = e.message ?? e;
      for (const b of m.content ?? []) { r.text += b.text ?? ''; if (b.name) { r.tool ??= b.name; r.args += JSON.stringify(b.input); } }
      r.model ??= m.model; r.text += e.delta?.text ?? ''; r.args += e.delta?.partial_json ?? ''; r.tool ??= e.content_block?.name;
      r.finish ??= m.stop_reason ?? e.delta?.stop_reason ?? undefined;
      const u = m.usage ?? e.usage; if (u) r.usage = [u.input_tokens ?? r.usage?.[0], u.output_tokens];
      if (e.type === 'error') r.error = e.error.message;
    } },
    words: { stop: 'end_turn', length: 'max_tokens' },
  },
  responses: {
    path: () => '/v1/responses',
    ask: (q) => ({ model: 'm', stream: q.stream, tools: q.tools && ['get_weather', 'get_time'].map((name) => ({ type: 'function', name })), input: [{ role: 'assistant', content: 'What I said before.' }, { role: 'user', content: q.what }] }),
    item: (text, tools) => (tools ? { type: 'function_call', id: 'fc_1', call_id: 'call_1', name: 'get_weather', arguments: JSON.stringify(args), status: 'completed' } : { type: 'message', id: 'msg_1', status: 'completed', role: 'assistant', content: [{ type: 'output_text', text, annotations: [] }] }),
    whole: (text, tools) => ({ id: 'resp_1', object: 'response', status: 'completed', incomplete_details: null, model: 'test-model', output: [apis.responses.item(text, tools)], usage: { input_tokens: 11, output_tokens: 29, total_tokens: 40 } }),
    stream: (text, tools) => {
      const item = apis.responses.item(text, tools), begun = { ...apis.responses.whole(text, tools), status: 'in_progress', output: [], usage: null };
      return sse([{ type: 'response.created', response: begun }, { type: 'response.output_item.added', output_index: 0, item: { ...item, ...(tools ? { arguments: '' } : { content: [] }), status: 'in_progress' } },
        ...(tools ? [...pieces(item.arguments, 9).map((delta) => ({ type: 'response.function_call_arguments.delta', output_index: 0, delta })), { type: 'response.function_call_arguments.done', output_index: 0, arguments: item.arguments }]
          : [{ type: 'response.content_part.added', part: { type: 'output_text', text: '', annotations: [] } }, ...pieces(text).map((delta) => ({ type: 'response.output_text.delta', delta })), { type: 'response.output_text.done', text }, { type: 'response.content_part.done', part: { type: 'output_text', text, annotations: [] } }]),
        { type: 'response.output_item.done', output_index: 0, item }, { type: 'response.completed', response: apis.responses.whole(text, tools) }]);
    },
    read: (list, r) => { const again = []; for (const e of list) {
      const w = e.response ?? e, done = e.object === 'response' || e.type === 'response.completed';
      if (/text.delta$/.test(e.type)) r.text += e.delta; if (/arguments.delta$/.test(e.type)) r.args += e.delta;
      if (e.type === 'response.output_text.done') again.push(e.text);
      r.tool ??= e.item?.name; r.model ??= w.model;
      if (done) {
        r.finish = w.status; r.details = w.incomplete_details?.reason;
        if (w.usage) r.usage = [w.usage.input_tokens, w.usage.output_tokens];
        const text = w.output.flatMap((o) => o.content ?? []).map((c) => c.text).join(''), call = w.output.find((o) => o.type === 'function_call');
        if (e.object) { r.text = text; r.args = call?.arguments ?? ''; r.tool = call?.name; } else { if (!call) again.push(text); else assert.equal(call.arguments, r.args, 'the arguments said again'); }
      }
      if (e.type === 'error') r.error = e.message;
    } for (const t of again) assert.equal(t, r.text, 'the text said again'); },
    words: { stop: 'completed', length: 'incomplete' },
  },
  gemini: {
    path: (q) => `/v1beta/models/m:${q.stream ? 'streamGenerateContent?alt=sse' : 'generateContent'}`,
    ask: (q) => ({ tools: q.tools && [{ functionDeclarations: [{ name: 'get_weather' }, { name: 'get_time' }] }], contents: [{ role: 'model', parts: [{ text: 'What I said before.' }] }, { role: 'user', parts: [{ text: q.what }] }] }),
    one: (parts, last) => ({ candidates: [{ content: { parts, role: 'model' }, ...(last ? { finishReason: 'STOP' } : {}), index: 0 }], usageMetadata: { promptTokenCount: 11, candidatesTokenCount: 29, totalTokenCount: 40 }, modelVersion: 'test-model' }),
    whole: (text, tools) => apis.gemini.one(tools ? [{ functionCall: { name: 'get_weather', args } }] : [{ text }], true),
    stream: (text, tools) => { const all = [[{ thought: true, text: 'a thought' }]].concat(tools ? [[{ functionCall: { name: 'get_weather', args } }]] : pieces(text).map((t) => [{ text: t }])); return sse(all.map((p, i) => apis.gemini.one(p, i === all.length - 1))); },
    read: (list, r) => { for (const e of list) {
      const c = e.candidates?.[0];
      for (const p of c?.content?.parts ?? []) { if (!p.thought) r.text += p.text ?? ''; if (p.functionCall) { r.tool ??= p.functionCall.name; r.args += JSON.stringify(p.functionCall.args); } }
      r.model ??= e.modelVersion; r.finish ??= c?.finishReason; if (e.usageMetadata) r.usage = [e.usageMetadata.promptTokenCount, e.usageMetadata.candidatesTokenCount];
      if (e.error) r.error = e.error.message;
    } },
    words: { stop: 'STOP', length: 'MAX_TOKENS' },
  },
  ollama: {
    path: () => '/api/chat',
    ask: (q) => ({ model: 'm', ...(q.stream ? {} : { stream: false }), tools: q.tools && ['get_weather', 'get_time'].map((name) => ({ type: 'function', function: { name } })), messages: [{ role: 'assistant', content: 'What I said before.' }, { role: 'user', content: q.what }] }),
    line: (content, done, tools) => ({ model: 'test-model', message: { role: 'assistant', content, ...(tools ? { tool_calls: [{ function: { name: 'get_weather', arguments: args } }] } : {}) }, done, ...(done ? { done_reason: 'stop', prompt_eval_count: 11, eval_count: 29 } : {}) }),
    whole: (text, tools) => apis.ollama.line(tools ? '' : text, true, tools),
    stream: (text, tools) => [...(tools ? [apis.ollama.line('', false, true)] : pieces(text).map((t) => apis.ollama.line(t, false))), apis.ollama.line('', true)].map((l) => JSON.stringify(l) + '\n').join(''),
    read: (list, r) => { for (const e of list) {
      r.text += e.message?.content ?? ''; r.model ??= e.model; r.finish ??= e.done_reason;
      for (const t of e.message?.tool_calls ?? []) { r.tool ??= t.function.name; r.args += JSON.stringify(t.function.arguments); }
      if (e.done) r.usage = [e.prompt_eval_count, e.eval_count]; if (e.error) r.error = e.error;
    } },
    words: { stop: 'stop', length: 'length' },
  },
};

// ---- the faults: what is asked, and what a reader must find; w: words of the API

const same = assert.equal;
const cut = (text, n) => Buffer.from(text).subarray(0, n).toString();
const faults = [
  ['nothing', { type: 'noop' }, 'talk', (r, g) => assert.deepEqual(r, g)],
  ['empty', { type: 'llm_empty' }, 'talk', (r, g) => { same(r.text, ''); same(r.finish, g.finish); }],
  ['nothing at all', { type: 'llm_empty', form: 'no_choices' }, 'talk', (r) => same(r.text, ''), (api, stream) => api !== 'ollama' && (!stream || /chat|gemini/.test(api))],
  ['length', { type: 'llm_length', bytes: 30 }, 'talk', (r, g, w, api) => { same(r.text, cut(talk, 30)); same(r.finish, w.length); if (api === 'responses') same(r.details, 'max_output_tokens'); }],
  ['refusal', { type: 'llm_refusal' }, 'talk', (r, g, w) => { same(r.text, "I'm sorry, but I can't help with that."); same(r.finish, w.stop); }],
  ['stale', { type: 'llm_stale' }, 'talk', (r) => same(r.text, 'What I said before.')],
  ['model', { type: 'llm_model_swap', model: 'other' }, 'talk', (r, g) => { same(r.model, 'other'); same(r.text, g.text); }],
  ['usage zero', { type: 'llm_usage' }, 'talk', (r) => assert.deepEqual(r.usage, [0, 0])],
  ['usage negative', { type: 'llm_usage', how: 'negative' }, 'talk', (r) => assert.deepEqual(r.usage, [-1, -1])],
  ['usage huge', { type: 'llm_usage', how: 'huge' }, 'talk', (r) => same(r.usage[1], 1000000000)],
  ['kernel', { type: 'kernel_corrupt', operator: 'sync_drop' }, 'kernel', (r) => { same(r.text, kernel.replace(/barrier\([^;]*\);/, ';')); }],
  ['wrong tool', { type: 'llm_tool_args', kind: 'wrong_tool' }, 'tools', (r, g) => { same(r.tool, 'get_time'); same(r.args, g.args); }],
  ['repaired arguments', { type: 'llm_tool_args', kind: 'repaired', keep: 12 }, 'tools', (r, g) => { assert.ok(JSON.parse(r.args).city.length < args.city.length, r.args); assert.notEqual(r.args, g.args); }],
  ['cut arguments', { type: 'llm_tool_args', kind: 'cut', keep: 12 }, 'tools', (r, g) => same(r.args, g.args.slice(0, 12)), (api, stream) => /chat|responses/.test(api) || (api === 'messages' && stream)],
  ['invented tool', { type: 'llm_invented_tool' }, 'tools', (r, g) => { same(r.tool, 'get_weather_v2'); same(r.args, g.args); }],
  ['wrong arguments', { type: 'llm_wrong_args' }, 'tools', (r, g) => { assert.deepEqual(JSON.parse(r.args), { ...JSON.parse(g.args), city: 'Qbsjt, Gsbodf' }); }],
  ['wrong finish', { type: 'llm_finish', reason: 'length' }, 'talk', (r, g, w) => { same(r.finish, w.length); same(r.text, g.text); }],
  ['too much text', { type: 'llm_oversize', bytes: 5000 }, 'talk', (r, g) => { same(r.text.length, g.text.length + 5000); assert.ok(r.text.endsWith(g.text)); }],
  ['slow tokens', { type: 'token_latency', latency: 1 }, 'talk', (r, g) => assert.deepEqual(r, g), (api, stream) => stream],
  ['cut before the finish', { type: 'sse_cut', at: 'before_finish' }, 'talk', (r) => same(r.finish, undefined), (api, stream) => stream],
  ['cut after the finish', { type: 'sse_cut', at: 'after_finish' }, 'talk', (r, g) => { same(r.finish, g.finish); same(r.text, g.text); }, (api, stream) => stream && /chat|messages/.test(api)],
  ['cut in the arguments', { type: 'sse_cut', at: 'tool_args' }, 'tools', (r, g) => { assert.ok(r.args.length < g.args.length / 2); same(r.finish, undefined); }, (api, stream) => stream],
  ['an error event', { type: 'sse_cut', after_events: 2, how: 'error_event' }, 'talk', (r) => assert.ok(r.error), (api, stream) => stream],
  ['kept: a refusal where a tool is called', { type: 'llm_refusal' }, 'tools', (r, g) => assert.deepEqual(r, g), (api, stream) => stream && api === 'messages'],
  ['an unknown event', { type: 'sse_mangle', how: 'unknown_event', at: 1 }, 'talk', (r, g) => { same(r.text, g.text); same(r.finish, g.finish); }, (api, stream) => stream && api !== 'ollama'],
  ['kept lines: no event in lines', { type: 'sse_mangle', how: 'unknown_event', at: 1 }, 'talk', (r, g) => assert.deepEqual(r, g), (api, stream) => stream && api === 'ollama'],
  ['429', { type: 'http_error', status: 429 }, 'talk', (r, g, w, api) => { same(r.status, 429); assert.ok(r.error, JSON.stringify(r)); const shape = { chat: ['error', 'code'], responses: ['error', 'code'], messages: ['type', 'error'], gemini: ['error', 'status'], ollama: [] }[api]; same(shape.every((k, i) => (i ? r.body.error[k] ?? r.body[k] : r.body[k])), true, JSON.stringify(r.body)); same(typeof r.body.error, api === 'ollama' ? 'string' : 'object'); const limit = { chat: ['x-ratelimit-remaining-requests', '0'], responses: ['x-ratelimit-reset-requests', '1s'], messages: ['anthropic-ratelimit-requests-remaining', '0'] }[api]; if (limit) same(r.headers[limit[0]], limit[1]); if (api === 'gemini') same(r.body.error.details[0].retryDelay, '1s'); if (api === 'messages') assert.match(r.headers['anthropic-ratelimit-requests-reset'], /^20\d\d-\d\d-\d\dT\d\d:\d\d:\d\dZ$/); }],
].map(([name, fault, what, want, fits = () => true], i) => ({ id: /^kept/.test(name) ? name.split(':')[0].replace(' ', '-') : `d${i}`, name, fault, what, want, fits }));

// ---- the three commands

const upstream = (file) => {
  const server = http.createServer((req, res) => {
    const parts = [];
    req.on('data', (p) => parts.push(p)).on('end', () => {
      const q = JSON.parse(Buffer.concat(parts).toString());
      const [name, api] = Object.entries(apis).find(([, a]) => [true, false].some((stream) => a.path({ stream }).split('?')[0] === req.url.split('?')[0]));
      const stream = name === 'gemini' ? /stream/.test(req.url) : name === 'ollama' ? q.stream !== false : Boolean(q.stream);
      const text = /kernel/.test(JSON.stringify(q.messages ?? q.input ?? q.contents)) ? kernel : talk;
      const body = Buffer.from(stream ? api.stream(text, q.tools) : JSON.stringify(api.whole(text, q.tools)));
      res.writeHead(200, { 'content-type': stream ? (name === 'ollama' ? 'application/x-ndjson' : 'text/event-stream') : 'application/json', ...(stream ? {} : { 'content-length': body.length }) });
      for (let at = 0; at < body.length; at += 37) res.write(body.subarray(at, at + 37));
      res.end();
    });
  });
  server.listen(0, '127.0.0.1', () => { fs.writeFileSync(file, `ready upstream=127.0.0.1:${server.address().port}\n`); console.log('ready upstream'); });
  process.on('SIGTERM', () => process.exit(0));
};

const scenario = (up) => console.log(JSON.stringify({ chaos: 1, name: 'dialects', seed: '5', proxies: { front: { listen: '127.0.0.1:0', upstream: `http://${up}` } },
  rules: [{ id: 'idle', match: { path: '/nowhere' }, when: { always: true }, fault: { type: 'refuse' } },
    { id: 'wrong', match: { api: 'gemini' }, when: { nth: 1 }, fault: { type: 'mcp_error' }, also: true }, ...faults.map((f) => ({ id: f.id, match: { api: '*', header: { 'x-case': f.id } }, when: { always: true }, fault: f.fault }))] }));

const converse = (at, id, name, q) => new Promise((done, fail) => {
  const api = apis[name], body = JSON.stringify(api.ask(q)), [host, port] = at.split(':');
  const r = { text: '', args: '', status: 0 };
  const req = http.request({ host, port, agent: false, method: 'POST', path: api.path(q), headers: { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body), 'x-case': id } }, (res) => {
    let raw = '';
    r.status = res.statusCode;
    if (res.statusCode !== 200) r.headers = res.headers;
    res.setEncoding('utf8').on('data', (p) => { raw += p; }).on('error', fail).on('end', () => {
      const isLines = name === 'ollama' && q.stream && res.statusCode === 200;
      try {
        const list = q.stream && !isLines && res.statusCode === 200 ? raw.split('\n\n').map((b) => /^data: (.*)$/m.exec(b)?.[1]).filter((d) => d && d !== '[DONE]').map((d) => JSON.parse(d))
          : isLines ? raw.split('\n').filter(Boolean).map((l) => JSON.parse(l)) : [JSON.parse(raw)];
        api.read(list, r);
        if (res.statusCode !== 200) r.body = list[0];
        if (list[0]?.error) r.error = list[0].error.message ?? list[0].error;
        done(r);
      } catch (e) { fail(new Error(`${e.message} in ${raw.slice(0, 400)}`)); }
    });
  });
  req.on('error', fail).end(body);
});

const wire = async (at) => {
  let bad = 0, n = 0;
  for (const name of Object.keys(apis)) for (const stream of [false, true]) for (const f of faults) {
    if (!f.fits(name, stream)) continue;
    const q = { stream, what: f.what === 'kernel' ? 'kernel' : 'talk', tools: f.what === 'tools' };
    n++;
    try {
      const g = await converse(at, 'none', name, q), r = await converse(at, f.id, name, q);
      same(g.status, 200); assert.ok(q.tools ? g.args : g.text, 'the reader reads');
      f.want(r, g, apis[name].words, name);
    } catch (e) { bad++; console.log(`not ok ${name}${stream ? ', streamed' : ''}, ${f.name}: ${e.message.slice(0, 500)}`); }
  }
  console.log(`${n - bad} of ${n} faults are in their API what they should be`);
  return bad ? 1 : 0;
};

// The stand-in talks, and calls a tool that it is offered, in every API.
const standin = async (at) => {
  for (const name of Object.keys(apis)) for (const stream of [false, true]) for (const tools of [false, true]) {
    const r = await converse(at, 'none', name, { stream, what: 'talk', tools }), what = `${name} ${stream} ${tools}: ${JSON.stringify(r)}`;
    same(r.status, 200, what);
    same(r.error, undefined, what);
    assert.ok(r.finish && r.model && (name === 'chat' && stream ? !r.usage : r.usage.every((n) => n > 0)), what);
    if (tools) { same(r.tool, 'get_weather', what); assert.deepEqual(JSON.parse(r.args), {}, what); } else assert.match(r.text, /^Here is what I found.*ends with this sentence\.$/, what);
  }
  console.log('the stand-in speaks every API');
};

// ---- the official clients: what their callers see, in the readers' words

const sdks = {
  chat: async (at, headers, q) => {
    const { default: OpenAI } = await import('openai');
    const client = new OpenAI({ baseURL: `http://${at}/v1`, apiKey: 'none', maxRetries: 0, defaultHeaders: headers }), r = { text: '', args: '' };
    const take = (c, m) => { r.text += m?.content ?? ''; for (const t of m?.tool_calls ?? []) { r.tool ??= t.function.name; r.args += t.function.arguments; } r.finish ??= c?.finish_reason ?? undefined; };
    const body = { ...apis.chat.ask(q), ...(q.stream && { stream_options: { include_usage: true } }) };
    const answer = await client.chat.completions.create(body);
    for await (const e of q.stream ? answer : [answer]) { const c = e.choices?.[0]; if (!c?.index) take(c, c?.delta ?? c?.message); r.model ??= e.model; if (e.usage) r.usage = [e.usage.prompt_tokens, e.usage.completion_tokens]; }
    return r;
  },
  responses: async (at, headers, q) => {
    const { default: OpenAI } = await import('openai');
    const client = new OpenAI({ baseURL: `http://${at}/v1`, apiKey: 'none', maxRetries: 0, defaultHeaders: headers }), r = { text: '', args: '' };
    const list = [], answer = await client.responses.create(apis.responses.ask(q));
    if (q.stream) for await (const e of answer) list.push(e); else list.push(answer);
    apis.responses.read(list, r);
    return r;
  },
  messages: async (at, headers, q) => {
    const { default: Anthropic } = await import('@anthropic-ai/sdk');
    const client = new Anthropic({ baseURL: `http://${at}`, apiKey: 'none', maxRetries: 0, defaultHeaders: headers }), { stream, ...body } = apis.messages.ask(q);
    const m = stream ? await client.messages.stream(body).finalMessage() : await client.messages.create(body), r = { text: '', args: '' };
    apis.messages.read([m], r);
    return r;
  },
  gemini: async (at, headers, q) => {
    const { GoogleGenAI } = await import('@google/genai');
    const ai = new GoogleGenAI({ apiKey: 'none', httpOptions: { baseUrl: `http://${at}`, headers, retryOptions: { attempts: 1 } } }), { contents, tools } = apis.gemini.ask(q), ask = { model: 'm', contents, config: tools ? { tools } : {} };
    const list = [], r = { text: '', args: '' };
    if (q.stream) for await (const e of await ai.models.generateContentStream(ask)) list.push(e); else list.push(await ai.models.generateContent(ask));
    apis.gemini.read(list, r);
    return r;
  },
  ollama: async (at, headers, q) => {
    const { Ollama } = await import('ollama');
    const client = new Ollama({ host: `http://${at}`, headers }), body = { ...apis.ollama.ask(q), stream: q.stream }, list = [], r = { text: '', args: '' };
    const answer = await client.chat(body);
    if (q.stream) for await (const e of answer) list.push(e); else list.push(answer);
    apis.ollama.read(list, r);
    return r;
  },
};

// What is not whole may be refused by a client; what is whole and wrong it cannot know.
const mayThrow = /^(cut|an error|429|nothing at all|an unknown event|empty|invalid|repaired)/;

const bySdks = async (at, isTable) => {
  let bad = 0, n = 0, threw = 0;
  const table = new Map(faults.map((f) => [f.name, {}]));
  for (const name of Object.keys(apis)) for (const stream of [false, true]) for (const f of faults) {
    if (!f.fits(name, stream) || /^usage/.test(f.name)) continue; // each client has its own idea of usage
    const q = { stream, what: f.what === 'kernel' ? 'kernel' : 'talk', tools: f.what === 'tools' };
    n++;
    const cell = (table.get(f.name)[name] ??= []), row = stream ? 'streamed' : 'whole';
    try {
      const g = await sdks[name](at, { 'x-case': 'none' }, q);
      assert.ok(q.tools ? g.args : g.text, 'the client reads a good answer');
      let r;
      try { r = await sdks[name](at, { 'x-case': f.id }, q); } catch (e) { if (!mayThrow.test(f.name)) throw new Error(`threw ${e.name}: ${e.message}`); threw++; cell.push([row, 'throws']); continue; }
      assert.notEqual(f.name, '429', 'an error must not be handed over as an answer');
      // A client may mend what was cut (Anthropic's makes {} of it); whole it cannot be.
      if (f.name === 'cut arguments') assert.notEqual(r.args, g.args); else f.want(r, g, apis[name].words, name);
      cell.push([row, 'seen']);
    } catch (e) { bad++; cell.push([row, 'WRONG']); console.log(`not ok ${name}${stream ? ', streamed' : ''}, ${f.name}: ${e.message.slice(0, 500)}`); }
  }
  const said = (cell) => (!cell ? '-' : cell.length === 2 && cell[0][1] === cell[1][1] ? cell[0][1] : cell.map(([row, what]) => `${row}: ${what}`).join(', '));
  if (isTable) console.log([['fault', ...Object.keys(apis)], Array(1 + Object.keys(apis).length).fill('---'), ...[...table].filter(([, cells]) => Object.keys(cells).length).map(([name, cells]) => [name, ...Object.keys(apis).map((a) => said(cells[a]))])].map((l) => `| ${l.join(' | ')} |`).join('\n'));
  console.log(`${n - bad} of ${n} faults reach the callers of the official clients as they should; ${threw} times the client threw`);
  return bad ? 1 : 0;
};

const [command, arg, file] = process.argv.slice(2);
if (command === 'upstream') upstream(file);
else if (command === 'scenario') scenario(arg);
else if (command === 'sdks') process.exit(await bySdks(arg, file === 'table'));
else if (command === 'standin') await standin(arg);
else process.exit(await wire(arg));
