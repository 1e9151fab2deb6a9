// messages-go-on.mjs: a stream of Anthropic's messages that is cut, and gone on with.
//
//   messages-go-on.mjs upstream --ready-file FILE   a model that always says the same; "cut-N-HOW"
//                                            stops after N events, "go" goes on from a beginning
//   messages-go-on.mjs rules ADDRESS CHAT    a configuration with a rule for each place and way; CHAT
//                                            speaks chat (goes-on.mjs)
//   messages-go-on.mjs ask GATEWAY_URL       npm's SDKs ask each rule once
import http from 'node:http';
import fs from 'node:fs';
import assert from 'node:assert/strict';
import OpenAI from 'openai';
import Anthropic from '@anthropic-ai/sdk';

const TEXT = process.env.KF_WHOLE;
const ARGS = { city: 'Paris', days: [1, 2] };
const WORDS = TEXT.match(/\s*\S+/g);
const hows = ['rst', 'clean', 'error', 'stall'];
// Events: 1 begins the message, 2 and 3 are a thought's beginning and end, 4 begins the text.
const FIRST = 5, LAST = 4 + WORDS.length;

const events = (from, id, hasCall) => {
  const words = TEXT.slice(from.length).match(/\s*\S+/g) ?? [];
  const all = [{ type: 'message_start', message: { id, type: 'message', role: 'assistant', model: 'm', content: [], stop_reason: null, stop_sequence: null, usage: { input_tokens: 10, output_tokens: 1 } } },
    { type: 'content_block_start', index: 0, content_block: { type: 'thinking', thinking: 'hm', signature: 's' } }, { type: 'content_block_stop', index: 0 },
    { type: 'content_block_start', index: 1, content_block: { type: 'text', text: '' } },
    ...words.map((text) => ({ type: 'content_block_delta', index: 1, delta: { type: 'text_delta', text } })),
    { type: 'content_block_stop', index: 1 }];
  if (hasCall) all.push({ type: 'content_block_start', index: 2, content_block: { type: 'tool_use', id: 'toolu_1', name: 'get_weather', input: {} } },
    ...JSON.stringify(ARGS).match(/.{1,9}/g).map((partial_json) => ({ type: 'content_block_delta', index: 2, delta: { type: 'input_json_delta', partial_json } })), { type: 'content_block_stop', index: 2 });
  return [...all, { type: 'message_delta', delta: { stop_reason: hasCall ? 'tool_use' : 'end_turn', stop_sequence: null }, usage: { output_tokens: words.length + (hasCall ? 7 : 0) } }, { type: 'message_stop' }];
};

function upstream(file) {
  const server = http.createServer(async (req, res) => {
    let body = '';
    for await (const d of req) body += d;
    const q = JSON.parse(body), last = q.messages.at(-1), cut = /^cut-(\d+)-(\w+)$/.exec(q.model);
    const given = last.role === 'assistant' ? (typeof last.content === 'string' ? last.content : last.content.map((b) => b.text).join('')) : '';
    if (!TEXT.startsWith(given) || /\s$/.test(given) || (cut && given)) {
      res.writeHead(400, { 'content-type': 'application/json' });
      return res.end(JSON.stringify({ type: 'error', error: { type: 'invalid_request_error', message: `not the beginning: ${body}` } }));
    }
    const all = events(given, cut ? 'msg_first' : 'msg_second', Boolean(q.tools)).map((e) => `event: ${e.type}\ndata: ${JSON.stringify(e)}\n\n`);
    res.writeHead(200, { 'content-type': 'text/event-stream' });
    const say = (e) => new Promise((done) => res.write(e, done));
    for (const e of cut ? all.slice(0, Number(cut[1])) : all) await say(e);
    if (!cut || cut[2] === 'clean') return res.end();
    if (cut[2] === 'error') await say('event: error\ndata: {"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}\n\n');
    // What was written is read before the reset, or nobody knows how much it was.
    if (cut[2] === 'rst') setTimeout(() => res.socket.resetAndDestroy(), 30);
    return undefined;
  });
  server.listen(0, '127.0.0.1', () => { fs.writeFileSync(file, `ready upstream=127.0.0.1:${server.address().port}\n`); console.log('ready upstream'); });
  process.on('SIGTERM', () => process.exit(0));
}

