// The catalogue of faults, each shown twice:
//
//   faults.mjs scenario URL       the scenario: a rule a row, asked for by the header x-case
//   faults.mjs wire HOST:PORT     each row's raw bytes, checked against the upstream's own
//   faults.mjs table HOST:PORT    what npm's openai makes of each, as a Markdown table
//   faults.mjs types              the types that both of these show, a line each
//
// A row: its name, the fault, what is asked (plain, chunked, stream, tools,
// tools-stream, kernel, kernel-stream, mcp, mcp-stream), and what must be on the wire.  w is what
// came: {head, status, body, whole, end, ms, text, events, chunks}; g is the same
// without the fault.
import net from 'node:net';
import assert from 'node:assert/strict';

const same = (a, b) => assert.equal(a, b);
const text = (b) => b.toString('utf8');
const contentOf = (w) => w.events
  ? w.events.map((e) => json(e)?.choices?.[0]?.delta?.content ?? '').join('')
  : JSON.parse(w.text).choices[0].message.content;
const json = (event) => {
  const data = /^data: (.*)$/m.exec(event)?.[1];
  try { return JSON.parse(data); } catch { return undefined; }
};
const argsOf = (w, i = 0) => w.events
  ? w.events.flatMap((e) => json(e)?.choices?.[0]?.delta?.tool_calls ?? []).filter((c) => c.index === i).map((c) => c.function?.arguments ?? '').join('')
  : JSON.parse(w.text).choices[0].message.tool_calls[i].function.arguments;
const callsOf = (w) => w.events
  ? w.events.flatMap((e) => json(e)?.choices?.[0]?.delta?.tool_calls ?? []).filter((c) => c.id)
  : JSON.parse(w.text).choices[0].message.tool_calls;
const finishOf = (w) => w.events
  ? w.events.map((e) => json(e)?.choices?.[0]?.finish_reason).find(Boolean)
  : JSON.parse(w.text).choices[0].finish_reason;
const prefix = (w, g, n) => same(w.body.toString('latin1'), g.body.subarray(0, n).toString('latin1'));
const dataEvents = (w) => w.events.filter((e) => /^data/m.test(e));
const error = (status, more = () => {}) => (w) => { same(w.status, status); assert.ok(JSON.parse(w.text).error.message); more(w); };
const cutEvents = (n, end, whole) => (w, g) => {
  prefix(w, g, Buffer.byteLength(g.events.slice(0, n).join('')));
  same(w.end, end); same(w.whole, whole);
};

// Node reports a reset as an end when data came with it; curl's exit code 56
// in chaos-cuts-a-stream-exactly-where-it-says.sh tells them apart.
const torn = (w) => assert.notEqual(w.end, 'open');

const lost = (end, ms) => (w) => { same(w.raw.length, 0); same(w.end, end); assert.ok(w.ms >= ms - 1, `${w.ms} ms`); };
const late = (ms) => (w, g) => { same(w.text, g.text); same(w.whole, true); assert.ok(w.ms >= ms - 1, `${w.ms} ms`); };
const lied = (w, g) => {
  const [before, after] = [contentOf(g), contentOf(w)];
  same(after, before.replace(/barrier\([^;]*\);/, ';')); assert.notEqual(after, before); same(finishOf(w), finishOf(g));
};

