// limits.mjs ADMIN_URL: a ttl switches every fault off, renewing brings them
// back, and limits can be changed over the API.
import assert from 'node:assert/strict';
import http from 'node:http';
import { once } from 'node:events';
import { setTimeout as wait } from 'node:timers/promises';

const admin = process.argv[2];
async function api(method, path, body) {
  const r = await fetch(admin + path, { method, body: body && JSON.stringify(body) });
  return { status: r.status, ...(await r.json().catch(() => ({}))) };
}
const server = http.createServer((q, a) => a.end('hello'));
server.listen(0, '127.0.0.1');
await once(server, 'listening');
const upstream = `127.0.0.1:${server.address().port}`;
const tcp = await api('POST', '/proxies', { name: 'tcp', listen: '127.0.0.1:0', upstream });
const web = await api('POST', '/proxies', { name: 'web', listen: '127.0.0.1:0', upstream });
await api('POST', '/proxies/tcp/toxics', { type: 'refuse' });
await api('POST', '/proxies/web/toxics', { type: 'http_error', attributes: { status: 503 } });
const states = async () => [await fetch(`http://${tcp.listen}`).then(() => 'open', () => 'refused'), (await fetch(`http://${web.listen}`)).status];

const none = await api('GET', '/limits');
assert.deepEqual([none.status, none.max_active, none.max_fires, none.ttl_s, none.expired], [200, 0, 0, 0, false]);
const set = await api('PATCH', '/limits', { ttl_s: 1 });
assert.ok(set.ttl_s === 1 && set.left_ms > 900 && set.left_ms <= 1000, JSON.stringify(set));
assert.deepEqual(await states(), ['refused', 503]);
while (!(await api('GET', '/limits')).expired) await wait(20);
for (let i = 0; i < 50 && (await states())[0] !== 'open'; i++) await wait(10);
assert.deepEqual(await states(), ['open', 200], 'nobody renewed');
await api('POST', '/proxies/tcp/toxics', { name: 'more', type: 'limit_data', attributes: { bytes: 0 } });
assert.deepEqual(await states(), ['open', 200], 'new ones sleep too');
await api('DELETE', '/proxies/tcp/toxics/more');
assert.equal((await api('POST', '/renew')).expired, false);
assert.deepEqual(await states(), ['refused', 503], 'renewed');

// So many fires and no more; refused limits change nothing.
const fires = (await api('GET', '/limits')).fires;
assert.ok(fires >= 2);
assert.equal((await api('POST', '/limits', { ttl_s: 0, max_fires: fires + 1 })).max_fires, fires + 1);
assert.deepEqual([(await states())[1], (await states())[1]], [503, 200], 'max_fires');
for (const bad of [{ ttl_s: -1 }, { ttl_s: 1.5 }, { ttl_s: '1' }, { tll_s: 1 }, []])
  assert.equal((await api('POST', '/limits', bad)).status, 400, JSON.stringify(bad));
assert.equal((await api('GET', '/limits')).max_fires, fires + 1);
assert.equal((await api('DELETE', '/limits')).status, 405);
server.close();
server.closeAllConnections();
