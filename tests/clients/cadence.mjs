// cadence.mjs FRONT READY KERNEL: an upstream that streams a kernel and waits
// twice: where the statement with the barrier begins, until the client has
// read every event before it, and where it ends, until the client has read every
// event up to there; whoever holds the answer back longer never sees the end.
// Prints what the client read.
import http from 'node:http';
import fs from 'node:fs';

const [front, ready, file] = process.argv.slice(2);
const text = JSON.stringify({ entry: 'k', source: fs.readFileSync(file, 'utf8') });
const barrier = text.indexOf('barrier(');
const before = Math.max(...[';', '{', '}'].map((c) => text.lastIndexOf(c, barrier))) + 1;
const event = (content, finish = null) =>
  `data: ${JSON.stringify({ object: 'chat.completion.chunk', choices: [{ index: 0, delta: { content }, finish_reason: finish }] })}\n\n`;
const pieces = [];
for (let at = 0; at < text.length; at += 5) pieces.push(text.slice(at, at + 5));

// How many events must have been read before the next one is sent.
const end = text.indexOf(';', barrier) + 1;
const stops = [Math.floor(before / 5), Math.ceil(end / 5)];
let read = 0, wake = () => {};
const until = async (n) => { while (read < n) await new Promise((done) => { wake = done; }); };
const server = http.createServer(async (req, res) => {
  req.resume();
  res.writeHead(200, { 'content-type': 'text/event-stream' });
  for (const [i, piece] of pieces.entries()) {
    // The statement before that one is complete, and then it is.
    if (i === Math.ceil(before / 5)) await until(stops[0]);
    if (i === stops[1]) await until(stops[1]);
    res.write(event(piece));
  }
  res.end(event('', 'stop') + 'data: [DONE]\n\n');
});
const late = setTimeout(() => { console.error('held back what nobody edits'); process.exit(1); }, 20000);
await new Promise((done) => server.listen(0, '127.0.0.1', done));
fs.writeFileSync(ready, `ready gateway=127.0.0.1:${server.address().port}\n`);

const answer = await fetch(`http://${front}/v1/chat/completions`, { method: 'POST', body: '{"model":"m","stream":true,"messages":[]}' });
const decoder = new TextDecoder();
let rest = '', content = '';
for await (const bytes of answer.body) {
  rest += decoder.decode(bytes, { stream: true });
  const blocks = rest.split('\n\n');
  rest = blocks.pop();
  for (const b of blocks)
    if (b.startsWith('data: {')) {
      content += JSON.parse(b.slice(6)).choices[0].delta.content ?? '';
      read++;
    }
  wake();
}
clearTimeout(late);
server.close();
process.stdout.write(JSON.parse(content).source);
