// The payment page over HTTP, without a browser: whose forms are taken, what each answer's header says, how much it weighs, what it tells
// of wrong fields, and that a card's number and code are in no address, no answer and no line of the log.
import assert from 'node:assert/strict';
import { createHash, createHmac } from 'node:crypto';
import { before, describe, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import pino from 'pino';
import { systemRandom } from '../../src/base/index.ts';
import { formTokens } from '../../src/pages/checkout/form-token.ts';
import { LANGUAGES } from '../../src/pages/languages.ts';
import { type TestApp, testApp } from '../support/app.ts';
import { codeIn, codeSpellings } from '../support/canary.ts';
import { openPage, typed } from '../support/page.ts';
import { orderOf, type Shop, shopOf } from '../support/shop.ts';
import { CARDS } from './cards.ts';

let florin: TestApp;
let shop: Shop;
let log = '';
before(async () => {
  const stream = { write: (line: string) => void (log += line) };
  florin = await testApp({}, { log: pino({ level: 'trace', base: null }, stream) });
  shop = shopOf(florin);
});

async function made(fields: Record<string, unknown> = {}): Promise<{ id: string; url: string }> {
  const reply = await shop.create({ currency: 'EUR', ...fields });
  assert.equal(reply.status, 201, reply.text);
  return { id: orderOf(reply).id, url: reply.headers.get('location') as string };
}

const statusOf = async (id: string): Promise<string> => (await shop.get(id)).status;
const cookieOf = (headers: Headers): string => (headers.get('set-cookie') ?? '').split(';')[0] ?? '';
const tokenOf = (html: string): string => /name="form" value="([^"]*)"/.exec(html)?.[1] ?? '';

