// ask.mjs: what the programs of the league have in common.
//
//   ask({ chat, stream, tools })   each gives { text, finish, tool } and throws what its library throws
//
// The first argument says which is asked, the second in which manner: `bare` takes whatever the library hands
// over and says nothing of it, `text` (the default) asserts that there is some, `strict` also that the finish
// reason is a good one. KF_CHAOS_TIMEOUT_MS, where it is set, is the time-out that the client is given. What
// was handed over is written to KF_CHAOS_DIR/outcome.json, but by `bare`: nobody looks at it there. Exit 0: the
// library gave an answer. 1: it threw. 2: the program refuses what it was given, or stumbles over it: then it
// was not of the shape that the library's types promise, and was handed over all the same.
import fs from 'node:fs';

export const question = 'What is the answer?';
export const timeout = process.env.KF_CHAOS_TIMEOUT_MS ? Number(process.env.KF_CHAOS_TIMEOUT_MS) : undefined;
export const weather = {
  name: 'get_weather',
  description: 'The weather in a city.',
  parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
};
export const call = (args) => { if (typeof args.city !== 'string') throw new TypeError(`no city in ${JSON.stringify(args)}`); return `It is 21 degrees in ${args.city}.`; };
export const models = { talk: 'test-model' };

const good = ['stop', 'end_turn', 'STOP', 'completed', 'tool_calls']; // the last: where the call is the answer
const [, , mode = 'chat', manner = process.env.KF_CHAOS_CHECK ?? 'text'] = process.argv;
const tell = (outcome) => { if (process.env.KF_CHAOS_DIR) fs.writeFileSync(`${process.env.KF_CHAOS_DIR}/outcome.json`, JSON.stringify(outcome)); };
const refuse = (why, outcome) => {
  console.error(`error: program: ${why} in ${JSON.stringify(outcome ?? null).slice(0, 200)}`);
  process.exit(2);
};

// The place where it was thrown is the program's: it stumbled over what it was given. A parser is not to blame.
const isOurs = (e) => {
  const frame = (e?.stack ?? '').split('\n').find((l) => /^ +at /.test(l) && !/JSON\.parse/.test(l)) ?? '';
  return /league\/([^/]+\/client|ask)\.mjs/.test(frame) && !/^ +at async /.test(frame);
};

export const ask = async (modes) => {
  let outcome;
  process.on('unhandledRejection', (e) => { console.error(`error: unhandled ${e?.name}: ${e?.message}`); process.exit(1); });
  try {
    outcome = await modes[mode]();
  } catch (e) {
    const ours = isOurs(e);
    if (ours && e instanceof TypeError) tell({ text: null, finish: null, tool: null });
    console.error(`error: ${ours ? 'program' : 'library'}: ${e?.name}: ${String(e?.message).slice(0, 300)}`);
    process.exit(ours ? 2 : 1);
  }
  const { text = null, finish = null, tool = null } = outcome ?? {};
  console.log(JSON.stringify({ text, finish, tool }));
  if (manner !== 'bare') tell({ text, finish, tool });
  if (!outcome) refuse('no answer in five turns', outcome);
  if (manner !== 'bare' && (typeof text !== 'string' || text === '')) refuse('no text', outcome);
  if (manner === 'strict' && !good.includes(finish)) refuse('no good finish reason', outcome);
  process.exit(0);
};
