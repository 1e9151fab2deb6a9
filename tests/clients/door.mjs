// door.mjs HOST:PORT WHAT ...: hostile knocks at a gateway's door, on raw sockets.
//   unread KEY BYTES    heads with a wrong key and a body that never ends, ten
//                       at once: prints how each was answered, and the bytes
//                       that could be pushed before it
//   crowd N KEY [ADMIN] N keyless clients trickle their heads; then one with the
//                       key asks for /v1/models: prints its status, and how a
//                       question without a key is answered on the admin's port
//   trickle KEY MS      a body of a byte now and then: prints the status and
//                       whether it came within MS
import net from 'node:net';

const [where, what, ...args] = process.argv.slice(2);
const [host, port] = where.split(':');
const dial = () => new Promise((done, fail) => {
  const s = net.connect(Number(port), host, () => done(s));
  s.once('error', fail);
});
const status = (s) => new Promise((done) => {
  let text = '';
  s.on('data', (d) => { text += d; });
  s.on('error', () => done('reset'));
  s.on('close', () => done(/^HTTP\/1\.1 (\d+)/.exec(text)?.[1] ?? 'closed'));
  s.on('data', () => { const m = /^HTTP\/1\.1 (\d+)(?! 100)/.exec(text); if (m && m[1] !== '100') done(m[1]); });
});
const head = (key, length) => `POST /v1/chat/completions HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\nContent-Length: ${length}\r\n`;

if (what === 'unread') {
  const [key, bytes] = args;
  const all = await Promise.all(Array.from({ length: 10 }, async () => {
    const s = await dial();
    const answer = status(s);
    s.write(`${head(key, bytes)}Expect: 100-continue\r\n\r\n`);
    const got = await answer;
    s.destroy();
    return got;
  }));
  console.log([...new Set(all)].join(' '));
} else if (what === 'crowd') {
  const [n, key, admin] = args;
  const crowd = [];
  for (let i = 0; i < n; i++) {
    const s = await dial();
    s.on('error', () => {});
    s.write('POST /v1/chat/completions HTTP/1.1\r\nHost: x\r\nX-Slow: ');
    crowd.push(s);
  }
  const timer = setInterval(() => crowd.forEach((s) => s.destroyed || s.write('a')), 20);
  const s = await dial();
  const answer = status(s);
  s.write(`GET /v1/models HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\n\r\n`);
  const got = [await answer];
  if (admin) {
    const [adminHost, adminPort] = admin.split(':');
    const other = net.connect(Number(adminPort), adminHost);
    const told = status(other);
    other.write('GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n');
    got.push(await told);
    other.destroy();
  }
  console.log(got.join(' '));
  clearInterval(timer);
  crowd.forEach((c) => c.destroy());
  s.destroy();
} else {
  const [key, ms] = args;
  const s = await dial();
  const begun = Date.now(), answer = status(s);
  s.write(`${head(key, 100000)}\r\n{`);
  const timer = setInterval(() => s.destroyed || s.write(' '), 20);
  const got = await answer;
  clearInterval(timer);
  console.log(got, Date.now() - begun < Number(ms) ? 'in time' : 'too late');
  s.destroy();
}
