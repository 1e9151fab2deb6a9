// sdks.mjs: both official SDKs through the gateway, streamed with tools, under
// every fault of the catalogue.
//
//   sdks.mjs upstream --ready-file FILE   speaks chat, messages, responses, embeddings
//   sdks.mjs scenario HOST:PORT           a rule a fault, for the first target, asked for by x-case
//   sdks.mjs faults                       their names, for sdks.py
//   sdks.mjs calls GATEWAY_URL            each call of each SDK once, whole and streamed
//   sdks.mjs translated GATEWAY_URL       chat's SDK asks a target of messages, and the other way round
//   sdks.mjs table GATEWAY_URL            one fault a row, one API a column; exits 1 when one was short in silence
import http from 'node:http';
import fs from 'node:fs';
import zlib from 'node:zlib';
import assert from 'node:assert/strict';
import OpenAI from 'openai';
import Anthropic from '@anthropic-ai/sdk';

const TALK = 'Let me look that up in the almanac before I call anything at all.';
const ARGS = JSON.stringify({ city: 'Paris, France', unit: 'celsius' });
const WHOLE = `${TALK}|get_weather|${ARGS}`;
const pieces = (s) => s.match(/[^]{1,6}/g);
const event = (e) => `event: ${e.type}\ndata: ${JSON.stringify(e)}\n\n`;

// ---- the upstream

const chat = {
  whole: (model) => ({ id: 'chatcmpl-1', object: 'chat.completion', created: 1, model, choices: [{ index: 0, message: { role: 'assistant', content: TALK, tool_calls: [{ id: 'call_1', type: 'function', function: { name: 'get_weather', arguments: ARGS } }] }, finish_reason: 'tool_calls' }], usage: { prompt_tokens: 11, completion_tokens: 29, total_tokens: 40 } }),
  stream: (model) => {
    const chunk = (delta, finish_reason = null) => `data: ${JSON.stringify({ id: 'chatcmpl-1', object: 'chat.completion.chunk', created: 1, model, choices: [{ index: 0, delta, finish_reason }] })}\n\n`;
    return [chunk({ role: 'assistant', content: '' }), ...pieces(TALK).map((content) => chunk({ content })),
      chunk({ tool_calls: [{ index: 0, id: 'call_1', type: 'function', function: { name: 'get_weather', arguments: '' } }] }),
      ...pieces(ARGS).map((a) => chunk({ tool_calls: [{ index: 0, function: { arguments: a } }] })), chunk({}, 'tool_calls'),
      `data: ${JSON.stringify({ id: 'chatcmpl-1', object: 'chat.completion.chunk', created: 1, model, choices: [], usage: { prompt_tokens: 11, completion_tokens: 29, total_tokens: 40 } })}\n\n`, 'data: [DONE]\n\n'];
  },
};
const messages = {
  whole: (model) => ({ id: 'msg_1', type: 'message', role: 'assistant', model, content: [{ type: 'text', text: TALK }, { type: 'tool_use', id: 'toolu_1', name: 'get_weather', input: JSON.parse(ARGS) }], stop_reason: 'tool_use', stop_sequence: null, usage: { input_tokens: 7, cache_read_input_tokens: 4, output_tokens: 29 } }),
  stream: (model) => [
    { type: 'message_start', message: { ...messages.whole(model), content: [], stop_reason: null, usage: { input_tokens: 7, cache_read_input_tokens: 4, output_tokens: 1 } } },
    { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } }, { type: 'ping' },
    ...pieces(TALK).map((text) => ({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text } })), { type: 'content_block_stop', index: 0 },
    { type: 'content_block_start', index: 1, content_block: { type: 'tool_use', id: 'toolu_1', name: 'get_weather', input: {} } },
    ...pieces(ARGS).map((partial_json) => ({ type: 'content_block_delta', index: 1, delta: { type: 'input_json_delta', partial_json } })), { type: 'content_block_stop', index: 1 },
    { type: 'message_delta', delta: { stop_reason: 'tool_use', stop_sequence: null }, usage: { output_tokens: 29 } }, { type: 'message_stop' }].map(event),
};
const responses = {
  said: (text, status) => ({ type: 'message', id: 'msg_1', status, role: 'assistant', content: text ? [{ type: 'output_text', text, annotations: [] }] : [] }),
  called: (args, status) => ({ type: 'function_call', id: 'fc_1', call_id: 'call_1', name: 'get_weather', arguments: args, status }),
  whole: (model, status = 'completed', output = [responses.said(TALK, 'completed'), responses.called(ARGS, 'completed')]) => ({ id: 'resp_1', object: 'response', created_at: 1, model, status, error: null, incomplete_details: null, instructions: null, metadata: {}, output, parallel_tool_calls: true, temperature: 1, tool_choice: 'auto', tools: [], top_p: 1, usage: status === 'completed' ? { input_tokens: 11, input_tokens_details: { cached_tokens: 4 }, output_tokens: 29, output_tokens_details: { reasoning_tokens: 0 }, total_tokens: 40 } : null }),
  stream: (model) => [
    { type: 'response.created', response: responses.whole(model, 'in_progress', []) },
    { type: 'response.output_item.added', output_index: 0, item: responses.said('', 'in_progress') },
    { type: 'response.content_part.added', output_index: 0, content_index: 0, item_id: 'msg_1', part: { type: 'output_text', text: '', annotations: [] } },
    ...pieces(TALK).map((delta) => ({ type: 'response.output_text.delta', output_index: 0, content_index: 0, item_id: 'msg_1', delta })),
    { type: 'response.output_item.done', output_index: 0, item: responses.said(TALK, 'completed') },
    { type: 'response.output_item.added', output_index: 1, item: responses.called('', 'in_progress') },
    ...pieces(ARGS).map((delta) => ({ type: 'response.function_call_arguments.delta', output_index: 1, item_id: 'fc_1', delta })),
    { type: 'response.output_item.done', output_index: 1, item: responses.called(ARGS, 'completed') },
    { type: 'response.completed', response: responses.whole(model) }].map((e, sequence_number) => event({ ...e, sequence_number })),
};
const embeddings = { whole: (model) => ({ object: 'list', model, data: [{ object: 'embedding', index: 0, embedding: [0.25, -1] }], usage: { prompt_tokens: 11, total_tokens: 11 } }) };
const paths = { '/v1/chat/completions': chat, '/v1/messages': messages, '/v1/responses': responses, '/v1/embeddings': embeddings };