const places = Array.from({ length: LAST + 6 - FIRST + 1 }, (_, i) => FIRST + i);
const rules = (address, chat) => {
  const p = (name, url, apis, more) => `  - {name: ${name}, base_url: "http://${url}/v1", apis: [${apis}], ${more}}`;
  const rule = (id, first, second) => `  - {id: ${id}, type: priority-based-routing, when: {models: [${id}]}, load_balance_targets: [{target: ${first}, priority: 0, retry_config: {attempts: 0}}, {target: ${second}, priority: 1}]}`;
  console.log(['providers:', p('first', address, 'messages', 'continues: "no"'), p('second', address, 'messages', 'continues: prefill'), p('chats', chat, 'chat', 'continues: prefill'), ...ways.map(([id, way]) => p(`c-${id}`, chat, 'chat', `continues: ${way}`)), p('c-no', chat, 'chat', 'continues: "no"'),
    'timeouts: {idle_ms: 400, total_ms: 20000}', 'breaker: off', 'rules:',
    ...places.flatMap((n) => hows.map((how) => rule(`m-${n}-${how}`, `first/cut-${n}-${how}`, 'second/go'))),
    ...ways.flatMap(([id]) => [rule(`to-chat-${id}`, `first/cut-${FIRST + 3}-rst`, `c-${id}/${id}`), rule(`begun-${id}`, `c-no/${id}`, `c-${id}/${id}`)]),
    rule('begun-no', 'c-no/prefill', 'c-no/final'), rule('chat-begun', 'first/go', 'second/go'),
    rule('to-chat', `first/cut-${FIRST + 3}-rst`, 'chats/prefill'), rule('none', `first/cut-${FIRST + 3}-rst`, 'first/go')].join('\n'));
};

// Chat's ways to go on from a given text, by the model that takes them.
const ways = [['prefix', 'prefix'], ['prefill', 'prefill'], ['final', 'continue_final_message']];

const tool = { name: 'get_weather', input_schema: { type: 'object' } };
const asked = (model, more) => ({ model, max_tokens: 500, messages: [{ role: 'user', content: 'q' }], ...more });

// The client has begun the answer itself: whoever can goes on from there, or it is told.
async function begun(a, o) {
  const beginning = 'A text that', rest = TEXT.slice(beginning.length);
  const from = (model, content, more) => ({ ...asked(model), messages: [{ role: 'user', content: 'q' }, { role: 'assistant', content, ...more }] });
  for (const [id] of ways) {
    assert.equal((await a.messages.create(from(`begun-${id}`, beginning))).content[0].text, rest, `begun, ${id}`);
    assert.equal(await a.messages.stream(from(`begun-${id}`, [{ type: 'text', text: beginning }])).finalText(), rest, `begun, ${id}, streamed`);
  }
  const untranslatable = (e) => e.status === 400 && /go(es)? on from/.test(e.message);
  await assert.rejects(a.messages.create(from('begun-no', beginning)), untranslatable);
  // And chat's client of a target that speaks messages, which goes on whether it is told to or not.
  const marked = { ...from('chat-begun', beginning, { prefix: true }), stream: true };
  let text = '';
  for await (const c of await o.chat.completions.create(marked)) text += c.choices[0]?.delta?.content ?? '';
  assert.equal(text, rest);
  await assert.rejects(o.chat.completions.create(from('chat-begun', beginning)), untranslatable);
}

