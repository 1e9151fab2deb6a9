// report.html in headless Chromium, from file://: no request, no console
// error, no overflow at a phone's and a desk's width, in light and dark; the
// lie is never green, once; figures are there; axe finds nothing.
// usage: report.mjs REPORT.html good|broken|large [FOLDER for screenshots]
//	large: of full_suite, whose cards have what the small run's have not
import assert from 'node:assert';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { chromium } from 'playwright-core';

const [file, kind, shots] = process.argv.slice(2);
const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM || '/usr/bin/chromium',
  args: ['--no-sandbox', '--disable-gpu'],
});

for (const [width, scheme] of [[360, 'light'], [768, 'dark'], [1440, 'light'], [1440, 'dark']]) {
  const page = await browser.newPage({ viewport: { width, height: 900 }, colorScheme: scheme });
  const said = [], asked = [];
  page.on('console', (m) => said.push(m.text()));
  page.on('pageerror', (e) => said.push(String(e)));
  page.on('request', (r) => asked.push(r.url()));
  await page.goto(`file://${file}`);
  assert.deepEqual(said, [], 'the console is silent');
  assert.equal(asked.length, 1, `nothing is asked but the file: ${asked}`);
  const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
  assert.ok(wide <= 0, `no overflow at ${width} px: ${wide}`);
  // "14/20" in one row on a telephone, however narrow its column.
  const torn = await page.locator('.big').evaluateAll((all) => all.filter((e) => {
    const was = e.firstChild.data;
    e.firstChild.data = '188';
    const rows = new Set([...e.getClientRects()].map((r) => r.top)).size;
    e.firstChild.data = was;
    return rows > 1;
  }).length);
  assert.equal(torn, 0, `no figure is torn at ${width} px`);

  assert.equal(await page.locator('script, img, iframe').count(), 0, 'nothing on it runs or loads');
  await page.evaluate(axe);
  const { violations } = await page.evaluate(() => axe.run());
  assert.deepEqual(violations.map((v) => `${v.id} ${v.nodes[0].html}`), [], `axe finds nothing at ${width} px, ${scheme}`);
  const alarm = await page.locator('.alarm').count();
  assert.equal(alarm, kind === 'broken' ? 1 : 0, 'the alarm stands where it must');
  if (kind === 'broken') {
    const top = await page.locator('.alarm').evaluate((e) => e.getBoundingClientRect().top);
    const card = await page.locator('#scorecard').evaluate((e) => e.getBoundingClientRect().top);
    assert.ok(top < card, 'above every figure');
    assert.equal(await page.locator('header .good').count(), 0, 'nothing at the top is green');
    // The green of a run that holds, and what it would be mixed to in a cell.
    const green = await page.evaluate(() => {
      const root = document.documentElement, probe = root.appendChild(document.createElement('i'));
      const rgb = (name) => { probe.style.color = getComputedStyle(root).getPropertyValue(name); return getComputedStyle(probe).color; };
      const good = [rgb('--good'), rgb('--good-bg')];
      probe.remove();
      return [...document.querySelectorAll('main *')].filter((e) => ['', '::before', '::after'].some((part) => {
        const s = getComputedStyle(e, part || null);
        return [s.color, s.backgroundColor, s.borderTopColor, s.fill].some((c) => good.includes(c));
      })).map((e) => e.outerHTML.slice(0, 120));
    });
    assert.deepEqual(green, [], 'nothing below the alarm is green');
    const words = await page.locator('.tag').allInnerTexts();
    assert.ok(!words.some((t) => /^(met|verified.correct|evidence intact)$/i.test(t)), `nor called so: ${words}`);
    await page.close();
    continue;
  }
  const hidden = () => page.locator('.heat').evaluateAll((all) => all.filter((t) => t.getBoundingClientRect().right > t.closest('.card').getBoundingClientRect().right).map((t) => t.closest('.card').querySelector('h3').textContent));
  if (kind === 'large') {
    assert.deepEqual(await hidden(), [], `every verdict is seen at ${width} px without scrolling sideways`);
    const rows = await page.locator('.head h3').evaluateAll((all) => all.map((h) => h.getClientRects()[0].height / parseFloat(getComputedStyle(h).lineHeight)));
    assert.ok(rows.length === 20 && rows.every((n) => n < 1.5), `no operator's name is torn at ${width} px: ${rows}`);
    const wide = await page.locator('.diff .side').evaluateAll((all) => all.filter((e) => e.scrollWidth > e.clientWidth + 1).length);
    assert.equal(wide, 0, 'no changed line is cut off');
    for (const told of await page.locator('.counted').allInnerTexts()) {
      const [, is, expected] = told.match(/ is (\S+), expected (\S+)/) || [];
      assert.ok(!is || is !== expected, `what differs is seen to differ: ${told}`);
    }
    const cells = await page.locator('.heat td.hx').allInnerTexts();
    assert.ok(cells.length > 100 && cells.every((t) => !/ 0×| 0\.\d+×/.test(t)), 'what failed has a figure beyond its bound, or a word');
    assert.ok(cells.some((t) => /out of bounds/.test(t)), 'such as out of bounds');
    await page.close();
    continue;
  }
  const lead = await page.locator('.lead').innerText();
  assert.match(lead, /claimed 3 of 3 kernels, 1 of them silently wrong/);
  assert.equal((await page.locator('.made').allInnerTexts()).filter((t) => t.trim()).length, 4, 'the lie is shown once, line by line');
  assert.deepEqual(await page.locator('.card').evaluateAll((all) => all.map((c) => c.querySelectorAll('.whole').length)).then((all) => all.filter(Boolean)), [1, 2, 2],
    'an answer that came unchanged says so: the second for rope, and all others');
  assert.deepEqual(await hidden(), [], `every verdict is seen at ${width} px without scrolling sideways`);
  // On A4, where nobody scrolls, and dark ink on white whatever the screen is.
  await page.setViewportSize({ width: 718, height: 900 });
  await page.emulateMedia({ media: 'print', colorScheme: scheme });
  assert.deepEqual(await hidden(), [], 'every verdict is on paper');
  const cut = await page.locator('.scroll, .side').evaluateAll((all) => all.filter((e) => e.scrollWidth > e.clientWidth + 1 && getComputedStyle(e).overflowX !== 'visible').length);
  assert.equal(cut, 0, 'nothing on paper is cut off');
  assert.match(await page.evaluate(() => getComputedStyle(document.body).color), /rgb\(\d\d, /, 'ink on paper is dark');
  if (shots) await page.screenshot({ path: `${shots}/report-print-${scheme}.png`, fullPage: true });
  await page.emulateMedia({ media: 'screen', colorScheme: scheme });
  await page.setViewportSize({ width, height: 900 });
  const green = await page.evaluate(() => {
    const good = getComputedStyle(document.querySelector('.good')).color;
    return [...document.querySelectorAll('.made, .came')].filter((e) => getComputedStyle(e).color === good).length;
  });
  assert.equal(green, 0, 'and it is never green');
  const steps = await page.evaluate(() => {
    const good = getComputedStyle(document.querySelector('.good')).color;
    return [...document.querySelectorAll('.steps')].map((s) => ({
      caught: !!s.querySelector('.stop'),
      green: [...s.children].filter((e) => getComputedStyle(e, '::after').backgroundColor === good).length,
    }));
  });
  assert.ok(steps.some((s) => s.caught) && steps.every((s) => s.green === (s.caught ? 0 : 1)), 'only what was verified has a green step');
  const marks = await page.locator('svg.lanes rect, svg.lanes path:not(.axis)').count();
  assert.ok(marks > 15, `the timeline has its marks: ${marks}`);
  assert.ok(await page.locator('.heat td.hx').count() > 5, 'failing cases are in the heat map');
  const cells = await page.locator('.heat td.hx, .heat td[class^=h]').allInnerTexts();
  assert.ok(cells.every((t) => /[✓✗]/.test(t)), 'no cell speaks by colour alone');
  assert.match(await page.locator('#cost + section').innerText(), /deepseek-coder/);
  // Of the failing case: every element counted, and the wrong ones as wrong.
  assert.equal(await page.locator('pre.code').count(), 7, 'every kernel that was judged is there');
  assert.match(await page.locator('pre.code').first().evaluate((e) => e.textContent), /\n {4}const float x1 = kf_load\(x, row \* dim \+ 2 \* d\);/);
  const counts = await page.locator('table.errors').first().evaluate((t) =>
    [...t.rows].map((r) => [r.cells[0].innerText, Number(r.cells[1].innerText)]));
  const caption = await page.locator('.counted').first().innerText();
  const [, wrong, all] = caption.match(/(\d+) of (\d+) wrong/).map(Number);
  assert.equal(counts.length, 8);
  assert.equal(counts.reduce((n, [, c]) => n + c, 0), all, 'no element is left out');
  assert.equal(counts.slice(3).reduce((n, [, c]) => n + c, 0), wrong);
  assert.ok(wrong > 0 && wrong < all);
  assert.match(caption, /furthest off: element \[\d+, \d+\] is \S+, expected \S+/);
  assert.match(await page.locator('main').innerText(), /worst error \S+ of its bound\s+no near miss/);
  const reach = await page.locator('.scroll').evaluateAll((all) => all.every((e) => e.tabIndex === 0));
  assert.ok(reach, 'what scrolls can be reached by keyboard');
  if (shots) await page.screenshot({ path: `${shots}/report-${width}-${scheme}.png`, fullPage: true });
  await page.close();
}
await browser.close();