function upstream(file) {
  const server = http.createServer((req, res) => {
    let text = '';
    req.on('data', (p) => { text += p; }).on('end', () => {
      const q = JSON.parse(text), api = paths[req.url.split('?')[0]];
      // Where each API wants its key; and what is said in the wrong API's words is a mistake.
      const key = api === messages ? req.headers['x-api-key'] : req.headers.authorization?.slice(7);
      const odd = api === messages ? !q.max_tokens || !req.headers['anthropic-version'] || /"role":"(system|tool)"|tool_calls/.test(text) : api === chat && (req.headers['anthropic-version'] && q.model === 'x' || /tool_use|tool_result|input_schema/.test(text));
      if (odd || q.model === 'refused') {
        const error = odd ? { type: 'invalid_request_error', message: `odd: ${text}` } : { type: 'authentication_error', message: 'who are you' };
        res.writeHead(odd ? 400 : 401, { 'content-type': 'application/json' });
        return res.end(JSON.stringify(api === messages ? { type: 'error', error } : { error: { ...error, param: null, code: null } }));
      }
      // Some compress though nobody asked them to.
      const out = q.model === 'zipped' ? zlib.createGzip({ flush: zlib.constants.Z_SYNC_FLUSH }) : res;
      if (out !== res) { out.pipe(res); res.setHeader('content-encoding', 'gzip'); }
      res.writeHead(key === 'sk-up' ? 200 : 401, { 'content-type': q.stream ? 'text/event-stream' : 'application/json', 'x-ratelimit-remaining-requests': '41', 'openai-processing-ms': '7' });
      if (q.stream) for (const e of api.stream(q.model)) out.write(e);
      else out.write(JSON.stringify(api.whole(q.model)));
      out.end();
    });
  });
  server.listen(0, '127.0.0.1', () => { fs.writeFileSync(file, `ready upstream=127.0.0.1:${server.address().port}\n`); console.log('ready upstream'); });
  process.on('SIGTERM', () => process.exit(0));
}