describe('whose forms are taken', () => {
  interface Sent {
    readonly form: string;
    readonly headers: Record<string, string>;
  }
  const CASES: readonly (readonly [
    what: string,
    taken: boolean,
    of: (right: Sent, other: Sent, origin: string) => Sent,
  ])[] = [
    ['as the browser sends it', true, (right) => right],
    ['without token', false, ({ headers }) => ({ form: '', headers })],
    ['with a token of another page', false, ({ headers }, other) => ({ form: other.form, headers })],
    ['with a token of another page and its cookie', false, (_right, other) => other],
    ['with the cookie of another', false, ({ form }, other) => ({ form, headers: other.headers })],
    ['with one character of the token changed', false, ({ form, headers }) => ({ form: changed(form), headers })],
    [
      'with the hour changed',
      false,
      ({ form, headers }) => ({ form: form.replace(/^\d+/, (hour) => `${Number(hour) - 1}`), headers }),
    ],
    [
      'from another origin',
      false,
      ({ form, headers }) => ({ form, headers: { ...headers, origin: 'https://evil.example' } }),
    ],
    ['from origin null', false, ({ form, headers }) => ({ form, headers: { ...headers, origin: 'null' } })],
    [
      'from our host by another scheme',
      false,
      ({ form, headers }, _other, origin) => ({
        form,
        headers: { ...headers, origin: origin.replace('http:', 'https:') },
      }),
    ],
    ['cross-site', false, ({ form, headers }) => ({ form, headers: { ...headers, 'sec-fetch-site': 'cross-site' } })],
    [
      'same-site only',
      false,
      ({ form, headers }) => ({ form, headers: { ...headers, 'sec-fetch-site': 'same-site' } }),
    ],
    ['same-origin', true, ({ form, headers }) => ({ form, headers: { ...headers, 'sec-fetch-site': 'same-origin' } })],
    ['by a browser that says no origin', true, ({ form, headers: { cookie = '' } }) => ({ form, headers: { cookie } })],
    [
      'by a browser that keeps no cookies, from our origin',
      true,
      ({ form }, _other, origin) => ({ form, headers: { origin } }),
    ],
    ['without cookie and origin', false, ({ form }) => ({ form, headers: {} })],
    [
      'without cookie, from another origin',
      false,
      ({ form }) => ({ form, headers: { origin: 'https://evil.example' } }),
    ],
  ];
  const changed = (text: string): string => text.slice(0, -1) + (text.endsWith('A') ? 'B' : 'A');

  async function opened(url: string): Promise<Sent> {
    const response = await fetch(url);
    return {
      form: tokenOf(await response.text()),
      headers: { cookie: cookieOf(response.headers), origin: new URL(url).origin },
    };
  }

  for (const [what, taken, of] of CASES)
    test(`${what}: ${taken ? 'taken' : 'refused, and nothing is done'}`, async () => {
      const [mine, other] = [await made(), await made()];
      const sent = of(await opened(mine.url), await opened(other.url), new URL(mine.url).origin);
      for (const [step, fields, done] of [
        ['', typed(CARDS.approved), 'authorized'],
        ['/wallet', { wallet: 'apple_pay' }, null],
        ['/finish', {}, null],
        ['/cancel', {}, null],
      ] as const) {
        const answer = await fetch(`${mine.url}${step}`, {
          method: 'POST',
          redirect: 'manual',
          headers: { 'content-type': 'application/x-www-form-urlencoded', ...sent.headers },
          body: new URLSearchParams({ ...fields, form: sent.form }),
        });
        const text = await answer.text();
        assert.equal(answer.status, taken ? 303 : 403, `${step} ${text}`);
        assert.equal(await statusOf(mine.id), taken ? (done ?? 'authorized') : 'new');
        if (!taken) assert.match(answer.headers.get('content-security-policy') ?? '', /default-src 'none'/);
      }
    });

  const START = Date.parse('2026-03-01T10:30:00Z');
  let now = START;
  const clock = { now: () => new Date(now), sleep: async () => undefined, elapsed: () => now };
  const keyed = (purpose: string, data: string) => createHmac('sha256', purpose).update(data).digest();
  const tokensAt = (publicUrl: string) => formTokens({ keyed, random: systemRandom, clock, publicUrl });

  test('a form is good for twelve hours and a half, and not for thirteen; the future’s is not good', () => {
    const tokens = tokensAt('https://pay.example');
    const { token, cookie } = tokens.issue('page', {}, false);
    const headers = { cookie: cookie?.split(';')[0] ?? '', origin: 'https://pay.example' };
    const goodAt = (hours: number): boolean => {
      now = START + hours * 3_600_000;
      return tokens.accepts('page', headers, token);
    };
    assert.deepEqual([0, 1, 12, 12.4, 13, 24, -1].map(goodAt), [true, true, true, true, false, false, false]);
    now = START;
  });

  test('the cookie is for this host, https and no script; kept when it is there; in a frame apart for its site', () => {
    const of = (publicUrl: string, framed: boolean, cookie?: string) =>
      tokensAt(publicUrl).issue('page', cookie ? { cookie } : {}, framed).cookie;
    const plain = of('https://pay.example', false) ?? '';
    assert.match(plain, /^__Host-florin-pay=[\w-]{22}; Path=\/; HttpOnly; SameSite=Lax; Secure$/);
    assert.match(of('https://pay.example', true) ?? '', /; HttpOnly; SameSite=None; Partitioned; Secure$/);
    assert.match(of('http://127.0.0.1:1', false) ?? '', /^florin-pay=[\w-]{22}; Path=\/; HttpOnly; SameSite=Lax$/);
    assert.equal(of('https://pay.example', false, plain.split(';')[0]), null);
    assert.notEqual(of('https://pay.example', false, '__Host-florin-pay=<script>'), null);
  });
});

