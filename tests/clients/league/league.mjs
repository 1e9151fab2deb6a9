// league.mjs: the league table of clients.
//
//   league.mjs run OUT [CLIENT...]   audits each client in each mode and manner: OUT/CLIENT-MODE-MANNER.json
//   league.mjs patience OUT [CLIENT...]  how long each waits for a silent server by itself: OUT/CLIENT-MODE-patience.json
//   league.mjs again OUT [CLIENT...] runs each broken row once more, by its repro command: OUT/again.json
//   league.mjs page OUT FOLDER       writes FOLDER/league.md and league.svg from them, and OUT/league.json
//
// A mode is what is asked (a plain call, a stream, a tool loop), a manner how closely the program looks at what
// it is handed (ask.mjs). What is tried in the manners beside `text` are answers that can be looked at.
//
// The clients are the folders beside this file: npm's have a client.mjs, a package.json and its lockfile,
// PyPI's a client.py, requirements.in (what is wanted) and requirements.txt (all that came of it), and their
// environment in venv/ (`make league PYPI=1`).
import { spawn, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { cited, heat, page } from './page.mjs';

const here = path.dirname(fileURLToPath(import.meta.url)); // Debian 12's Node.js has no import.meta.dirname
const root = path.resolve(here, '../../..');
const bin = path.resolve(root, process.env.BIN ?? 'build', 'kf-chaos');
const deadline = Number(process.env.LEAGUE_DEADLINE ?? 20), jobs = process.env.LEAGUE_JOBS ?? '2';
const manners = ['text', 'bare', 'strict'];
const given = 3; // seconds, where a client is given a time-out

const modes = { // what is tried on which question
  chat: ['http_error', 'refuse', 'empty_reply', 'garbage', 'body:', 'header_stall', 'latency:', 'llm_empty', 'llm_length', 'llm_refusal', 'retry_lie', 'reset_peer', 'limit_data', 'quota'],
  stream: ['sse_', 'stall', 'keepalive_only', 'linger', 'llm_length', 'llm_empty', 'drip', 'ttft', 'limit_data'],
  tools: ['llm_tool', 'llm_loop', 'llm_finish', 'llm_oversize', '503'],
};
const looked = { // in the manners `bare` and `strict`
  chat: ['body:', 'limit_data', 'llm_empty', 'llm_length', 'llm_refusal'],
  stream: ['sse_', 'limit_data', 'llm_empty', 'llm_length'],
  tools: ['llm_tool', 'llm_finish'],
};
const silent = { chat: ['header_stall:no-answer-ever'], stream: ['header_stall:no-answer-ever', 'stall:silent-in-mid-stream-for-good', 'keepalive_only:comments-for-ever', 'linger:all-said-but-no-end'] };
const longest = 640; // seconds: the longest patience in use is ten minutes
const has = (client, file) => fs.existsSync(path.join(here, client, file));
const isPython = (client) => has(client, 'client.py');
const clients = () => fs.readdirSync(here, { withFileTypes: true }).filter((d) => d.isDirectory() && (has(d.name, 'client.mjs') || isPython(d.name))).map((d) => d.name);
const ready = () => clients().filter((c) => (isPython(c) ? has(c, 'venv/bin/python') : has(c, 'node_modules')));
const json = (file) => JSON.parse(fs.readFileSync(file, 'utf8'));
const words = (client) => { // its command line, from the root of the repository
  const of = (file) => path.relative(root, path.join(here, client, file));
  return isPython(client) ? [of('venv/bin/python'), of('client.py')] : ['node', of('client.mjs')];
};
const runFile = (out, client, mode, manner) => path.join(out, `${client}-${mode}-${manner}.json`);
const versions = (client) => {
  if (isPython(client)) return Object.fromEntries(fs.readFileSync(path.join(here, client, 'requirements.in'), 'utf8').trim().split('\n').map((line) => line.split('==')));
  const wanted = Object.keys(json(path.join(here, client, 'package.json')).dependencies ?? {});
  return Object.fromEntries(wanted.map((name) => [name, json(path.join(here, client, 'package-lock.json')).packages[`node_modules/${name}`].version]));
};

// ---- run

// Python's libraries take seconds to import: a process does it once, and each run is a copy of it (warm.py).
const warm = (client) => {
  if (!isPython(client)) return { command: words(client), stop: () => {} };
  const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'league-')), at = path.join(dir, 'socket');
  const [python, program] = words(client), script = path.relative(root, path.join(here, 'warm.py'));
  const env = { OPENAI_API_KEY: 'local', OPENAI_BASE_URL: 'http://127.0.0.1:1/v1', ANTHROPIC_API_KEY: 'local', ...process.env };
  const server = spawn(python, [script, 'serve', at, program], { cwd: root, stdio: 'ignore', env });
  spawnSync('sh', ['-c', `until [ -S '${at}' ] || ! kill -0 ${server.pid}; do sleep 0.2; done`], { stdio: 'ignore' });
  return { command: [python, '-I', '-S', script, 'run', at], stop: () => { server.kill(); fs.rmSync(dir, { recursive: true }); } };
};
const quoted = (command) => command.map((w) => `'${w}'`).join(' ');

