// spender.mjs upstream COUNT-FILE --ready-file FILE
//   a model that counts what it is asked: a byte in COUNT-FILE a request, before
//   it answers; what it uses is what the request says (uses_in, max_tokens), and
//   it takes as long as that says (takes_ms)
// spender.mjs ask URL KEY N SECONDS
//   N clients that ask one thing after the other until the time is over or the
//   gateway is gone; prints how often each status came
import fs from 'node:fs';
import http from 'node:http';

const [verb, ...args] = process.argv.slice(2);

if (verb === 'upstream') {
  const file = fs.openSync(args[0], 'a');
  const server = http.createServer((req, res) => {
    let text = '';
    req.on('data', (d) => { text += d; });
    req.on('end', () => {
      const body = JSON.parse(text);
      fs.writeSync(file, '.');
      const usage = { prompt_tokens: body.uses_in, completion_tokens: body.max_tokens, total_tokens: body.uses_in + body.max_tokens };
      setTimeout(() => {
        res.setHeader('content-type', 'application/json');
        res.end(JSON.stringify({ id: 'x', object: 'chat.completion', choices: [{ index: 0, message: { role: 'assistant', content: 'yes' }, finish_reason: 'stop' }], usage }));
      }, body.takes_ms || 0);
    });
  });
  server.listen(0, '127.0.0.1', () => {
    const line = `ready upstream=127.0.0.1:${server.address().port}`;
    fs.writeFileSync(args[2], `${line}\n`);
    console.log(line);
  });
} else {
  const [url, key, clients, seconds] = args;
  // What the gateway guesses is what it costs: a token is four bytes.
  let body = JSON.stringify({ model: 'm', messages: [{ role: 'user', content: 'hi' }], max_tokens: 10, uses_in: 100 });
  body = JSON.stringify({ ...JSON.parse(body), uses_in: Math.ceil(body.length / 4) + 0 });
  while (Math.ceil(body.length / 4) !== JSON.parse(body).uses_in)
    body = JSON.stringify({ ...JSON.parse(body), uses_in: Math.ceil(body.length / 4) });
  const counts = {};
  const until = Date.now() + seconds * 1000;
  const ask = async () => {
    while (Date.now() < until) {
      try {
        const r = await fetch(`${url}/v1/chat/completions`, { method: 'POST', headers: { authorization: `Bearer ${key}` }, body });
        await r.arrayBuffer();
        counts[r.status] = (counts[r.status] || 0) + 1;
      } catch {
        return;
      }
    }
  };
  await Promise.all(Array.from({ length: Number(clients) }, ask));
  console.log(JSON.stringify(counts));
}
