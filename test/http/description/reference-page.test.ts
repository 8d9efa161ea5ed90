// The API reference in a browser, on a screen and on a telephone, by day and by night. It writes a picture of each to `screenshots/`.
import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { before, test } from 'node:test';
import type { Page } from 'playwright-core';
import { type TestApp, testApp } from '../../support/app.ts';
import { sharedBrowser } from '../../support/chromium.ts';

const PICTURES = path.resolve(import.meta.dirname, '../../../screenshots');

let florin: TestApp;
before(async () => {
  florin = await testApp();
  mkdirSync(PICTURES, { recursive: true });
});

interface Seen {
  readonly wide: number;
  readonly window: number;
  /** Of what is to be read beside something else. */
  readonly narrowest: number;
  readonly ground: number;
  readonly ink: number;
}

/** Runs in the browser. */
const SEEN = `(() => {
  const light = (colour) => Math.max(...colour.match(/\\d+/g).slice(0, 3).map(Number));
  const told = [...document.querySelectorAll('.opblock-tag small, td.parameters-col_name, td.response-col_description')];
  return {
    wide: document.documentElement.scrollWidth,
    window: innerWidth,
    narrowest: Math.min(...told.map((element) => element.getBoundingClientRect().width).filter((width) => width > 0)),
    ground: light(getComputedStyle(document.body).backgroundColor),
    ink: light(getComputedStyle(document.querySelector('.opblock-tag')).color),
  };
})()`;

interface Look {
  readonly width: number;
  readonly scheme: 'light' | 'dark';
}

/** The page with one operation open; `check` sees it before and after. */
async function looking({ width, scheme }: Look, check: (page: Page) => Promise<void>): Promise<void> {
  const context = await (await sharedBrowser()).newContext({
    viewport: { width, height: 844 },
    colorScheme: scheme,
    isMobile: width < 600,
  });
  try {
    const page = await context.newPage();
    const complaints: string[] = [];
    page.on('console', (message) => message.type() === 'error' && complaints.push(message.text()));
    page.on('pageerror', (error) => complaints.push(String(error)));
    await page.goto(`${florin.url}/docs`);
    const operation = page.locator('.opblock', { hasText: 'Authorize a card payment' });
    await operation.waitFor();
    await page.screenshot({ path: path.join(PICTURES, `reference-${scheme}-${width}.png`) });
    await check(page);
    await operation.locator('.opblock-summary-control').click();
    await operation.locator('.responses-wrapper').waitFor();
    await operation.screenshot({ path: path.join(PICTURES, `reference-open-${scheme}-${width}.png`) });
    await check(page);
    assert.deepEqual(complaints, []);
  } finally {
    await context.close();
  }
}

const LOOKS: readonly Look[] = [
  { width: 1280, scheme: 'light' },
  { width: 390, scheme: 'dark' },
];
for (const { width, scheme } of LOOKS)
  test(`${width} wide, ${scheme}: nothing reaches over the edge, parts can be read, colours are the reader's`, () =>
    looking({ width, scheme }, async (page) => {
      const found = await page.evaluate<Seen>(SEEN);
      assert.equal(found.window, width);
      assert.ok(found.wide <= width, `${found.wide} wide`);
      assert.ok(found.narrowest >= 100, `something to read is ${found.narrowest} wide`);
      const [bright, deep] = scheme === 'dark' ? [found.ink, found.ground] : [found.ground, found.ink];
      assert.ok(bright > 180 && deep < 100, `ground ${found.ground}, text ${found.ink}`);
    }));
