// page.mjs: what the league's runs look like: a page in Markdown, a heat map, and the table for programs.
//
// A row is `MODE | CASE`; a client's runs hold for each manner the rows as `kf-chaos audit --json` gave them.
import os from 'node:os';

const asked = { chat: 'A plain call', stream: 'A stream', tools: 'A tool loop' };
const plain = (text) => text.replaceAll('|', '\\|').replaceAll('\n', ' ').replaceAll('<', '&lt;');
const pinned = (s) => Object.entries(s.versions).map(([n, v]) => `${n} ${v}`).join(', ');
const split = (row) => row.split(' | ');
const rowsOf = (summary, manner) => [...new Set(summary.flatMap((s) => Object.keys(s.runs[manner] ?? {})))];
const table = (head, rows) => ['', `| ${head.join(' | ')} |`, `|${' --- |'.repeat(head.length)}`, ...rows.map((r) => `| ${r.join(' | ')} |`)];

// ---- what a row comes to

const level = (c) => (!c || c.verdict === 'not_reached' ? -1 : c.severity);
const isTaken = (c) => c.broken.some((b) => b.rule.startsWith('accepted_'));

const broken = (c) => ({
  hung: 'no end', ignored_timeout: 'ignores its time-out', accepted_truncated: c.handling === 'hidden' ? 'hides it' : 'takes it', accepted_empty: 'takes it', accepted_nothing: 'claims success',
  accepted_garbled: c.exit ? 'hands it over' : 'takes it', fell_over: 'falls over', crashed: 'crashes', gave_up: 'gives up', forbidden_retry: 'asks again', too_early: 'too early', no_backoff: 'no backoff',
  retry_storm: 'storm', repeated_side_effect: 'does it twice',
})[c.broken[0].rule] ?? c.broken[0].rule;

// How long it waited by itself for a server that fell silent, on a machine where a second is coarse.
const waited = (c) => {
  const first = c.requests?.[0], tens = first?.client_left ? Math.round((first.over_us - first.arrived_us) / 10e6) : 0;
  return c.deadline_ms > 60e3 && tens ? `, some ${tens}0 s` : '';
};

const mark = (c) => {
  if (!c) return '';
  if (c.verdict === 'not_reached') return '-';
  if (c.verdict === 'ok' && waited(c)) return `ok${waited(c)}`;
  if (c.broken[0]?.rule === 'hung' && !(c.deadline_ms > 60e3)) return '**still waits**';
  if (c.verdict === 'ok') return { raised: 'ok, raises', exposed: 'ok, exposes', recovered: 'ok, asks again' }[c.handling] ?? 'ok';
  return `**${broken(c)}**`;
};

// Who is the first to notice that the answer is no good: the laxest manner in which the run fails, or more is asked.
const noticed = (s, row) => {
  const runs = ['bare', 'text', 'strict'].map((manner) => [manner, s.runs[manner]?.[row]]), [[, bare], , [, strict]] = runs;
  if (level(bare) < 0) return '-';
  if (bare.broken.length && !isTaken(bare)) return `**${broken(bare)}**`;
  if (bare.broken.length && bare.exit) return '**stumbles**';
  const [manner, first] = runs.find(([, c]) => c && (c.exit || c.requests.length > c.clean)) ?? [];
  if (manner) return first.exit ? manner : `${manner}, asks again`;
  if (!strict && bare.broken.length) return '**nobody** can';
  return strict?.broken.length ? '**nobody**' : 'ok';
};

const tally = (s) => {
  const met = Object.values(s.runs.text).filter((c) => level(c) >= 0), worst = [...met].sort((a, b) => level(b) - level(a))[0];
  return { ...s, met: met.length, ok: met.filter((c) => level(c) === 0).length, by: [3, 2, 1].map((n) => met.filter((c) => level(c) === n).length), worst: level(worst) > 0 ? worst : undefined };
};
const rank = (summary) => summary.map(tally).sort((a, b) => a.by[0] - b.by[0] || a.by[1] - b.by[1] || a.by[2] - b.by[2] || a.client.localeCompare(b.client));

// ---- the page

const intro = ({ date, missing }, ranked) => `# The league: how model clients behave when things go wrong

${ranked.filter((s) => s.home === 'npm').length} clients from npm and ${ranked.filter((s) => s.home === 'PyPI').length} from PyPI (\`py-\`), each at a pinned version, ask one question as they are used (a plain call, a stream, a tool loop) while \`kf-chaos audit\` injects one fault a run and judges what
they do. Printed by \`make league PYPI=1\` from runs of ${date}; the programs, of some thirty lines each, are in \`tests/clients/league\`, with the clients' defaults.${missing.length ? ` Not in these runs: ${missing.join(', ')}.` : ''} [audit.md](audit.md) has the rules.

![the league as a heat map](league.svg)

## Ranked by what they do worst

\`***\` a wrong answer or a second deed: something cut, garbled or repeated was handed over as if it were whole, or a time-out that was set is not kept. \`**\` no answer where there could be one: it waits
for ever, or gives up at the first passing error. \`*\` manners: it asks too early, too often, or what it must not. Ordered by the number of each, worst first; the share that is ok says little, as most rows are ok
for everybody. Counted are the runs in the manner \`text\`.`;

