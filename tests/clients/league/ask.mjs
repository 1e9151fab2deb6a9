// ask.mjs: what the programs of the league have in common.
//
//   ask({ chat, stream, tools })   each gives { text, finish, tool } and throws what its library throws
//
// The first argument says which is asked; KF_CHAOS_TIMEOUT_MS, where it is set, is the time-out that the
// client is given. What came out is written to KF_CHAOS_DIR/outcome.json. Exit 0: the library gave an
// answer and it says something. 1: the library threw. 2: it gave an answer that the program can do nothing with
// (no text, or not of the shape that the library's types promise).
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

const tell = (outcome) => {
  if (process.env.KF_CHAOS_DIR) fs.writeFileSync(`${process.env.KF_CHAOS_DIR}/outcome.json`, JSON.stringify(outcome));
  console.log(JSON.stringify(outcome));
};

export const ask = async (modes) => {
  let outcome;
  process.on('unhandledRejection', (e) => { console.error(`error: unhandled ${e?.name}: ${e?.message}`); process.exit(1); });
  try {
    outcome = await modes[process.argv[2] ?? 'chat']();
  } catch (e) {
    const frame = (e?.stack ?? '').split('\n').find((l) => /^ +at /.test(l) && !/JSON\.parse/.test(l)) ?? '';
    const isOurs = /league\/([^/]+\/client|ask)\.mjs/.test(frame); // the program stumbled over what it was given
    console.error(`error: ${isOurs ? 'program' : 'library'}: ${e?.name}: ${String(e?.message).slice(0, 300)}`);
    process.exit(isOurs ? 2 : 1);
  }
  tell({ text: outcome?.text ?? null, finish: outcome?.finish ?? null, tool: outcome?.tool ?? null });
  if (typeof outcome?.text !== 'string' || outcome.text === '') {
    console.error(`error: program: no text in ${JSON.stringify(outcome ?? null).slice(0, 200)}`);
    process.exit(2);
  }
  process.exit(0);
};
