// toxiproxy-api.mjs ADMIN_URL TAKEN: the table of Toxiproxy's API, row by row,
// as raw HTTP: status, body, headers.  TAKEN is an address that is in use.
import assert from 'node:assert/strict';
import http from 'node:http';
import { once } from 'node:events';

const [admin, taken] = process.argv.slice(2);
async function call(method, path, body, headers = {}) {
  const q = http.request(admin + path, { method, headers });
  q.end(typeof body === 'string' || body === undefined ? body : JSON.stringify(body));
  const [a] = await once(q, 'response');
  let text = '';
  for await (const d of a) text += d;
  return { status: a.statusCode, text, headers: a.headers };
}
const JSON_TYPE = 'application/json', TEXT = 'text/plain; charset=utf-8';
const error = (status, message) => `{"error":"${message}","status":${status}}\n`;
const up = '127.0.0.1:1', off = { listen: '127.0.0.1:0', upstream: up, enabled: false };
const shown = (name, more = '[]') => `{"name":"${name}","listen":"127.0.0.1:0","upstream":"${up}","enabled":false,"Logger":{},"toxics":${more}}`;
const toxic = (name, type, attributes, stream = 'downstream', toxicity = 1) =>
  `{"attributes":${JSON.stringify(attributes)},"name":"${name}","type":"${type}","stream":"${stream}","toxicity":${toxicity}}`;
const lag = toxic('latency_downstream', 'latency', { jitter: 0, latency: 7 });
const lag2 = toxic('lag', 'latency', { jitter: 2, latency: 1 }, 'upstream', 0.25);