const ranking = (ranked) => table(['client', 'version', '`***`', '`**`', '`*`', 'ok', 'worst'],
  ranked.map((s) => [s.client, pinned(s), ...s.by, `${s.ok} of ${s.met}`, s.worst ? `${plain(s.worst.case)}: ${plain(s.worst.broken[0].title)}` : 'nothing']));

const grids = (ranked, rows, of) => {
  const out = [];
  for (const mode of Object.keys(asked)) for (const home of ['npm', 'PyPI']) {
    const mine = rows.filter((row) => split(row)[0] === mode), some = ranked.filter((s) => s.home === home);
    if (mine.length && some.length) out.push('', `### ${asked[mode]}, ${home}`, ...table(['fault', ...some.map((s) => s.client)], mine.map((row) => [plain(split(row)[1]), ...some.map((s) => of(s, row))])));
  }
  return out;
};

const apart = (ranked) => {
  const of = (s, row) => mark(s.runs.text[row]), rows = rowsOf(ranked, 'text');
  const differs = rows.filter((row) => new Set(ranked.map((s) => of(s, row)).filter((m) => m && m !== '-')).size > 1);
  return ['', '## Rows that tell clients apart', '', 'The manner `text`. "ok, raises": an error; "ok, exposes": handed over with another finish reason, which the caller has to look at; "hides it": handed over as if it were whole; "hands it over": what is no answer at all was handed over as one, and the program stumbled over it; "-": not reached. Without a time-out a silent server is waited for up to 640 s: "some 300 s": then it asks again or raises; "no end": it was still there. "still waits": nobody has waited that long.',
    ...grids(ranked, differs, of), '', '## Rows that are the same for all',
    ...table(['asked', 'fault', 'all'], rows.filter((row) => !differs.includes(row)).map((row) => [...split(row).map(plain), ranked.map((s) => of(s, row)).find((m) => m && m !== '-') ?? 'not reached']))];
};

const manners = (ranked) => ['', '## Who notices a bad answer', '', 'Each program was run in three manners. `bare`: it takes what the library hands over, so that only the library can notice. `text`: it also refuses an answer without text. `strict`: it also refuses a finish reason that is not a good one. A cell names the first manner in which somebody noticed: the laxer, the better the library.',
  '"asks again": by itself it asked again, or told the model. "stumbles": what was handed over was no answer at all. "ok": it is whole, or nothing tells that it is not. "nobody": the cut answer has the finish reason of a whole one; "nobody can": even a whole answer has no finish reason that a caller could look at. "-": not reached.',
  ...grids(ranked, rowsOf(ranked, 'bare').filter((row) => ranked.some((s) => !['ok', '-'].includes(noticed(s, row)))), noticed)];

