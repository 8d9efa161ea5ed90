// `form3d_html` stands in the shop's own page: one inert form and nothing else, whatever the request held.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { XMLParser } from 'fast-xml-parser';
import { systemRandom, VirtualClock } from '../../src/base/index.ts';
import { formHtml } from '../../src/threeds/form.ts';
import {
  type AuthenticationRequest,
  createThreeds,
  noDirectory,
  sandboxDirectory,
  type ThreedsOptions,
} from '../../src/threeds/index.ts';
import { silent } from '../support/database.ts';
import { ids, keys, NOON, PAN, type Prepared } from './world.ts';

const PUBLIC = 'https://pay.example';
const options: ThreedsOptions = {
  // Starting reads nothing and writes nothing.
  db: { query: () => Promise.reject(new Error('start asked the database')) },
  clock: new VirtualClock(),
  log: silent,
  keys,
  ids,
  publicUrl: PUBLIC,
  directory: sandboxDirectory({ outcome: () => 'challenge', keys, random: systemRandom }),
};
const request: AuthenticationRequest = {
  owner: 1n,
  orderId: 2n,
  transactionId: 3n,
  pan: PAN,
  expiry: '3012',
  holder: 'Ada Example',
  brand: 'visa',
  amount: { minor: 1250n, currency: 'EUR' },
  merchantId: 'SHOP00000000001',
  merchantName: 'Corner Shop',
  forced: true,
  browser: null,
  methodDone: false,
  at: NOON,
};

async function start(fields: Partial<AuthenticationRequest> = {}): Promise<Prepared> {
  const started = await createThreeds(options).start({ ...request, ...fields });
  assert.ok(started.kind === 'form');
  return started;
}

const parser = new XMLParser({
  preserveOrder: true,
  ignoreAttributes: false,
  attributeNamePrefix: '',
  parseTagValue: false,
  parseAttributeValue: false,
});

/** Asserts the whole markup: the form, three hidden inputs, one button, nothing before, between or behind. */
function assertInert(html: string, form: { MD: string; PaReq: string; TermUrl: string; action: string }): void {
  assert.deepEqual(parser.parse(html), [
    {
      form: [
        ...(['MD', 'PaReq', 'TermUrl'] as const).map((name) => ({
          input: [],
          ':@': { type: 'hidden', name, value: form[name] },
        })),
        { button: [{ '#text': 'Continue' }], ':@': { type: 'submit' } },
      ],
      ':@': { id: 'form3d', action: form.action, method: 'POST' },
    },
  ]);
}

test('one form with id form3d, hidden MD, PaReq and TermUrl, a visible button, no script', async () => {
  const { form, html } = await start();
  assertInert(html, form);
  assert.match(form.MD, /^[A-Za-z0-9_-]+$/);
  assert.match(form.PaReq, /^[A-Za-z0-9_-]+$/);
  assert.equal(form.TermUrl, `${PUBLIC}/threeds/term`);
  assert.equal(form.action, `${PUBLIC}/acs`);
  assert.equal(form.method, 'POST');
});

const HOSTILE = [
  '"><script>alert(1)</script>',
  "' onmouseover='alert(1)",
  '</form><form id="form3d" action="https://evil.example">',
  '<!-- ',
  '<![CDATA[',
  '&quot;&gt;<img src=x onerror=alert(1)>',
  '\u2028\u0000\ufeff<svg/onload=alert(1)>',
  '$ {alert(1)}{{7*7}}',
];

test('no field of the request comes out in the form', async () => {
  for (const hostile of HOSTILE) {
    const { html, form } = await start({
      merchantName: hostile,
      holder: hostile,
      expiry: hostile,
      brand: hostile,
      browser: { browser_user_agent: hostile, window_width: hostile, window_height: hostile },
    });
    assertInert(html, form);
    const carried = html + Buffer.from(form.PaReq, 'base64url').toString();
    for (const piece of [hostile, 'Ada', 'Corner', '411111', '1250', '12.50'])
      assert.ok(!carried.includes(piece), piece);
  }
});

test('the same for whatever text a request may hold', async () => {
  await fc.assert(
    fc.asyncProperty(fc.string({ unit: 'binary' }), fc.string(), async (merchantName, holder) => {
      const { html, form } = await start({ merchantName, holder });
      assertInert(html, form);
    }),
    { numRuns: 50 },
  );
});

test('a value outside the alphabet is a broken invariant, not a form', async () => {
  const { form } = await start();
  for (const wrong of [
    { MD: `${form.MD}"` },
    { PaReq: '' },
    { TermUrl: 'javascript:alert(1)' },
    { TermUrl: 'https://pay.example/term?"' },
    { action: "https://pay.example/'x" },
    { action: 'https://user@evil.example/acs' },
  ])
    assert.throws(() => formHtml({ ...form, ...wrong }), /alphabet/);
});

test('without a 3-D Secure server every card is unable to verify', async () => {
  const threeds = createThreeds({ ...options, directory: noDirectory });
  assert.deepEqual(await threeds.start({ ...request, brand: 'mastercard' }), {
    kind: 'final',
    authentication: {
      letter: 'U',
      scenario: 'unable_to_verify',
      eci: '00',
      cavv: null,
      dsTransId: null,
      version: null,
      reasonCode: null,
    },
  });
});
