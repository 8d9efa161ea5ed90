// The sandbox's card-testing defence over HTTP: thirty failed cards from one link or address within ten minutes are let be, the next card is
// refused whether it is good or bad, and the answer says why and how to go on; nobody else is harmed, and after ten minutes it is over.
import assert from 'node:assert/strict';
import { beforeEach, describe, test } from 'node:test';
import { CARDS } from '../../pages/cards.ts';
import { payment, type Reply, type TestApp, testApp } from '../../support/app.ts';
import { openPage, typed } from '../../support/page.ts';
import { orderOf, type Shop, shopOf } from '../../support/shop.ts';

const SAYS = /: card_testing\. 30 cards failed .* within ten minutes\. .* card_testing /;

let florin: TestApp;
let shop: Shop;
beforeEach(async () => {
  florin = await testApp({ TRUSTED_PROXIES: '127.0.0.1' });
  shop = shopOf(florin);
});

let payers = 0;
/** A browser of an address of its own, as the proxy tells. */
const someone = (): Record<string, string> => ({ 'x-forwarded-for': `198.18.${payers++ % 250}.7` });

async function link(fields: Record<string, unknown> = {}): Promise<string> {
  const options = { static_link: 1, expiration_timeout: '1d' };
  const reply = await shop.create({ currency: 'EUR', options, ...fields });
  assert.equal(reply.status, 201, reply.text);
  return reply.headers.get('location') as string;
}

/** Pays by a link; the page that it leads to. */
async function pay(url: string, number: string, who = someone(), fields: Record<string, string> = {}) {
  const answer = await (await openPage(url, who)).post(typed(number, fields), '', who);
  const at = answer.headers.get('location');
  const html = at === null ? await answer.text() : await (await fetch(`${florin.url}${at}`, { headers: who })).text();
  return { status: answer.status, html };
}

const last = async (): Promise<Record<string, unknown>> =>
  (await florin.merchant('GET', '/gateway/orders/?per_page=1')).body.orders[0];

describe('behind a static link', () => {
  test('thirty cards fail, the next is refused, good or bad; another link is free, and so is this one after ten minutes', async () => {
    const [attacked, other] = [await link(), await link()];
    for (let i = 0; i < 30; i++)
      assert.match((await pay(attacked, CARDS.declined)).html, /<form id="card"/, `${i + 1}`);
    const seen: string[] = [];
    for (const number of [CARDS.approved, CARDS.declined]) {
      const { status, html } = await pay(attacked, number);
      assert.equal(status, 303);
      assert.match(html, /Defence against card tests: 30 cards failed .* setting card_testing\./);
      const order = await last();
      assert.deepEqual([order.status, order.failure_type], ['fraud', 'fraud']);
      assert.match(order.failure_message as string, SAYS);
      assert.deepEqual((await shop.get(String(order.id))).operations, [], 'nothing was sent to the issuer');
      seen.push(html.replace(/<dl>[\s\S]*<\/dl>/, ''));
    }
    assert.equal(seen[0], seen[1], 'a good card looks like a bad one');
    await florin.restart();
    assert.match((await pay(attacked, CARDS.approved)).html, /Defence against card tests/, 'it stands in the database');
    assert.match((await pay(other, CARDS.approved)).html, /Payment received/);
    await shop.advance('10m');
    assert.match((await pay(attacked, CARDS.approved)).html, /Payment received/);
  });

  test('wrong fields are no tries, approved cards no failures, and what a merchant says of the address counts for nothing', async () => {
    const url = await link({ location: { ip: '203.0.113.9' } });
    for (let i = 0; i < 20; i++) assert.equal((await pay(url, CARDS.declined, someone(), { month: '13' })).status, 422);
    for (let i = 0; i < 20; i++) assert.match((await pay(url, CARDS.approved)).html, /Payment received/);
    for (let i = 0; i < 29; i++) await pay(url, CARDS.declined);
    const single = await shop.create({ currency: 'EUR', location: { ip: '203.0.113.9' } });
    assert.equal((await pay(single.headers.get('location') as string, CARDS.declined)).status, 303);
    assert.match((await pay(url, CARDS.approved)).html, /Payment received/, 'thirty failed, but not here');
  });

  test('a second try on a payer’s own page is one of the link’s', async () => {
    const url = await link();
    for (let i = 0; i < 15; i++) {
      const who = someone();
      const answer = await (await openPage(url, who)).post(typed(CARDS.declined), '', who);
      const own = `${florin.url}${answer.headers.get('location')}`;
      assert.equal((await (await openPage(own, who)).post(typed(CARDS.declined), '', who)).status, 303);
    }
    assert.match((await pay(url, CARDS.approved)).html, /Defence against card tests/);
  });

  test('one payer at many links is known by the address', async () => {
    const who = someone();
    for (let i = 0; i < 30; i++) {
      const page = await shop.create({ currency: 'EUR' });
      assert.equal((await pay(page.headers.get('location') as string, CARDS.declined, who)).status, 303);
    }
    const page = (await shop.create({ currency: 'EUR' })).headers.get('location') as string;
    assert.match((await pay(page, CARDS.approved, who)).html, /Defence against card tests/);
    const next = (await shop.create({ currency: 'EUR' })).headers.get('location') as string;
    assert.match((await pay(next, CARDS.approved)).html, /Payment received/);
  });
});

describe('by the API', () => {
  const from = (ip: string, pan: string): Promise<Reply> =>
    florin.merchant('POST', '/gateway/orders/authorize', payment({ pan, location: { ip } }));

  test('thirty declined cards of one address, and the thirty-first is fraud; another address and another project are not', async () => {
    for (let i = 0; i < 30; i++) assert.equal((await from('192.0.2.1', CARDS.declined)).body.failure_type, 'declined');
    for (const pan of [CARDS.approved, CARDS.declined]) {
      const { status, body } = await from('192.0.2.1', pan);
      assert.deepEqual([status, body.failure_type], [402, 'fraud']);
      assert.match(body.failure_message, SAYS);
    }
    assert.equal((await from('192.0.2.2', CARDS.approved)).status, 200);
    const stranger = { ...payment({ location: { ip: '192.0.2.1' } }) };
    assert.equal((await florin.stranger('POST', '/gateway/orders/authorize', stranger)).status, 200);
    const { findings } = (await florin.operator('GET', `/operator/orders/${(await last()).id}/trace`)).body;
    assert.deepEqual(findings, []);
    await shop.withSettings({ card_testing: false }, async () =>
      assert.equal((await from('192.0.2.1', CARDS.approved)).status, 200),
    );
    assert.equal((await from('192.0.2.1', CARDS.approved)).status, 402);
    await shop.advance('10m');
    assert.equal((await from('192.0.2.1', CARDS.approved)).status, 200);
  });

  test('a rebill is nobody’s try', async () => {
    const order = orderOf(await from('192.0.2.1', CARDS.approved));
    for (let i = 0; i < 30; i++) await from('192.0.2.1', CARDS.declined);
    const reply = await shop.post(order.id, 'rebill', { amount: 1, location: { ip: '192.0.2.1' } });
    assert.equal(reply.status, 200, reply.text);
  });
});
