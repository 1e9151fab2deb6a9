// room-lies.mjs ADMIN MODELS [FOLDER]: what the control room shows of an answer
// that was changed, at a desk's and a phone's width, in light and dark, with
// forty proxies and hostile names; a toxic is made, changed and removed; axe
// finds nothing.  Exits 1 at the first thing that is not as it must be.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { chromium } from 'playwright-core';

const [admin, models, folder] = process.argv.slice(2);
const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
  args: ['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage'],
});
const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, colorScheme: 'light', bypassCSP: true });
const page = await context.newPage();
const errors = [];
page.on('pageerror', e => errors.push(e.message));
page.on('dialog', d => { errors.push(`dialog: ${d.message()}`); d.dismiss(); });

function must(what, holds) {
  if (!holds) throw new Error(`not true: ${what}`);
}
const see = (selector, wanted) => page.locator(selector, { hasText: wanted }).first().waitFor({ timeout: 10000 });
const shot = async name => { if (folder) await page.screenshot({ path: `${folder}/${name}.png`, fullPage: true }); };
const fits = () => page.evaluate(() => document.documentElement.scrollWidth <= innerWidth);

// What KernelForge asks, as it asks it.
const ask = (op, iteration, model) => fetch(`http://${models}/v1/chat/completions`, {
  method: 'POST',
  headers: {
    'content-type': 'application/json', 'x-session-id': `kernelforge/${op}/${iteration}`,
    'x-tfy-metadata': JSON.stringify({ role: 'kernelforge', op, iteration: String(iteration) }),
  },
  body: JSON.stringify({ model, messages: [{ role: 'user', content: 'a kernel, please' }] }),
}).then(r => r.text());

async function sound(where) {
  await page.evaluate(axe);
  const { violations } = await page.evaluate(() => axe.run());
  must(`axe finds nothing ${where}: ${violations.map(v => `${v.id} ${v.nodes[0].html}`)}`, violations.length === 0);
}

const HOSTILE = ['<img src=x onerror=alert(1)>', '"quoted" & more', '\u202egnp.exe', 'x'.repeat(60), '../rules/lie', '日本語'];
const shown = name => name.replace('\u202e', '\\u202e');

