// What changes the pages' looks: ten languages on a small phone, and every template that is accepted, however strange its colours.
import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import fc from 'fast-check';
import type { Page } from 'playwright-core';
import { contrast, DEFAULT_TEMPLATE, FIELD_NAMES, templateProblems } from '../../../src/gateway/templates/index.ts';
import { LANGUAGES } from '../../../src/pages/languages.ts';
import { inkOn, palette } from '../../../src/pages/style.ts';
import { type TestApp, testApp } from '../../support/app.ts';
import { openPage, typed } from '../../support/page.ts';
import { shopOf } from '../../support/shop.ts';
import { CARDS } from '../cards.ts';
import { look, type Watched, watched } from './gallery.ts';

const PHONE = { viewport: { width: 360, height: 740 } };

let florin: TestApp;
before(async () => {
  florin = await testApp();
});

/** A new order's page address. */
async function order(options: Record<string, unknown>, fields: Record<string, unknown> = {}): Promise<string> {
  const reply = await shopOf(florin).create({ amount: 1249.5, currency: 'EUR', ...fields, options });
  assert.equal(reply.status, 201, reply.text);
  return reply.headers.get('location') as string;
}

async function browsing(work: (watch: Watched) => Promise<void>, options: object = PHONE): Promise<void> {
  const watch = await watched([florin.url], options);
  try {
    await work(watch);
    assert.deepEqual(watch.complaints, []);
  } finally {
    await watch.close();
  }
}

const measured = async (page: Page, what: string): Promise<void> => {
  assert.deepEqual([...(await look(page, 'overhang')), ...(await look(page, 'cut'))], [], what);
};

describe('every language on a small phone', () => {
  for (const language of LANGUAGES)
    test(language, () =>
      browsing(async ({ page }) => {
        const url = await order({ language, apple_pay_enabled: 1 }, { description: 'Order 1001' });
        await page.goto(url);
        assert.equal(await page.getAttribute('html', 'lang'), language);
        await measured(page, 'form');
        await page.click('#card button');
        await measured(page, 'form with wrong fields');
        await (await openPage(url)).post(typed(CARDS.declined));
        await page.goto(url);
        await measured(page, 'form with attempts');
        assert.deepEqual(await look(page, 'faults'), []);
        await (await openPage(url)).post(typed(CARDS.approved));
        await page.goto(url);
        await page.waitForSelector('dl');
        await measured(page, 'receipt');
        assert.deepEqual(await look(page, 'faults'), []);
      }),
    );
});

describe('the measures are awake', () => {
  /** What breaks the page, and what must be told of it. */
  const BREAKS = [
    ['overhang', `document.querySelector('h1').style.width = '500px'`, /^h1 /],
    [
      'cut',
      `Object.assign(document.querySelector('#card button').style, { whiteSpace: 'nowrap', width: '60px' })`,
      /^button /,
    ],
    ['cut', `document.querySelector('#month').placeholder = 'month of the expiry date'`, /^placeholder /],
    ['faults', `document.querySelector('label').remove()`, /^label: /],
    ['faults', `document.querySelector('h1').style.color = '#999999'`, /^color-contrast: /],
  ] as const;
  for (const [measure, script, told] of BREAKS)
    test(`${measure}: ${script}`, () =>
      browsing(async ({ page }) => {
        await page.goto(await order({}));
        await page.evaluate(script);
        const found = await look(page, measure);
        assert.ok(
          found.some((line) => told.test(line)),
          JSON.stringify(found),
        );
      }));
});

const colour = fc.integer({ min: 0, max: 0xffffff }).map((value) => `#${value.toString(16).padStart(6, '0')}`);
const accepted = fc
  .record({ brand: colour, ground: colour, paper: colour, ink: colour })
  .filter((template) => templateProblems(template).length === 0);

/** Text and what it stands on. */
const TEXTS = [
  ['ink', 'paper'],
  ['soft', 'paper'],
  ['bad', 'paper'],
  ['onbrand', 'brand'],
  ['onground', 'ground'],
  ['softonground', 'ground'],
] as const;
const SHAPES = [['edge', 'paper']] as const;

test('whatever template is accepted, every text is readable on what it stands on, and a field and the focus can be seen', () => {
  fc.assert(
    fc.property(accepted, (template) => {
      const colours = palette(template);
      for (const [pairs, least] of [
        [TEXTS, 4.5],
        [SHAPES, 3],
      ] as const)
        for (const [text, ground] of pairs) {
          const reached = contrast(colours[text] as string, colours[ground] as string);
          assert.ok(reached >= least, `${text} on ${ground}: ${reached}`);
        }
      assert.ok(contrast(colours.ring as string, colours.paper as string) >= 3, 'focus on the card');
    }),
    { numRuns: 3000 },
  );
  for (let value = 0; value <= 255; value++) {
    const grey = `#${value.toString(16).padStart(2, '0').repeat(3)}`;
    assert.ok(contrast(inkOn(grey), grey) >= 4.5, grey);
  }
});

