// How often pages may be asked for: by link, by the network that asks, by card; who is refused, and who beside him is not.
import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { type Clock, systemClock } from '../../src/base/index.ts';
import { rateLimiter } from '../../src/http/index.ts';
import { PAGE_RATES, type PageRates, pageThrottle } from '../../src/pages/rates.ts';
import { type TestApp, testApp } from '../support/app.ts';
import { openPage, typed } from '../support/page.ts';
import { orderOf, type Shop, shopOf } from '../support/shop.ts';
import { CARDS } from './cards.ts';

function manualClock(): Clock & { pass(ms: number): void } {
  let now = 0;
  return { ...systemClock, elapsed: () => now, pass: (ms) => void (now += ms) };
}

/** How many of so many at once are let through. */
const allowed = async (count: number, take: (i: number) => Promise<boolean>): Promise<number> =>
  (await Promise.all(Array.from({ length: count }, (_, i) => take(i)))).filter(Boolean).length;

const throttleAt = (clock: Clock) => pageThrottle(() => rateLimiter(clock), PAGE_RATES.live);

describe('the buckets of live mode', () => {
  const { link, net, card } = PAGE_RATES.live;

  test('a network is a /24 or a /48, and its neighbour has its own', async () => {
    const throttle = throttleAt(manualClock());
    const by = (address: (i: number) => string) =>
      allowed(300, async (i) => (await throttle.page(address(i), `${i}`)).allowed);
    assert.equal(await by((i) => `192.0.2.${i % 250}`), net.burst);
    assert.equal(await by(() => '192.0.3.1'), net.burst);
    assert.equal(await by((i) => `2001:db8:1:${i.toString(16)}::1`), net.burst);
    assert.equal(await by((i) => `2001:db8:2::${i.toString(16)}`), net.burst);
  });

  test('a link is one, from wherever it is asked for', async () => {
    const clock = manualClock();
    const throttle = throttleAt(clock);
    const ask = (of: string) =>
      allowed(1000, async (i) => (await throttle.page(`10.${i >> 8}.${i & 255}.1`, of)).allowed);
    assert.deepEqual([await ask('one'), await ask('two')], [link.burst, link.burst]);
    clock.pass(1000);
    assert.ok((await ask('one')) >= link.perSecond);
  });

  test('a flood of made-up links frees nobody', async () => {
    const throttle = throttleAt(manualClock());
    await allowed(1000, async () => (await throttle.page('192.0.2.1', 'a')).allowed);
    for (let i = 0; i < 60_000; i++) await throttle.page('198.51.100.1', `made up ${i}`);
    assert.equal((await throttle.page('192.0.2.1', 'b')).allowed, false);
  });

  test('a card is tried a few times, then every half minute; with another project, and another card, at once', async () => {
    const clock = manualClock();
    const throttle = throttleAt(clock);
    assert.equal(await allowed(100, async () => (await throttle.card(1n, 'card')) === 0), card.burst);
    assert.ok((await throttle.card(1n, 'card')) > 0);
    assert.deepEqual([await throttle.card(2n, 'card'), await throttle.card(1n, 'other')], [0, 0]);
    clock.pass(60_000);
    assert.equal(await throttle.card(1n, 'card'), 0);
  });
});

describe('over HTTP', () => {
  const RATES: PageRates = {
    link: { perSecond: 0.01, burst: 8 },
    net: { perSecond: 0.01, burst: 30 },
    card: { perSecond: 0.01, burst: 2 },
  };
  let florin: TestApp;
  let shop: Shop;
  before(async () => {
    florin = await testApp({ TRUSTED_PROXIES: '127.0.0.1' }, { pageRates: RATES });
    shop = shopOf(florin);
  });

  let networks = 0;
  /** A browser of a network of its own, as the proxy tells. */
  const someone = (): Record<string, string> => ({ 'x-forwarded-for': `198.18.${networks++}.7` });
  const made = async (fields: Record<string, unknown> = {}): Promise<{ id: string; url: string }> => {
    const reply = await shop.create({ currency: 'EUR', ...fields });
    return { id: orderOf(reply).id, url: reply.headers.get('location') as string };
  };

  test('a link that is asked for too often says so to people, in their language, with the time to wait', async () => {
    const { url } = await made();
    const other = await made();
    for (let i = 0; i < 8; i++) assert.equal((await fetch(url, { headers: someone() })).status, 200, `${i}`);
    const refused = await fetch(url, { headers: { ...someone(), 'accept-language': 'de' } });
    assert.equal(refused.status, 429);
    assert.match(refused.headers.get('retry-after') ?? '', /^[1-9]\d*$/);
    assert.match(refused.headers.get('content-security-policy') ?? '', /default-src 'none'/);
    assert.match(await refused.text(), /<html lang="de"[\s\S]*Zu viele Anfragen/);
    assert.equal((await fetch(other.url, { headers: someone() })).status, 200, 'another link');
  });

  test('a form is refused before it is read, and nothing came of it', async () => {
    const { id, url } = await made();
    const who = someone();
    const page = await openPage(url, who);
    for (let i = 0; i < 7; i++) assert.equal((await page.post(typed('1'), '', who)).status, 422, 'wrong fields count');
    const refused = await page.post(typed(CARDS.approved), '', who);
    assert.equal(refused.status, 429);
    assert.equal((await shop.get(id)).status, 'new');
  });

  test('a network that asks for many pages, whatever it says it is', async () => {
    const who = someone();
    // The last hop that is believed is the proxy's own word; what stands before it is the browser's.
    const asking = (i: number) => ({ 'x-forwarded-for': `10.9.${i}.1, ${who['x-forwarded-for']}` });
    const paths = ['/pay/', '/threeds/end/', '/threeds/term', '/acs/', '/acs/answer', '/csp-report'];
    const statuses: number[] = [];
    for (let i = 0; i < 36; i++) {
      const door = paths[i % paths.length] as string;
      const path = /pay|end/.test(door) ? `${door}x${i}` : door;
      const method = path === door ? 'POST' : 'GET';
      statuses.push((await fetch(`${florin.url}${path}`, { method, headers: asking(i), redirect: 'manual' })).status);
    }
    assert.ok(!statuses.slice(0, 30).includes(429), statuses.join());
    assert.ok(
      statuses.slice(30).every((status) => status === 429),
      statuses.join(),
    );
    const neighbour = who['x-forwarded-for']?.replace(/7$/, '8') ?? '';
    assert.equal((await fetch(`${florin.url}/pay/x`, { headers: { 'x-forwarded-for': neighbour } })).status, 429);
    assert.equal((await fetch(`${florin.url}/pay/x`, { headers: someone() })).status, 404);
    assert.equal((await florin.merchant('GET', '/gateway/ping')).status, 200, 'and no API is a page');
  });

  test('a card that is tried on many pages', async () => {
    const pay = async (number: string): Promise<number> => {
      const who = someone();
      return (await (await openPage((await made()).url, who)).post(typed(number), '', who)).status;
    };
    assert.deepEqual(
      [await pay(CARDS.declined), await pay(CARDS.declined), await pay(CARDS.declined)],
      [303, 303, 429],
    );
    assert.equal(await pay(CARDS.approved), 303);
  });

  test('without a trusted proxy nobody is who he says', async () => {
    const direct = await testApp({}, { pageRates: RATES });
    const statuses: number[] = [];
    for (let i = 0; i < 31; i++) statuses.push((await fetch(`${direct.url}/pay/x${i}`, { headers: someone() })).status);
    assert.deepEqual([...new Set(statuses.slice(0, 30)), statuses[30]], [404, 429]);
  });
});