// ---- the faults, and which of them no gateway can see: what a model says

const faults = [
  ['nothing', { type: 'noop' }],
  ['connection refused', { type: 'refuse' }],
  ['closed without an answer', { type: 'empty_reply' }],
  ['reset', { type: 'reset_peer', timeout: 0 }],
  ['no answer, then closed', { type: 'timeout', timeout: 80 }],
  ['silent before headers', { type: 'header_stall' }],
  ['swallowed', { type: 'blackhole' }],
  ['not HTTP', { type: 'garbage' }],
  ['429', { type: 'http_error', status: 429 }],
  ['500', { type: 'http_error', status: 500 }],
  ['503', { type: 'http_error', status: 503 }],
  ['529', { type: 'http_error', status: 529 }],
  ['a Retry-After that lies', { type: 'retry_lie' }],
  ['a quota used up', { type: 'quota', requests: 1 }],
  ['HTML under 200', { type: 'body', html: true }],
  ['truncated body', { type: 'body', truncate: 300 }],
  ['keep-alives only', { type: 'keepalive_only', ms: 100 }],
  ['first token late', { type: 'ttft', ms: 60000 }],
  ['latency', { type: 'latency', latency: 50 }],
  ['bandwidth', { type: 'bandwidth', rate: 100 }],
  ['drip', { type: 'drip', bytes: 400, ms: 1 }],
  ['slicer', { type: 'slicer', average_size: 50, size_variation: 10, delay: 1000 }],
  ['slow close', { type: 'slow_close', delay: 150 }],
  ['linger', { type: 'linger', ms: 200 }],
  ['cut after 1,000 bytes', { type: 'limit_data', bytes: 1000 }],
  ['cut cleanly after 5 events', { type: 'sse_cut', after_events: 5, how: 'clean' }],
  ['reset after 5 events', { type: 'sse_cut', after_events: 5, how: 'rst' }],
  ['error as the first event', { type: 'sse_cut', after_events: 0, how: 'error_event' }],
  ['error after 5 events', { type: 'sse_cut', after_events: 5, how: 'error_event' }],
  ['cut before the finish', { type: 'sse_cut', at: 'before_finish' }],
  ['cut in the arguments', { type: 'sse_cut', at: 'tool_args' }],
  ['stalled after 5 events', { type: 'stall', after_events: 5 }],
  ['an event that is no JSON', { type: 'sse_mangle', how: 'bad_json', at: 5 }],
  ['line ends of CR LF', { type: 'sse_mangle', how: 'crlf', at: 3 }],
  ['an event of another name', { type: 'sse_mangle', how: 'unknown_event', at: 3 }],
  ['an event of 2 MB', { type: 'sse_mangle', how: 'oversize', at: 3, bytes: 2000000 }],
  ['two events without a line between', { type: 'sse_mangle', how: 'no_blank', at: 5 }],
  ['an event twice', { type: 'sse_mangle', how: 'dup', at: 5 }, true],
  ['an event left out', { type: 'sse_mangle', how: 'drop', at: 5 }, true],
  ['two events swapped', { type: 'sse_mangle', how: 'swap', at: 5 }, true],
  ['gzip that ends early', { type: 'body', gzip_broken: 'cut' }],
  ['gzip with a wrong sum', { type: 'body', gzip_broken: 'crc' }],
  ['gzip that is none', { type: 'body', gzip_broken: 'plain' }],
  ['a wrong type of content', { type: 'body', content_type: 'text/plain' }],
  ['times that were recorded', { type: 'latency_recorded', samples: [50, 80] }],
  ['a call id twice', { type: 'llm_tool_args', kind: 'dup_id' }, true],
  ['arguments that are no JSON', { type: 'llm_tool_args', kind: 'invalid' }, true],
  ['no text, only the call', { type: 'llm_empty' }, true],
  ['ended by length', { type: 'llm_length', bytes: 30 }, true],
  ['refusal', { type: 'llm_refusal' }, true],
  ['stale answer', { type: 'llm_stale' }, true],
  ['other model named', { type: 'llm_model_swap', model: 'other' }, true],
  ['usage wrong', { type: 'llm_usage', how: 'huge' }, true],
  ['wrong tool', { type: 'llm_tool_args', kind: 'wrong_tool' }, true],
  ['arguments cut', { type: 'llm_tool_args', kind: 'cut', keep: 12 }, true],
  ['arguments repaired', { type: 'llm_tool_args', kind: 'repaired', keep: 12 }, true],
  ['wrong arguments', { type: 'llm_wrong_args' }, true],
  ['invented tool', { type: 'llm_invented_tool' }, true],
  ['wrong finish', { type: 'llm_finish', reason: 'length' }, true],
  ['too much text', { type: 'llm_oversize', bytes: 5000 }, true],
  ['slow tokens', { type: 'token_latency', latency: 5 }],
].map(([name, fault, isSaid = false], i) => ({ id: `f${i}`, name, fault, isSaid }));

