// status-page.mjs ADMIN GATEWAY KEY PID [FOLDER]: looks at http://ADMIN/ui in headless
// Chromium while http://GATEWAY is asked.  Exits 1 at the first thing that is not
// as it must be; leaves screenshots in FOLDER.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { chromium } from 'playwright-core';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const [admin, gateway, key, pid, folder] = process.argv.slice(2);
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
  args: ['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage'],
});
// The page may not be scripted from outside by its own rules; axe is let in.
const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, colorScheme: 'light', bypassCSP: true });
const page = await context.newPage();
const outside = [], errors = [];
page.on('request', r => { if (new URL(r.url()).host !== admin && !r.url().startsWith('data:')) outside.push(r.url()); });
page.on('pageerror', e => errors.push(e.message));
page.on('dialog', d => { errors.push(`a dialog: ${d.message()}`); d.dismiss(); });

function must(what, holds) {
  if (!holds) throw new Error(`not true: ${what}`);
}
const see = (selector, wanted) => page.locator(selector, { hasText: wanted }).first().waitFor({ timeout: 20000 });
const shot = async name => { if (folder) await page.screenshot({ path: `${folder}/${name}.png`, fullPage: true }); };
const ask = async (model, more) => {
  const r = await fetch(`http://${gateway}/v1/chat/completions`, {
    method: 'POST', headers: { authorization: `Bearer ${key}` },
    body: JSON.stringify({ model, messages: [{ role: 'user', content: 'hi' }], max_tokens: 20, ...more }),
  });
  await r.text();
  return r.status;
};
const axeFindsNothing = async where => {
  await page.evaluate(axe);
  const { violations } = await page.evaluate(() => axe.run());
  must(`axe finds nothing ${where}: ${violations.map(v => `${v.id} ${v.nodes[0].html}`)}`, violations.length === 0);
};
const fits = async where => must(`it fits ${where}`, await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth));

try {
  await page.goto(`http://${admin}/ui`);
  await see('#live', 'live');
  await see('#nothing', 'Nothing has come by yet.');
  await axeFindsNothing('on an empty page');

  // A target that fails, the next one that serves, and a breaker that opens.
  for (let i = 0; i < 4; i++) must('the second target serves', await ask('chat') === 200);
  for (let i = 0; i < 3; i++) await ask('chat', { stream: true });
  await see('[data-target="bad/m"] .tag', 'open');
  await see('[data-target="good/m"] .tag', 'closed');
  await see('[data-target="bad/m"]', /answered with an error: \d/);
  await see('[data-target="bad/m"]', /held off by its breaker: \d/);
  await see('#requests tr', /bad\/m error 503.*good\/m ok/s);
  await see('#requests tr', /chat streamed/);
  await see('#requests tr', /bad\/m held off by its breaker/);
  await see('[data-count="requests"] b', '7');

  // What clients and makers of keys call things is text.
  const evil = '<img/src=x/onerror=alert(1)>';
  await ask(evil);
  await see('#requests tr', evil);
  await see('#keys tr', '<b onclick=alert(2)>eve');
  must('no markup of theirs', await page.locator('#requests img, #keys b').count() === 0);
  await see('#keys tr', /ann.*of 5\.0000 USD a month/s);
  await see('#keys tr', 'revoked');

  // The filter.
  await page.getByLabel('filter requests').fill('streamed');
  await page.waitForFunction(() => [...document.querySelectorAll('#requests tr:not([hidden])')].length === 3);
  await page.getByLabel('filter requests').fill('');

  await axeFindsNothing('in the light');
  await fits('a desk');
  await shot('status-light');
  await page.emulateMedia({ colorScheme: 'dark' });
  await axeFindsNothing('in the dark');
  await shot('status-dark');
  await page.setViewportSize({ width: 360, height: 800 });
  await fits('a telephone');
  await axeFindsNothing('on a telephone');
  await shot('status-narrow-dark');
  await page.emulateMedia({ colorScheme: 'light' });
  await shot('status-narrow');
  // Under its own policy it works, too.
  const plain = await browser.newPage();
  plain.on('console', m => { if (m.type() === 'error') errors.push(m.text()); });
  await plain.goto(`http://${admin}/ui`);
  await plain.locator('#live', { hasText: 'live' }).waitFor({ timeout: 20000 });
  await plain.locator('#requests tr').first().waitFor({ timeout: 20000 });

  // A gateway that stands still is not live; when it goes on, it is.
  process.kill(Number(pid), 'SIGSTOP');
  await plain.locator('#live', { hasText: /has not answered for \d+ s/ }).waitFor({ timeout: 30000 });
  process.kill(Number(pid), 'SIGCONT');
  await plain.locator('#live', { hasText: /^live$/ }).waitFor({ timeout: 30000 });
  must(`nothing from outside: ${outside}`, outside.length === 0);
  must(`no error on the page: ${errors}`, errors.length === 0);
} catch (e) {
  await shot('status-failed');
  process.kill(Number(pid), 'SIGCONT');
  console.error(e.message);
  process.exitCode = 1;
} finally {
  await browser.close();
}
