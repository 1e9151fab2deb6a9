// slow-upload.mjs KEY CERT --ready-file FILE: a model over TLS that shakes hands
// at once, and then does not read for a second.
import fs from 'node:fs';
import https from 'node:https';

const [key, cert] = process.argv.slice(2, 4).map((f) => fs.readFileSync(f));
const server = https.createServer({ key, cert }, (req, res) => {
  req.pause();
  setTimeout(() => req.resume(), 1000);
  req.on('end', () => {
    res.writeHead(200, { 'content-type': 'application/json' });
    res.end(JSON.stringify({ choices: [{ message: { content: 'hi' }, finish_reason: 'stop' }] }));
  });
});
server.listen(0, '127.0.0.1', () => {
  const line = `ready upstream=127.0.0.1:${server.address().port}`;
  const at = process.argv.indexOf('--ready-file');
  if (at > 0) fs.writeFileSync(process.argv[at + 1], `${line}\n`);
  console.log(line);
});
process.on('SIGTERM', () => process.exit(0));
