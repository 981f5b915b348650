// Playwright's own text of a page: one JSON object in on stdin, one out on stdout. Drives the Chrome that it is given.
import { readFileSync } from 'node:fs';
import { chromium } from 'playwright-core';

const ask = JSON.parse(readFileSync(0, 'utf8'));
const playwright = JSON.parse(
  readFileSync(new URL('./node_modules/playwright-core/package.json', import.meta.url), 'utf8')
).version;

const browser = await chromium.launch({
  executablePath: ask.executablePath,
  args: ask.noSandbox ? ['--no-sandbox'] : [],
  headless: true,
  timeout: ask.deadlineMs,
});
try {
  const page = await browser.newPage({ viewport: { width: 1280, height: 720 } });
  page.setDefaultTimeout(ask.deadlineMs);
  await page.goto(ask.url);
  if (ask.role) {
    await page.getByRole(ask.role, { name: ask.name, exact: true }).first().waitFor({ state: 'attached' });
  }
  const text = await page.locator('body').ariaSnapshot();
  const viewport = await page.evaluate(() => innerWidth + 'x' + innerHeight);
  process.stdout.write(JSON.stringify({ playwright, chrome: browser.version(), viewport, text }));
} finally {
  await browser.close();
}
