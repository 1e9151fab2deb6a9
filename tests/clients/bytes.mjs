// bytes.mjs HOST:PORT ADMIN_URL SERVER_PORT_FILE: any bytes pass a passthrough
// proxy unchanged, half-closes too, and the API knows the proxy.
import assert from 'node:assert/strict';
import net from 'node:net';
import { once } from 'node:events';
import { createHash, randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';

const [front, admin, file] = process.argv.slice(2);
const server = net.createServer({ allowHalfOpen: true }, (s) => {
  const parts = [];
  s.on('error', () => {}).on('data', (d) => parts.push(d)).on('end', () => s.end(Buffer.concat(parts).reverse()));
});
server.listen(0, '127.0.0.1');
await once(server, 'listening');
writeFileSync(file, `ready back=127.0.0.1:${server.address().port}\n`);

const [host, port] = front.split(':');
const sha = (b) => createHash('sha256').update(b).digest('hex');
async function talk(data) {
  const s = net.connect({ host, port, allowHalfOpen: true }), parts = [];
  s.on('data', (d) => parts.push(d)).end(data);
  await once(s, 'close');
  return Buffer.concat(parts);
}
await Promise.all([0, 1, 32768, 32769, 3 << 20].map(async (n) => {
  const data = randomBytes(n);
  assert.equal(sha(await talk(data)), sha(Buffer.from(data).reverse()), `${n} bytes`);
}));
const text = Buffer.from('GET / HTTP/1.1\r\nhost: x\r\nX-Chaos-Fault: http_error\r\n\r\n');
assert.equal((await talk(text)).toString(), Buffer.from(text).reverse().toString(), 'HTTP is bytes too');

const all = await (await fetch(`${admin}/proxies`)).json();
assert.deepEqual(Object.keys(all), ['wire']);
assert.equal(all.wire.listen, front);
await fetch(`${admin}/proxies/wire/toxics`, { method: 'POST', body: JSON.stringify({ type: 'limit_data', attributes: { bytes: 3 } }) });
assert.equal((await talk(Buffer.from('abcdef'))).toString(), 'fed');
server.close();