const scenario = (up) => console.log(JSON.stringify({ chaos: 1, name: 'sdks', seed: '7', identity: { key: ['header:x-case'] },
  proxies: { front: { listen: '127.0.0.1:0', upstream: `http://${up}` } },
  rules: faults.map((f) => ({ id: f.id, match: { api: '*', model: 'weak', header: { 'x-case': f.id } }, when: { always: true }, fault: f.fault, also: true })) }));

// ---- the SDKs

const openai = (url) => new OpenAI({ baseURL: `${url}/v1`, apiKey: 'local', timeout: 20000, maxRetries: 0 });
const anthropic = (url) => new Anthropic({ baseURL: url, apiKey: 'local', timeout: 20000, maxRetries: 0 });
const parameters = { type: 'object', properties: { city: { type: 'string' } } };
const question = 'What is the weather in Paris?';
const asks = {
  chat: { messages: [{ role: 'assistant', content: 'What I said before.' }, { role: 'user', content: question }], tools: ['get_weather', 'get_time'].map((name) => ({ type: 'function', function: { name, parameters } })) },
  messages: { max_tokens: 500, messages: [{ role: 'user', content: 'hi' }, { role: 'assistant', content: 'What I said before.' }, { role: 'user', content: question }], tools: ['get_weather', 'get_time'].map((name) => ({ name, input_schema: parameters })) },
  responses: { input: [{ role: 'assistant', content: 'What I said before.' }, { role: 'user', content: question }], tools: ['get_weather', 'get_time'].map((name) => ({ type: 'function', name, parameters, strict: false })) },
};

// Read as somebody reads who trusts the stream: what was said, and nothing checked.
const readers = {
  chat: async (url, ask, options) => {
    const r = { text: '', tool: '', args: '' };
    for await (const c of await openai(url).chat.completions.create({ ...ask, stream: true }, options)) {
      const d = c.choices[0]?.delta;
      r.text += d?.content ?? '';
      for (const t of d?.tool_calls ?? []) { r.tool += t.function.name ?? ''; r.args += t.function.arguments ?? ''; }
    }
    return r;
  },
  messages: async (url, ask, options) => {
    const r = { text: '', tool: '', args: '' };
    for await (const e of await anthropic(url).messages.create({ ...ask, stream: true }, options)) {
      r.tool += e.content_block?.name ?? '';
      r.text += e.delta?.text ?? '';
      r.args += e.delta?.partial_json ?? '';
    }
    return r;
  },
  responses: async (url, ask, options) => {
    const r = { text: '', tool: '', args: '' };
    for await (const e of await openai(url).responses.create({ ...ask, stream: true }, options)) {
      if (e.type === 'response.output_item.added') r.tool += e.item.name ?? '';
      if (e.type === 'response.output_text.delta') r.text += e.delta;
      if (e.type === 'response.function_call_arguments.delta') r.args += e.delta;
    }
    return r;
  },
};

async function live(url, api, model, fault) {
  try {
    const r = await readers[api](url, { ...asks[api], model }, { headers: { 'x-case': fault.id } });
    if (`${r.text}|${r.tool}|${r.args}` === WHOLE) return 'whole';
    return fault.isSaid ? 'as said' : `SHORT ${r.text.length}+${r.args.length}`;
  } catch (e) {
    return `told ${e.status ?? e.error?.error?.code ?? e.code ?? e.error?.code ?? e.constructor.name}`;
  }
}

