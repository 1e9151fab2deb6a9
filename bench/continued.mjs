// continued.mjs GATEWAY_BINARY [TIMES]: the first token of a stream that is gone on
// with, less what the second target itself takes for it.
//
// This process is the client and both targets, so there is one clock: the first
// target ends its stream at t0, the second one is asked at t1 and has said its first
// word at t2, the client reads that at t3.  What is printed is t3 - t0 - (t2 - t1):
// the gateway, two ways over the loopback, and this process.  The row "asked
// directly" has no gateway and says what of it is not the gateway's.
import fs from 'node:fs';
import http from 'node:http';
import os from 'node:os';
import path from 'node:path';
import { spawn } from 'node:child_process';

const [binary, times = '300'] = process.argv.slice(2);
const now = () => Number(process.hrtime.bigint()) / 1e6;
const event = (delta, finish_reason = null) => `data: ${JSON.stringify({ id: 'i', object: 'chat.completion.chunk', created: 1, model: 'm', choices: [{ index: 0, delta, finish_reason }] })}\n\n`;
const t = {};
let cut = () => {}; // ends the first target's stream
const ends = {
  'an end without [DONE]': (res) => res.end(),
  'a reset': (res) => res.socket.resetAndDestroy(),
  'an error event': (res) => res.write('data: {"error":{"message":"busy","type":"server_error"}}\n\n'),
};

const listen = (on) => new Promise((ok) => {
  const server = http.createServer((req, res) => {
    req.resume().on('end', () => {
      res.setHeader('content-type', 'text/event-stream');
      res.socket.setNoDelay(true);
      on(res);
    });
  }).listen(0, '127.0.0.1', () => ok(`http://127.0.0.1:${server.address().port}/v1`));
});
const first = await listen((res) => {
  res.write(event({ role: 'assistant', content: '' }) + event({ content: 'one' }));
  cut = (how) => { t.t0 = now(); ends[how](res); };
});
const second = await listen((res) => {
  t.t1 = now();
  res.write(event({ content: ' two' }));
  t.t2 = now();
  setTimeout(() => res.end(`${event({}, 'stop')}data: [DONE]\n\n`), 2);
});

const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'continued-'));
const conf = path.join(folder, 'g.yaml'), ready = path.join(folder, 'ready');
fs.writeFileSync(conf, `providers:
  - {name: a, base_url: "${first}"}
  - {name: b, base_url: "${second}", continues: prefill}
breaker: off
rules:
  - {id: cut, type: priority-based-routing, when: {models: [cut]}, load_balance_targets: [{target: a/m, priority: 0}, {target: b/m, priority: 1}]}
`);
const gateway = spawn(binary, ['--config', conf, '--listen', '127.0.0.1:0', '--admin', '127.0.0.1:0', '--ready-file', ready], { stdio: 'ignore' });
while (!fs.existsSync(ready)) await new Promise((ok) => setTimeout(ok, 20));
const door = `http://${/gateway=(\S+)/.exec(fs.readFileSync(ready, 'utf8'))[1]}/v1`;

const agent = new http.Agent({ keepAlive: true });
// Asks, and resolves with the time at which the word was read; onText: of what comes before.
const read = (base, model, word, onText = () => {}) => new Promise((ok, no) => {
  t.t0 = now();
  const req = http.request(`${base}/chat/completions`, { method: 'POST', agent, headers: { 'content-type': 'application/json' } }, (res) => {
    let at = 0, all = '';
    res.setEncoding('utf8').on('data', (d) => {
      all += d;
      if (!at && all.includes(word)) at = now();
      onText(all);
    }).on('end', () => (at ? ok(at) : no(new Error(all)))).on('error', no);
  }).on('error', no);
  req.setNoDelay(true);
  req.end(JSON.stringify({ model, stream: true, messages: [{ role: 'user', content: 'q' }] }));
});
const measure = async (ask) => {
  const took = [];
  for (let i = 0; i < Number(times) + 5; i++) took.push(await ask() - t.t0 - (t.t2 - t.t1));
  return took.slice(5).sort((x, y) => x - y); // the first ones connect
};
const continued = (how) => () => {
  let isCut = false;
  return read(door, 'cut', ' two', (all) => {
    if (isCut || !all.includes('one')) return;
    isCut = true;
    setTimeout(() => cut(how), 3);
  });
};
const line = (name, took) => console.log(`| ${[name, took[0], took[took.length >> 1], took[Math.floor(took.length * 0.9)]].map((v) => (typeof v === 'number' ? v.toFixed(2) : v)).join(' | ')} |`);

console.log(`first token less the target's own time, ms, ${times} times each\n\n| | least | median | p90 |\n| --- | --- | --- | --- |`);
line('asked directly', await measure(() => read(second, 'm', ' two')));
line('asked through the gateway', await measure(() => read(door, 'b/m', ' two')));
for (const how of Object.keys(ends)) line(`gone on with after ${how}`, await measure(continued(how)));
gateway.kill();
fs.rmSync(folder, { recursive: true });
process.exit(0);
