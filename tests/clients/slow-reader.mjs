// slow-reader.mjs GATEWAY PID: asks for an endless stream, reads nothing of it for
// longer than the gateway's idle time, then 20 MB: nothing is lost, nothing
// ends, and the process in between has not kept what was not read.
import fs from 'node:fs';
import net from 'node:net';

const [gateway, pid] = process.argv.slice(2), [host, port] = gateway.split(':');
const PAUSE_MS = 1500, WANTED = 20e6, GROWTH_KB = 20000;
const body = '{"model":"rude/flood","stream":true,"messages":[]}';
const rss = () => Number(/VmRSS:\s+(\d+)/.exec(fs.readFileSync(`/proc/${pid}/status`, 'utf8'))[1]);
const before = rss();
const s = net.connect({ host, port });
s.write(`POST /v1/chat/completions HTTP/1.1\r\nHost: localhost\r\nContent-Length: ${body.length}\r\n\r\n${body}`);
let got = 0, tail = '', wrong = '';
const end = () => {
  if (got < WANTED && !wrong) wrong = `the stream ended after ${got} bytes: ${tail.slice(-300)}`;
  s.destroy();
  console.log(wrong || `${got} bytes`);
  process.exitCode = wrong ? 1 : 0;
};
s.once('data', () => {
  s.pause();
  setTimeout(() => {
    if (rss() - before > GROWTH_KB) wrong = `${rss() - before} kB more while nobody read`;
    s.on('data', d => {
      got += d.length;
      tail = d.toString('latin1');
      if (tail.includes('"error"')) wrong = tail.slice(tail.indexOf('"error"'));
      if (got >= WANTED || wrong) end();
    });
    s.resume();
  }, PAUSE_MS);
});
s.on('error', () => {}).on('close', () => got < WANTED && !wrong && end());