async function table(url) {
  // The last ones: what the client speaks is not what the targets do.
  const columns = [...Object.keys(asks).flatMap((api) => [[api, 'alone', api], [api, 'backed', `${api}, 2 targets`]]),
    ...['chat', 'messages'].flatMap((api) => [[api, `x-${api}-alone`, `${api} as ${api === 'chat' ? 'messages' : 'chat'}`], [api, `x-${api}-backed`, 'the same, 2 targets']])];
  const line = (cells) => console.log(`| ${cells.join(' | ')} |`);
  let short = 0;
  line(['fault', ...columns.map((c) => c[2])]);
  line(['---', ...columns.map(() => '---')]);
  const rows = [];
  let next = 0;
  const worker = async () => { // a few at a time, so that a slow machine is not the fault
    for (let i = next++; i < faults.length; i = next++) rows[i] = await Promise.all(columns.map(([api, model]) => live(url, api, model, faults[i])));
  };
  await Promise.all(Array.from({ length: 4 }, worker));
  faults.forEach((f, i) => {
    line([f.name, ...rows[i]]);
    short += rows[i].filter((c) => /SHORT/.test(c)).length;
    // What a status says, somebody else is asked for.
    if (f.fault.type === 'http_error') assert.deepEqual(rows[i].filter((c, k) => k % 2), Array(columns.length / 2).fill('whole'), f.name);
  });
  console.log(`\n${faults.length} faults in ${columns.length} columns: ${short} short in silence`);
  return short ? 1 : 0;
}

async function calls(url) {
  const o = openai(url), a = anthropic(url), model = 'good';
  const whole = (text, tool, args) => assert.equal(`${text}|${tool}|${args}`, WHOLE);
  const c = await o.chat.completions.create({ ...asks.chat, model });
  whole(c.choices[0].message.content, c.choices[0].message.tool_calls[0].function.name, c.choices[0].message.tool_calls[0].function.arguments);
  const m = await a.messages.create({ ...asks.messages, model });
  whole(m.content[0].text, m.content[1].name, JSON.stringify(m.content[1].input));
  const r = await o.responses.create({ ...asks.responses, model });
  whole(r.output_text, r.output[1].name, r.output[1].arguments);
  for (const api of Object.keys(asks)) {
    const z = await readers[api](url, { ...asks[api], model: 'up/zipped' }, {});
    whole(z.text, z.tool, z.args);
  }
  const z = await o.chat.completions.create({ ...asks.chat, model: 'up/zipped' });
  assert.equal(z.choices[0].message.content, TALK);
  // The helpers check that a stream is whole.
  const ms = await a.messages.stream({ ...asks.messages, model }).finalMessage();
  whole(ms.content[0].text, ms.content[1].name, JSON.stringify(ms.content[1].input));
  assert.deepEqual([ms.stop_reason, ms.usage.output_tokens], ['tool_use', 29]);
  const rs = await o.responses.stream({ ...asks.responses, model }).finalResponse();
  whole(rs.output_text, rs.output[1].name, rs.output[1].arguments);
  const cs = await o.chat.completions.stream({ ...asks.chat, model }).finalChatCompletion();
  whole(cs.choices[0].message.content, cs.choices[0].message.tool_calls[0].function.name, cs.choices[0].message.tool_calls[0].function.arguments);
  const e = await o.embeddings.create({ model, input: 'x', encoding_format: 'float' }).withResponse();
  assert.deepEqual(e.data.data[0].embedding, [0.25, -1]);
  assert.equal(e.response.headers.get('x-ratelimit-remaining-requests'), '41');
  assert.equal(e.response.headers.get('openai-processing-ms'), '7');
  // Models, listed and one by one, by both.
  assert.equal((await o.models.retrieve('up/weak')).id, 'up/weak');
  assert.equal((await a.models.retrieve('good')).id, 'good');
  assert.ok((await a.models.list()).data.some((x) => x.id === 'good'));
  await assert.rejects(o.models.retrieve('nobody'), OpenAI.NotFoundError);
  // Errors of the gateway's own are what each SDK raises by its class.
  await assert.rejects(a.messages.create({ ...asks.messages, model: '' }), (x) => x instanceof Anthropic.BadRequestError && x.error.type === 'error' && x.error.error.type === 'invalid_request_error');
  await assert.rejects(o.responses.create({ ...asks.responses, model: '' }), (x) => x instanceof OpenAI.BadRequestError && x.code === 'invalid_model');
  await assert.rejects(a.messages.create({ ...asks.messages, model: 'speechless' }), Anthropic.NotFoundError);
  console.log('every call is what it should be');
  return 0;
}

