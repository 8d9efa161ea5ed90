// Every page as people see it, in Chromium, at two sizes and in light and dark: it says what it should, nothing hangs over, axe-core finds
// nothing, the browser complains about nothing. The pictures are written to a folder, for eyes.
import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { before, test } from 'node:test';
import type { Page } from 'playwright-core';
import { type TestApp, testApp } from '../../support/app.ts';
import { gallery, look, SIZES, watched } from './gallery.ts';

const FOLDER = process.env.FLORIN_SCREENSHOTS ?? path.join(import.meta.dirname, '../../../screenshots');

let florin: TestApp;
before(async () => {
  mkdirSync(FOLDER, { recursive: true });
  // A lost answer takes long enough to be seen waiting.
  florin = await testApp({}, { link: { answerTimeoutMs: 20_000, lostAfterMs: 6000, slowMs: 100, lateAfterMs: 30 } });
});

const picture = (page: Page, name: string) =>
  page.screenshot({ path: path.join(FOLDER, `${name}.png`), fullPage: true, animations: 'disabled' });

test('every page, at two sizes, in light and dark', async (t) => {
  const { exhibits, ended } = await gallery(florin);
  for (const { name, go, says, spoils } of exhibits) {
    await t.test(name, async () => {
      const { page, complaints, close } = await watched([florin.url, 'http://shop.test'], {
        viewport: { width: 360, height: 740 },
        colorScheme: 'light',
      });
      try {
        await go(page);
        assert.match(await page.innerText('body'), says);
        for (const size of SIZES) {
          await page.setViewportSize(size);
          await page.emulateMedia({ colorScheme: 'light' });
          await picture(page, `${name}-${size.name}`);
          assert.deepEqual(
            [...(await look(page, 'overhang')), ...(await look(page, 'cut'))],
            [],
            `${name} at ${size.name}`,
          );
          assert.deepEqual(await look(page, 'faults'), [], `${name} at ${size.name}`);
        }
        // WCAG 2.2, 1.4.10: what somebody sees who looks at four times the size.
        await page.setViewportSize({ width: 320, height: 256 });
        assert.deepEqual([...(await look(page, 'overhang')), ...(await look(page, 'cut'))], [], `${name} at 320`);
        await page.setViewportSize(SIZES[1]);
        await page.emulateMedia({ colorScheme: 'dark' });
        await picture(page, `${name}-1280-dark`);
        assert.deepEqual(await look(page, 'faults'), [], `${name} in the dark`);
        assert.deepEqual(complaints, []);
      } finally {
        await close(spoils);
      }
    });
  }
  await ended();
});
