// situations.mjs DIRECT_URL HELD_URL: the sixteen failure situations, each with
// two major versions of npm's openai as the client, as they come (their own
// retries included).  Prints a table; exits 1 unless every client got the
// whole answer ("whole") or an error that the SDK raised ("told").  A short
// answer without an error is the one thing that may not be.
//
// The columns are what stands behind the gateway: one target, streamed or not;
// a second target to fall back to; the same with streams held whole.
import OpenAI6 from 'openai';
import OpenAI4 from './openai-4.mjs';

const [direct, held] = process.argv.slice(2);
const WHOLE = process.env.KF_WHOLE;
const versions = { 6: OpenAI6, 4: OpenAI4 };
const columns = [
  { name: 'plain', url: direct, model: 'alone', stream: false },
  { name: 'stream', url: direct, model: 'alone', stream: true },
  { name: 'plain, 2 targets', url: direct, model: 'backed', stream: false },
  { name: 'stream, 2 targets', url: direct, model: 'backed', stream: true },
  { name: 'stream, held', url: held, model: 'backed', stream: true },
];
// What must come of each, by column: w whole, t told, - does not apply.
const situations = [
  ['429 with Retry-After', 'later', 'wwwww'],
  ['429 quota', 'quota', 'ttwww'],
  ['500 once', 'once', 'wwwww'],
  ['503 storm', 'storm', 'ttwww'],
  ['connection refused', 'refused', 'ttwww'],
  ['silent before headers', 'silent', 'ttwww'],
  ['slow first token', 'slow', '-t-ww'],
  ['cut cleanly after 3 events', 'cut', '-t-tw'],
  ['stalled after 3 events', 'stall', '-t-tw'],
  ['reset mid-stream', 'reset', '-t-tw'],
  ['error as the first event', 'error0', '-t-ww'],
  ['error after 3 events', 'error3', '-t-tw'],
  ['truncated JSON', 'broken', 'ttwtw'],
  ['HTML page under 200', 'html', 'ttwww'],
  ['keep-alives only', 'alive', '-t-ww'],
  ['empty completion', 'empty', 'ttwww'],
];

async function read(client, column, situation, version) {
  const model = situation === 'refused' ? `refused-${column.model}` : column.model;
  const headers = {
    'X-TFY-METADATA': JSON.stringify({ op: 'talk', situation }),
    'x-session-id': `${situation}/${column.name}/${version}`,
  };
  const ask = { model, stream: column.stream, messages: [{ role: 'user', content: 'talk' }] };
  const answer = await client.chat.completions.create(ask, { headers });
  if (!column.stream) return answer.choices[0].message.content;
  let text = '';
  for await (const chunk of answer) text += chunk.choices[0]?.delta?.content ?? '';
  return text;
}

// 'w', 't' with the error's name, or 's': short, and nobody was told.
async function live(column, situation, version) {
  const client = new versions[version]({ baseURL: `${column.url}/v1`, apiKey: 'local', timeout: 30000 });
  try {
    const text = await read(client, column, situation, version);
    return text === WHOLE ? { is: 'w', text: 'whole' } : { is: 's', text: `SHORT (${text?.length} of ${WHOLE.length})` };
  } catch (e) {
    return { is: 't', text: `told ${e.status ?? e.code ?? e.constructor.name}` };
  }
}

const cells = await Promise.all(situations.map(([, id, wants]) => Promise.all(columns.map((column, i) =>
  wants[i] === '-' ? [] : Promise.all(Object.keys(versions).map(v => live(column, id, v)))))));

const line = row => `| ${row.join(' | ')} |`;
console.log(line(['situation', ...columns.map(c => c.name)]));
console.log(line(['---', ...columns.map(() => '---')]));
let passed = 0;
situations.forEach(([name, , wants], row) => {
  const texts = cells[row].map(seen => [...new Set(seen.map(s => s.text))].join(' / ') || '-');
  const good = cells[row].every((seen, i) => seen.every(s => s.is === wants[i]));
  passed += good;
  console.log(line([name + (good ? '' : ` FAILED, wants ${wants}`), ...texts]));
});
console.log(`\n${passed} of ${situations.length} situations: whole, or told (openai ${Object.keys(versions).join(' and ')})`);
process.exitCode = passed === situations.length ? 0 : 1;
