// A limit is one over all servers of a database, whichever of them is asked: requests of a credential and of a tenant, pages of a link, a
// card that is tried on pages.
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import type { App } from '../../src/app.ts';
import type { PageRates } from '../../src/pages/index.ts';
import { CARDS } from '../pages/cards.ts';
import { basic, client, type Reply, type TestApp, testApp } from '../support/app.ts';
import { openPage, typed } from '../support/page.ts';
import { orderOf, shopOf } from '../support/shop.ts';

/** So slow that nothing flows in while a test runs, but for a token a minute. */
const SLOW = 1 / 60;
const pageRates: PageRates = {
  link: { perSecond: SLOW, burst: 9 },
  net: { perSecond: 100, burst: 10_000 },
  card: { perSecond: SLOW, burst: 2 },
};

let one: TestApp;
let second: App;
before(async () => {
  one = await testApp({ TRUSTED_PROXIES: '127.0.0.1', RATE_LIMIT: '1/10' }, { pageRates });
  second = await one.another();
});

/** So many requests, one after the other at the two of them. */
async function inTurn(count: number, ask: (url: string, i: number) => Promise<Reply>): Promise<Reply[]> {
  const replies: Reply[] = [];
  for (let i = 0; i < count; i++) replies.push(await ask(i % 2 === 0 ? one.url : second.url, i));
  return replies;
}

const statuses = (replies: readonly Reply[]): string => replies.map(({ status }) => status).join(' ');

/** Ten at once, one more in each second that has passed, and one that may have waited for who was told to come back. */
function assertTen(replies: readonly Reply[], passed: (status: number) => boolean, sinceMs: number): void {
  const count = replies.filter(({ status }) => passed(status)).length;
  assert.ok(count >= 8 && count <= 11 + (performance.now() - sinceMs) / 1000, statuses(replies));
}

test('requests of a credential: as many as one server allows, and the fields of all answers agree', async () => {
  const ping = (url: string): Promise<Reply> =>
    client(url, basic('sandbox-two', 'sandbox-two-secret'))('GET', '/gateway/ping');
  const sinceMs = performance.now();
  const replies = await Promise.all(Array.from({ length: 40 }, (_, i) => ping(i % 2 === 0 ? one.url : second.url)));
  assertTen(replies, (status) => status === 200, sinceMs);
  for (const { status, headers } of replies) {
    const [, left = '', wait = ''] = /^"default";r=(\d+);t=(\d+)$/.exec(headers.get('ratelimit') ?? '') ?? [];
    assert.equal(headers.get('ratelimit-policy'), '"default";q=10;w=10');
    assert.ok(left !== '' && Number(left) < 10);
    if (status === 200) continue;
    assert.deepEqual([status, left], [429, '0']);
    assert.equal(headers.get('retry-after'), wait);
  }
});

test('requests of a tenant', async () => {
  const sinceMs = performance.now();
  const replies = await inTurn(30, (url) =>
    client(url, null)('GET', '/issuing/cards', undefined, { 'x-secret': 'sandbox-two-secret' }),
  );
  // Without a user's token, but counted before that is looked at.
  assertTen(replies, (status) => status === 401, sinceMs);
  for (const { status, headers } of replies)
    if (status === 429) assert.equal(headers.get('x-ratelimit-reset'), headers.get('retry-after'));
});

test('pages of a link', async () => {
  const shop = shopOf(one);
  const path = new URL((await shop.create({ currency: 'EUR' })).headers.get('location') as string).pathname;
  const replies = await inTurn(12, (url, i) =>
    client(url, null)('GET', path, undefined, { 'x-forwarded-for': `198.18.${i}.7` }),
  );
  assert.equal(statuses(replies), `${'200 '.repeat(9)}429 429 429`);
});

test('a card that is tried on pages', async () => {
  const shop = shopOf(one);
  const answers: number[] = [];
  for (let i = 0; i < 4; i++) {
    const made = await shop.create({ currency: 'EUR' });
    assert.ok(orderOf(made).id);
    const url = new URL(made.headers.get('location') as string);
    if (i % 2 === 1) url.port = new URL(second.url).port;
    const page = await openPage(url.href, {});
    answers.push((await page.post(typed(CARDS.declined))).status);
  }
  assert.deepEqual(answers, [303, 303, 429, 429]);
});
