// collector.mjs FILE [--ready-file FILE]: a collector of traces: takes POST
// /v1/traces and appends each body as a line to FILE, refuses everything else;
// of a batch that names "partly" it says that it takes all spans but one.
import fs from 'node:fs';
import http from 'node:http';

const [file] = process.argv.slice(2);
const server = http.createServer((request, answer) => {
  let text = '';
  request.on('data', d => { text += d; });
  request.on('end', () => {
    const good = request.method === 'POST' && request.url === '/v1/traces' && request.headers['content-type'] === 'application/json'
      && request.headers['x-tenant'] === 'tests';
    if (good) fs.appendFileSync(file, `${JSON.stringify(JSON.parse(text))}\n`);
    answer.writeHead(good ? 200 : 400, { 'content-type': 'application/json' }).end(text.includes('partly') ? '{"partialSuccess":{"rejectedSpans":"1","errorMessage":"no"}}' : '{}');
  });
});
server.listen(0, '127.0.0.1', () => {
  const line = `ready collector=127.0.0.1:${server.address().port}\n`;
  const at = process.argv.indexOf('--ready-file');
  if (at > 0) fs.writeFileSync(process.argv[at + 1], line);
  process.stdout.write(line);
});
