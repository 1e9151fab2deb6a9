// idle.mjs GATEWAY ADMIN COUNT [--cap N]: COUNT connections that say nothing, or
// half a head, from ten addresses of this machine; meanwhile others are
// answered; then a timer has closed them all, and the metrics have counted.
// With --cap the gateway holds N at a time: the oldest of those that have not
// asked for anything make room for the next, and the last N wait for the timer.
import net from 'node:net';

const [gateway, admin, count] = process.argv.slice(2), COUNT = Number(count);
const CAP = process.argv[5] === '--cap' ? Number(process.argv[6]) : 0;
const [host, port] = gateway.split(':');
const PROMPT_MS = 3000; // for an honest answer, on a busy machine
const BODY = '{"model":"rude/good","messages":[]}';
const HEAD = `POST /v1/chat/completions HTTP/1.1\r\nHost: localhost\r\nContent-Length: ${BODY.length}\r\n`;
const failures = [];
const expect = (is, what) => is || failures.push(what);

async function metric(name) {
  const text = await (await fetch(`http://${admin}/metrics`)).text();
  return Number(text.split('\n').find(l => l.startsWith(`${name} `)).split(' ')[1]);
}
// One request on a connection of its own, which stays open: [status, ms, socket].
const ask = () => new Promise((done, fail) => {
  const begun = performance.now(), s = net.connect({ host, port });
  s.on('error', fail).write(`${HEAD}\r\n${BODY}`);
  s.once('data', d => done([Number(d.toString().split(' ')[1]), performance.now() - begun, s]));
});

const idle = [];
let closed = 0, answered = 0;
const allClosed = new Promise(done => { idle.onAllClosed = done; });
const open = i => new Promise(done => {
  const s = net.connect({ host, port, localAddress: `127.0.0.${2 + i % 10}` }, () => {
    if (i % 10 === 0) s.write(HEAD);
    done();
  });
  s.on('error', () => {}).on('data', d => { answered += d.toString().startsWith('HTTP/1.1 408 '); });
  s.on('close', () => { done(); if (++closed === COUNT) idle.onAllClosed(); }); // it may be reset before it knows that it is connected
  idle.push(s);
});
for (let i = 0; i < COUNT; i += 500) await Promise.all(Array.from({ length: Math.min(500, COUNT - i) }, (_, k) => open(i + k)));

const held = await metric('kf_gateway_connections');
if (CAP) expect(held <= CAP, `${held} connections, the cap is ${CAP}`);
else expect(held === COUNT && closed === 0, `${held} of ${COUNT} are held, ${closed} were closed`);
let slowest = 0;
for (let i = 0; i < (CAP ? 1 : 50); i++) {
  const [status, ms, s] = await ask();
  s.destroy();
  expect(status === 200, `an honest client got ${status}`);
  slowest = Math.max(slowest, ms);
}
if (!CAP) {
  expect(slowest < PROMPT_MS, `an honest client waited ${slowest} ms`);
  expect(closed === 0, `${closed} were closed while others were asked`);
}
await allClosed;
const left = await metric('kf_gateway_connections');
expect(left === 0, `${left} connections are left`);
// Who has said nothing at all is told nothing.
const refused = await metric('kf_gateway_refused_total'), halves = Math.ceil(COUNT / 10);
expect(refused === answered && (CAP ? answered <= halves : answered === halves),
  `${answered} of ${halves} were told 408, the metrics say ${refused}`);

// A connection that was answered may rest for its idle time, and no longer.
const [, , resting] = await ask();
const begun = performance.now();
await new Promise(done => { resting.on('close', done); });
expect(performance.now() - begun < 10000, 'an idle connection stays');
failures.forEach(f => console.error(f));
console.log(`${COUNT} idle connections, ${held} held at once; others meanwhile answered within ${slowest.toFixed(0)} ms`);
process.exitCode = failures.length ? 1 : 0;
