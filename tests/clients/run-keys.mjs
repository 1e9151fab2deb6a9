// Holds docs/run-directory.md against a run directory: every file is in its
// first table and every JSON key in the section of its file; and every name of
// the page is in that run, or at least a string in the source of its writers.
// usage: run-keys.mjs PAGE DIR
import fs from 'node:fs';
import path from 'node:path';

const [page, dir] = process.argv.slice(2);
const text = fs.readFileSync(page, 'utf8');
const wrong = [];

// "## `run.json`" or "## A verdict": the backticked names in its table's rows.
const sections = {};
for (const part of text.split(/^## /m)) {
  const title = part.slice(0, part.indexOf('\n')).replace(/`/g, '');
  const rows = part.split('\n').filter((l) => l.startsWith('| `'));
  sections[title] = { first: [], all: new Set() };
  for (const row of rows) {
    const cells = row.split(/(?<!\\)\|/).slice(1, -1);
    const names = (cell) => [...cell.matchAll(/`([^`]+)`/g)].map((m) => m[1]);
    sections[title].first.push(...names(cells[0]));
    names(row).forEach((n) => sections[title].all.add(n));
    const heads = names(cells[0]).map((n) => n.split(/[.[]/)[0]);
    sections[title].first.push(...names(cells.slice(1).join()).filter((n) => /^[a-z_]+(\[\])?\./.test(n) && heads.includes(n.split(/[.[]/)[0])));
  }
}

// What the run chose itself is `*`; a verdict and a side are described once.
const shape = (key) => key
  .replace(/^anchors\.(files|derived)\..*/, 'anchors.$1.*')
  .replace(/^anchors\.journals\..*?\.jsonl/, 'anchors.journals.*')
  .replace(/^plan\..*/, 'plan')
  .replace(/^degraded\..*/, 'degraded.*')
  .replace(/^records\..*/, 'records.*')
  .replace(/^patch\..*/, 'patch')
  .replace(/^(naive|kernelforge)(\.routes)\..*/, '$1$2.*')
  .replace(/cases\[\]\.shape\..*/, 'cases[].shape.*')
  .replace(/^(timing\.sizes\[\])\.(plain|candidate)\./, '')
  .replace(/^kernelforge\./, 'naive.')
  .replace(/^coverage\..*/, 'coverage');
const keys = (value, at, found) => {
  if (Array.isArray(value)) value.forEach((v) => keys(v, `${at}[]`, found));
  else if (value && typeof value === 'object')
    for (const [k, v] of Object.entries(value)) {
      const key = at ? `${at}.${k}` : k;
      found.add(key);
      keys(v, key, found);
    }
  return found;
};

const seen = {};
const note = (section, key) => (seen[section] ??= new Set()).add(key);
const walk = (rel) => {
  for (const e of fs.readdirSync(path.join(dir, rel), { withFileTypes: true })) {
    const name = path.join(rel, e.name);
    if (e.isDirectory()) { walk(name); continue; }
    const kind = name.replace(/^kernels\/[^/]+\/\d+\./, 'kernels/OP/N.').replace(/^kernels\/[^/]+\/naive\./, 'kernels/OP/naive.');
    note('A run directory', kind);
    if (!/\.jsonl?$/.test(name)) continue;
    const body = fs.readFileSync(path.join(dir, name), 'utf8');
    const section = kind.replace('OP/naive.json', 'OP/N.json');
    for (const one of name.endsWith('l') ? body.split('\n').filter(Boolean) : [body])
      for (const key of keys(JSON.parse(one), '', new Set())) {
        const verdict = section.endsWith('N.json') && key.match(/^(judged|audit)\.(.*)/);
        if (verdict) note('A verdict', verdict[2].replace(/cases\[\]\.shape\..*/, 'cases[].shape.*'));
        else note(section, shape(key));
      }
  }
};
walk('');
sections['A run directory'] = sections['# A run directory'];

// A key is named when it, or each of its elements' keys, is.
const isNamed = (section, key) => {
  const all = [...(sections[section]?.all ?? [])];
  return all.some((n) => n === key || n.startsWith(`${key}.`) || n.startsWith(`${key}[`));
};
for (const [section, found] of Object.entries(seen))
  for (const key of found)
    if (!isNamed(section, key)) wrong.push(`${section}: a run has "${key}", which the page does not name`);

const source = ['agent', 'lab', 'gateway/exchange', 'chaos', 'base', 'demo'].flatMap(function files(d) {
  return fs.readdirSync(d, { withFileTypes: true }).flatMap((e) =>
    e.isDirectory() ? files(path.join(d, e.name)) : /\.(c|h|sh)$/.test(e.name) ? [fs.readFileSync(path.join(d, e.name), 'utf8')] : []);
}).join('\n');
for (const [section, { first }] of Object.entries(sections)) {
  const found = seen[section];
  if (!found) continue;
  for (const name of first) {
    const parts = name.replace(/\.\*$/, '').replace(/\[\]/g, '').split('.');
    const isWritten = parts.some((_, i) => source.includes(`"${parts.slice(i).join('.')}"`));
    if (![...found].some((k) => k === name || k.startsWith(`${name}.`) || k.startsWith(`${name}[`)) && !isWritten)
      wrong.push(`${section}: the page names "${name}", which nobody writes`);
  }
}
for (const name of ['run.json', 'A verdict', 'kernels/OP/N.json', 'chaos.jsonl', 'gateway.jsonl', 'scorecard.json', 'trace.jsonl', 'ledger.jsonl', 'naive.jsonl'])
  if (!seen[name] || !sections[name]) wrong.push(`${name}: not looked at`);
console.log(wrong.join('\n'));
process.exit(wrong.length ? 1 : 0);
