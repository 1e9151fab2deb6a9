// bad-input.mjs GATEWAY ADMIN: hostile clients and hostile upstreams, a row
// each, against a running gateway whose upstream is rude.mjs.  Every row must
// give its status; meanwhile an honest client asks all the time and is
// answered in time; afterwards the metrics have counted all of it.
import net from 'node:net';

const [gateway, admin] = process.argv.slice(2);
const [host, port] = gateway.split(':');
const PATH = '/v1/chat/completions';
const LATE_MS = 5000; // for an honest answer, on a busy machine
const TIMER_MS = 9000; // for a timer of 4 s; without it they are 10 and 30 s
const chat = (model, more = '') => `{"model":"rude/${model}","messages":[]${more}}`;
const post = (fields, body = '', line = `POST ${PATH} HTTP/1.1`) => `${line}\r\nHost: localhost\r\n${fields}\r\n${body}`;
const sized = (body, type = 'latin1') => post(`Content-Length: ${Buffer.byteLength(body, type)}\r\n`, body);
const chunked = chunks => post('Transfer-Encoding: chunked\r\n', chunks);
const good = chat('good');
const hex = good.length.toString(16);

// Pieces that are written one after the other, for ever, until it is enough.
const forever = (first, piece, ms = 0) => ({ first, piece, ms });
const rows = [
  ['a good request', sized(good), 200],
  ['two requests at once', sized(good) + sized(good), 200],
  // The forms of a target.
  ['an absolute target', post(`Content-Length: ${good.length}\r\n`, good, `POST http://localhost${PATH} HTTP/1.1`), 200],
  ['one without a path', post('', '', 'GET http://localhost HTTP/1.1'), 404],
  ['one with a query alone', post('', '', 'GET http://localhost?a=/b HTTP/1.1'), 404],
  ['one of a user', post('', '', `GET http://me@localhost${PATH} HTTP/1.1`), 400],
  ['one of no host', post('', '', `GET http://${PATH} HTTP/1.1`), 400],
  ['one of another scheme', post('', '', `GET ftp://localhost${PATH} HTTP/1.1`), 400],
  ['a relative target', post('', '', `GET ${PATH.slice(1)} HTTP/1.1`), 400],
  ['an asterisk of a GET', post('', '', 'GET * HTTP/1.1'), 400],
  // Smuggling.
  ['a length and chunks', post(`Content-Length: 4\r\nTransfer-Encoding: chunked\r\n`, `${hex}\r\n${good}\r\n0\r\n\r\n`), 400],
  ['chunks and a length', post(`Transfer-Encoding: chunked\r\nContent-Length: 4\r\n`, `0\r\n\r\n`), 400],
  ['two lengths that differ', post(`Content-Length: ${good.length}\r\nContent-Length: 4\r\n`, good), 400],
  ['a list of lengths', post(`Content-Length: 4, ${good.length}\r\n`, good), 400],
  ['a length with a sign', post(`Content-Length: +${good.length}\r\n`, good), 400],
  ['a length in hex', post(`Content-Length: 0x${hex}\r\n`, good), 400],
  ['a length of nothing', post('Content-Length: \r\n', good), 400],
  ['a length that overflows', post('Content-Length: 18446744073709551617\r\n', good), [400, 413]],
  ['a length before a space', post(`Content-Length : ${good.length}\r\n`, good), 400],
  ['a folded line', post(`X: a\r\n b\r\nContent-Length: ${good.length}\r\n`, good), 400],
  ['a folded length', post(`Content-Length:\r\n ${good.length}\r\n`, good), 400],
  ['bare line feeds', sized(good).replaceAll('\r\n', '\n'), 400],
  ['one bare line feed', post(`X: a\nContent-Length: ${good.length}\r\n`, good), 400],
  ['a bare carriage return', post(`X: a\rb\r\nContent-Length: ${good.length}\r\n`, good), 400],
  ['another coding', post('Transfer-Encoding: gzip, chunked\r\n', '0\r\n\r\n'), [400, 501]],
  ['a coding in disguise', post('Transfer-Encoding: \x0bchunked\r\n', '0\r\n\r\n'), [400, 501]],
  ['chunked twice', post('Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n', '0\r\n\r\n'), [400, 501]],
  ['chunks in HTTP/1.0', post('Transfer-Encoding: chunked\r\n', '0\r\n\r\n', `POST ${PATH} HTTP/1.0`), 400],
  ['no host', `POST ${PATH} HTTP/1.1\r\nContent-Length: 0\r\n\r\n`, 400],
  ['two hosts', post('Host: y\r\nContent-Length: 0\r\n'), 400],
  // SETTINGS, then GOAWAY for HTTP_1_1_REQUIRED, in frames.
  ['HTTP/2 without TLS', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', /^\0{3}\x04.*\0\0\0\x0d[^\0]*HTTP\/1\.1/s],
  ['HTTP/9.9', post('', '', `POST ${PATH} HTTP/9.9`), [400, 505]],
  ['no HTTP at all', '\x16\x03\x01\x02\0\x01\0\x01\xfc\x03\x03', 400],
  // Chunks.
  ['a chunk extension', chunked(`${hex};a=b\r\n${good}\r\n0\r\n\r\n`), [200, 400]],
  ['endless chunk extensions', chunked(`${hex};${'a'.repeat(5000)}\r\n${good}\r\n0\r\n\r\n`), [400, 431]],
  ['a chunk of an absurd size', chunked('fffffffffffffffff\r\n'), [400, 413]],
  ['a chunk beyond the cap', chunked('fffffff\r\n'), 413],
  ['a chunk of no number', chunked('zz\r\n'), 400],
  ['a chunk of a negative number', chunked('-5\r\n'), 400],
  ['a chunk longer than it says', chunked(`5\r\n${good}\r\n0\r\n\r\n`), 400],
  ['a chunk without an end', chunked(`${hex}\r\n${good}0\r\n\r\n`), 400],
  ['endless trailers', forever(chunked(`${hex}\r\n${good}\r\n0\r\n`), 'x: y\r\n'.repeat(100)), [400, 431]],
  // Heads.
  ['NUL in a name', post('X\0Y: a\r\nContent-Length: 0\r\n'), 400],
  ['NUL in a value', post('X: a\0b\r\nContent-Length: 0\r\n'), 400],
  ['8-bit in a name', post('X\xe4: a\r\nContent-Length: 0\r\n'), 400],
  ['8-bit in a value', post(`X: \xe4\xff\r\nContent-Length: ${good.length}\r\n`, good), [200, 400]],
  ['8-bit in the target', post('Content-Length: 0\r\n', '', 'POST /v1/\xff HTTP/1.1'), [400, 404]],
  ['an empty name', post(': a\r\nContent-Length: 0\r\n'), 400],
  ['a line of no name', post('nonsense\r\nContent-Length: 0\r\n'), 400],
  ['a long target', post('', '', `POST /${'a'.repeat(20000)} HTTP/1.1`), 414],
  ['a huge head', post(`X: ${'a'.repeat(70000)}\r\n`), 431],
  ['200 fields', post('X: a\r\n'.repeat(200)), 431],
  ['an endless head', forever(post('').slice(0, -2), 'X: aaaaaaaaaaaaaaaa\r\n'.repeat(100)), 431],
  ['an endless first line', forever('POST /', 'a'.repeat(10000)), 414],
  ['a slow head', forever('POST ', 'a', 50), 408],
  ['half a head', forever(post('').slice(0, -4), '', 1000), 408],
  // Bodies.
  ['a slow body', forever(post('Content-Length: 100\r\n', '{'), '', 1000), 408],
  ['100 MB at once', post('Content-Length: 104857600\r\n', '{'), 413],
  ['100 MB in chunks', forever(chunked(''), `10000\r\n${'x'.repeat(65536)}\r\n`), 413],
  ['no JSON', sized('nonsense'), 400],
  ['half of it', sized(good.slice(0, -1)), 400],
  ['JSON and more', sized(`${good}{}`), 400],
  ['an array', sized(`[${good}]`), 400],
  ['deeply nested', sized(chat('good', `,"x":${'['.repeat(100000)}${']'.repeat(100000)}`)), 400],
  ['deeply nested and open', sized('{"a":'.repeat(100000)), 400],
  ['bytes that are not UTF-8', sized(chat('good', ',"x":"\xff\xc0\xaf"')), 400],
  ['half a surrogate', sized(chat('good', ',"x":"\xed\xa0\x80"')), 400],
  ['NUL in a body', sized(chat('good', ',"x":"\0"')), 400],
  ['a key twice', sized(chat('good', ',"model":"other"')), 400],
  ['a key in disguise', sized(chat('good', ',"\\u006dodel":"other"')), 400],
  ['a thousand keys', sized(chat('good', Array.from({ length: 1000 }, (_, i) => `,"k${i}":1`).join(''))), 400],
  ['a number that is none', sized(chat('good', ',"x":01e')), 400],
  // Upstreams; the cause is in the error's code.
  ['garbage', sized(chat('garbage')), 502, 'protocol'],
  ['no answer', sized(chat('nothing')), 502, 'no-answer'],
  ['an endless head upstream', sized(chat('endless-head')), 502, 'protocol'],
  ['an endless status line', sized(chat('endless-line')), 502, 'protocol'],
  ['endless interim answers', sized(chat('endless-1xx')), 502, 'protocol'],
  ['an endless answer', sized(chat('endless-body')), 502, 'too-big'],
  ['an endless event', sized(chat('endless-event', ',"stream":true')), [502, 408], /too-big|first-token/],
  ['endless comments', sized(chat('endless-comments', ',"stream":true')), 408, 'first-token'],
  ['a length that is too long', sized(chat('length-too-long')), 502, 'cut'],
  ['a length that is too short', sized(chat('length-too-short')), 502, 'not-json'],
  ['a negative length', sized(chat('length-negative')), 502, 'protocol'],
  ['two lengths', sized(chat('length-twice')), 502, 'protocol'],
  ['a length and chunks upstream', sized(chat('length-and-chunks')), 502, 'protocol'],
  ['a bad chunk', sized(chat('bad-chunk')), 502, 'protocol'],
  ['NUL in the head', sized(chat('nul-in-head')), 502, 'protocol'],
  ['line feeds upstream', sized(chat('bare-lf')), 502, 'protocol'],
  ['a gzip bomb', sized(chat('gzip-bomb')), 502, 'too-big'],
  ['a gzip in two members', sized(chat('gzip-two')), 200],
  ['a gzip whose end is cut', sized(chat('gzip-cut')), 502, 'cut'],
  ['a gzip whose sum is wrong', sized(chat('gzip-sum')), 502, 'protocol'],
  ['nested answers', sized(chat('deep-json')), 502, 'not-json'],
  ['an answer that is not UTF-8', sized(chat('not-utf8')), 502, 'not-json'],
  ['an event of NULs', sized(chat('event-with-nul', ',"stream":true')), 502, 'not-json'],
  ['and a good one after all that', sized(good), 200],
];

// Sends, and reads until the answer's body is whole or the socket closes.
function play(what) {
  return new Promise(done => {
    const s = net.connect({ host, port });
    let text = '', timer;
    const end = () => { clearInterval(timer); s.destroy(); done(text); };
    s.on('error', () => {}).on('close', end);
    s.on('data', d => {
      text += d.toString('latin1');
      const at = text.indexOf('\r\n\r\n'), length = /\r\ncontent-length: (\d+)/i.exec(text);
      if (at >= 0 && length && text.length >= at + 4 + Number(length[1])) end();
    });
    if (typeof what === 'string') return void s.write(what, 'latin1');
    s.write(what.first, 'latin1');
    const more = () => !s.destroyed && what.piece && s.write(what.piece, 'latin1');
    // A write that returns at once would leave this loop no time to read.
    const goOn = () => more() && setImmediate(goOn);
    if (what.ms) timer = setInterval(more, what.ms);
    else { s.on('drain', goOn); goOn(); }
  });
}

let isOver = false, asked = 0, slowest = 0;
async function honest() {
  while (!isOver) {
    const from = performance.now();
    const text = await play(sized(good));
    if (!text.startsWith('HTTP/1.1 200 ')) failures.push(`the honest client got: ${text.slice(0, 60)}`);
    slowest = Math.max(slowest, performance.now() - from);
    asked++;
  }
}
const series = async is => (await (await fetch(`http://${admin}/metrics`)).text()).split('\n').filter(is);
async function metric(name) {
  return Number((await series(l => l.startsWith(`${name} `)))[0].split(' ')[1]);
}

const failures = [];
const idle = Array.from({ length: 1000 }, () => net.connect({ host, port }).on('error', () => {}));
const refusedBefore = await metric('kf_gateway_refused_total');
const others = honest();
let refused = 0;
const causes = {};
await Promise.all(rows.map(async ([what, bytes, status, code]) => {
  const from = performance.now();
  const text = await play(bytes);
  if (status === 408 && !code && performance.now() - from > TIMER_MS) failures.push(`${what}: the client's timer of 4 s took ${performance.now() - from} ms`);
  if (status instanceof RegExp) {
    if (!status.test(text)) failures.push(`${what}: got ${text.slice(0, 300) || 'nothing'}`);
    refused++;
    return;
  }
  const got = Number(text.split(' ')[1]) || 0, [, said] = /"code":"([^"]*)"/.exec(text) ?? [];
  if (![status].flat().includes(got)) failures.push(`${what}: expected ${status}, got ${text.slice(0, 300) || 'nothing'}`);
  if (got && !/\r\nx-local-gateway: yes\r\n/i.test(text)) failures.push(`${what}: no stamp`);
  if (code && !(code instanceof RegExp ? code.test(said) : said === code)) failures.push(`${what}: expected the code ${code}, got ${said}`);
  if (said === 'bad_request') refused++;
  if (code && said) causes[said] = (causes[said] ?? 0) + 1;
}));
isOver = true;
await others;
idle.forEach(s => s.destroy());

if (slowest > LATE_MS) failures.push(`an honest client waited ${slowest} ms`);
const counted = await metric('kf_gateway_refused_total') - refusedBefore;
if (counted !== refused || refused < 30) failures.push(`${refused} requests were refused, the metrics say ${counted}`);
for (const [cause, n] of Object.entries(causes)) {
  const seen = await series(l => l.startsWith('kf_gateway_attempts_total') && l.includes(`cause="${cause}"`));
  if (seen.length < n) failures.push(`${n} targets failed by ${cause}, the metrics say ${seen.length}`);
}
failures.forEach(f => console.error(f));
console.log(`${rows.length} rows, ${asked} honest answers meanwhile, the slowest after ${slowest.toFixed(0)} ms; ${refused} refused`);
process.exitCode = failures.length ? 1 : 0;
