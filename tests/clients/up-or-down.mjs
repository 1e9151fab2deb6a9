// up-or-down.mjs MOOD-FILE SEEN-FILE --ready-file FILE
//   a model whose mood a file says: good, down (503) or silent; it writes down
//   each request as a line of JSON: method, url, key, body; at $PORT if that is set
import fs from 'node:fs';
import http from 'node:http';

const [moodFile, seenFile, , readyFile] = process.argv.slice(2);

const server = http.createServer((req, res) => {
  let text = '';
  req.on('data', (d) => { text += d; });
  req.on('end', () => {
    const mood = fs.readFileSync(moodFile, 'utf8').trim();
    fs.appendFileSync(seenFile, `${JSON.stringify({ method: req.method, url: req.url, key: req.headers.authorization, body: text && JSON.parse(text) })}\n`);
    if (mood === 'silent')
      return;
    res.statusCode = mood === 'down' ? 503 : 200;
    res.setHeader('content-type', 'application/json');
    res.end(JSON.stringify({ id: 'x', object: 'chat.completion', choices: [{ index: 0, message: { role: 'assistant', content: 'yes' }, finish_reason: 'stop' }], usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 } }));
  });
});
server.listen(Number(process.env.PORT ?? 0), '127.0.0.1', () => {
  const line = `ready upstream=127.0.0.1:${server.address().port}`;
  fs.writeFileSync(readyFile, `${line}\n`);
  console.log(line);
});
