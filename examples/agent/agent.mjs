#!/usr/bin/env node
// The same small agent for Node 18 and later, with nothing but what is built
// in: see agent.py, which tells what a client of a model owes its user.
//
//     kf-chaos audit -- node examples/agent/agent.mjs
const base = process.env.OPENAI_BASE_URL ?? 'http://127.0.0.1:8765/v1';
const silenceMs = 1000 * Number(process.env.AGENT_SILENCE_S ?? 30);
const attempts = 4;

// `again` says whether asking again may help, `afterMs` when, if that is known.
class Trouble extends Error {
  constructor(why, again, afterMs = 0) {
    super(why);
    Object.assign(this, { again, afterMs });
  }
}

// What an answer with an error status means.
async function refuse(answer) {
  const body = await answer.text();
  const isFinal = answer.headers.get('x-should-retry') === 'false' || body.includes('insufficient_quota');
  const mayPass = [408, 409, 429].includes(answer.status) || answer.status >= 500;
  const afterMs = 1000 * Number(answer.headers.get('retry-after') ?? 0);
  throw new Trouble(`HTTP ${answer.status}`, mayPass && !isFinal, Number.isFinite(afterMs) ? afterMs : 0);
}

async function* linesOf(body, heard) {
  let rest = '';
  for await (const piece of body.pipeThrough(new TextDecoderStream())) {
    heard();
    const lines = (rest + piece).split('\n');
    rest = lines.pop();
    yield* lines;
  }
}

// The text of a stream of events, which is whole only with a finish_reason.
async function readStream(body, heard) {
  let text = '';
  let finish;
  for await (const line of linesOf(body, heard)) {
    if (line.trim() === 'data: [DONE]') break;
    if (!line.startsWith('data: ')) continue;
    const event = JSON.parse(line.slice(6));
    if (event.error) throw new Trouble('an error in the stream', true);
    const choice = event.choices?.[0];
    if (choice?.delta?.refusal) throw new Trouble(`the model refuses: ${choice.delta.refusal}`, false);
    text += choice?.delta?.content ?? '';
    finish = choice?.finish_reason ?? finish;
  }
  if (!finish) throw new Trouble('the stream ended early', true);
  if (finish !== 'stop') throw new Trouble(`the answer is not whole: ${finish}`, false);
  if (!text.trim()) throw new Trouble('an empty answer', true);
  return text;
}

async function askOnce(question) {
  const stop = new AbortController();
  const whole = setTimeout(() => stop.abort(), 4 * silenceMs);
  let silence = setTimeout(() => stop.abort(), silenceMs);
  try {
    const answer = await fetch(`${base}/chat/completions`, {
      method: 'POST',
      signal: stop.signal,
      headers: { 'content-type': 'application/json', 'accept-encoding': 'identity', authorization: `Bearer ${process.env.OPENAI_API_KEY ?? 'local'}` },
      body: JSON.stringify({ model: 'deepseek-v4-flash', stream: true, messages: [{ role: 'user', content: question }] }),
    });
    if (answer.status !== 200) await refuse(answer);
    // fetch unpacks, and says nothing of a pack that is torn behind the last event.
    if (answer.headers.has('content-encoding')) throw new Trouble('packed, which nobody asked for', true);
    return await readStream(answer.body, () => {
      clearTimeout(silence);
      silence = setTimeout(() => stop.abort(), silenceMs);
    });
  } catch (e) {
    // Lost, silent, or no JSON: all of them may come right.
    throw e instanceof Trouble ? e : new Trouble(`${e.name}: ${e.cause?.message ?? e.message}`, true);
  } finally {
    clearTimeout(whole);
    clearTimeout(silence);
    stop.abort();
  }
}

async function ask(question) {
  for (let attempt = 0; ; attempt++) {
    try {
      return await askOnce(question);
    } catch (e) {
      if (!e.again || attempt + 1 === attempts) throw e;
      const wait = 400 * 2 ** attempt;
      await new Promise((done) => setTimeout(done, Math.max(wait, e.afterMs) + wait * Math.random()));
    }
  }
}

try {
  console.log(await ask('What is the answer?'));
} catch (e) {
  console.error(`agent.mjs: ${e.message}`);
  process.exitCode = 1;
}