// The command that anybody can run, instead of the one that was warm.
const sayPlainly = (file, client, command) => fs.writeFileSync(file, fs.readFileSync(file, 'utf8').replaceAll(quoted(command), quoted(words(client))));

const tryMode = (out, client, mode, manner, command) => {
  const file = runFile(out, client, mode, manner);
  const only = manner === 'text' ? modes[mode] : looked[mode];
  const patience = manner === 'text' ? ['--timeout', String(given)] : [];
  const r = spawnSync(bin, ['audit', '--jobs', jobs, '--deadline', String(deadline), ...patience, '--json', file,
    ...only.flatMap((w) => ['--only', w]), '--', ...command, mode, manner], { cwd: root, encoding: 'utf8' });
  console.log(`${client} ${mode} ${manner}: ${r.status > 1 ? r.stderr.trim() : r.stdout.trim().split('\n').at(-1)}`);
  if (r.status > 1) process.exitCode = 3;
  else sayPlainly(file, client, command);
};

// Where a library shows no finish reason even for a whole answer, nobody can be strict.
const canBe = (out, client, mode, manner) => {
  const text = runFile(out, client, mode, 'text');
  return manner !== 'strict' || (fs.existsSync(text) && Boolean(json(text).cases.find((c) => !c.id)?.outcome?.finish));
};

const run = (out, chosen) => {
  fs.mkdirSync(out, { recursive: true });
  for (const client of chosen.length ? chosen : ready()) {
    const todo = Object.keys(modes).flatMap((mode) => manners.map((manner) => [mode, manner])).filter(([mode, manner]) => !fs.existsSync(runFile(out, client, mode, manner)));
    if (!todo.length) continue;
    const { command, stop } = warm(client);
    for (const [mode, manner] of todo) if (canBe(out, client, mode, manner)) tryMode(out, client, mode, manner, command);
    stop();
  }
};

// ---- patience

// All at once: nothing is done but waiting.
const patience = async (out, chosen) => {
  fs.mkdirSync(out, { recursive: true });
  const one = (client, mode, command) => new Promise((done) => {
    const file = runFile(out, client, mode, 'patience');
    const args = ['audit', '--jobs', '4', '--deadline', String(longest), '--json', file, ...silent[mode].flatMap((id) => ['--case', id]), '--', ...command, mode];
    spawn(bin, args, { cwd: root, stdio: ['ignore', 'ignore', 'inherit'] }).on('close', (code) => {
      if (code > 1) console.log(`${client} ${mode}: exit ${code}`);
      else sayPlainly(file, client, command);
      done();
    });
  });
  await Promise.all((chosen.length ? chosen : ready()).map(async (client) => {
    const todo = Object.keys(silent).filter((mode) => !fs.existsSync(runFile(out, client, mode, 'patience')));
    if (!todo.length) return;
    const { command, stop } = warm(client);
    await Promise.all(todo.map((mode) => one(client, mode, command)));
    stop();
  }));
};

// ---- again

