// closing.mjs: an upstream that ends each kept connection 20 ms after an
// answer, and a client that asks at just that time.
//
//   closing.mjs upstream --ready-file FILE
//   closing.mjs ask HOST:PORT    150 requests, each on a connection of its own; prints
//                                how many had no answer
//   closing.mjs dial HOST:PORT   60 connections; prints how many were accepted
import fs from 'node:fs';
import net from 'node:net';
import http from 'node:http';

const [command, ...args] = process.argv.slice(2);
const wait = (ms) => new Promise((ok) => setTimeout(ok, ms));
const [host, port] = (args[0] ?? '').split(':');

if (command === 'upstream') {
  const server = net.createServer((s) => {
    let seen = '';
    s.on('error', () => {}).on('data', (p) => {
      seen += p;
      if (!/\r\n\r\n/.test(seen)) return;
      s.write(/^HEAD/.test(seen) ? 'HTTP/1.1 200 OK\r\ncontent-length: 1234\r\n\r\n' : 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok');
      seen = '';
      setTimeout(() => s.end(), 20);
    });
  });
  server.listen(0, '127.0.0.1', () => {
    fs.writeFileSync(args[args.indexOf('--ready-file') + 1], `ready upstream=127.0.0.1:${server.address().port}\n`);
    console.log('ready upstream');
  });
  process.on('SIGTERM', () => process.exit(0));
} else if (command === 'ask') {
  let lost = 0;
  for (let i = 0; i < 150; i++) {
    await new Promise((done) => {
      const q = http.request({ host, port, agent: false, method: 'POST', path: '/v1/x', headers: { 'content-length': 2 } }, (r) => r.resume().on('end', done));
      q.on('error', () => { lost++; done(); }).end('{}');
    });
    await wait(18 + (i % 9) / 2);
  }
  console.log(lost);
} else {
  let accepted = 0;
  for (let i = 0; i < 60; i++)
    await new Promise((done) => {
      const s = net.connect(Number(port), host, () => { accepted++; });
      s.on('error', () => {}).on('close', done);
    });
  console.log(accepted);
}
