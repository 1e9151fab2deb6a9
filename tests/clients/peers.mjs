// peers.mjs: the sixteen situations by the public failover benchmark's rule (two
// retries, 30 s, one fallback, defaults otherwise), for whatever gateway is installed.
//
//   peers.mjs scenario UPSTREAM               a rule a situation, by the model's name
//   peers.mjs conf NAME CHAOS CLOSED SECOND   a configuration of that gateway; addresses
//   peers.mjs ask NAME URL CHAOS CLOSED SECOND   asks for each, plain and streamed; a line of JSON
//   peers.mjs table                           those lines, from standard input, as a table
//
// CHAOS fails as the model's name says, CLOSED refuses connections, SECOND is the
// fallback, which can go on from a given text when it is asked to.
import fs from 'node:fs';
import OpenAI from 'openai';

const WHOLE = process.env.KF_WHOLE;
const once = { nth: 1 }, ever = { always: true };
const situations = [
  ['429 with Retry-After', 'later', once, { type: 'http_error', status: 429, retry_after: '1' }],
  ['429 quota', 'quota', ever, { type: 'http_error', status: 429, body: { error: { message: 'You exceeded your current quota.', type: 'insufficient_quota', param: null, code: 'insufficient_quota' } } }],
  ['500 once', 'once', once, { type: 'http_error', status: 500 }],
  ['503 storm', 'storm', ever, { type: 'http_error', status: 503 }],
  ['connection refused', 'refused'],
  ['silent before headers', 'silent', ever, { type: 'header_stall' }],
  ['slow first token', 'slow', ever, { type: 'ttft', ms: 20000 }, 's'],
  ['cut cleanly after 3 events', 'cut', ever, { type: 'sse_cut', after_events: 3, how: 'clean' }, 's'],
  ['stalled after 3 events', 'stall', ever, { type: 'stall', after_events: 3 }, 's'],
  ['reset mid-stream', 'reset', ever, { type: 'sse_cut', after_events: 3, how: 'rst' }, 's'],
  ['error as the first event', 'error0', ever, { type: 'sse_cut', after_events: 0, how: 'error_event' }, 's'],
  ['error after 3 events', 'error3', ever, { type: 'sse_cut', after_events: 3, how: 'error_event' }, 's'],
  ['truncated JSON', 'broken', ever, null],
  ['HTML page under 200', 'html', ever, { type: 'body', html: true }],
  ['keep-alives only', 'alive', ever, { type: 'keepalive_only', ms: 100 }, 's'],
  ['empty completion', 'empty', ever, { type: 'llm_empty' }],
];
const broken = { p: { type: 'body', truncate: 120 }, s: { type: 'sse_mangle', how: 'bad_json', at: 3 } };
const cells = situations.flatMap(([, id, when, fault, only]) => (only ? [only] : ['p', 's']).map((way) => ({ id, model: `${id}-${way}`, when, fault: fault ?? broken[way], way })));

const scenario = (upstream) => console.log(JSON.stringify({ chaos: 1, name: 'peers', seed: '1', proxies: { models: { listen: '127.0.0.1:0', upstream: `http://${upstream}` } },
  rules: cells.filter((c) => c.when).map((c) => ({ id: c.model, match: { model: c.model }, when: c.when, fault: c.fault })) }));