async function ask(url) {
  const a = new Anthropic({ baseURL: url, apiKey: 'local', maxRetries: 0 }), o = new OpenAI({ baseURL: `${url}/v1`, apiKey: 'local', maxRetries: 0 });
  const seen = { whole: 0, told: 0 };
  const one = async (n, how) => {
    // Behind the text a call may be next: who goes on from the text might not know of it.
    const isText = n <= LAST;
    const kept = Math.min(n - 4, WORDS.length);
    // By chat's SDK, too: it is translated and gone on with.
    const chatted = async () => {
      const r = { text: '', args: '' };
      for await (const c of await o.chat.completions.create({ ...asked(`m-${n}-${how}`), stream: true, tools: [{ type: 'function', function: { name: 'get_weather', parameters: { type: 'object' } } }] })) {
        assert.ok(!c.id || c.id === 'msg_first', c.id);
        r.text += c.choices[0]?.delta?.content ?? '';
        r.args += c.choices[0]?.delta?.tool_calls?.[0]?.function?.arguments ?? '';
      }
      return r;
    };
    if (!isText) { // a call has begun, or could have: nobody goes on with it, and nobody is told less in silence
      await assert.rejects(a.messages.stream(asked(`m-${n}-${how}`, { tools: [tool] })).finalMessage(), (e) => e instanceof Anthropic.APIError || /stream ended|connection/i.test(e.message), `${n} ${how}`);
      await assert.rejects(chatted());
      seen.told += 2;
      return;
    }
    const m = await a.messages.stream(asked(`m-${n}-${how}`, { tools: [tool] })).finalMessage();
    assert.deepEqual(m.content.map((b) => b.type), ['thinking', 'text', 'tool_use'], `${n} ${how}`);
    assert.equal(m.content[1].text, TEXT, `${n} ${how}`);
    assert.deepEqual(m.content[2].input, ARGS);
    // What the first had said by then, and what the second said.
    assert.deepEqual([m.id, m.stop_reason, m.usage.input_tokens, m.usage.output_tokens], ['msg_first', 'tool_use', 10, 1 + kept + (WORDS.length - kept) + 7], `${n} ${how}`);
    const r = await chatted();
    assert.deepEqual([r.text, JSON.parse(r.args)], [TEXT, ARGS], `chat ${n} ${how}`);
    seen.whole += 2;
  };
  for (const n of places) await Promise.all(hows.map((how) => one(n, how)));
  // Where there are no tools nothing can be missing behind the text.
  for (const how of hows) {
    const m = await a.messages.stream(asked(`m-${LAST + 1}-${how}`)).finalMessage();
    assert.deepEqual([m.content.map((b) => b.type), m.content[1].text, m.stop_reason], [['thinking', 'text'], TEXT, 'end_turn'], how);
    let text = '';
    for await (const c of await o.chat.completions.create({ ...asked(`m-${LAST + 1}-${how}`), stream: true })) text += c.choices[0]?.delta?.content ?? '';
    assert.equal(text, TEXT, how);
  }
  const c = await a.messages.stream(asked('to-chat')).finalMessage();
  assert.deepEqual([c.content.map((b) => b.type), c.content[1].text, c.stop_reason, c.id], [['thinking', 'text'], TEXT, 'end_turn', 'msg_first']);
  await assert.rejects(a.messages.stream(asked('none')).finalMessage());
  for (const [id] of ways) {
    const m = await a.messages.stream(asked(`to-chat-${id}`)).finalMessage();
    assert.equal(m.content.at(-1).text, TEXT, `goes on by ${id}`);
  }
  await begun(a, o);
  // A thought that the client asked for cannot be given on: it is told so.
  await assert.rejects(a.messages.stream(asked(`m-${FIRST}-rst`, { thinking: { type: 'enabled', budget_tokens: 1024 } })).finalMessage());
  console.log(`${seen.whole} whole, ${seen.told} told`);
}

const [what, ...rest] = process.argv.slice(2);
if (what === 'upstream') upstream(rest[rest.indexOf('--ready-file') + 1]);
else if (what === 'rules') rules(...rest);
else await ask(rest[0]);
