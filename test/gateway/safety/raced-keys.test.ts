// What may be there once, asked for at two servers on one database in the same moment: one is first, the other sees it, and nobody is told
// of an error. docs/contract/gateway.md#idempotency, #3-d-secure: merchant order ids, keys, forms that are sent twice, cavvs.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { App } from '../../../src/app.ts';
import { CARDS } from '../../pages/cards.ts';
import { type Client, payment, type Reply, type TestApp, testApp } from '../../support/app.ts';
import { openPage, typed } from '../../support/page.ts';
import { type Shop, shopOf } from '../../support/shop.ts';

const ROUNDS = 10;

let florin: TestApp;
let shop: Shop;
let second: App;
let merchants: readonly Client[];
before(async () => {
  florin = await testApp();
  shop = shopOf(florin);
  second = await florin.another();
  merchants = [florin.merchant, florin.merchantOf(second)];
});
after(() => second.stop());

/** Two at each server, all at once. */
const raced = (
  path: string,
  body: (i: number) => unknown,
  { headers = {}, by = merchants }: { headers?: Record<string, string>; by?: readonly Client[] } = {},
): Promise<Reply[]> => Promise.all([0, 1, 2, 3].map((i) => (by[i % 2] as Client)('POST', path, body(i), headers)));

/** With a second server that has come up after the setting was made, so that both know it. */
const withUniqueIds = (work: (by: readonly Client[]) => Promise<void>): Promise<void> =>
  shop.withSettings({ unique_merchant_order_id: true }, async () => {
    const other = await florin.another();
    try {
      await work([florin.merchant, florin.merchantOf(other)]);
    } finally {
      await other.stop();
    }
  });

const statusesOf = (replies: readonly Reply[]): number[] => replies.map(({ status }) => status).sort((a, b) => a - b);
const idsOf = (replies: readonly Reply[]): Set<string> =>
  new Set(replies.flatMap(({ body }) => (body.orders ?? []).map(({ id }: { id: string }) => id)));
/** Orders with this id, but for those that are only the record of a refusal. */
async function countBy(id: string): Promise<number> {
  const { orders } = (await florin.merchant('GET', `/gateway/orders/?merchant_order_id=${id}`)).body;
  return orders.filter(({ status }: { status: string }) => status !== 'rejected').length;
}

test('a merchant order id, with the same content: one order, and everybody has it', async () => {
  await withUniqueIds(async (by) => {
    for (let round = 0; round < ROUNDS; round++) {
      const merchant_order_id = `same-${round}`;
      const replies = await raced('/gateway/orders/create', () => ({ amount: 5, currency: 'EUR', merchant_order_id }), {
        by,
      });
      assert.deepEqual(
        replies.filter(({ status }) => status >= 300).map(({ text }) => text),
        [],
      );
      assert.equal(idsOf(replies).size, 1);
      assert.equal(await countBy(merchant_order_id), 1);
    }
  });
});

test('a merchant order id, with other content each: one is done, the others are refused and do nothing', async () => {
  await withUniqueIds(async (by) => {
    for (let round = 0; round < ROUNDS; round++) {
      const merchant_order_id = `other-${round}`;
      const body = (i: number) => payment({ merchant_order_id, amount: `${10 + i}.00` });
      const replies = await raced('/gateway/orders/authorize', body, { by });
      assert.deepEqual(statusesOf(replies), [200, 402, 402, 402]);
      assert.equal(await countBy(merchant_order_id), 1);
    }
    await shop.booksHold();
  });
});

test('a proof of authentication: one order is paid with it', async () => {
  for (let round = 0; round < ROUNDS; round++) {
    const cavv = Buffer.alloc(20, round + 1).toString('base64');
    const secure3d = { cavv, eci: '05', xid: cavv, ds_trans_id: '6f3a1f2e-9a37-4f6c-8d53-0b8f5a1f4a11' };
    const replies = await raced('/gateway/orders/authorize', () => payment({ secure3d }));
    assert.deepEqual(statusesOf(replies), [200, 402, 402, 402]);
  }
});

test('an idempotency key: one order, one answer', async () => {
  for (let round = 0; round < ROUNDS; round++) {
    const replies = await raced('/gateway/orders/authorize', () => payment(), {
      headers: { 'idempotency-key': `raced-${round}` },
    });
    const told = replies.filter(({ status }) => status !== 409);
    assert.deepEqual([...new Set(told.map(({ status }) => status))], [200]);
    assert.equal(new Set(told.map(({ text }) => text)).size, 1);
  }
});

test('the form of a static link that is sent to both: one order, paid once', async () => {
  const options = { static_link: 1, expiration_timeout: '1d' };
  const made = await shop.create({ currency: 'EUR', options, merchant_order_id: 'link' });
  const url = made.headers.get('location') as string;
  for (let round = 0; round < ROUNDS; round++) {
    const page = await openPage(url);
    const form = /name="form" value="([^"]*)"/.exec(page.html)?.[1] as string;
    const cookie = (page.headers.get('set-cookie') ?? '').split(';')[0] as string;
    const before = await countBy('link');
    const answers = await Promise.all(
      [florin.url, second.url, florin.url, second.url].map((base) =>
        fetch(`${base}${new URL(url).pathname}`, {
          method: 'POST',
          redirect: 'manual',
          headers: { origin: base, cookie },
          body: new URLSearchParams({ form, ...typed(CARDS.approved) }),
        }),
      ),
    );
    for (const { status } of answers) assert.ok(status === 303 || status === 409, `${status}`);
    assert.equal((await countBy('link')) - before, 1);
  }
  await shop.booksHold();
});