async function translated(url) {
  const o = openai(url), a = anthropic(url), image = { type: 'image_url', image_url: { url: 'data:image/png;base64,AA==' } };
  const chatted = { ...asks.chat, model: 'x-chat', max_tokens: 77, stop: ['END'], tool_choice: 'auto',
    messages: [{ role: 'system', content: 'Be brief.' }, { role: 'user', content: [{ type: 'text', text: 'q' }, image] },
      { role: 'assistant', content: null, tool_calls: [{ id: 'call_0', type: 'function', function: { name: 'get_time', arguments: '{"city":"Rome"}' } }] },
      { role: 'tool', tool_call_id: 'call_0', content: '12:00' }] };
  const messaged = { ...asks.messages, model: 'x-messages', system: 'Be brief.', stop_sequences: ['END'], tool_choice: { type: 'auto' },
    messages: [{ role: 'user', content: [{ type: 'text', text: 'q' }, { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AA==' } }] },
      { role: 'assistant', content: [{ type: 'tool_use', id: 'toolu_0', name: 'get_time', input: { city: 'Rome' } }] },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'toolu_0', content: '12:00' }] }] };
  const said = (m) => [m.content, m.tool_calls[0].id, m.tool_calls[0].function.name, JSON.parse(m.tool_calls[0].function.arguments)];
  const held = (m) => [m.content[0].text, m.content[1].id, m.content[1].name, m.content[1].input];
  const c = await o.chat.completions.create(chatted), cs = await o.chat.completions.stream({ ...chatted, stream_options: { include_usage: true } }).finalChatCompletion();
  for (const x of [c, cs]) {
    assert.deepEqual(said(x.choices[0].message), [TALK, 'toolu_1', 'get_weather', JSON.parse(ARGS)]);
    assert.deepEqual([x.id, x.choices[0].finish_reason, x.usage.prompt_tokens, x.usage.completion_tokens, x.usage.prompt_tokens_details.cached_tokens], ['msg_1', 'tool_calls', 11, 29, 4]);
  }
  const m = await a.messages.create(messaged), ms = await a.messages.stream(messaged).finalMessage();
  for (const x of [m, ms]) {
    assert.deepEqual(held(x), [TALK, 'call_1', 'get_weather', JSON.parse(ARGS)]);
    assert.deepEqual([x.id, x.stop_reason, x.usage.input_tokens, x.usage.output_tokens], ['chatcmpl-1', 'tool_use', 11, 29]);
  }
  // Errors come in the client's own words, and what cannot be said is refused by its name.
  await assert.rejects(o.chat.completions.create({ ...chatted, model: 'x-chat-refused' }), (x) => x instanceof OpenAI.AuthenticationError && x.error.message === 'who are you' && x.error.param === null);
  await assert.rejects(a.messages.create({ ...messaged, model: 'x-messages-refused' }), (x) => x instanceof Anthropic.AuthenticationError && x.error.type === 'error' && x.error.error.message === 'who are you');
  await assert.rejects(o.chat.completions.create({ ...chatted, seed: 1 }), (x) => x instanceof OpenAI.BadRequestError && x.code === 'untranslatable' && /seed/.test(x.message));
  await assert.rejects(a.messages.create({ ...messaged, top_k: 4 }), (x) => x instanceof Anthropic.BadRequestError && /top_k/.test(x.message));
  // A target that speaks the API itself is asked then.
  const n = await a.messages.create({ ...messaged, model: 'x-messages-backed', top_k: 4 });
  assert.equal(n.id, 'msg_1');
  console.log('translated both ways');
  return 0;
}

const [what, ...rest] = process.argv.slice(2);
if (what === 'upstream') upstream(rest[rest.indexOf('--ready-file') + 1]);
else if (what === 'scenario') scenario(rest[0]);
else if (what === 'faults') console.log(JSON.stringify(faults.map(({ id, name, isSaid }) => ({ id, name, isSaid }))));
else process.exitCode = await { calls, table, translated }[what](rest[0]);