const first = (c, chaos, closed) => `http://${c.id === 'refused' ? closed : chaos}/v1`;
const confs = {
  'kf-gateway': (chaos, closed, second) => ['providers:', `  - {name: first, base_url: "http://${chaos}/v1"}`, `  - {name: closed, base_url: "http://${closed}/v1"}`,
    `  - {name: second, base_url: "http://${second}/v1", continues: continue_final_message}`, 'timeouts: {total_ms: 30000}', 'rules:',
    ...cells.map((c) => `  - {id: ${c.model}, type: priority-based-routing, when: {models: [${c.model}]}, load_balance_targets: [{target: ${c.id === 'refused' ? 'closed' : 'first'}/${c.model}, priority: 0}, {target: second/final, priority: 1}]}`)].join('\n'),
  litellm: (chaos, closed, second) => JSON.stringify({
    model_list: [...cells.map((c) => ({ model_name: c.model, litellm_params: { model: `openai/${c.model}`, api_base: first(c, chaos, closed), api_key: 'x' } })),
      { model_name: 'strong', litellm_params: { model: 'openai/strong', api_base: `http://${second}/v1`, api_key: 'x' } }],
    litellm_settings: { num_retries: 2, request_timeout: 30, fallbacks: cells.map((c) => ({ [c.model]: ['strong'] })), telemetry: false } }),
  portkey: () => '',
  bifrost: (chaos, closed, second) => {
    const provider = (url) => ({ keys: [{ name: 'k', value: 'x', models: ['*'], weight: 1 }], network_config: { base_url: url, max_retries: 2, default_request_timeout_in_seconds: 30 }, custom_provider_config: { base_provider_type: 'openai' } });
    return JSON.stringify({ client: { enable_logging: false, drop_excess_requests: false }, providers: { first: provider(`http://${chaos}`), closed: provider(`http://${closed}`), second: provider(`http://${second}`) } });
  },
};

// What each wants to hear besides the question.
const asks = {
  'kf-gateway': (c) => ({ model: c.model }),
  litellm: (c) => ({ model: c.model }),
  bifrost: (c) => ({ model: `${c.id === 'refused' ? 'closed' : 'first'}/${c.model}`, fallbacks: ['second/strong'] }),
  portkey: (c, [chaos, closed, second]) => ({ model: c.model, headers: { 'x-portkey-config': JSON.stringify({ strategy: { mode: 'fallback' }, retry: { attempts: 2 }, request_timeout: 30000,
    targets: [[first(c, chaos, closed), c.model], [`http://${second}/v1`, 'strong']].map(([custom_host, model]) => ({ provider: 'openai', api_key: 'x', custom_host, override_params: { model } })) }) } }),
};

async function read(client, { headers, ...ask }, isStream) {
  const answer = await client.chat.completions.create({ ...ask, stream: isStream, messages: [{ role: 'user', content: 'talk' }] }, { headers });
  if (!isStream) return answer.choices[0].message.content;
  let text = '';
  for await (const chunk of answer) text += chunk.choices[0]?.delta?.content ?? '';
  return text;
}

async function live(name, url, c, addresses) {
  const client = new OpenAI({ baseURL: url, apiKey: 'local', timeout: 100000, maxRetries: 0 });
  let timer;
  const late = new Promise((ok) => { timer = setTimeout(() => ok('NO END in 120 s'), 120000); });
  const said = read(client, asks[name](c, addresses), c.way === 's').then(
    (text) => (text === WHOLE ? 'whole' : `SHORT (${text?.length ?? 0} of ${WHOLE.length})`),
    (e) => `told ${e.status ?? e.code ?? e.cause?.code ?? e.constructor.name}`);
  const r = await Promise.race([said, late]);
  clearTimeout(timer);
  return r;
}

async function ask(name, url, ...addresses) {
  const seen = await Promise.all(cells.map(async (c) => [c.model, await live(name, url, c, addresses)]));
  console.log(JSON.stringify({ name, seen: Object.fromEntries(seen) }));
  process.exit(0); // whoever has not ended by now
}

function table() {
  const all = fs.readFileSync(0, 'utf8').trim().split('\n').map((l) => JSON.parse(l));
  const line = (row) => console.log(`| ${row.join(' | ')} |`);
  line(['situation', ...all.flatMap((p) => [p.name, `${p.name}, streamed`])]);
  line(['---', ...all.flatMap(() => ['---', '---'])]);
  for (const [name, id] of situations) line([name, ...all.flatMap((p) => ['p', 's'].map((w) => p.seen[`${id}-${w}`] ?? '-'))]);
  const count = (p, re) => Object.values(p.seen).filter((s) => re.test(s)).length;
  line([`whole, told, else (of ${cells.length})`, ...all.flatMap((p) => [`${count(p, /^whole/)}, ${count(p, /^told/)}, ${count(p, /^(SHORT|NO)/)}`, ''])]);
}

const [what, ...rest] = process.argv.slice(2);
if (what === 'conf') console.log(confs[rest[0]](...rest.slice(1)));
else await { scenario, ask, table }[what](...rest);
