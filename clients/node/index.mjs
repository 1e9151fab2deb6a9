// kf-chaos in Node's tests: start it with faults by name, look at what came of it.
//
//   const chaos = await startChaos({ faults: [{ type: 'http_error', status: 429, attempt: 1 }] });
//   await myAgent(chaos.baseUrl);
//   const { requests, fired } = await chaos.stop();   // throws when a fault never acted
import { spawn } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const ours = fileURLToPath(new URL('../../build/kf-chaos', import.meta.url));
const program = () => process.env.KF_CHAOS ?? (fs.existsSync(ours) ? ours : 'kf-chaos');

export const startChaos = async ({ faults = [], upstream } = {}) => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'kf-chaos-'));
  const file = (name) => path.join(folder, name);
  const rules = faults.map(({ attempt, match, when = { always: true }, ...fault }, i) => ({
    id: `fault-${i + 1}`, when, fault, ...(attempt || match ? { match: { ...match, ...(attempt && { attempt }) } } : {}) }));
  fs.writeFileSync(file('scenario.json'), JSON.stringify({ chaos: 1, name: 'node', seed: '1',
    proxies: { models: { listen: '127.0.0.1:0', ...(upstream ? { upstream } : { mode: 'standin' }) } },
    rules: [{ id: 'seen', when: { always: true }, fault: { type: 'latency' }, also: true }, ...rules] }));
  const child = spawn(program(), ['--scenario', file('scenario.json'), '--admin', '127.0.0.1:0', '--log', file('log'), '--with-parent', String(process.pid)], { stdio: ['ignore', 'pipe', 'pipe'] });
  let out = '', err = '';
  child.stderr.on('data', (p) => { err += p; });
  const ended = new Promise((done) => { child.once('exit', done); child.once('error', (e) => { err += e.message; done(); }); });
  const address = await Promise.race([ended, new Promise((done) => child.stdout.on('data', (p) => { out += p; const m = /models=(\S+)/.exec(out); if (m && out.includes('\n')) done(m[1]); }))]);
  if (typeof address !== 'string') { fs.rmSync(folder, { recursive: true }); throw new Error(err.trim() || 'kf-chaos did not start'); }

  const lines = () => (fs.existsSync(file('log')) ? fs.readFileSync(file('log'), 'utf8').split('\n').filter(Boolean).map((l) => JSON.parse(l)).filter((l) => l.result) : []);
  const seen = () => ({ requests: lines().filter((l) => l.rule === 'seen').length, fired: lines().filter((l) => l.rule !== 'seen' && l.result === 'fired') });
  return {
    url: `http://${address}`,
    baseUrl: `http://${address}/v1`,
    requests: () => seen().requests,
    fired: () => seen().fired,
    stop: async () => {
      child.kill('SIGTERM');
      await ended;
      const all = seen();
      fs.rmSync(folder, { recursive: true });
      const idle = rules.filter((r) => !all.fired.some((l) => l.rule === r.id));
      if (idle.length) throw new Error(`never acted: ${idle.map((r) => r.fault.type).join(', ')}`);
      return all;
    },
  };
};