// The same cause is told once, with all who have it.
const findings = (ranked, about) => {
  const groups = new Map();
  const add = (s, row, c, manner) => {
    const key = `${c.id} ${c.broken[0].rule}`, group = groups.get(key) ?? { c, row, who: [] };
    groups.set(key, group);
    group.who.push(`- **${s.client}** (${pinned(s)}), ${split(row)[0]}${manner === 'text' ? '' : `, ${manner}`}: ${c.broken.map((b) => plain(b.evidence)).join('; ')}.${c.last_words ? ` Last words: \`${plain(c.last_words).replaceAll('`', "'")}\`.` : ''} \`${c.repro}\``);
  };
  for (const s of ranked) {
    for (const [row, c] of Object.entries(s.runs.text)) if (level(c) === 3 || (level(c) === 2 && ['fell_over', 'hung'].includes(c.broken[0].rule))) add(s, row, c, 'text');
    for (const [row, c] of Object.entries(s.runs.strict ?? {})) if (level(c) === 3 && level(s.runs.text[row]) < 3) add(s, row, c, 'strict');
  }
  const out = ['', '## Findings', '', 'What looks like a bug of a library: what it is sent, what was seen, what is expected, and the command that shows it again.'];
  for (const [key, { c, who }] of [...groups].sort(([, a], [, b]) => level(b.c) - level(a.c))) {
    const norm = c.broken[0].norm ? ` ([norm](${c.broken[0].norm}))` : '';
    out.push('', `### ${plain(c.case)}: ${plain(c.broken[0].title)}`, '', `${about[key] ?? `Expected: ${plain(c.right)}.`}${norm}`, '', ...who);
  }
  return out;
};

const repeatedPart = (ranked, repeated) => {
  const counts = { text: [0, 0, 0], bare: [0, 0, 0], strict: [0, 0, 0] }, others = [];
  for (const s of ranked) for (const [manner, run] of Object.entries(s.runs)) for (const [row, c] of Object.entries(run)) {
    if (!counts[manner]) continue;
    if (level(c) < 1) continue;
    const now = repeated[c.repro]?.[c.case], first = c.broken.map((b) => b.rule);
    counts[manner][!now ? 2 : now.rules.join() === first.join() ? 0 : 1]++;
    if (now && now.rules.join() !== first.join()) others.push(`- ${s.client}, ${split(row)[0]}, ${manner}, ${plain(c.case)}: ${first.join(', ')}; alone: ${now.rules.join(', ') || 'ok'}`);
  }
  return ['', '## Each broken row, once more', '', 'Each was run again, alone, by the command that its row has, in a shell (PyPI\'s in a copy of a process that has imported the library):',
    ...table(['manner', 'broken rows', 'the same', 'other', 'not repeated'], Object.entries(counts).map(([manner, n]) => [manner, n[0] + n[1] + n[2], ...n])), ...(others.length ? ['', ...others] : [])];
};

const how = ({ date, node, python, given, longest }) => ['', '## How it was run', '',
  `\`make league PYPI=1\` on Linux ${os.arch()}, Node ${node}, Python ${python}; the runs are of ${date}; a run may take 20 s and four times a clean run, more while a client goes on asking; silent servers twice, with the client's own patience, for which there are ${longest} s, and with a time-out of ${given} s;`,
  'each client in a folder and with a lockfile of its own (of PyPI, a run is mostly a copy of a process that has imported the library, so that all have about the same deadline); on two cores that were shared with other work, so no row hangs on less than seconds; the upstream is the stand-in of `kf-chaos`, in the API that the client speaks. A client that "raises" at a fault that would pass may be right: retries are a matter of settings, and defaults were taken.'];

export const page = (all, repeated) => {
  const ranked = rank(all.summary);
  return `${[intro(all, ranked), ...ranking(ranked), ...apart(ranked), ...manners(ranked), ...findings(ranked, all.about), ...repeatedPart(ranked, repeated), ...how(all)].join('\n')}\n`;
};

// ---- the table for programs

export const cited = ({ client, versions, runs }) => ({
  client, versions,
  cases: ['text', 'bare', 'strict'].map((manner) => [manner, runs[manner] ?? {}]).flatMap(([manner, run]) => Object.entries(run).map(([row, c]) => ({ asked: split(row)[0], manner, id: c.id, name: c.case, verdict: c.verdict, severity: c.severity, handling: c.handling, exit: c.exit, broken: c.broken.map((b) => b.rule), repro: c.repro }))),
});

// ---- the picture

export const heat = ({ summary }) => {
  const ranked = rank(summary), rows = rowsOf(ranked, 'text'), left = 360, top = 110, w = 34, h = 15;
  const colour = ['#2e7d32', '#f9a825', '#ef6c00', '#b71c1c'], text = (t) => t.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/"/g, '&quot;');
  const out = [`<svg xmlns="http://www.w3.org/2000/svg" width="${left + ranked.length * w + 40}" height="${top + rows.length * h + 50}" font-family="sans-serif" font-size="11"><title>The league of clients</title><rect width="100%" height="100%" fill="#fff"/>`];
  ranked.forEach((s, i) => out.push(`<text transform="translate(${left + i * w + 20},${top - 8}) rotate(-55)">${text(s.client)}</text>`));
  rows.forEach((row, k) => {
    const y = top + k * h;
    out.push(`<text x="${left - 8}" y="${y + 11}" text-anchor="end">${text(row.replace(' | ', ', '))}</text>`);
    ranked.forEach((s, i) => {
      const c = s.runs.text[row];
      out.push(`<rect x="${left + i * w}" y="${y}" width="${w - 2}" height="${h - 2}" fill="${level(c) < 0 ? '#e0e0e0' : colour[level(c)]}"><title>${text(`${s.client}: ${row}: ${c ? mark(c).replaceAll('*', '') : 'not tried'}`)}</title></rect>`);
    });
  });
  ['ok', 'manners (*)', 'no answer (**)', 'wrong answer (***)'].forEach((t, i) => out.push(`<rect x="${left - 300 + i * 130}" y="${top + rows.length * h + 20}" width="12" height="12" fill="${colour[i]}"/><text x="${left - 283 + i * 130}" y="${top + rows.length * h + 30}">${t}</text>`));
  return `${out.join('\n')}\n</svg>\n`;
};
