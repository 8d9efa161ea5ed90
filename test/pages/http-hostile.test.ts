// Hostile text wherever a merchant, a payer or a stranger can put one, and the page as Chromium then reads it: the same elements with the
// same attributes as of a harmless page, the text to be read as it is, and nothing that runs.
import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import { type TestApp, testApp } from '../support/app.ts';
import { openPage, typed } from '../support/page.ts';
import { orderOf, type Shop, shopOf } from '../support/shop.ts';
import { CARDS } from './cards.ts';
import { look, type Watched, watched } from './looks/gallery.ts';

let florin: TestApp;
let shop: Shop;
before(async () => {
  florin = await testApp();
  shop = shopOf(florin);
});

const RUN = 'window.ran=1';
const HOSTILE: Readonly<Record<string, string>> = {
  script: `<script>${RUN}</script>`,
  'script that ends ours': `</script></style></title><script>${RUN}</script>`,
  picture: `<img src=x onerror=${RUN}>`,
  'attribute breaker': `" autofocus onfocus="${RUN}" x="`,
  'attribute breaker, other quotes': `' onmouseover='${RUN}' x='`,
  'without quotes': `x onfocus=${RUN} autofocus`,
  'javascript address': `javascript:${RUN}`,
  'comment and base': '--><base href="https://evil.example/"><!--',
  'form of its own': '</form><form action="https://evil.example/"><input name=number>',
  'template braces': '{merchant} {amount} {{7*7}} $\u007b7*7} {time} {__proto__} #{1} <%= 1 %>',
  entities: '&lt;script&gt;&#x3c;b&#62; &amp;quot;',
  'right to left': 'abc\u202e\u2066gro.live\u2069 \u200f€ 00.1',
  'zero width and marks': `a\u200b\ufeff${'\u0301'.repeat(60)}`,
  'CDATA and svg': `<![CDATA[<svg/onload=${RUN}>]]><svg onload=${RUN}>`,
  'replacement patterns': "$& $1 $` $' \\u003cscript\\u003e",
  'one long word': 'W'.repeat(900),
};

async function made(fields: Record<string, unknown>): Promise<{ id: string; url: string }> {
  const reply = await shop.create({ currency: 'EUR', ...fields });
  assert.equal(reply.status, 201, reply.text);
  return { id: orderOf(reply).id, url: reply.headers.get('location') as string };
}

const skeletonOf = (page: Page, text: string): Promise<string[]> =>
  page.evaluate(`looks.skeleton(${JSON.stringify(text)})`);

/** A page of a browser that fails the test if anything ran, was asked for elsewhere or met the policy. */
async function browsing(
  work: (page: Page) => Promise<void>,
  options: Parameters<typeof watched>[1] = {},
): Promise<void> {
  const watch: Watched = await watched([florin.url], { viewport: { width: 360, height: 740 }, ...options });
  try {
    await work(watch.page);
    assert.deepEqual(watch.complaints, []);
  } finally {
    await watch.close();
  }
}

