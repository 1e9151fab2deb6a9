#!/usr/bin/env node
// The same agent with a tool for Node 18 and later, with nothing but what is built in: see tools.py, which
// tells what such an agent owes its user.
//
//     kf-chaos audit --tool-calls 3 --resume -- node examples/agent/tools.mjs
import fs from 'node:fs';

const base = process.env.OPENAI_BASE_URL ?? 'http://127.0.0.1:8765/v1';
const silenceMs = 1000 * Number(process.env.AGENT_SILENCE_S ?? 30);
const home = process.env.KF_CHAOS_DIR ?? '.';
const effects = `${home}/effects`;
const journal = `${home}/journal.json`;
const attempts = 4;
const turnsMax = 12;
const tools = [{
  type: 'function',
  function: { name: 'book', description: 'Books a room in a city.', parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] } },
}];

// `again` says whether asking again may help, `afterMs` when, if that is known.
class Trouble extends Error {
  constructor(why, again, afterMs = 0) {
    super(why);
    Object.assign(this, { again, afterMs });
  }
}

async function refuse(answer) {
  const body = await answer.text();
  const isFinal = answer.headers.get('x-should-retry') === 'false' || body.includes('insufficient_quota');
  const mayPass = [408, 409, 429].includes(answer.status) || answer.status >= 500;
  const afterMs = 1000 * Number(answer.headers.get('retry-after') ?? 0);
  throw new Trouble(`HTTP ${answer.status}`, mayPass && !isFinal, Number.isFinite(afterMs) ? afterMs : 0);
}

// The message of a whole answer, or what is wrong with it.
function readAnswer(body) {
  const { message, finish_reason: finish } = body.choices[0];
  if (message.refusal) throw new Trouble(`the model refuses: ${message.refusal}`, false);
  if (message.tool_calls?.length) {
    if (finish === 'length') throw new Trouble('the call was cut', true);
    return message;
  }
  if (finish !== 'stop') throw new Trouble(`the answer is not whole: ${finish}`, false);
  if (!message.content?.trim()) throw new Trouble('an empty answer', true);
  return message;
}

async function askOnce(said) {
  try {
    const answer = await fetch(`${base}/chat/completions`, {
      method: 'POST',
      signal: AbortSignal.timeout(silenceMs),
      headers: { 'content-type': 'application/json', 'accept-encoding': 'identity', authorization: `Bearer ${process.env.OPENAI_API_KEY ?? 'local'}` },
      body: JSON.stringify({ model: 'deepseek-v4-flash', messages: said, tools }),
    });
    if (answer.status !== 200) await refuse(answer);
    if (answer.headers.has('content-encoding')) throw new Trouble('packed, which nobody asked for', true);
    return readAnswer(await answer.json());
  } catch (e) {
    // Lost, silent, or no such JSON: all of them may come right.
    throw e instanceof Trouble ? e : new Trouble(`${e.name}: ${e.cause?.message ?? e.message}`, true);
  }
}

async function ask(said) {
  for (let attempt = 0; ; attempt++) {
    try {
      return await askOnce(said);
    } catch (e) {
      if (!e.again || attempt + 1 === attempts) throw e;
      const wait = 400 * 2 ** attempt;
      await new Promise((done) => setTimeout(done, Math.max(wait, e.afterMs) + wait * Math.random()));
    }
  }
}

const booked = () => (fs.existsSync(effects) ? fs.readFileSync(effects, 'utf8').split('\n').filter(Boolean) : []);

// What the tool says, errors too: the model can only mend what it is told. A line is written at once: it is there,
// or it is not; told twice, it is done once.
function carryOut(call) {
  let city;
  try {
    ({ city } = JSON.parse(call.function.arguments));
  } catch (e) {
    return `Error: these are no arguments: ${e.message}`;
  }
  if (call.function.name !== 'book' || typeof city !== 'string') return 'Error: there is no such tool';
  if (!booked().includes(city)) fs.appendFileSync(effects, `${city}\n`);
  return `booked ${city}`;
}

function keep(said) {
  fs.writeFileSync(`${journal}.new`, JSON.stringify(said));
  fs.renameSync(`${journal}.new`, journal);
}

async function run() {
  const said = fs.existsSync(journal) ? JSON.parse(fs.readFileSync(journal, 'utf8')) : [{ role: 'user', content: 'Book my journey.' }];
  for (let turn = 0; turn < turnsMax; turn++) {
    keep(said);
    const message = await ask(said);
    said.push(message);
    if (!message.tool_calls?.length) {
      if (!booked().length) throw new Trouble(`nothing was booked: ${message.content}`, false);
      return message.content;
    }
    for (const call of message.tool_calls) said.push({ role: 'tool', tool_call_id: call.id, content: carryOut(call) });
  }
  throw new Trouble('the model never comes to an end', false);
}

try {
  console.log(await run());
} catch (e) {
  console.error(`tools.mjs: ${e.message}`);
  process.exitCode = 1;
}
