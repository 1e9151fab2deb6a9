// room.mjs ADMIN MODELS PID [FOLDER]: drives the control room at http://ADMIN/ui in
// headless Chromium by clicking, while npm's openai asks http://MODELS.
// Exits 1 at the first thing that is not as it must be; leaves screenshots in
// FOLDER.
import OpenAI from 'openai';
import { chromium } from 'playwright-core';

const [admin, models, pid, folder] = process.argv.slice(2);
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
  args: ['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage'],
});
const page = await browser.newPage({ viewport: { width: 1360, height: 860 }, colorScheme: 'light' });
const outside = [], errors = [];
page.on('request', r => { if (new URL(r.url()).host !== admin && !r.url().startsWith('data:')) outside.push(r.url()); });
page.on('pageerror', e => errors.push(e.message));
page.on('console', m => { if (m.type() === 'error') errors.push(m.text()); });

function must(what, holds) {
  if (!holds) throw new Error(`not true: ${what}`);
}
const text = selector => page.locator(selector).innerText();
const see = (selector, wanted) => page.locator(selector, { hasText: wanted }).first().waitFor({ timeout: 10000 });
const shot = async name => { if (folder) await page.screenshot({ path: `${folder}/${name}.png`, fullPage: true }); };

const client = new OpenAI({ baseURL: `http://${models}/v1`, apiKey: 'local' });
let asked = 0;
const ask = () => client.chat.completions.create({ model: 'm', messages: [{ role: 'user', content: `n${++asked}` }] });
const stream = async () => {
  let said = '';
  for await (const c of await client.chat.completions.create({ model: 'm', stream: true, messages: [{ role: 'user', content: `n${++asked}` }] }))
    said += c.choices[0]?.delta?.content ?? '';
  return said;
};