try {
  await page.goto(`http://${admin}/ui`);
  await see('#live', 'live');
  await see('#on', 'faults on: 1 rule');

  // A kernel that was changed: shown, in its fault's colour, never green.
  const answer = await ask('rope', 1, 'deepseek-v4-flash');
  must('the kernel is changed', answer.includes('2 * d + 1'));
  await see('tr.change', 'rope_interleaved');
  const row = page.locator('tr.struck').first(), change = page.locator('tr.change').first();
  await see('tr.struck', '200 CHANGED');
  const came = await change.locator('.came').allInnerTexts(), made = await change.locator('.made').allInnerTexts();
  must(`lines as they came: ${came}`, came.length === 4 && came.every(l => l.startsWith('· ')) && came[1].includes('half_dim'));
  must(`and as they were made: ${made}`, made.length === 4 && made.every(l => l.startsWith('≠ ')) && made[1].includes('2 * d + 1'));
  const colours = await row.evaluate(tr => {
    const green = document.createElement('i');
    green.style.color = 'var(--good)';
    document.body.append(green);
    const good = getComputedStyle(green).color;
    green.remove();
    return [...tr.querySelectorAll('*'), ...tr.nextElementSibling.querySelectorAll('*')].filter(e => getComputedStyle(e).color === good).length;
  });
  must('nothing of it is green', colours === 0);
  await see('tr.struck', 'has it; has not asked about it again');
  await ask('swiglu', 1, 'deepseek-v4-flash');
  await see('#requests tr:not(.struck)', '200 good');
  must('another question says nothing of it', await page.getByText('asked again').count() === 0);
  await ask('rope', 2, 'deepseek-coder');
  await see('tr.struck', /asked again after \d+\.\d\d s, of deepseek-coder/);

  if (folder) await page.screenshot({ path: `${folder}/control-room.png` });

  // A reload forgets nothing of this tab; what is older than the page says so.
  await page.reload();
  await see('tr.change', 'rope_interleaved');
  await see('tr.struck', 'asked again');
  await see('[data-count=requests] b', '3');
  await see('#start', /rules matched: 1, fired: 1/);
  const other = await context.browser().newPage();
  await other.goto(`http://${admin}/ui`);
  await other.locator('#start', { hasText: 'fired: 1' }).waitFor();
  must('another page counts from its own opening', (await other.locator('[data-count=requests] b').innerText()) === '0');
  await other.close();

  // A path that is too long is cut, and whole in its title.
  const long = `/v1/${'long/'.repeat(15)}end`;
  await fetch(`http://${models}${long}`).then(r => r.text());
  await page.locator(`[title="GET ${long}"]`).waitFor();
  must('it is cut', await page.locator(`[title="GET ${long}"]`).evaluate(e => e.scrollWidth > e.clientWidth));

  // Forty proxies, some with names that mean harm; toxics by name and stream.
  const make = (path, body) => page.evaluate(([p, b]) => fetch(`/ui/api${p}`, {
    method: 'POST', headers: { 'x-kf-room': '1' }, body: JSON.stringify(b),
  }).then(r => r.status), [path, body]);
  for (let i = 0; i < 40 - HOSTILE.length; i++)
    must('a proxy is made', await make('/proxies', { name: `proxy_${i}`, listen: '127.0.0.1:0', upstream: '127.0.0.1:1' }) === 201);
  for (const name of HOSTILE)
    must(`a proxy called ${name}`, await make('/proxies', { name, listen: '127.0.0.1:0', upstream: '127.0.0.1:1' }) === 201);
  await page.getByLabel('filter').fill('proxy_3');
  await page.locator('[data-proxy=proxy_33]').waitFor();
  must('the filter hides the rest', await page.locator('#tcp .item:visible').count() === 5);
  await page.getByLabel('filter').fill('');
  // What is drawn first may have been asked for before the last was made.
  await page.waitForFunction(() => document.querySelectorAll('#tcp .item').length >= 40);
  const many = page.locator('h2', { hasText: 'Toxics and TCP proxies' });
  must('a list that is cut says how long it is', await many.evaluate(e => getComputedStyle(e, '::after').content.includes(e.dataset.n) && e.dataset.n >= 40));
  for (const name of HOSTILE) {
    const item = page.locator('#tcp .item').filter({ has: page.getByText(shown(name), { exact: true }) });
    await item.waitFor();
    await page.getByLabel('proxy', { exact: true }).selectOption(name);
    await page.getByLabel('toxic', { exact: true }).selectOption('latency');
    await page.getByLabel('stream', { exact: true }).selectOption('upstream');
    await page.getByLabel('toxic name', { exact: true }).fill(`slow ${name}`.slice(0, 60));
    await page.getByLabel('toxicity, 0 to 1').fill('0.5');
    await page.getByLabel('attributes as JSON').fill('{"latency": 70}');
    await page.getByRole('button', { name: 'Add toxic' }).click();
    await item.locator('.chip', { hasText: 'upstream, 50 %: ' }).filter({ hasText: 'latency 70' }).waitFor();
    await item.getByRole('button', { name: /^edit / }).click();
    await page.getByLabel('toxicity, 0 to 1').fill('0.25');
    await page.getByLabel('attributes as JSON').fill('{"latency": 80}');
    await page.getByRole('button', { name: 'Save' }).click();
    await item.locator('.chip', { hasText: 'upstream, 25 %: ' }).filter({ hasText: 'latency 80' }).waitFor();
  }
  await see('#on', `faults on: 1 rule, ${HOSTILE.length} toxics`);
  must('no markup came to life', await page.locator('#tcp img').count() === 0);
  // A line of code may be longer than its row, and takes no column's room.
  must('code widens no column', await page.locator('.diff').first().evaluate(e => {
    const list = e.closest('.scroll'), was = list.scrollWidth;
    const line = e.appendChild(document.createElement('div'));
    line.textContent = 'x'.repeat(400);
    const is = list.scrollWidth;
    line.remove();
    return is === was;
  }));
  await sound('at a desk');
  await page.evaluate(() => scrollTo(0, 0));
  await shot('lies-1440-light');
  await page.emulateMedia({ colorScheme: 'dark' });
  await sound('in the dark');
  await shot('lies-1440-dark');
  await page.setViewportSize({ width: 360, height: 800 });
  must('it fits a telephone', await fits());
  must('the list too, but for the code', await page.locator('#requests').evaluate(e => e.closest('.scroll').scrollWidth <= e.closest('.scroll').clientWidth));
  must('the change can be read there', await page.locator('tr.change .made').first().isVisible());
  await sound('on a telephone, in the dark');
  await shot('lies-360-dark');
  await page.emulateMedia({ colorScheme: 'light' });
  must('it fits in light', await fits());
  await sound('on a telephone');
  await shot('lies-360-light');
  await page.setViewportSize({ width: 1440, height: 900 });

  // All off by one click, and it is off; a proxy is deleted by its name.
  await page.getByRole('button', { name: 'All faults off' }).click();
  await see('#on', 'no fault is on');
  must('no toxic is left', await page.locator('.chip').count() === 0);
  must('the kernel is left alone', !(await ask('rope', 3, 'deepseek-v4-flash')).includes('2 * d + 1'));
  for (const name of HOSTILE)
    await page.locator('#tcp .item').filter({ has: page.getByText(shown(name), { exact: true }) }).getByRole('button', { name: /^delete proxy/ }).click();
  await page.waitForFunction(n => document.querySelectorAll('#tcp .item').length === n, 41 - HOSTILE.length);
  await page.getByRole('button', { name: 'Forget' }).click();
  await page.reload();
  await see('#live', 'live');
  must('what was forgotten stays so', await page.locator('#requests tr').count() === 0);
  for (const junk of ['{', 'null', '{"since":SINCE,"rows":[null]}', '{"since":SINCE,"rows":[{"id":1,"key":7}]}', '{"since":SINCE,"rows":{}}']) {
    await page.evaluate(async text => {
      const { since } = await fetch('/ui/state').then(r => r.json());
      addEventListener('pagehide', () => sessionStorage.setItem('kf-room', text.replace('SINCE', since)));
    }, junk);
    await page.reload();
    await see('#on', 'no fault is on');
    await see('#rules', 'lie');
  }
  must(`no error on the page: ${errors}`, errors.length === 0);
} catch (e) {
  await shot('lies-failed');
  console.error(e.message);
  process.exitCode = 1;
} finally {
  await browser.close();
}