const hashesOf = (html: string, tag: string): string[] =>
  [...html.matchAll(new RegExp(`<${tag}>([\\s\\S]*?)</${tag}>`, 'g'))].map(
    ([, text = '']) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`,
  );

describe('every page', () => {
  interface Seen {
    readonly name: string;
    readonly headers: Headers;
    readonly html: string;
  }
  async function pages(): Promise<Seen[]> {
    const seen: Seen[] = [];
    const keep = async (name: string, response: Promise<Response>): Promise<void> => {
      const answer = await response;
      seen.push({ name, headers: answer.headers, html: await answer.text() });
    };
    const paidWith = async (number: string, fields = {}): Promise<string> => {
      const { url } = await made(fields);
      await (await openPage(url)).post(typed(number));
      return url;
    };
    const form = await made({ options: { apple_pay_enabled: 1 } });
    await keep('form', fetch(form.url));
    const open = await openPage(form.url);
    await keep('wrong fields', open.post(typed('1')));
    await keep('wallet refused', open.post({ wallet: 'apple_pay', token: 'x' }, '/wallet'));
    await keep('forbidden', open.post({ form: 'x' }));
    await keep('bank', fetch(await paidWith(CARDS.challenge)));
    await keep('receipt', fetch(await paidWith(CARDS.approved)));
    await keep('declined', fetch(await paidWith(CARDS.declined)));
    await keep('not found', fetch(`${florin.url}/pay/nothing`));
    await keep('preview', fetch(`${florin.url}/pay/preview`));
    await keep('end not found', fetch(`${florin.url}/threeds/end/nothing`));
    await keep('term without fields', fetch(`${florin.url}/threeds/term`, { method: 'POST' }));
    return seen;
  }

  test('its policy allows nothing but what stands in it; it is kept nowhere, framed by nobody, and tells no address', async () => {
    for (const { name, headers, html } of await pages()) {
      const policy = new Map(
        (headers.get('content-security-policy') ?? '').split('; ').map((directive) => {
          const [key = '', ...values] = directive.split(' ');
          return [key, values] as const;
        }),
      );
      assert.deepEqual(policy.get('default-src'), ["'none'"], name);
      assert.deepEqual(policy.get('script-src'), hashesOf(html, 'script'), name);
      assert.deepEqual(policy.get('style-src'), hashesOf(html, 'style'), name);
      assert.equal(hashesOf(html, 'script').length, 1, name);
      assert.deepEqual(policy.get('base-uri'), ["'none'"], name);
      assert.deepEqual(policy.get('require-trusted-types-for'), ["'script'"], name);
      assert.deepEqual(policy.get('report-uri'), ['/csp-report'], name);
      assert.equal(policy.get('form-action')?.[0], "'self'", name);
      const framed = /threeds|end|term/.test(name);
      assert.deepEqual(policy.get('frame-ancestors'), [framed ? '*' : "'none'"], name);
      assert.equal(headers.get('x-frame-options'), framed ? null : 'DENY', name);
      assert.equal(headers.get('cache-control'), 'no-store', name);
      assert.equal(headers.get('x-content-type-options'), 'nosniff', name);
      assert.equal(headers.get('referrer-policy'), 'same-origin', name);
      assert.equal(headers.get('content-type'), 'text/html; charset=utf-8', name);
      assert.equal(headers.get('server'), null, name);
      assert.equal(headers.get('x-powered-by'), null, name);
    }
  });

  test('it weighs at most 30 KB as it travels, and names no other host', async () => {
    for (const { name, html } of await pages()) {
      assert.ok(gzipSync(html).length <= 30 * 1024, `${name}: ${gzipSync(html).length}`);
      const hosts = [...html.matchAll(/(?:https?:)?\/\/([a-z0-9.-]+)/gi)].map(([, host]) => host);
      assert.deepEqual(new Set(hosts.filter((host) => host !== '127.0.0.1')), new Set(), name);
      for (const [, address = ''] of html.matchAll(/\b(?:src|href|action)="([^"]*)"/g))
        assert.ok(address.startsWith('/') || address.startsWith(florin.url), `${name}: ${address}`);
    }
  });

  test('the largest form, with a logo of the most bytes, weighs at most 30 KB', async () => {
    const noise = Buffer.concat([
      Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
      systemRandom.bytes(12 * 1024 - 8),
    ]);
    const logo = `data:image/png;base64,${noise.toString('base64')}`;
    const reply = await florin.operator('PUT', '/operator/projects/sandbox/templates/heavy', { logo });
    assert.equal(reply.status, 200, reply.text);
    const { url } = await made({
      options: { template: 'heavy', language: 'ru', apple_pay_enabled: 1, google_pay_enabled: 1 },
    });
    const html = await (await fetch(url)).text();
    assert.ok(html.includes(logo));
    assert.ok(gzipSync(html).length <= 30 * 1024, `${gzipSync(html).length}`);
  });

  test('a project’s own origins may frame it, and nobody else', async () => {
    const origins = ['https://shop.example', 'https://www.shop.example:8443'];
    await shop.withSettings({ frame_origins: origins }, async () => {
      const { headers } = await fetch((await made()).url);
      assert.match(headers.get('content-security-policy') ?? '', new RegExp(`frame-ancestors ${origins.join(' ')};`));
      assert.equal(headers.get('x-frame-options'), null);
    });
  });
});

describe('wrong fields', () => {
  const WRONG: readonly (readonly [what: string, fields: Record<string, string>, names: readonly string[]])[] = [
    [
      'nothing typed',
      { number: '', month: '', year: '', cvv: '', holder: '' },
      ['number', 'month', 'year', 'cvv', 'holder'],
    ],
    ['a digit wrong', { number: '4111111111111112' }, ['number']],
    ['too short', { number: '411111111' }, ['number']],
    ['letters in the number', { number: '4111 1111 1111 111a' }, ['number']],
    ['month 13', { month: '13' }, ['month']],
    ['year of three digits', { year: '203' }, ['year']],
    ['over', { month: '01', year: '20' }, ['expiry']],
    ['a code of two digits', { cvv: '87' }, ['cvv']],
    ['a code of letters', { cvv: 'abc' }, ['cvv']],
    ['a name of one letter', { holder: 'A' }, ['holder']],
    ['a name of 41 letters', { holder: 'A'.repeat(41) }, ['holder']],
  ];
  for (const [what, fields, names] of WRONG)
    test(`${what}: told by name, nothing is tried, number and code are not shown again`, async () => {
      const { url, id } = await made();
      const sent = { ...typed('4539148803436467', { cvv: '918' }), ...fields };
      const answer = await (await openPage(url)).post(sent);
      const html = await answer.text();
      assert.equal(answer.status, 422);
      const told = [...html.matchAll(/<p class="bad" id="bad-(\w+)">/g)].map(([, name]) => name);
      assert.deepEqual(new Set(told), new Set(names));
      const invalid = [...html.matchAll(/<input id="(\w+)"[^>]*aria-invalid="true"/g)].map(([, name]) => name);
      assert.deepEqual(
        new Set(invalid),
        new Set(names.flatMap((name) => (name === 'expiry' ? ['month', 'year'] : [name]))),
      );
      const values = Object.fromEntries(
        [...html.matchAll(/<input id="(\w+)"[^>]*? value="([^"]*)"/g)].map(([, name, value]) => [name, value]),
      );
      assert.deepEqual([values.number, values.cvv], [undefined, undefined]);
      if (sent.holder) assert.equal(values.holder, sent.holder);
      assert.deepEqual(secretsIn(html.replace(/<section class="note[\s\S]*?<\/section>/, ''), sent), []);
      assert.equal(await statusOf(id), 'new');
    });

  const secretsIn = (text: string, { number = '', cvv = '' }: Record<string, string>): string[] => [
    ...(number.length > 2 && text.includes(number) ? [number] : []),
    ...(cvv && codeIn(text, cvv) ? [cvv] : []),
  ];
});

test('a card’s number and code stand in no address, no header field, no answer and no line of the log', async () => {
  const number = '4539148803436467';
  const cvv = '8142';
  const before = log.length;
  let heard = '';
  const hear = async (response: Response): Promise<void> => {
    heard += `${response.url} ${[...response.headers].join('\n')} ${await response.text()}\n`;
  };
  for (const step of ['', '/cancel', '/finish', '/wallet']) {
    const { url } = await made();
    const open = await openPage(url);
    await hear(await open.post(typed(number, { cvv, holder: '' }), step));
    await hear(await open.post(typed(number, { cvv, wallet: 'apple_pay', token: number }), step));
    await hear(await fetch(url));
    await hear(await open.post(typed(number, { cvv, form: '' }), step));
    await hear(await fetch(`${url}${step}`, { method: 'PUT', body: `number=${number}&cvv=${cvv}` }));
  }
  const all = heard + log.slice(before);
  assert.ok(log.length > before, 'something was logged');
  for (const secret of [number, '4539 1488 0343 6467', Buffer.from(number).toString('base64')])
    assert.ok(!all.includes(secret), secret);
  assert.ok(!codeIn(all, cvv), 'the code');
  for (const spelling of codeSpellings(cvv, 'Ada Example')) assert.ok(!all.includes(spelling), spelling);
});

describe('language', () => {
  const shown = async (asked: string | null, header: string | null): Promise<string> => {
    const { url } = await made({ options: asked === null ? {} : { language: asked } });
    const response = await fetch(url, header === null ? {} : { headers: { 'accept-language': header } });
    return /<html lang="(\w+)"/.exec(await response.text())?.[1] ?? '';
  };
  const CASES: readonly (readonly [asked: string | null, header: string | null, shown: string])[] = [
    ...LANGUAGES.map((language) => [language, 'de', language] as const),
    ...LANGUAGES.map((language) => [null, `${language};q=0.9, xx;q=1`, language] as const),
    [null, null, 'en'],
    [null, '*', 'en'],
    [null, 'zh-Hans, ja', 'en'],
    [null, 'fr-CA, de;q=0.5', 'fr'],
    [null, 'de;q=0.5, pl;q=0.8', 'pl'],
    [null, 'de;q=0, pl;q=0.1', 'pl'],
    [null, 'DE', 'de'],
    [null, 'de;q=7', 'en'],
    [null, `${'x,'.repeat(2000)}de`, 'en'],
    ['xx', 'it', 'it'],
  ];
  for (const [asked, header, language] of CASES)
    test(`asked ${asked}, preferred ${header?.slice(0, 40)}: ${language}`, async () => {
      assert.equal(await shown(asked, header), language);
    });
});

describe('whatever arrives is answered, and never by a failure', () => {
  const ROUTES = [
    '/pay/',
    '/threeds/term',
    '/threeds/end/',
    '/csp-report',
    '/acs',
    '/acs/method',
    '/acs/answer',
    '/acs/device',
  ];
  const TYPES = [
    'application/x-www-form-urlencoded',
    'application/json',
    'text/plain',
    'application/csp-report',
    'multipart/form-data; boundary=x',
    '',
  ];
  const segment = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 300 }).map((text) => encodeURIComponent(text.toWellFormed())),
    fc.stringMatching(/^[A-Za-z0-9_%.~/-]{0,60}$/),
    fc.constantFrom('%', '%00', '%ff', '..%2f', '__proto__', 'preview/cancel', 'constructor'),
  );
  test('random addresses, header fields and bodies', async () => {
    const { url } = await made();
    const page = new URL(url).pathname;
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...ROUTES, page, `${page}/`, `${page}/cancel`, `${page}/finish`, `${page}/wallet`),
        segment,
        fc.constantFrom('GET', 'POST', 'PUT', 'DELETE', 'HEAD', 'OPTIONS'),
        fc.constantFrom(...TYPES),
        fc.oneof(
          fc.uint8Array({ maxLength: 600 }).map((bytes) => Buffer.from(bytes)),
          fc
            .dictionary(fc.string({ maxLength: 20 }), fc.string({ unit: 'binary', maxLength: 60 }), { maxKeys: 8 })
            .map((fields) =>
              Buffer.from(
                new URLSearchParams(
                  Object.entries(fields).map(([key, value]) => [key, value.toWellFormed()]),
                ).toString(),
              ),
            ),
        ),
        fc.string({ unit: 'binary-ascii', maxLength: 80 }).map((text) => text.replace(/[^\x20-\x7e]/g, '').trim()),
        async (route, more, method, type, body, header) => {
          const response = await fetch(`${florin.url}${route}${route.endsWith('/') ? more : ''}`, {
            method,
            redirect: 'manual',
            headers: {
              ...(type ? { 'content-type': type } : {}),
              'accept-language': header,
              cookie: header,
              'user-agent': header,
            },
            ...(['GET', 'HEAD'].includes(method) ? {} : { body }),
          });
          await response.arrayBuffer();
          assert.ok(response.status < 500, `${method} ${route} ${more}: ${response.status}`);
        },
      ),
      { numRuns: 1500 },
    );
    assert.equal((await fetch(`${florin.url}/healthz`)).status, 200);
  });
});
