// public-sixteen.mjs URL SITUATION...: each situation once, with npm's openai as
// it comes (two retries) and 30 s of patience.  A situation passes when the
// client has the whole text within that time, and where it streams, in pieces
// that came one after the other, of one id, with one finish_reason.  Prints a
// table; exits 1 unless all pass.
import OpenAI from 'openai';

const [url, ...situations] = process.argv.slice(2);
const WHOLE = process.env.KF_WHOLE;

async function play(name) {
  const begun = Date.now(), model = name === 'refused' ? 'refused' : name.startsWith('way-') ? name : 'chat';
  const stream = name !== 'broken-plain';
  const client = new OpenAI({ baseURL: `${url}/v1`, apiKey: 'local', timeout: 30000 });
  const headers = { 'X-TFY-METADATA': JSON.stringify({ op: 'talk', situation: name }), 'x-session-id': name };
  try {
    const answer = await client.chat.completions.create({ model, stream, ...(stream ? { stream_options: { include_usage: true } } : {}),
      messages: [{ role: 'user', content: 'talk' }] }, { headers, timeout: 30000 });
    if (!stream) return { ok: answer.choices[0].message.content === WHOLE, text: 'whole', ms: Date.now() - begun };
    let text = '', pieces = 0, ends = 0, usage;
    const ids = new Set();
    for await (const chunk of answer) {
      ids.add(chunk.id);
      text += chunk.choices[0]?.delta?.content ?? '';
      pieces += Boolean(chunk.choices[0]?.delta?.content);
      ends += Boolean(chunk.choices[0]?.finish_reason);
      usage = chunk.usage ?? usage;
    }
    const ms = Date.now() - begun, one = ids.size === 1 && ends === 1 && pieces > 3 && usage?.completion_tokens > 3;
    return { ok: text === WHOLE && one && ms < 30000, ms,
      text: text === WHOLE ? `whole, ${pieces} pieces, ids ${ids.size}, ends ${ends}, usage ${JSON.stringify(usage)}` : `OTHER: ${JSON.stringify(text)}` };
  } catch (e) {
    return { ok: false, text: `told ${e.status ?? ''} ${e.message}`, ms: Date.now() - begun };
  }
}

const all = await Promise.all(situations.map(play));
all.forEach((r, i) => console.log(`| ${situations[i]} | ${r.ok ? 'pass' : 'FAILED'} | ${(r.ms / 1000).toFixed(1)} s | ${r.ok ? 'whole' : r.text} |`));
const passed = all.filter((r) => r.ok).length;
console.log(`${passed} of ${all.length}`);
process.exitCode = passed === all.length ? 0 : 1;