/** The pages that show what a merchant and a payer wrote, one after the other. */
async function shown(page: Page, text: string): Promise<Record<string, string[]>> {
  const cut = (max: number): string => Array.from(text).slice(0, max).join('');
  const named = await florin.operator('PATCH', '/operator/projects/sandbox', { name: cut(90) });
  // A name has no characters that show nothing or turn the line around.
  const name = named.status === 200 ? cut(90) : 'Florin Sandbox';
  const seen: Record<string, string[]> = {};
  const see = async (name: string): Promise<void> => {
    assert.equal(await page.evaluate('window.ran'), undefined, `${name}: it ran`);
    assert.deepEqual(await look(page, 'overhang'), [], `${name}: hangs over`);
    seen[name] = await look(page, 'skeleton');
  };
  try {
    const { url, id } = await made({
      description: text,
      custom_fields: { note: cut(90) },
      options: { apple_pay_enabled: 1 },
    });
    await page.goto(`${url}?lang=${encodeURIComponent(text)}&"><script>${RUN}</script>#${encodeURIComponent(text)}`);
    assert.equal(await page.textContent('header p.soft'), text.trim(), 'the description is read as it was written');
    assert.equal(await page.textContent('h1'), name.trim(), 'and the name of the shop');
    await see('form');
    const written = { holder: `${text} and more than forty letters of it, for sure`, month: text, year: text };
    await page.evaluate(`looks.type(${JSON.stringify(written)})`);
    await page.evaluate(`looks.send('#card')`);
    await page.waitForSelector('.problem');
    assert.equal(await page.inputValue('#holder'), written.holder.trim(), 'what was typed is there again');
    await see('wrong fields');
    await (await openPage(url)).post(typed(CARDS.challenge, { holder: cut(40).padEnd(4, '.') }));
    await page.goto(url);
    await page.waitForURL(/\/acs/);
    await see('bank');
    await (await openPage(url)).post({}, '/cancel');
    await page.goto(url);
    await page.waitForSelector('dl');
    await see('end');
    assert.equal((await shop.get(id)).status, 'rejected');
  } finally {
    await florin.operator('PATCH', '/operator/projects/sandbox', { name: 'Florin Sandbox' });
  }
  return seen;
}

test('hostile text of a merchant and a payer is text on every page', async (t) => {
  let clean: Record<string, string[]> = {};
  await browsing(async (page) => {
    clean = await shown(page, 'Two tickets');
  });
  for (const [name, text] of Object.entries(HOSTILE))
    await t.test(name, () =>
      browsing(async (page) => {
        assert.deepEqual(await shown(page, text), clean);
      }),
    );
});

test('4,000 characters: a merchant’s are refused, a payer’s come back as they are and change nothing', () =>
  browsing(async (page) => {
    const long = '<b onclick=x>'.repeat(310);
    assert.equal((await shop.create({ currency: 'EUR', description: long })).status, 422);
    const { url } = await made({});
    const clean = await (await (await openPage(url)).post(typed('1', { holder: 'A' }))).text();
    const html = await (await (await openPage(url)).post(typed('1', { holder: long }))).text();
    assert.deepEqual(await skeletonOf(page, html), await skeletonOf(page, clean));
    assert.equal((await (await openPage(url)).post({ number: '1', holder: 'x'.repeat(70_000) })).status, 413);
  }));

describe('control characters', () => {
  for (const character of ['\u0000', '\u0008', '\u001b', '\u007f', '\u0085', '\ud800'])
    test(`${JSON.stringify(character)} is refused or harmless`, () =>
      browsing(async (page) => {
        const clean = await (await fetch((await made({ description: 'ab' })).url)).text();
        const reply = await shop.create({ currency: 'EUR', description: `a${character}b` });
        if (reply.status === 201) {
          const html = await (await fetch(reply.headers.get('location') as string)).text();
          assert.deepEqual(await skeletonOf(page, html), await skeletonOf(page, clean));
        } else assert.equal(reply.status, 422, reply.text);
        const { url } = await made({});
        const answer = await (await openPage(url)).post(typed('1', { holder: `A${character}` }));
        assert.equal(answer.status, 422);
      }));
});

