// rude.mjs [--ready-file FILE]: an upstream on a raw socket that answers as the
// body's model says: badly, in one of the ways of the table, or well.  What is
// no chat completion it echoes: method, target, headers and body as JSON.
import fs from 'node:fs';
import net from 'node:net';
import zlib from 'node:zlib';

const json = text => `HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`;
const GOOD = JSON.stringify({ choices: [{ message: { content: 'hi' }, finish_reason: 'stop' }], usage: { prompt_tokens: 1, completion_tokens: 1 } });
const events = text => `HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n${text}`;
const gzipped = (...members) => {
  const all = Buffer.concat(members);
  return Buffer.concat([Buffer.from(`HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Encoding: gzip\r\nContent-Length: ${all.length}\r\n\r\n`), all]);
};
const bomb = zlib.gzipSync(Buffer.alloc(64 << 20));
// Writes piece until the other side has had enough.
function pour(s, first, piece) {
  s.write(first);
  const more = () => !s.destroyed && s.write(piece) && setImmediate(more);
  s.on('drain', more);
  more();
}
const plays = {
  garbage: s => s.end(Buffer.from('\x16\x03\x01\0nonsense\r\n\r\n', 'latin1')),
  'endless-head': s => pour(s, 'HTTP/1.1 200 OK\r\n', 'x-more: and more\r\n'.repeat(100)),
  'endless-line': s => pour(s, 'HTTP/1.1 200 ', 'a'.repeat(10000)),
  'endless-1xx': s => pour(s, '', 'HTTP/1.1 103 Early Hints\r\n\r\n'.repeat(100)),
  'endless-body': s => pour(s, 'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n{"choices":"', 'x'.repeat(100000)),
  'endless-event': s => pour(s, events('data: {"choices":"'), 'x'.repeat(100000)),
  'endless-comments': s => pour(s, events(''), ': and so on\n\n'.repeat(1000)),
  'length-too-long': s => s.end('HTTP/1.1 200 OK\r\nContent-Length: 9999\r\n\r\n' + GOOD),
  'length-too-short': s => s.write(json(GOOD).replace(/Length: \d+/, 'Length: 20')),
  'length-negative': s => s.write(json(GOOD).replace(/Length: \d+/, 'Length: -1')),
  'length-twice': s => s.write(json(GOOD).replace('\r\n\r\n', '\r\nContent-Length: 3\r\n\r\n')),
  'length-and-chunks': s => s.write(json(GOOD).replace('\r\n\r\n', '\r\nTransfer-Encoding: chunked\r\n\r\n')),
  'bad-chunk': s => s.write('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n' + GOOD),
  'nul-in-head': s => s.write(json(GOOD).replace('OK', 'OK\r\nx: a\0b')),
  'bare-lf': s => s.write(json(GOOD).replaceAll('\r\n', '\n')),
  'gzip-bomb': s => { s.write(`HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Encoding: gzip\r\nContent-Length: ${bomb.length}\r\n\r\n`); s.write(bomb); },
  'gzip-two': s => s.write(gzipped(zlib.gzipSync(GOOD.slice(0, 20)), zlib.gzipSync(GOOD.slice(20)))),
  'gzip-cut': s => s.write(gzipped(zlib.gzipSync(GOOD).subarray(0, -9))),
  'gzip-sum': s => s.write(gzipped(zlib.gzipSync(GOOD).map((byte, i, all) => (i === all.length - 8 ? byte ^ 1 : byte)))),
  'deep-json': s => s.write(json('{"choices":' + '['.repeat(200000) + ']'.repeat(200000) + '}')),
  'not-utf8': s => s.write(Buffer.from(json('{"choices":[{"message":{"content":"??"}}]}').replace('??', '\xff\xfe'), 'latin1')),
  'event-with-nul': s => s.end(events('data: \0\0\n\ndata: [DONE]\n\n')),
  nothing: s => s.end(),
  nominated: s => s.write(json(GOOD).replace('\r\n\r\n', '\r\nConnection: keep-alive, X-RateLimit-Mine\r\nx-ratelimit-mine: private\r\nx-ratelimit-theirs: told\r\n\r\n')),
  good: s => s.write(json(GOOD)),
  'wait-zero': s => s.write(json('{"error":{"message":"busy"}}').replace('200 OK', '429 Busy\r\nRetry-After: 0')),
  'wait-long': s => s.write(json('{"error":{"message":"busy"}}').replace('200 OK', '429 Busy\r\nRetry-After: 9999')),
  'wait-date': s => s.write(json('{"error":{"message":"busy"}}').replace('200 OK',
    `429 Busy\r\nRetry-After: ${new Date(Date.now() + 40000).toUTCString()}`)),
  flood: s => pour(s, events(''), `data: {"choices":[{"delta":{"content":"${'w'.repeat(16000)}"}}]}\n\n`),
  headers: (s, headers) => s.write(json(GOOD.replace('"hi"', JSON.stringify(JSON.stringify(headers))))),
  words: s => { // a stream that begins well and then hardly moves
    s.write(events('data: {"choices":[{"delta":{"content":"w"}}]}\n\n'));
    const timer = setInterval(() => s.write('data: {"choices":[{"delta":{"content":"w"}}]}\n\n'), 100);
    s.on('close', () => clearInterval(timer));
  },
};

const server = net.createServer(s => {
  let got = Buffer.alloc(0);
  s.on('error', () => {});
  s.on('data', d => {
    got = Buffer.concat([got, d]);
    for (;;) {
      const end = got.indexOf('\r\n\r\n');
      if (end < 0) return;
      const [first, ...lines] = got.subarray(0, end).toString('latin1').split('\r\n');
      const headers = Object.fromEntries(lines.map(l => [l.slice(0, l.indexOf(':')).toLowerCase(), l.slice(l.indexOf(':') + 1).trim()]));
      const length = Number(headers['content-length'] ?? 0);
      if (got.length < end + 4 + length) return;
      const body = got.subarray(end + 4, end + 4 + length).toString();
      got = got.subarray(end + 4 + length);
      const [method, target] = first.split(' ');
      if (target.endsWith('/chat/completions') && method === 'POST') (plays[JSON.parse(body).model] ?? plays.good)(s, headers);
      else if (target.includes('/cut')) s.end('HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\npart');
      else if (target.includes('/gone')) s.end();
      else s.write(json(JSON.stringify({ method, target, headers, body })).replace('200 OK', `200 OK\r\nLocation: /elsewhere${target}\r\nx-theirs: yes\r\nX-KF-Attempts: their own\r\nx-local-gateway: no`));
    }
  });
});
server.listen(0, '127.0.0.1', () => {
  const line = `ready rude=127.0.0.1:${server.address().port}\n`;
  const at = process.argv.indexOf('--ready-file');
  if (at > 0) fs.writeFileSync(process.argv[at + 1], line);
  process.stdout.write(line);
});