const rows = [
  ['bandwidth', { type: 'bandwidth', rate: 2 }, 'plain', (w, g) => late(w.raw.length / 2)(w, g)],
  ['blackhole', { type: 'blackhole' }, 'plain', lost('open', 0), { stays: true }],
  ['latency', { type: 'latency', latency: 250, jitter: 50 }, 'stream', late(200)],
  ['limit_data', { type: 'limit_data', bytes: 300 }, 'plain', (w) => { same(w.raw.length, 300); same(w.end, 'fin'); same(w.whole, false); }],
  ['limit_data, a stream', { type: 'limit_data', bytes: 1000 }, 'stream', (w) => { same(w.raw.length, 1000); same(w.end, 'fin'); same(w.whole, false); }],
  ['noop', { type: 'noop' }, 'plain', late(0)],
  ['refuse', { type: 'refuse' }, 'plain', lost('rst', 0)],
  ['reset_peer', { type: 'reset_peer', timeout: 100 }, 'plain', lost('rst', 100)],
  ['slicer', { type: 'slicer', average_size: 40, size_variation: 10, delay: 5000 }, 'plain', (w, g) => late((w.raw.length / 50 - 1) * 5)(w, g)],
  ['slicer, a stream', { type: 'slicer', average_size: 7, size_variation: 3, delay: 100 }, 'stream', late(20)],
  ['slow_close', { type: 'slow_close', delay: 250 }, 'plain', late(250)],
  ['timeout', { type: 'timeout', timeout: 150 }, 'plain', lost('fin', 150)],
  ['timeout 0', { type: 'timeout' }, 'stream', lost('open', 0), { stays: true }],
  ['http_error 429', { type: 'http_error', status: 429, retry_after: '1' }, 'plain', error(429, (w) => assert.match(w.head, /^retry-after: 1$/mi))],
  ['http_error 503', { type: 'http_error', status: 503, provider: 'deepseek' }, 'stream', error(503)],
  ['http_error 529', { type: 'http_error', status: 529, provider: 'anthropic' }, 'plain', (w) => { same(w.status, 529); same(JSON.parse(w.text).error.type, 'overloaded_error'); }],
  ['http_error 401', { type: 'http_error', status: 401 }, 'plain', error(401)],
  ['http_error 502, a page', { type: 'http_error', status: 502, provider: 'cdn' }, 'plain', (w) => { same(w.status, 502); assert.match(w.head, /^content-type: text\/html$/mi); assert.match(w.text, /<h1>502 Bad Gateway/); }],
  ['quota, used up', { type: 'quota', tokens: 1 }, 'plain', error(429, (w) => same(JSON.parse(w.text).error.code, 'insufficient_quota'))],
  ['quota, per minute', { type: 'quota', tokens: 1, window_ms: 60000 }, 'plain', error(429, (w) => assert.match(w.head, /^retry-after-ms: (6000|5\d\d\d)\d$/mi)), { retries: 0 }],
  ['retry_lie', [{ type: 'http_error', status: 503 }, { type: 'retry_lie' }], 'plain', error(503, (w) => { assert.match(w.head, /^x-should-retry: false$/mi); assert.match(w.head, /^retry-after: 86400$/mi); })],
  ['header_stall', { type: 'header_stall', bytes: 20 }, 'plain', (w) => { same(w.raw.toString(), 'HTTP/1.1 200 OK\r\nDat'); same(w.end, 'open'); }, { stays: true }],
  ['header_stall, 300 ms', { type: 'header_stall', bytes: 9, ms: 300 }, 'plain', (w, g) => { same(text(w.body), text(g.body)); assert.ok(w.ms >= 295, `${w.ms} ms`); same(w.end, 'fin'); }],
  ['empty_reply', { type: 'empty_reply' }, 'plain', (w) => { same(w.raw.length, 0); same(w.end, 'fin'); }],
  ['empty_reply rst', { type: 'empty_reply', how: 'rst' }, 'plain', (w) => { same(w.raw.length, 0); same(w.end, 'rst'); }],
  ['garbage', { type: 'garbage', bytes: 99 }, 'plain', (w) => { same(w.raw.length, 99); assert.ok(w.raw.every((b) => b > 127)); }],
  ['garbage with headers', { type: 'garbage', with_headers: true }, 'plain', (w) => { same(w.status, 200); same(w.body.length, 64); assert.ok(w.body.every((b) => b > 127)); }],
  ['body truncate', { type: 'body', truncate: 100 }, 'plain', (w, g) => { prefix(w, g, 100); same(w.whole, false); same(w.end, 'fin'); }],
  ['body truncate, chunked', { type: 'body', truncate: 100, how: 'rst' }, 'chunked', (w, g) => { prefix(w, g, 100); same(w.whole, false); torn(w); }],
  ['body truncate clean', { type: 'body', truncate: 100, how: 'clean' }, 'plain', (w, g) => { prefix(w, g, 100); same(w.whole, true); assert.match(w.head, /^content-length: 100$/mi); }],
  ['body patch', { type: 'body', patch: { '/choices/0/finish_reason': 'banana' } }, 'chunked', (w, g) => same(w.text, g.text.replace('"stop"', '"banana"'))],
  ['body gzip_broken crc', { type: 'body', gzip_broken: 'crc' }, 'plain', (w, g) => { assert.match(w.head, /^content-encoding: gzip$/mi); same(w.whole, true); assert.ok(w.body.includes(g.body)); same(w.body.subarray(-8, -4).toString('hex'), 'deadbeef'); }],
  ['body gzip_broken cut', { type: 'body', gzip_broken: 'cut' }, 'stream', (w, g) => { same(w.body.subarray(0, 3).toString('hex'), '1f8b08'); same(w.whole, true); }],
  ['body gzip_broken plain', { type: 'body', gzip_broken: 'plain' }, 'plain', (w, g) => { assert.match(w.head, /^content-encoding: gzip$/mi); same(w.text, g.text); }],
  ['body content_type', { type: 'body', content_type: 'text/plain' }, 'plain', (w, g) => { assert.match(w.head, /^content-type: text\/plain$/mi); same(w.text, g.text); }],
  ['body html', { type: 'body', html: true }, 'stream', (w) => { same(w.status, 200); assert.match(w.head, /^content-type: text\/html/mi); assert.match(w.text, /^<!DOCTYPE html>/); }],
  ['ttft', { type: 'ttft', ms: 250 }, 'stream', (w, g) => { same(w.text, g.text); assert.ok(w.ms >= 245, `${w.ms} ms`); }],
  ['stall, for ever', { type: 'stall', after_events: 3 }, 'stream', cutEvents(3, 'open', false), { stays: true }],
  ['stall after 57 bytes', { type: 'stall', after_bytes: 57 }, 'plain', (w, g) => { prefix(w, g, 57); same(w.end, 'open'); }, { stays: true }],
  ['stall, 250 ms', { type: 'stall', after_events: 3, ms: 250 }, 'stream', (w, g) => { same(w.text, g.text); assert.ok(w.ms >= 245, `${w.ms} ms`); same(w.whole, true); }],
  ['keepalive_only', { type: 'keepalive_only', ms: 20, after_events: 2 }, 'stream', (w, g) => {
    const begin = g.events.slice(0, 2).join('');
    assert.ok(w.text.startsWith(begin)); assert.match(w.text.slice(begin.length), /^(: keep-alive\n\n){2,}$/); same(w.end, 'open'); }, { most: 2000 }],
  ['drip', { type: 'drip', bytes: 3, ms: 0 }, 'stream', (w, g) => { same(w.text, g.text); same(w.whole, true); assert.ok(w.chunks.slice(0, -1).every((n) => n <= 3), 'no chunk over 3 bytes'); }],
  ['drip, 2 bytes each 1 ms', { type: 'drip', bytes: 2, ms: 1 }, 'plain', (w, g) => { same(w.text, g.text); assert.match(w.head, /^content-length:/mi); assert.ok(w.ms >= g.body.length / 2 - 5, `${w.ms} ms`); }],
  ['sse_cut clean', { type: 'sse_cut', after_events: 4, how: 'clean' }, 'stream', cutEvents(4, 'fin', true)],
  ['sse_cut fin', { type: 'sse_cut', after_events: 4, how: 'fin' }, 'stream', cutEvents(4, 'fin', false)],
  ['sse_cut rst', { type: 'sse_cut', after_bytes: 333, how: 'rst' }, 'stream', (w, g) => { prefix(w, g, 333); torn(w); }],
  ['sse_cut error_event', { type: 'sse_cut', after_events: 2, how: 'error_event' }, 'stream', (w, g) => { same(w.events.slice(0, 2).join(), g.events.slice(0, 2).join()); assert.ok(json(w.events[2]).error.message); same(w.events.length, 3); same(w.whole, true); }],
  ['sse_cut at tool_args', { type: 'sse_cut', at: 'tool_args', how: 'clean' }, 'tools-stream', (w) => { same(argsOf(w), '{"ci'); same(w.whole, true); }],
  ['sse_cut at before_finish', { type: 'sse_cut', at: 'before_finish', how: 'clean' }, 'stream', (w, g) => cutEvents(g.events.length - 2, 'fin', true)(w, g)],
  ['sse_cut at after_finish', { type: 'sse_cut', at: 'after_finish', how: 'clean' }, 'stream', (w, g) => cutEvents(g.events.length - 1, 'fin', true)(w, g)],
  ['sse_mangle dup', { type: 'sse_mangle', how: 'dup', at: 2 }, 'stream', (w, g) => same(w.text, [...g.events.slice(0, 3), ...g.events.slice(2)].join(''))],
  ['sse_mangle drop', { type: 'sse_mangle', how: 'drop', at: 2 }, 'stream', (w, g) => same(w.text, [...g.events.slice(0, 2), ...g.events.slice(3)].join(''))],
  ['sse_mangle swap', { type: 'sse_mangle', how: 'swap', at: 2 }, 'stream', (w, g) => same(w.text, [...g.events.slice(0, 2), g.events[3], g.events[2], ...g.events.slice(4)].join(''))],
  ['sse_mangle bad_json', { type: 'sse_mangle', how: 'bad_json', at: 2 }, 'stream', (w, g) => same(w.text, g.text.replace(g.events[2], g.events[2].replace('}\n\n', '\n\n')))],
  ['sse_mangle no_blank', { type: 'sse_mangle', how: 'no_blank', at: 2 }, 'stream', (w, g) => same(w.text, g.text.replace(g.events[2], g.events[2].replace('\n\n', '\n')))],
  ['sse_mangle crlf', { type: 'sse_mangle', how: 'crlf', at: 2 }, 'stream', (w, g) => same(w.text, g.events.slice(0, 2).join('') + g.events.slice(2).join('').replaceAll('\n', '\r\n'))],
  ['sse_mangle unknown_event', { type: 'sse_mangle', how: 'unknown_event', at: 2 }, 'stream', (w, g) => { same(w.events.length, g.events.length + 1); assert.match(w.events[2], /^event: telemetry\n/); }],
  ['sse_mangle oversize', { type: 'sse_mangle', how: 'oversize', at: 2, bytes: 2000000 }, 'stream', (w, g) => { same(w.body.length, g.body.length + 2000000); same(w.text.replace(/ {2000000}/, ''), g.text); }],
  ['linger', { type: 'linger' }, 'stream', (w, g) => { same(w.text, g.text); same(w.whole, false); same(w.end, 'open'); }, { stays: true }],
  ['llm_empty', { type: 'llm_empty' }, 'plain', (w, g) => same(w.text, g.text.replace(/"content":"[^"]*"/, '"content":""'))],
  ['llm_empty, a stream', { type: 'llm_empty' }, 'stream', (w, g) => { same(contentOf(w), ''); same(finishOf(w), 'stop'); same(w.events.length, 3); }],
  ['llm_empty null', { type: 'llm_empty', form: 'null' }, 'plain', (w) => same(contentOf(w), null)],
  ['llm_empty no_choices', { type: 'llm_empty', form: 'no_choices' }, 'plain', (w) => assert.deepEqual(JSON.parse(w.text).choices, [])],
  ['llm_length', { type: 'llm_length', bytes: 14 }, 'chunked', (w) => { same(contentOf(w), 'Grüße aus K'); same(finishOf(w), 'length'); }],
  ['llm_length, a stream', { type: 'llm_length', bytes: 14 }, 'stream', (w) => { same(contentOf(w), 'Grüße aus K'); same(finishOf(w), 'length'); assert.match(w.text, /\[DONE\]/); }],
  ['llm_tool_args cut', { type: 'llm_tool_args', kind: 'cut' }, 'tools', (w, g) => { same(argsOf(w), argsOf(g).slice(0, 12)); same(argsOf(w, 1), argsOf(g, 1)); same(finishOf(w), 'tool_calls'); }],
  ['llm_tool_args cut, a stream', { type: 'llm_tool_args', kind: 'cut' }, 'tools-stream', (w, g) => { same(argsOf(w), argsOf(g).slice(0, 12)); same(argsOf(w, 1), argsOf(g, 1)); same(w.events.length, g.events.length); }],
  ['llm_tool_args invalid', { type: 'llm_tool_args', kind: 'invalid' }, 'tools', (w, g) => same(argsOf(w), argsOf(g).replace('{', '{,'))],
  ['llm_tool_args repaired', { type: 'llm_tool_args', kind: 'repaired' }, 'tools-stream', (w) => same(argsOf(w), '{"city":"Par"}')],
  ['llm_tool_args wrong_tool', { type: 'llm_tool_args', kind: 'wrong_tool' }, 'tools', (w, g) => { same(callsOf(w)[0].function.name, 'get_time'); same(argsOf(w), argsOf(g)); }],
  ['llm_tool_args dup_id', { type: 'llm_tool_args', kind: 'dup_id' }, 'tools-stream', (w) => assert.deepEqual(callsOf(w).map((c) => c.id), ['call_a1', 'call_a1'])],
  ['llm_refusal', { type: 'llm_refusal' }, 'plain', (w) => { same(contentOf(w), "I'm sorry, but I can't help with that."); same(finishOf(w), 'stop'); }],
  ['llm_refusal refusal', { type: 'llm_refusal', form: 'refusal' }, 'plain', (w) => { same(contentOf(w), null); assert.match(JSON.parse(w.text).choices[0].message.refusal, /sorry/); }],
  ['llm_refusal content_filter', { type: 'llm_refusal', form: 'content_filter' }, 'stream', (w) => { same(contentOf(w), ''); same(finishOf(w), 'content_filter'); }],
  ['llm_stale', { type: 'llm_stale' }, 'stream', (w) => same(contentOf(w), 'What I said before.')],
  ['llm_usage zero', { type: 'llm_usage', how: 'zero' }, 'plain', (w, g) => same(w.text, g.text.replace(/"usage":.*$/, '"usage":{"prompt_tokens":0,"completion_tokens":0,"total_tokens":0}}'))],
  ['llm_usage mismatch', { type: 'llm_usage', how: 'mismatch' }, 'stream', (w, g) => same(w.text, g.text.replace('"total_tokens":40', '"total_tokens":41'))],
  ['llm_usage huge', { type: 'llm_usage', how: 'huge' }, 'plain', (w) => same(JSON.parse(w.text).usage.total_tokens, 1000000011)],
  ['llm_usage missing', { type: 'llm_usage', how: 'missing' }, 'plain', (w) => same(JSON.parse(w.text).usage, null)],
  ['llm_model_swap', { type: 'llm_model_swap' }, 'stream', (w, g) => same(w.text, g.text.replaceAll('test-model', 'gpt-3.5-turbo-0125'))],
  ['kernel_corrupt', { type: 'kernel_corrupt', operator: 'sync_drop' }, 'kernel', lied],
  ['kernel_corrupt, a stream', { type: 'kernel_corrupt', operator: 'sync_drop' }, 'kernel-stream', (w, g) => { lied(w, g); same(w.events.length, g.events.length); }],
  ['mcp_error', { type: 'mcp_error' }, 'mcp', (w) => assert.deepEqual(JSON.parse(w.text), { jsonrpc: '2.0', id: 7, error: { code: -32603, message: 'Internal error' } })],
  ['mcp_error tool', { type: 'mcp_error', form: 'tool', message: 'disk full' }, 'mcp', (w) => { same(JSON.parse(w.text).result.isError, true); same(JSON.parse(w.text).result.content[0].text, 'disk full'); }],
  ['mcp_timeout', { type: 'mcp_timeout' }, 'mcp', (w) => { same(w.raw.length, 0); same(w.end, 'open'); }, { stays: true }],
  ['mcp_malformed cut', { type: 'mcp_malformed', kind: 'cut' }, 'mcp', (w, g) => { prefix(w, g, g.body.length >> 1); same(w.whole, true); }],
  ['mcp_malformed bad_schema', { type: 'mcp_malformed', kind: 'bad_schema' }, 'mcp', (w) => assert.deepEqual(JSON.parse(w.text).result.structuredContent, { unexpected: null })],
  ['mcp_malformed no_result', { type: 'mcp_malformed', kind: 'no_result' }, 'mcp', (w) => same(w.text, '{"jsonrpc":"2.0","id":7}')],
  ['mcp_malformed not_json', { type: 'mcp_malformed', kind: 'not_json' }, 'mcp', (w) => same(w.text, 'Internal Server Error')],
  ['mcp_malformed wrong_id', { type: 'mcp_malformed', kind: 'wrong_id' }, 'mcp-stream', (w, g) => same(w.text, g.text.replace('"id":7', '"id":987654321'))],
  ['mcp_malformed wrong_version', { type: 'mcp_malformed', kind: 'wrong_version' }, 'mcp', (w, g) => same(w.text, g.text.replace('"2.0"', '"1.0"'))],
  ['mcp_wrong_result', { type: 'mcp_wrong_result' }, 'mcp', (w, g) => { assert.match(JSON.parse(w.text).result.content[0].text, /^It is (31|22) degrees in Paris\.$/); same(w.body.length, g.body.length); }],
  ['mcp_wrong_result, a stream', { type: 'mcp_wrong_result' }, 'mcp-stream', (w) => assert.match(w.text, /It is (31|22) degrees/)],
  ['latency_recorded', { type: 'latency_recorded', samples: [150, 220] }, 'plain', late(150)],
  ['token_latency', { type: 'token_latency', latency: 30, jitter: 10 }, 'stream', (w, g) => late((dataEvents(g).length - 1) * 20)(w, g)],
  ['llm_finish length', { type: 'llm_finish', reason: 'length' }, 'plain', (w, g) => { same(finishOf(w), 'length'); same(contentOf(w), contentOf(g)); }],
  ['llm_finish stop, a stream', { type: 'llm_finish', reason: 'stop' }, 'tools-stream', (w, g) => { same(finishOf(w), 'stop'); same(argsOf(w), argsOf(g)); }],
  ['llm_invented_tool', { type: 'llm_invented_tool' }, 'tools', (w, g) => { same(callsOf(w)[0].function.name, `${callsOf(g)[0].function.name}_v2`); same(argsOf(w), argsOf(g)); }],
  ['llm_invented_tool, a stream', { type: 'llm_invented_tool', name: 'launch' }, 'tools-stream', (w) => same(callsOf(w)[0].function.name, 'launch')],
  ['llm_wrong_args', { type: 'llm_wrong_args' }, 'tools', (w, g) => { const [a, b] = [argsOf(g), argsOf(w)].map((t) => JSON.parse(t)); assert.notDeepEqual(a, b); assert.deepEqual(Object.keys(a), Object.keys(b)); same(argsOf(w).length, argsOf(g).length); }],
  ['llm_wrong_args, a stream', { type: 'llm_wrong_args' }, 'tools-stream', (w, g) => { same(JSON.parse(argsOf(w)).city, 'Qbsjt, Gsbodf'); same(w.events.length, g.events.length); }],
  ['llm_oversize', { type: 'llm_oversize', bytes: 100000 }, 'plain', (w, g) => { assert.ok(contentOf(w).endsWith(contentOf(g))); same(Buffer.byteLength(contentOf(w)), 100000 + Buffer.byteLength(contentOf(g))); }],
  ['llm_oversize, a stream', { type: 'llm_oversize', bytes: 100000 }, 'stream', (w, g) => { assert.ok(contentOf(w).endsWith(contentOf(g))); same(w.events.length, g.events.length); }],
  ['llm_loop', { type: 'llm_loop' }, 'looped', (w) => { same(callsOf(w)[0].function.name, 'get_time'); same(argsOf(w), '{"city":"Rome"}'); same(finishOf(w), 'tool_calls'); }],
  ['llm_loop, a stream', { type: 'llm_loop' }, 'looped-stream', (w) => { same(callsOf(w)[0].function.name, 'get_time'); same(argsOf(w), '{"city":"Rome"}'); assert.match(w.text, /\[DONE\]/); }],
  ['mcp_inject', { type: 'mcp_inject' }, 'mcp', (w, g) => { const said = (r) => JSON.parse(r.text).result.content[0].text; assert.ok(said(w).startsWith(said(g))); assert.match(said(w), /harmless test of prompt injection.*PINEAPPLE/); }],
  // Asked last, beside all others.
  ['latency_load', { type: 'latency_load', per_request: 20, most: 400 }, 'plain', late(20)],
].map(([name, fault, ask, wire, more = {}], i) => ({ id: `c${i}`, name, fault, ask, wire, ...more }));

const tool = (name) => ({ type: 'function', function: { name, parameters: { type: 'object', properties: { city: { type: 'string' } } } } });
const messages = [{ role: 'user', content: 'Hello' }, { role: 'assistant', content: 'What I said before.' }, { role: 'user', content: 'And now?' }];
const looped = [...messages, { role: 'assistant', content: null, tool_calls: [{ id: 'x', type: 'function', function: { name: 'get_time', arguments: '{"city":"Rome"}' } }] }, { role: 'tool', tool_call_id: 'x', content: 'noon' }];
const asks = {
  plain: { body: { model: 'm', messages } },
  chunked: { body: { model: 'm', messages }, headers: { 'x-framing': 'chunked' } },
  stream: { body: { model: 'm', messages, stream: true, stream_options: { include_usage: false } } },
  tools: { body: { model: 'm', messages, tools: [tool('get_weather'), tool('get_time')] } },
  'tools-stream': { body: { model: 'm', messages, stream: true, tools: [tool('get_weather'), tool('get_time')] } },
  looped: { body: { model: 'm', messages: looped } },
  'looped-stream': { body: { model: 'm', messages: looped, stream: true } },
  kernel: { body: { model: 'kernel', messages } },
  'kernel-stream': { body: { model: 'kernel', messages, stream: true } },
  mcp: { path: '/mcp', body: { jsonrpc: '2.0', id: 7, method: 'tools/call', params: { name: 'weather', arguments: { city: 'Paris' } } }, headers: { accept: 'application/json, text/event-stream' } },
  'mcp-stream': { path: '/mcp', body: { jsonrpc: '2.0', id: 7, method: 'tools/call', params: { name: 'weather', arguments: { city: 'Paris' } } }, headers: { accept: 'text/event-stream' } },
};
const askOf = (row) => /usage/.test(row.name) && row.ask === 'stream'
  ? { body: { ...asks.stream.body, stream_options: { include_usage: true } } } : asks[row.ask];

const scenario = (upstream) => ({
  chaos: 1, name: 'every_fault', seed: '1',
  proxies: { front: { listen: '127.0.0.1:0', upstream } },
  rules: rows.map((r) => ({ id: r.id, match: { header: { 'x-case': r.id } }, when: { always: true }, fault: r.fault, goal: 'fired>=1' })),
});

// ---- the wire

const unchunk = (raw) => {
  const parts = [], chunks = [];
  for (let at = 0; ;) {
    const eol = raw.indexOf('\r\n', at);
    const n = eol < 0 ? NaN : parseInt(raw.toString('latin1', at, eol), 16);
    if (Number.isNaN(n)) return { body: Buffer.concat(parts), whole: false, chunks };
    if (n === 0) return { body: Buffer.concat(parts), whole: raw.length === eol + 4, chunks };
    parts.push(raw.subarray(eol + 2, eol + 2 + n));
    chunks.push(n);
    at = eol + 2 + n + 2;
  }
};

const understand = (w) => {
  const split = w.raw.indexOf('\r\n\r\n');
  if (split < 0) return w;
  w.head = w.raw.toString('latin1', 0, split);
  w.status = Number(/^HTTP\/1.1 (\d+)/.exec(w.head)?.[1]);
  const rest = w.raw.subarray(split + 4);
  const length = /^content-length: (\d+)$/mi.exec(w.head)?.[1];
  if (length !== undefined) Object.assign(w, { body: rest, whole: rest.length === Number(length) });
  else Object.assign(w, unchunk(rest));
  w.text = text(w.body);
  if (/^content-type: text\/event-stream/mi.test(w.head)) w.events = w.text.match(/[^]*?\r?\n\r?\n/g) ?? [];
  return w;
};

// Until the proxy closes, or `patience` ms pass without a byte (or `most` ms in all).  Who must be
// answered is waited for: a busy machine may take seconds to come to it.
const PATIENCE_MS = 60000, SILENCE_MS = 2500;
const converse = (at, id, ask, { most = 0, patience = PATIENCE_MS } = {}) => new Promise((done) => {
  const body = JSON.stringify(ask.body);
  const w = { raw: Buffer.alloc(0), end: 'open' }, began = performance.now();
  const [host, port] = at.split(':');
  const socket = net.connect(Number(port), host);
  const over = (end) => { if (w.ms === undefined) { w.end = end; w.ms = performance.now() - began; clearTimeout(idle); socket.destroy(); done(understand(w)); } };
  let idle = setTimeout(() => over('open'), patience);
  if (most) setTimeout(() => over('open'), most);
  socket.on('data', (p) => {
    w.raw = Buffer.concat([w.raw, p]);
    clearTimeout(idle);
    idle = setTimeout(() => over('open'), patience);
  });
  socket.on('end', () => over('fin'));
  socket.on('error', () => over('rst'));
  const headers = { host: at, 'content-type': 'application/json', 'content-length': Buffer.byteLength(body), connection: 'close', 'x-case': id, ...ask.headers };
  socket.write(`POST ${ask.path ?? '/v1/chat/completions'} HTTP/1.1\r\n${Object.entries(headers).map(([k, v]) => `${k}: ${v}\r\n`).join('')}\r\n${body}`);
});

const wire = async (at) => {
  const good = {};
  for (const row of rows) good[JSON.stringify(askOf(row))] ??= await converse(at, 'none', askOf(row));
  const show = async (row) => {
    const ask = askOf(row), w = await converse(at, row.id, ask, { most: row.most, patience: row.stays ? SILENCE_MS : PATIENCE_MS });
    try {
      row.wire(w, good[JSON.stringify(ask)]);
      assert.ok(!/chaos|inject|fault/i.test(w.head ?? ''), 'the head betrays the fault');
      return 0;
    } catch (e) {
      console.log(`not ok ${row.name}: ${e.message.slice(0, 600)}\n  end ${w.end}, ${Math.round(w.ms)} ms, ${w.raw.length} bytes: ${JSON.stringify(w.raw.toString().slice(0, 300))}`);
      return 1;
    }
  };
  const results = [];
  // In three parts: a busy machine needs a while for a hundred handshakes at once.
  for (let from = 0, part = Math.ceil(rows.length / 3); from < rows.length; from += part) results.push(...await Promise.all(rows.slice(from, from + part).map(show)));
  const bad = results.reduce((a, b) => a + b, 0);
  console.log(`${rows.length - bad} of ${rows.length} faults are on the wire as they should be`);
  return bad ? 1 : 0;
};

// ---- npm's openai

const HANG_MS = 8000;

const react = async (OpenAI, at, row) => {
  let requests = 0;
  const client = new OpenAI({ baseURL: `http://${at}/v1`, apiKey: 'none', timeout: 1500, maxRetries: row.retries,
    fetch: (url, init) => { requests++; return fetch(url, init); } });
  const ask = askOf(row);
  const short = (s) => s == null ? String(s) : JSON.stringify(s.length > 40 ? `${s.slice(0, 28)}…` : s);
  let content = null, finish = null, args, pieces = 0, said;
  const headers = { 'x-case': row.id, ...ask.headers };
  const use = async () => {
    if (ask.path) return `accepts ${short(JSON.stringify(await client.post(ask.path, { body: ask.body, headers })))}`;
    const answer = await client.chat.completions.create(ask.body, { headers });
    if (typeof answer === 'string') {
      content = answer; finish = 'none: a string came back';
    } else if (!ask.body.stream) {
      const choice = answer.choices?.[0];
      content = choice?.message?.content; finish = choice?.finish_reason; args = choice?.message?.tool_calls?.[0]?.function?.arguments;
    } else for await (const c of answer) {
      pieces++;
      const choice = c.choices?.[0];
      content = choice?.delta?.content == null ? content : (content ?? '') + choice.delta.content;
      finish = choice?.finish_reason ?? finish;
      for (const call of choice?.delta?.tool_calls ?? []) if (call.index === 0) args = (args ?? '') + (call.function?.arguments ?? '');
    }
    return `accepts ${args !== undefined ? `arguments ${short(args)}` : short(content)}, finish ${finish}`;
  };
  const hangs = new Promise((done) => setTimeout(() => done(`hangs after ${pieces} pieces, its timeout does not see it`), HANG_MS));
  try {
    said = await Promise.race([use(), hangs]);
  } catch (e) {
    said = `throws ${e.constructor.name}${e.status ? ` ${e.status}` : ''}`;
  }
  return `| ${row.name} | ${row.ask} | ${requests} | ${said.replaceAll('|', '\\|')} |`;
};

const table = async (at) => {
  const OpenAI = (await import('openai')).default;
  console.error = () => {};
  const lines = await Promise.all([{ id: 'none', name: 'no fault', ask: 'plain' }, ...rows].map((row) => react(OpenAI, at, row)));
  console.log('| fault | asked | requests | npm\'s openai |\n| --- | --- | --- | --- |');
  lines.forEach((l) => console.log(l));
  return 0;
};

const [command, at] = process.argv.slice(2);
if (command === 'types') [...new Set(rows.flatMap((r) => r.fault).map((f) => f.type))].sort().forEach((t) => console.log(t));
else if (command === 'scenario') console.log(JSON.stringify(scenario(at)));
else process.exit(await (command === 'wire' ? wire(at) : table(at)));