describe('what a stranger can send', () => {
  const clean = async (): Promise<string> => (await fetch(`${florin.url}/pay/nothing`)).text();
  for (const [name, text] of Object.entries(HOSTILE))
    test(`${name}: as token, language, query and header field`, () =>
      browsing(async (page) => {
        const short = Array.from(text).slice(0, 60).join('');
        const expected = await skeletonOf(page, await clean());
        for (const [address, headers] of [
          [`/pay/${encodeURIComponent(short)}`, {}],
          [`/threeds/end/${encodeURIComponent(short)}`, {}],
          [`/pay/nothing?${encodeURIComponent(text)}=${encodeURIComponent(text)}`, {}],
          ['/pay/nothing', { 'accept-language': text.replace(/[^\x20-\x7e]/g, '') }],
        ] as const) {
          const response = await fetch(`${florin.url}${address}`, { headers });
          assert.equal(response.status, 404, address);
          assert.deepEqual(await skeletonOf(page, await response.text()), expected, address);
        }
        const { url } = await made({});
        const form = await openPage(url);
        const sent: Record<string, string>[] = [{ form: text }, { wallet: text }, { wallet: 'apple_pay', token: text }];
        for (const fields of sent) {
          const html = await (await form.post(fields, 'wallet' in fields ? '/wallet' : '')).text();
          for (const payload of ['<script>window', 'onerror=window.ran=1>', 'onfocus="window'])
            assert.ok(!html.includes(payload), payload);
        }
      }));

  test('a language of the merchant that is none', () =>
    browsing(async (page) => {
      const expected = await look(await goTo(page, (await made({})).url), 'skeleton');
      for (const language of ['"><script>', '../en', '__proto__', 'constructor', 'en"']) {
        const reply = await shop.create({ currency: 'EUR', options: { language } });
        if (reply.status !== 201) {
          assert.equal(reply.status, 422, reply.text);
          continue;
        }
        const url = reply.headers.get('location') as string;
        assert.deepEqual(await look(await goTo(page, url), 'skeleton'), expected, language);
        assert.equal(await page.getAttribute('html', 'lang'), 'en');
      }
    }));

  const goTo = async (page: Page, url: string): Promise<Page> => {
    await page.goto(url);
    return page;
  };
});

describe('where a page leads', () => {
  const REFUSED = [
    `javascript:${RUN}`,
    `JaVaScRiPt:${RUN}`,
    ` javascript:${RUN}`,
    `java\tscript:${RUN}`,
    'data:text/html,<script>1</script>',
    'vbscript:x',
    'file:///etc/passwd',
    '//evil.example/',
    '/pay/preview',
    'blob:https://shop.example/x',
    'https://',
  ];
  for (const url of REFUSED)
    test(`${JSON.stringify(url)} is no address of a shop`, async () => {
      for (const name of ['return_url', 'secure3d20_return_url'])
        assert.equal((await shop.create({ currency: 'EUR', options: { [name]: url } })).status, 422, name);
    });

  test('an address with markup in it is an address: encoded in the header, in the policy only its origin', () =>
    browsing(async (page) => {
      const framed = async (return_url: string): Promise<Response> => {
        const { url } = await made({ options: { return_url } });
        await (await openPage(url)).post(typed(CARDS.approved));
        return fetch(url, { headers: { 'sec-fetch-dest': 'iframe' }, redirect: 'manual' });
      };
      const expected = await skeletonOf(page, await (await framed('https://shop.example/')).text());
      let accepted = 0;
      for (const address of [
        `https://shop.example/"><script>${RUN}</script>`,
        `https://shop.example/?a="onclick="${RUN}`,
        `https://shop.example/;script-src *#'><img src=x onerror=${RUN}>`,
        `https://shop.example/;script-src%20*?a='onclick='${RUN}`,
        `https://shop.example/?next=javascript:${RUN}&x=%22%3E%3Cscript%3E`,
      ]) {
        const reply = await shop.create({ currency: 'EUR', options: { return_url: address } });
        if (reply.status === 422) continue;
        accepted++;
        const answer = await framed(address);
        assert.equal(answer.status, 200);
        assert.deepEqual(await skeletonOf(page, await answer.text()), expected, address);
        assert.doesNotMatch(answer.headers.get('content-security-policy') ?? '', /script-src \*|;script|onclick/);
        const policy = (await fetch(reply.headers.get('location') as string)).headers.get('content-security-policy');
        assert.match(policy ?? '', /form-action 'self' https:\/\/shop\.example; /);
      }
      assert.ok(accepted >= 2, `${accepted}`);
    }));
});