// As a person would: the command of the row, in a shell; but Python's libraries are imported once, as above. Who waits
// for an answer that never comes takes no processor, so many wait at once.
const again = async (out, chosen) => {
  const file = path.join(out, 'again.json'), all = fs.existsSync(file) ? json(file) : {}, quick = new Map(), slow = new Map();
  for (const s of load(out).summary) for (const manner of manners) for (const c of Object.values(s.runs[manner] ?? {})) {
    if (!c.broken.length || all[c.repro]?.[c.case] || (chosen.length && !chosen.includes(s.client))) continue;
    (['hung', 'ignored_timeout'].includes(c.broken[0].rule) ? slow : quick).set(c.repro, { id: c.id, client: s.client });
  }
  const warmed = new Map([...new Set([...quick.values(), ...slow.values()].map((t) => t.client))].map((client) => [client, warm(client)]));
  let started = 0;
  const tries = new Map(), one = ([repro, { id, client }], list) => new Promise((done) => {
    const got = path.join(out, `again.tmp-${started++}`);
    const more = tries.has(repro) && !repro.includes(' --deadline ') ? ' --deadline 60' : ''; // on a busy machine a clean run may need it
    const line = repro.replace(/^kf-chaos audit/, `'${bin}' audit --json '${got}'${more}`).replace(quoted(words(client)), quoted(warmed.get(client).command));
    spawn('sh', ['-c', line], { cwd: root, stdio: 'ignore' }).on('close', (code) => {
      const cases = code <= 1 ? json(got).cases.filter((c) => c.id === id) : [];
      for (const c of cases) (all[repro] ??= {})[c.case] = { rules: c.broken.map((b) => b.rule), evidence: c.broken.map((b) => b.evidence), summary: c.summary, last_words: c.last_words, handling: c.handling };
      if (code > 1 && tries.get(repro) !== 3) {
        tries.set(repro, (tries.get(repro) ?? 0) + 1);
        list.push([repro, { id, client }]);
      } else if (!cases.length) console.log(`exit ${code}: ${repro}`);
      fs.rmSync(got, { force: true });
      fs.writeFileSync(file, `${JSON.stringify(all, null, 1)}\n`);
      done();
    });
  });
  const workers = (todo, n, list = [...todo]) => Array.from({ length: n }, async () => { for (let next = list.shift(); next; next = list.shift()) await one(next, list); });
  await Promise.all([...workers(quick, Number(jobs)), ...workers(slow, Number(process.env.LEAGUE_WAITING ?? 12))]);
  for (const { stop } of warmed.values()) stop();
};

// ---- page

const load = (out) => {
  const summary = [], dates = new Set();
  for (const client of clients()) {
    const runs = {};
    for (const mode of Object.keys(modes)) for (const manner of [...manners, 'patience']) {
      const file = runFile(out, client, mode, manner);
      if (!fs.existsSync(file)) continue;
      dates.add(fs.statSync(file).mtime.toISOString().slice(0, 10));
      const { cases, deadline_ms } = json(file);
      for (const c of cases) if (c.id) (runs[manner] ??= {})[`${mode} | ${c.case}`] = { ...c, deadline_ms, clean: cases[0].requests.length };
    }
    Object.assign(runs.text ?? {}, runs.patience); // where it was waited for long, that counts
    if (runs.text) summary.push({ client, home: isPython(client) ? 'PyPI' : 'npm', versions: versions(client), runs });
  }
  return { summary, missing: clients().filter((c) => !summary.some((s) => s.client === c)), date: [...dates].sort().join(', '), given, longest };
};

const python = () => spawnSync('python3', ['-c', 'import platform; print(platform.python_version())'], { encoding: 'utf8' }).stdout.trim();

const print = (out, folder) => {
  const file = path.join(out, 'again.json'), all = { ...load(out), node: process.version, python: python(), about: json(path.join(here, 'findings.json')) };
  fs.writeFileSync(path.join(folder, 'league.md'), page(all, fs.existsSync(file) ? json(file) : {}));
  fs.writeFileSync(path.join(folder, 'league.svg'), heat(all));
  fs.writeFileSync(path.join(out, 'league.json'), `${JSON.stringify(all.summary.map(cited), null, 1)}\n`);
};

const [command, out, ...rest] = process.argv.slice(2);
if (command === 'run') run(out, rest);
else if (command === 'patience') await patience(out, rest);
else if (command === 'again') await again(out, rest);
else print(out, rest[0]);