try {
  await page.goto(`http://${admin}/ui`);
  await see('#live', 'live');
  must('the scenario is named', await text('#scenario') === 'room');
  await see('#proxies', 'models');

  // A struck request, its fault, and what the client did.
  await ask();
  await see('tr.struck', 'http_error (storm)');
  await see('tr.struck', '503 error');
  await see('tr.struck', /retried after \d\.\d\d s/);
  await see('#requests tr:not(.struck)', '200 good');
  await see('[data-rule=storm]', 'fired 1 of 1 matched');

  // A cut stream that nobody noticed.
  must('the stream was cut', (await stream()).length < 100);
  await see('tr.struck', 'sse_cut (cut)');
  await see('tr.struck', '200 truncated');

  // The scorecard: who asked, what struck, how it ended, and an audit as it goes on.
  await see('[data-client^=OpenAI]', 'asked 3, struck 2');
  await see('[data-client^=OpenAI] .ends', '1 came through');
  await see('#audits', '3 of 3 judged, 1 broken');
  await see('#audits [data-verdict=broken]', /http_error: 503.*gave up although a retry was due.*BROKEN \*\*/s);
  const tell = row => fetch(`http://${admin}/ui/audits/of-a-test`, { method: 'POST', headers: { 'x-kf-room': '1' },
    body: JSON.stringify({ command: 'an agent <b>', total: 2, at: 1, row: { case: 'sse_cut: cut', severity: 0, how: '', said: '', ...row } }) });
  must('a step is taken', (await tell({ verdict: 'running' })).status === 200);
  await see('[data-audit=of-a-test]', 'an agent <b> 0 of 2 judged, 0 broken');
  await see('[data-audit=of-a-test] [data-verdict=running]', 'under way');
  await tell({ verdict: 'broken', severity: 3, how: 'took half of it', said: 'all is well' });
  await see('[data-audit=of-a-test] [data-verdict=broken]', 'BROKEN ***');
  await see('[data-audit=of-a-test]', 'all is well');
  await tell({ verdict: 'running' });
  await shot('room-score');
  must('a late step is passed over', await page.locator('[data-audit=of-a-test] [data-verdict=running]').count() === 0);
  must('what is no step is refused', (await tell({ verdict: 5 })).status === 400);

  // Switched off by a click, the rule does not fire; on again, it does.
  const storm = page.getByRole('switch', { name: 'rule storm' });
  await storm.click();
  await page.locator('[data-rule=storm] [aria-checked=false]').waitFor();
  await ask();
  await see('tr[data-id="4"]', '200 good');
  must('no fault when switched off', await page.locator('tr[data-id="4"].struck').count() === 0);
  await storm.click();
  await page.locator('[data-rule=storm] [aria-checked=true]').waitFor();
  await ask();
  await see('tr[data-id="5"].struck', 'http_error (storm)');
  await see('tr.struck', 'no retry'); // of the cut stream: its time is up

  // A preset by a click: its rules join, strike and go.
  await page.getByRole('switch', { name: 'preset test_502' }).click();
  await page.locator('[data-preset=test_502] [aria-checked=true]').waitFor();
  await storm.click();
  await page.locator('[data-rule=storm] [aria-checked=false]').waitFor();
  await ask().then(() => must('the preset strikes', false), () => {});
  await see('tr.struck', 'http_error (test_502.always)');
  await see('[data-preset=test_502]', /fired [1-9]/);
  await page.getByRole('switch', { name: 'preset test_502' }).click();
  await page.locator('[data-preset=test_502] [aria-checked=false]').waitFor();
  await ask();
  await storm.click();
  await page.locator('[data-rule=storm] [aria-checked=true]').waitFor();

  // The admin API by clicking: a proxy, a toxic, both at work, reset.
  await page.getByLabel('name', { exact: true }).fill('front');
  await page.getByLabel('upstream address').fill(models);
  await page.getByRole('button', { name: 'Add proxy' }).click();
  const front = page.locator('[data-proxy=front]');
  await front.waitFor();
  const [address] = (await front.innerText()).match(/127\.0\.0\.1:\d+/);
  await page.getByLabel('proxy', { exact: true }).selectOption('front');
  await page.getByLabel('toxic', { exact: true }).selectOption('latency');
  await page.getByLabel('attributes as JSON').fill('{"latency": 250}');
  await page.getByRole('button', { name: 'Add toxic' }).click();
  await see('[data-proxy=front]', 'latency 250');
  let start = performance.now();
  await fetch(`http://${address}/v1/models`);
  must('the toxic delays', performance.now() - start >= 250);
  await shot('room-light');
  await page.emulateMedia({ colorScheme: 'dark' });
  await shot('room-dark');
  await page.setViewportSize({ width: 375, height: 900 });
  must('it fits a telephone', await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth));
  await shot('room-narrow');
  await page.setViewportSize({ width: 1360, height: 860 });
  await page.getByRole('button', { name: 'remove latency_downstream from front' }).click();
  await page.locator('.chip').waitFor({ state: 'detached' });
  start = performance.now();
  await fetch(`http://${address}/v1/models`);
  must('and without it nothing does', performance.now() - start < 250);
  await page.getByRole('switch', { name: 'proxy front' }).click();
  await page.locator('[data-proxy=front] [aria-checked=false]').waitFor();
  must('a proxy that is off refuses', await fetch(`http://${address}/v1/models`).then(() => false, () => true));
  await page.getByRole('button', { name: /^Reset/ }).click();
  await page.locator('[data-proxy=front] [aria-checked=true]').waitFor();
  await page.getByLabel('attributes as JSON').fill('{"latency": "x"}');
  await page.getByRole('button', { name: 'Add toxic' }).click();
  await see('#said', 'latency');

  // The scenario's own proxy takes toxics, and only them.
  await page.getByLabel('proxy', { exact: true }).selectOption('models');
  await page.getByLabel('toxic', { exact: true }).selectOption('limit_data');
  await page.getByLabel('attributes as JSON').fill('{"bytes": 30}');
  await page.getByRole('button', { name: 'Add toxic' }).click();
  await see('[data-proxy=models]', 'bytes 30');
  must('it has no switch', await page.getByRole('switch', { name: 'proxy models' }).count() === 0);
  must('its answers end', await fetch(`http://${models}/v1/models`).then(r => r.text()).then(() => false, () => true));
  await page.getByRole('button', { name: /^Reset/ }).click();
  await page.locator('.chip').waitFor({ state: 'detached' });

  // A proxy that stands still is not live; when it goes on, it is.
  process.kill(Number(pid), 'SIGSTOP');
  await page.locator('#live', { hasText: /^no answer since \d+ s$/ }).waitFor({ timeout: 30000 });
  must('and looks so', await page.locator('#live.on').count() === 0);
  process.kill(Number(pid), 'SIGCONT');
  await page.locator('#live.on', { hasText: /^live$/ }).waitFor({ timeout: 30000 });

  must('counters count', Number(await text('[data-count=requests] b')) >= 6);
  must('the plot has points', await page.locator('#plot circle').count() >= 6);
  must(`nothing from outside: ${outside}`, outside.length === 0);
  const loud = errors.filter(e => !e.includes('400 (Bad Request)'));
  must(`no error on the page: ${loud}`, loud.length === 0);
} catch (e) {
  await shot('room-failed');
  process.kill(Number(pid), 'SIGCONT');
  console.error(e.message);
  process.exitCode = 1;
} finally {
  await browser.close();
}
