// cadence.mjs FRONT READY KERNEL: an upstream that streams a kernel and waits,
// where the statement with the barrier begins, until the client has read all that
// stands before that statement; whoever holds the answer back until it is
// complete never sees the end.  Prints what the client read.
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

let goOn;
const waiting = new Promise((done) => { goOn = done; });
const server = http.createServer(async (req, res) => {
  req.resume();
  res.writeHead(200, { 'content-type': 'text/event-stream' });
  let sent = 0;
  for (const piece of pieces) {
    // The statement before that one is complete now.
    if (sent >= before) await waiting;
    res.write(event(piece));
    sent += piece.length;
  }
  res.end(event('', 'stop') + 'data: [DONE]\n\n');
});
const late = setTimeout(() => { console.error('held back what nobody edits'); process.exit(1); }, 20000);
await new Promise((done) => server.listen(0, '127.0.0.1', done));
fs.writeFileSync(ready, `ready gateway=127.0.0.1:${server.address().port}\n`);

const wanted = Math.floor(before / 5) * 5; // what whole events carry before it
const answer = await fetch(`http://${front}/v1/chat/completions`, { method: 'POST', body: '{"model":"m","stream":true,"messages":[]}' });
const decoder = new TextDecoder();
let rest = '', content = '';
for await (const bytes of answer.body) {
  rest += decoder.decode(bytes, { stream: true });
  const blocks = rest.split('\n\n');
  rest = blocks.pop();
  for (const b of blocks)
    if (b.startsWith('data: {')) content += JSON.parse(b.slice(6)).choices[0].delta.content ?? '';
  if (content.length >= wanted) goOn();
}
clearTimeout(late);
server.close();
process.stdout.write(JSON.parse(content).source);