const PIXEL =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

/** Extremes that the rules accept. */
const TEMPLATES: readonly (readonly [name: string, template: object])[] = [
  ['ink that is the ground', { ink: '#000000', ground: '#000000', paper: '#ffffff', brand: '#ffffff' }],
  ['a button of the paper’s colour', { brand: '#ffffff' }],
  ['least contrast', { ink: '#767676', paper: '#ffffff', ground: '#767676', brand: '#767676' }],
  ['dark, with a bright ground', { ink: '#ffffff', paper: '#000000', ground: '#ffff00', brand: '#ff00ff' }],
  ['middle grey', { ink: '#000000', paper: '#7a7a7a', ground: '#7a7a7a', brand: '#7a7a7a' }],
  ['red on red', { ink: '#ffffff', paper: '#b3261e', ground: '#b3261e', brand: '#b3261e' }],
  ['square, with a logo', { radius: 0, logo: PIXEL }],
  ['round', { radius: 24 }],
];

describe('extreme templates', () => {
  for (const [name, template] of TEMPLATES)
    test(name, () =>
      browsing(async ({ page }) => {
        const reply = await florin.operator('PUT', '/operator/projects/sandbox/templates/extreme', template);
        assert.equal(reply.status, 200, reply.text);
        const url = await order({ template: 'extreme' });
        await page.goto(url);
        await page.click('#card button');
        assert.deepEqual(await look(page, 'faults'), [], 'form');
        await measured(page, 'form');
        await (await openPage(url)).post(typed(CARDS.approved));
        await page.goto(url);
        assert.deepEqual(await look(page, 'faults'), [], 'receipt');
      }),
    );

  test('the order of the fields, the logo, the corners and `mobile` do what they say', () =>
    browsing(async ({ page }) => {
      const fields = [...FIELD_NAMES].reverse();
      await florin.operator('PUT', '/operator/projects/sandbox/templates/own', { fields, logo: PIXEL, radius: 24 });
      await page.goto(await order({ template: 'own', mobile: 1 }));
      const names = await page.$$eval('#card input:not([type=hidden])', (inputs) => inputs.map(({ id }) => id));
      assert.deepEqual(names, ['holder', 'cvv', 'month', 'year', 'number']);
      assert.equal(await page.getAttribute('.logo', 'src'), PIXEL);
      const look = (property: string) =>
        page.evaluate(`getComputedStyle(document.querySelector('section.card')).${property}`);
      assert.deepEqual(
        [await look('borderRadius'), await look('borderLeftWidth')],
        ['0px', '0px'],
        'mobile: to the edges',
      );
      await page.goto(await order({ template: 'own' }));
      assert.equal(await look('borderRadius'), '24px');
      assert.equal(DEFAULT_TEMPLATE.radius, 14);
      await page.goto(await order({}));
      assert.equal(await look('borderRadius'), '14px', 'the default where none is named');
    }));
});

test('a template that is not the default keeps its colours in the dark', () =>
  browsing(
    async ({ page }) => {
      await florin.operator('PUT', '/operator/projects/sandbox/templates/light', { paper: '#fffff0' });
      await page.goto(await order({ template: 'light' }));
      const paper = () => page.evaluate(`getComputedStyle(document.querySelector('section.card')).backgroundColor`);
      assert.equal(await paper(), 'rgb(255, 255, 240)');
      await page.goto(await order({}));
      assert.equal(await paper(), 'rgb(24, 33, 43)', 'the default follows the payer');
    },
    { ...PHONE, colorScheme: 'dark' },
  ));

test('a receipt is printed black on white, also of a dark page, and without buttons', () =>
  browsing(
    async ({ page }) => {
      const template = { ink: '#ffffff', paper: '#000000', ground: '#101010', brand: '#ffff00' };
      await florin.operator('PUT', '/operator/projects/sandbox/templates/dark', template);
      const url = await order({ template: 'dark' });
      await (await openPage(url)).post(typed(CARDS.approved));
      await page.goto(url);
      await page.emulateMedia({ media: 'print' });
      for (const text of ['h1', 'dd', '.mark', 'section.card'])
        assert.equal(
          await page.evaluate(`getComputedStyle(document.querySelector('${text}')).color`),
          'rgb(0, 0, 0)',
          text,
        );
      for (const ground of ['body', 'section.card'])
        assert.equal(
          await page.evaluate(`getComputedStyle(document.querySelector('${ground}')).backgroundColor`),
          'rgb(255, 255, 255)',
          ground,
        );
      assert.equal(await page.isVisible('#print'), false);
      assert.equal(await page.isVisible('dl'), true);
    },
    { ...PHONE, colorScheme: 'dark' },
  ));
