// faults.mjs HOST:PORT FAULT [stream]: one chat completion over a raw socket,
// with X-TFY-METADATA naming the fault; prints what came as one JSON object:
// status, headers, body (decoded), raw bytes, whether it ended, how long it took.
import net from 'node:net';

const [address, fault, stream] = process.argv.slice(2);
const [host, port] = address.split(':');
const body = JSON.stringify({ model: 'm', stream: stream === 'stream', messages: [] });
const GIVE_UP_MS = 400;
const socket = net.connect({ host, port });
const parts = [];
let ended = 'open', first = 0;
const from = performance.now();
socket.on('data', (d) => { first ||= performance.now() - from; parts.push(d); });
socket.on('end', () => { ended = 'fin'; });
socket.on('error', (e) => { ended = e.code; });
socket.write(`POST /v1/chat/completions HTTP/1.1\r\nHost: x\r\nConnection: close\r\nX-TFY-METADATA: op=talk;fault=${fault}\r\nContent-Length: ${body.length}\r\n\r\n${body}`);
const timer = setTimeout(() => socket.destroy(), GIVE_UP_MS);
await new Promise((done) => socket.on('close', done));
clearTimeout(timer);

const raw = Buffer.concat(parts).toString('latin1');
const split = raw.indexOf('\r\n\r\n');
const head = split < 0 ? '' : raw.slice(0, split);
let rest = split < 0 ? raw : raw.slice(split + 4), decoded = rest, terminated = null;
if (/transfer-encoding: chunked/i.test(head)) {
  decoded = '';
  terminated = false;
  for (;;) {
    const line = rest.indexOf('\r\n');
    if (line < 0) break;
    const n = parseInt(rest.slice(0, line), 16);
    if (n === 0) { terminated = true; break; }
    decoded += rest.slice(line + 2, line + 2 + n);
    rest = rest.slice(line + 2 + n + 2);
  }
}
console.log(JSON.stringify({
  status: Number(head.split(' ')[1]) || 0, head, body: decoded, ended, terminated,
  events: (decoded.match(/^data: /gm) ?? []).length, bytes: raw.length, first: first, ms: performance.now() - from, pieces: parts.length,
}));