// [what, method, path, body, status, text]
const rows = [
  ['nothing yet', 'GET', '/proxies', undefined, 200, '{}'],
  ['the version', 'GET', '/version', undefined, 200, '{"version": "2.12.0"}\n'],
  ['no name', 'POST', '/proxies', { upstream: up }, 400, error(400, 'missing required field: name')],
  ['name before upstream', 'POST', '/proxies', {}, 400, error(400, 'missing required field: name')],
  ['no upstream', 'POST', '/proxies', { name: 'a' }, 400, error(400, 'missing required field: upstream')],
  ['not JSON', 'POST', '/proxies', '{', 400, error(400, 'bad request body: unexpected EOF')],
  ['no body', 'POST', '/proxies', '', 400, error(400, 'bad request body: EOF')],
  ['null', 'POST', '/proxies', 'null', 400, error(400, 'missing required field: name')],
  ['something behind the JSON', 'POST', '/proxies', '{} x', 400, error(400, 'missing required field: name')],
  ['no port', 'POST', '/proxies', { name: 'a', listen: 'nowhere', upstream: up }, 500, error(500, 'listen tcp: address nowhere: missing port in address')],
  ['too large a port', 'POST', '/proxies', { name: 'a', listen: '127.0.0.1:99999', upstream: up }, 500, error(500, 'listen tcp: address 99999: invalid port')],
  ['a wrong type', 'POST', '/proxies', { name: 1, upstream: up }, 400, /^\{"error":"bad request body: .+","status":400\}\n$/],
  ['a taken port', 'POST', '/proxies', { name: 'a', listen: taken, upstream: up }, 500, /^\{"error":"listen tcp .*address already in use","status":500\}\n$/],
  ['and nothing is left', 'GET', '/proxies/a', undefined, 404, error(404, 'proxy not found')],
  ['created disabled', 'POST', '/proxies', { name: 'b', ...off }, 201, shown('b')],
  ['keys in any case, unknown keys, toxics null', 'POST', '/proxies', { NAME: 'a', Listen: '127.0.0.1:0', UpStream: up, enabled: false, Logger: {}, toxics: null, x: 1 }, 201, shown('a')],
  ['again', 'POST', '/proxies', { name: 'a', ...off }, 409, error(409, 'proxy already exists')],
  ['sorted by name', 'GET', '/proxies', undefined, 200, `{"a":${shown('a')},"b":${shown('b')}}`],
  ['one', 'GET', '/proxies/a', undefined, 200, shown('a')],
  ['none', 'GET', '/proxies/x', undefined, 404, error(404, 'proxy not found')],
  ['update none', 'POST', '/proxies/x', {}, 404, error(404, 'proxy not found')],
  ['delete none', 'DELETE', '/proxies/x', undefined, 404, error(404, 'proxy not found')],
  ['update nothing', 'POST', '/proxies/a', {}, 200, shown('a')],
  ['update by PATCH', 'PATCH', '/proxies/a', { upstream: '127.0.0.1:2' }, 200, shown('a').replace(up, '127.0.0.1:2')],
  ['and back', 'POST', '/proxies/a', { name: 'a', ...off, toxics: [] }, 200, shown('a')],
  ['update with a wrong type', 'POST', '/proxies/a', { enabled: 'yes' }, 400, /^\{"error":"bad request body: .+","status":400\}\n$/],
  ['no toxics', 'GET', '/proxies/a/toxics', undefined, 200, '[]'],
  ['toxics of none', 'GET', '/proxies/x/toxics', undefined, 404, error(404, 'proxy not found')],
  ['a toxic on none', 'POST', '/proxies/x/toxics', { type: 'noop' }, 404, error(404, 'proxy not found')],
  ['a wrong stream', 'POST', '/proxies/a/toxics', { type: 'noop', stream: 'x' }, 400, error(400, 'stream was invalid, can be either upstream or downstream')],
  ['a wrong stream before a wrong type', 'POST', '/proxies/a/toxics', { type: 'x', stream: 'x' }, 400, error(400, 'stream was invalid, can be either upstream or downstream')],
  ['a wrong type of toxic', 'POST', '/proxies/a/toxics', { type: 'x' }, 400, error(400, 'invalid toxic type')],
  ['no type of toxic', 'POST', '/proxies/a/toxics', {}, 400, error(400, 'invalid toxic type')],
  ['1.5 for an integer', 'POST', '/proxies/a/toxics', { type: 'latency', attributes: { latency: 1.5 } }, 400, /^\{"error":"bad request body: .+","status":400\}\n$/],
  ['attributes that are no object', 'POST', '/proxies/a/toxics', { type: 'latency', attributes: [] }, 400, /^\{"error":"bad request body: .+","status":400\}\n$/],
  ['defaults', 'POST', '/proxies/a/toxics', { type: 'latency', attributes: { latency: 7, unknown: 1 } }, 200, lag],
  ['the name is taken', 'POST', '/proxies/a/toxics', { type: 'noop', name: 'latency_downstream', stream: 'upstream' }, 409, error(409, 'toxic already exists')],
  ['everything said', 'POST', '/proxies/a/toxics', { name: 'lag', TYPE: 'latency', Stream: 'UPSTREAM', toxicity: 0.25, attributes: { Latency: 1, jitter: 2 } }, 200, lag2],
  ['upstream first', 'GET', '/proxies/a/toxics', undefined, 200, `[${lag2},${lag}]`],
  ['with the proxy', 'GET', '/proxies/a', undefined, 200, shown('a', `[${lag2},${lag}]`)],
  ['one toxic', 'GET', '/proxies/a/toxics/lag', undefined, 200, lag2],
  ['no such toxic', 'GET', '/proxies/a/toxics/x', undefined, 404, error(404, 'toxic not found')],
  ['a toxic of none', 'GET', '/proxies/x/toxics/lag', undefined, 404, error(404, 'proxy not found')],
  ['attributes merge', 'POST', '/proxies/a/toxics/lag', { attributes: { jitter: 5 } }, 200, lag2.replace('"jitter":2', '"jitter":5')],
  ['toxicity alone', 'PATCH', '/proxies/a/toxics/lag', { toxicity: 0.5 }, 200, lag2.replace('"jitter":2', '"jitter":5').replace('0.25', '0.5')],
  ['a number as it was said', 'PATCH', '/proxies/a/toxics/lag', { toxicity: 0.1 }, 200, lag2.replace('"jitter":2', '"jitter":5').replace('0.25', '0.1')],
  ['none at all', 'PATCH', '/proxies/a/toxics/lag', { toxicity: 0 }, 200, lag2.replace('"jitter":2', '"jitter":5').replace('0.25', '0')],
  ['and back', 'PATCH', '/proxies/a/toxics/lag', { toxicity: 0.5 }, 200, lag2.replace('"jitter":2', '"jitter":5').replace('0.25', '0.5')],
  ['name, type and stream stay', 'POST', '/proxies/a/toxics/lag', { name: 'y', type: 'noop', stream: 'downstream' }, 200, lag2.replace('"jitter":2', '"jitter":5').replace('0.25', '0.5')],
  ['a bad update', 'POST', '/proxies/a/toxics/lag', { attributes: { jitter: 'x' } }, 400, /^\{"error":"bad request body: .+","status":400\}\n$/],
  ['changes nothing', 'GET', '/proxies/a/toxics/lag', undefined, 200, lag2.replace('"jitter":2', '"jitter":5').replace('0.25', '0.5')],
  ['update no toxic', 'POST', '/proxies/a/toxics/x', {}, 404, error(404, 'toxic not found')],
  ['delete no toxic', 'DELETE', '/proxies/a/toxics/x', undefined, 404, error(404, 'toxic not found')],
  ['delete a toxic', 'DELETE', '/proxies/a/toxics/lag', undefined, 204, ''],
  ['populate without JSON', 'POST', '/populate', '[', 400, '{"error":"bad request body: unexpected EOF","status":400,"proxies":[]}'],
  ['populate with nothing', 'POST', '/populate', '[]', 201, '{"proxies":[]}'],
  ['populate without a name', 'POST', '/populate', [{ name: 'c', ...off }, { upstream: up }], 400, '{"error":"missing required field: name at proxy 2","status":400,"proxies":[]}'],
  ['populate without an upstream', 'POST', '/populate', [{ name: 'c' }], 400, '{"error":"missing required field: upstream at proxy 1","status":400,"proxies":[]}'],
  ['and none was made', 'GET', '/proxies/c', undefined, 404, error(404, 'proxy not found')],
  ['populate what is there keeps its toxics', 'POST', '/populate', [{ name: 'a', ...off }], 201, `{"proxies":[${shown('a', `[${lag}]`)}]}`],
  ['populate with another upstream replaces it', 'POST', '/populate', [{ name: 'a', ...off, upstream: '127.0.0.1:3' }], 201, `{"proxies":[${shown('a').replace(up, '127.0.0.1:3')}]}`],
  ['populate that fails midway', 'POST', '/populate', [{ name: 'c', ...off }, { name: 'd', listen: taken, upstream: up }, { name: 'e', ...off }], 500,
    new RegExp(`^\\{"error":"listen tcp .*","status":500,"proxies":\\[${shown('c').replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}\\]\\}$`)],
  ['made what came before', 'GET', '/proxies/c', undefined, 200, shown('c')],
  ['and not what came after', 'GET', '/proxies/e', undefined, 404, error(404, 'proxy not found')],
  ['delete', 'DELETE', '/proxies/c', undefined, 204, ''],
  ['a name with a space', 'POST', '/proxies', { name: 'a b', ...off }, 201, shown('a b')],
  ['is found', 'GET', '/proxies/a%20b', undefined, 200, shown('a b')],
  ['and deleted', 'DELETE', '/proxies/a%20b', undefined, 204, ''],
  ['reset', 'POST', '/reset', '', 204, ''],
  ['started what was stopped', 'GET', '/proxies/b', undefined, 200, /"listen":"127\.0\.0\.1:[1-9]\d*".*"enabled":true/],
  ['an unknown path', 'GET', '/x', undefined, 404, '404 page not found\n'],
  ['a path too long', 'GET', '/proxies/a/toxics/b/c', undefined, 404, '404 page not found\n'],
  ['a wrong method', 'DELETE', '/version', undefined, 405, ''],
  ['a wrong method on all', 'DELETE', '/proxies', undefined, 405, ''],
  ['a wrong method on reset', 'GET', '/reset', undefined, 405, ''],
];
const failures = [];
for (const [what, method, path, body, status, text] of rows) {
  const r = await call(method, path, body);
  const routed = status !== 405 && !r.text.startsWith('404 page');
  const isError = status >= 400 && routed && path !== '/populate';
  const type = status === 204 || status === 405 ? undefined : isError || !routed ? TEXT : path === '/version' ? 'application/json;charset=utf-8' : JSON_TYPE;
  try {
    assert.equal(r.status, status);
    if (text instanceof RegExp) assert.match(r.text, text); else assert.equal(r.text, text);
    assert.equal(r.headers['content-type'], type);
    assert.equal(r.headers['x-content-type-options'], isError || (!routed && status === 404) ? 'nosniff' : undefined);
    assert.equal(/^[0-9a-v]{20}$/.test(r.headers['x-toxiproxy-request-id'] ?? ''), routed, 'X-Toxiproxy-Request-Id');
    assert.match(r.headers['x-kf-chaos'] ?? '', /^kf-chaos\/\S+$/);
  } catch (e) {
    failures.push(`${what}: ${method} ${path}: ${e.message}\n  got ${r.status} ${r.text}`);
  }
}
// Browsers are refused on the routes, and only there.
for (const [path, status, text] of [['/proxies', 403, 'User agent not allowed\n'], ['/version', 403, 'User agent not allowed\n'], ['/x', 404, '404 page not found\n']]) {
  const r = await call('GET', path, undefined, { 'user-agent': 'Mozilla/5.0 (X11)' });
  if (r.status !== status || r.text !== text) failures.push(`a browser on ${path}: ${r.status} ${r.text}`);
}
if (failures.length) {
  console.error(failures.join('\n'));
  process.exit(1);
}
assert.equal(new Set(await Promise.all([1, 2, 3].map(async () => (await call('GET', '/version')).headers['x-toxiproxy-request-id']))).size, 3);
console.log(`${rows.length} rows`);
