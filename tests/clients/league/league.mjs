// league.mjs: the league table of clients.
//
//   league.mjs run OUT [CLIENT...]   audits each client in each mode: OUT/CLIENT-MODE.json
//   league.mjs again OUT [CLIENT...] runs each broken row once more, by its repro command: OUT/again.json
//   league.mjs page OUT FOLDER       writes FOLDER/league.md and league.svg from them, and OUT/league.json
//
// The clients are the folders beside this file: npm's have a client.mjs, a package.json and its lockfile,
// PyPI's a client.py, requirements.in (what is wanted) and requirements.txt (all that came of it), and their
// environment in venv/ (`make league PYPI=1`).
import { spawn, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';

const here = import.meta.dirname;
const root = path.resolve(here, '../../..');
const bin = path.resolve(root, process.env.BIN ?? 'build', 'kf-chaos');
const deadline = Number(process.env.LEAGUE_DEADLINE ?? 20), jobs = process.env.LEAGUE_JOBS ?? '2';
const given = 3; // seconds, where a client is given a time-out

const modes = { // what is tried on which question
  chat: ['http_error', 'refuse', 'empty_reply', 'garbage', 'body', 'header_stall', 'latency', 'llm_empty', 'llm_length', 'llm_refusal', 'retry_lie', 'reset_peer', 'limit_data', 'quota'],
  stream: ['sse_', 'stall', 'keepalive_only', 'linger', 'llm_length', 'llm_empty', 'drip', 'ttft', 'limit_data'],
  tools: ['llm_tool', 'llm_loop', 'llm_finish', 'llm_oversize', '503'],
};
const has = (client, file) => fs.existsSync(path.join(here, client, file));
const isPython = (client) => has(client, 'client.py');
const clients = () => fs.readdirSync(here, { withFileTypes: true }).filter((d) => d.isDirectory() && (has(d.name, 'client.mjs') || isPython(d.name))).map((d) => d.name);
const json = (file) => JSON.parse(fs.readFileSync(file, 'utf8'));
const words = (client) => { // its command line, from the root of the repository
  const of = (file) => path.relative(root, path.join(here, client, file));
  return isPython(client) ? [of('venv/bin/python'), of('client.py')] : ['node', of('client.mjs')];
};
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

const tryMode = (out, client, mode, only, command) => {
  const file = path.join(out, `${client}-${mode}.json`);
  const r = spawnSync(bin, ['audit', '--jobs', jobs, '--deadline', String(deadline), '--timeout', String(given), '--json', file,
    ...only.flatMap((w) => ['--only', w]), '--', ...command, mode], { cwd: root, encoding: 'utf8' });
  console.log(`${client} ${mode}: ${r.status > 1 ? r.stderr.trim() : r.stdout.trim().split('\n').at(-1)}`);
  if (r.status > 1) process.exitCode = 3;
  else fs.writeFileSync(file, fs.readFileSync(file, 'utf8').replaceAll(quoted(command), quoted(words(client)))); // what anybody can run
};

const run = (out, chosen) => {
  fs.mkdirSync(out, { recursive: true });
  const ready = clients().filter((c) => !isPython(c) || has(c, 'venv/bin/python'));
  for (const client of chosen.length ? chosen : ready) {
    const todo = Object.entries(modes).filter(([mode]) => !fs.existsSync(path.join(out, `${client}-${mode}.json`)));
    if (!todo.length) continue;
    const { command, stop } = warm(client);
    for (const [mode, only] of todo) tryMode(out, client, mode, only, command);
    stop();
  }
};

// ---- again

// Several at once: most of them wait for an answer that never comes.
const again = async (out, chosen) => {
  const file = path.join(out, 'again.json'), all = fs.existsSync(file) ? json(file) : {}, todo = [];
  for (const client of chosen.length ? chosen : clients()) for (const mode of Object.keys(modes)) {
    const run = path.join(out, `${client}-${mode}.json`);
    if (!fs.existsSync(run)) continue;
    for (const id of new Set(json(run).cases.filter((c) => c.id && c.broken.length).map((c) => c.id))) if (!all[`${client} ${mode} ${id}`]) todo.push({ client, mode, id });
  }
  const commands = new Map([...new Set(todo.map((t) => t.client))].map((client) => [client, warm(client)]));
  const one = ({ client, mode, id }) => new Promise((done) => {
    const got = path.join(out, `again-${client}-${mode}.tmp-${id.replace(/[^a-z0-9]/g, '-')}`);
    const args = ['audit', '--case', id, '--seed', '1', '--timeout', String(given), '--json', got, '--', ...commands.get(client).command, mode];
    spawn(bin, args, { cwd: root, stdio: 'ignore' }).on('close', (code) => {
      const cases = code <= 1 ? json(got).cases.filter((c) => c.id === id) : [];
      for (const c of cases) (all[`${client} ${mode} ${id}`] ??= {})[c.case] = c.broken.map((b) => b.rule);
      if (!cases.length) console.log(`${client} ${mode} ${id}: exit ${code}`);
      fs.rmSync(got, { force: true });
      fs.writeFileSync(file, `${JSON.stringify(all, null, 1)}\n`);
      done();
    });
  });
  const worker = async () => { for (let next = todo.shift(); next; next = todo.shift()) await one(next); };
  await Promise.all(Array.from({ length: Number(process.env.LEAGUE_AGAIN ?? 4) }, worker));
  for (const { stop } of commands.values()) stop();
};

// ---- page

const cell = (c) => {
  const rules = c.broken.map((b) => b.rule);
  if (c.verdict === 'not_reached') return { mark: '-', level: -1 };
  if (c.verdict === 'ok') return { mark: { raised: 'ok, raises', exposed: 'ok, exposes', recovered: 'ok, asks again' }[c.handling] ?? 'ok', level: 0 };
  const words = { hung: c.timeout_ms ? 'no end' : 'no time-out', ignored_timeout: 'ignores its time-out', accepted_truncated: c.handling === 'hidden' ? 'hides it' : 'takes it', accepted_empty: 'takes it', accepted_garbled: 'takes it', fell_over: 'falls over', crashed: 'crashes', gave_up: 'gives up', forbidden_retry: 'asks again', too_early: 'too early', no_backoff: 'no backoff', retry_storm: 'storm', repeated_side_effect: 'does it twice' };
  return { mark: `**${words[rules[0]] ?? rules[0]}**`, level: c.severity };
};

const load = (out) => {
  const table = new Map(), summary = [], dates = new Set(), deadlines = new Set();
  for (const client of clients()) {
    const cells = {};
    for (const mode of Object.keys(modes)) {
      const file = path.join(out, `${client}-${mode}.json`);
      if (!fs.existsSync(file)) continue;
      dates.add(fs.statSync(file).mtime.toISOString().slice(0, 10));
      deadlines.add(json(file).deadline_ms / 1000);
      for (const c of json(file).cases) {
        if (!c.id) continue;
        const row = `${mode} | ${c.case}`;
        cells[row] = { ...cell(c), ...c };
        if (!table.has(row)) table.set(row, c.right);
      }
    }
    if (Object.keys(cells).length) summary.push({ client, versions: versions(client), cells });
  }
  return { table, summary, date: [...dates].sort().join(', '), deadline: [...deadlines].sort((a, b) => a - b).join(' or ') };
};

const tally = (s) => {
  const met = Object.values(s.cells).filter((c) => c.level >= 0), worst = met.toSorted((a, b) => b.level - a.level)[0];
  return { met: met.length, ok: met.filter((c) => c.level === 0).length, by: [3, 2, 1].map((n) => met.filter((c) => c.level === n).length), worst: worst?.level ? worst : undefined };
};
const python = () => spawnSync('python3', ['-c', 'import platform; print(platform.python_version())'], { encoding: 'utf8' }).stdout.trim();
const pinned = (s) => Object.entries(s.versions).map(([n, v]) => `${n} ${v}`).join(', ');
const plain = (text) => text.replaceAll('|', '\\|').replaceAll('\n', ' ').replaceAll('<', '&lt;');

const repeatedPart = (ranked, repeated) => {
  let same = 0, missing = 0;
  const others = [];
  for (const s of ranked) for (const [row, c] of Object.entries(s.cells)) {
    if (c.level < 1) continue;
    const mode = row.split(' | ')[0], now = repeated[`${s.client} ${mode} ${c.id}`]?.[c.case], first = c.broken.map((b) => b.rule);
    if (!now) missing++;
    else if (now.join() === first.join()) same++;
    else others.push(`- ${s.client}, ${mode}, ${plain(c.case)}: ${first.join(', ')}; alone: ${now.join(', ') || 'ok'}`);
  }
  return ['', '## Each broken row, once more', '', `Run again, alone, by the command of its row: ${same} came out the same, ${others.length} did not${missing ? `, ${missing} were not repeated` : ''}.`, ...(others.length ? ['', ...others] : [])];
};

const page = ({ table, summary, date, deadline: seconds }, repeated) => {
  const others = clients().filter((c) => !summary.some((s) => s.client === c));
  const ranked = summary.map((s) => ({ ...s, ...tally(s) })).toSorted((a, b) => a.by[0] - b.by[0] || a.by[1] - b.by[1] || a.by[2] - b.by[2] || a.client.localeCompare(b.client));
  const out = [`# The league: how model clients behave when things go wrong

${ranked.filter((s) => !isPython(s.client)).length} clients from npm and ${ranked.filter((s) => isPython(s.client)).length} from PyPI (\`py-\`), each at a pinned version, ask one question as they are used (a plain call, a stream, a tool loop) while \`kf-chaos audit\` injects one fault a run and judges what
they do. Printed by \`make league PYPI=1\` from runs of ${date}; the programs, of some thirty lines each, are in \`tests/clients/league\`, with the clients' defaults.${others.length ? ` Not in these runs: ${others.join(', ')}.` : ''} [audit.md](audit.md) has the rules.

![the league as a heat map](league.svg)

## Ranked by what they do worst

\`***\` a wrong answer or a second deed: something cut, garbled or repeated was handed over as if it were whole, or a time-out that was set is not kept. \`**\` no answer where there could be one: it waits
for ever, or gives up at the first passing error. \`*\` manners: it asks too early, too often, or what it must not. Ordered by the number of each, worst first; the share that is ok says little, as most rows are ok
for everybody.

| client | version | \`***\` | \`**\` | \`*\` | ok | worst |
| --- | --- | --- | --- | --- | --- | --- |`];
  for (const s of ranked) out.push(`| ${s.client} | ${pinned(s)} | ${s.by.join(' | ')} | ${s.ok} of ${s.met} | ${s.worst ? `${plain(s.worst.case)}: ${plain(s.worst.broken[0].title)}` : 'nothing'} |`);
  const differs = [...table.keys()].filter((row) => new Set(summary.map((s) => s.cells[row]?.mark).filter((m) => m && m !== '-')).size > 1);
  const list = (title, about, rows) => {
    out.push('', `## ${title}`, '', about);
    for (const mode of Object.keys(modes)) {
      const mine = rows.filter((row) => row.startsWith(`${mode} |`));
      if (!mine.length) continue;
      for (const home of ['npm', 'PyPI']) {
        const some = ranked.filter((s) => isPython(s.client) === (home === 'PyPI'));
        if (!some.length) continue;
        out.push('', `### ${{ chat: 'A plain call', stream: 'A stream', tools: 'A tool loop' }[mode]}, ${home}`, '', `| fault | ${some.map((s) => s.client).join(' | ')} |`, `| --- |${' --- |'.repeat(some.length)}`);
        for (const row of mine) out.push(`| ${plain(row.slice(mode.length + 3))} | ${some.map((s) => s.cells[row]?.mark ?? '').join(' | ')} |`);
      }
    }
  };
  list('Rows that tell clients apart', '"ok, raises": an error; "ok, exposes": handed over with another finish reason, which the caller has to look at; "hides it": handed over as if it were whole; "-": not reached.', differs);
  const same = [...table.keys()].filter((row) => !differs.includes(row));
  out.push('', '## Rows that are the same for all', '', '| asked | fault | all |', '| --- | --- | --- |');
  for (const row of same) { const [mode, name] = row.split(' | '); out.push(`| ${mode} | ${plain(name)} | ${summary.map((s) => s.cells[row]?.mark).find((m) => m && m !== '-') ?? 'not reached'} |`); }
  out.push('', '## Findings', '', 'What looks like a bug of a library, with what was seen and the command that shows it again.', '');
  for (const s of ranked) for (const [row, c] of Object.entries(s.cells)) {
    if (c.level < 3 && !(c.level === 2 && c.broken.some((b) => b.rule === 'fell_over'))) continue;
    out.push(`- **${s.client}**, ${row.split(' | ')[0]}, ${plain(c.case)}: ${c.broken.map((b) => `${plain(b.title)} (${plain(b.evidence)})`).join('; ')}. ${c.last_words ? `Last words: \`${plain(c.last_words).replaceAll('`', "'")}\`. ` : ''}\`${c.repro}\``);
  }
  out.push(...repeatedPart(ranked, repeated));
  out.push('', '## How it was run', '', `\`make league PYPI=1\` on Linux ${os.arch()}, Node ${process.version}${ranked.some((s) => isPython(s.client)) ? `, Python ${python()}` : ''}; the runs are of ${date}; deadline ${seconds} s beyond four clean runs, extended while a client goes on asking; silent servers twice, with the client's own patience and with a time-out of ${given} s;`,
    'each client in a folder and with a lockfile of its own (of PyPI, a run is mostly a copy of a process that has imported the library); on two cores that were shared with other work, so no row hangs on less than seconds; the upstream is the stand-in of `kf-chaos`, in the API that the client speaks. A client that "raises" at a fault that would pass may be right: retries are a matter of settings, and defaults were taken.');
  return `${out.join('\n')}\n`;
};

const heat = ({ table, summary }) => {
  const ranked = summary.map((s) => ({ ...s, ...tally(s) })).toSorted((a, b) => a.by[0] - b.by[0] || a.by[1] - b.by[1] || a.by[2] - b.by[2] || a.client.localeCompare(b.client));
  const rows = [...table.keys()], left = 360, top = 110, w = 34, h = 15;
  const colour = ['#2e7d32', '#f9a825', '#ef6c00', '#b71c1c'], text = (t) => t.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/"/g, '&quot;');
  const out = [`<svg xmlns="http://www.w3.org/2000/svg" width="${left + ranked.length * w + 20}" height="${top + rows.length * h + 50}" font-family="sans-serif" font-size="11"><title>The league of clients</title><rect width="100%" height="100%" fill="#fff"/>`];
  ranked.forEach((s, i) => out.push(`<text transform="translate(${left + i * w + 20},${top - 8}) rotate(-55)">${text(s.client)}</text>`));
  rows.forEach((row, k) => {
    const y = top + k * h;
    out.push(`<text x="${left - 8}" y="${y + 11}" text-anchor="end">${text(row.replace(' | ', ', '))}</text>`);
    ranked.forEach((s, i) => {
      const c = s.cells[row], level = c?.level ?? -1;
      out.push(`<rect x="${left + i * w}" y="${y}" width="${w - 2}" height="${h - 2}" fill="${level < 0 ? '#e0e0e0' : colour[level]}"><title>${text(`${s.client}: ${row}: ${c ? c.mark.replaceAll('*', '') : 'not tried'}`)}</title></rect>`);
    });
  });
  ['ok', 'manners (*)', 'no answer (**)', 'wrong answer (***)'].forEach((t, i) => out.push(`<rect x="${left - 300 + i * 130}" y="${top + rows.length * h + 20}" width="12" height="12" fill="${colour[i]}"/><text x="${left - 283 + i * 130}" y="${top + rows.length * h + 30}">${t}</text>`));
  return `${out.join('\n')}\n</svg>\n`;
};

const [command, out, ...rest] = process.argv.slice(2);
if (command === 'run') run(out, rest);
else if (command === 'again') await again(out, rest);
else {
  const all = load(out), repeated = fs.existsSync(path.join(out, 'again.json')) ? json(path.join(out, 'again.json')) : {};
  fs.writeFileSync(path.join(rest[0], 'league.md'), page(all, repeated));
  fs.writeFileSync(path.join(rest[0], 'league.svg'), heat(all));
  fs.writeFileSync(path.join(out, 'league.json'), `${JSON.stringify(all.summary.map(({ client, versions: v, cells }) => ({ client, versions: v, cases: Object.entries(cells).map(([row, c]) => ({ asked: row.split(' | ')[0], id: c.id, name: c.case, verdict: c.verdict, severity: c.severity, handling: c.handling, broken: c.broken.map((b) => b.rule) })) })), null, 1)}\n`);
}
