// A key, or a form, that comes again asks nobody again: not the directory (whose message to a card that is issued here is a challenge and
// an SMS), not the fraud rules, not the issuer. What a crash leaves between the question and its answer is told as it is.
import assert from 'node:assert/strict';
import { afterEach, before, describe, test } from 'node:test';
import type { Command, Committer } from '../../../src/store/index.ts';
import { CARDS } from '../../pages/cards.ts';
import { type Client, payment, type Reply, simulated, type TestApp, testApp } from '../../support/app.ts';
import { cardRequest, customer, fundedCard } from '../../support/issuing.ts';
import { openPage, typed } from '../../support/page.ts';
import { deviceData, orderOf, type Shop, shopOf } from '../../support/shop.ts';

/** Commands that never come back: the process is gone at this point. */
const lost = new Set<string>();
const planted = (committer: Committer): Committer => ({
  submit: <Value>(command: Command<Value>): Promise<Value> =>
    lost.has(command.name) ? Promise.reject(new Error('gone')) : committer.submit(command),
  waitingMs: () => committer.waitingMs(),
  drain: () => committer.drain(),
});

let florin: TestApp;
let shop: Shop;
let ada: Client;
before(async () => {
  florin = await testApp({}, { plant: planted });
  shop = shopOf(florin);
  ada = await customer(florin);
  const reply = await florin.operator('PATCH', '/operator/projects/sandbox/settings', { card_testing: true });
  assert.equal(reply.status, 200, reply.text);
});
afterEach(() => lost.clear());

interface Issued {
  readonly number: string;
  readonly cvv: string;
  readonly expiryMmyy: string;
}
async function issued(): Promise<Issued> {
  const threeDs = { linkedUserId: '3001', primaryChannel: 'OTP_SMS' };
  const id = await fundedCard(ada, 20_000, { threeDSecureAuthConfig: threeDs });
  return (await florin.operator('GET', `/operator/cards/${id}/number`)).body;
}
const paidBy = ({ number, cvv, expiryMmyy }: Issued, fields: object = {}) =>
  payment({
    pan: number,
    card: {
      cvv,
      holder: 'Ada Example',
      expiration_month: Number(expiryMmyy.slice(0, 2)),
      expiration_year: 2000 + Number(expiryMmyy.slice(2)),
    },
    options: { force3d: 1 },
    ...fields,
  });

const count = async (sql: string): Promise<number> =>
  Number((await florin.database.query<{ count: bigint }>(`select count(*) as count from ${sql}`))[0]?.count);

/** Everything that a payment leaves anywhere. */
async function traces(): Promise<Readonly<Record<string, number>>> {
  const tables = {
    orders: 'orders',
    operations: 'operations',
    challenges: 'card_challenges',
    messages: 'messages',
    transactions: 'threeds_transactions',
    sent: 'simulator_transactions',
    proofs: 'threeds_cavvs',
  };
  const [tried] = await florin.database.query<{ sum: bigint | null }>(
    'select sum(count)::int8 as sum from risk_counters',
  );
  const counts = await Promise.all(
    Object.entries(tables).map(async ([name, sql]) => [name, await count(sql)] as const),
  );
  return { ...Object.fromEntries(counts), tried: Number(tried?.sum ?? 0n) };
}

const difference = (before: Readonly<Record<string, number>>, after: Readonly<Record<string, number>>): object =>
  Object.fromEntries(
    Object.entries(after)
      .map(([name, n]) => [name, n - (before[name] ?? 0)] as const)
      .filter(([, n]) => n !== 0),
  );

const authorize = (body: object, key?: string): Promise<Reply> =>
  florin.merchant('POST', '/gateway/orders/authorize', body, key === undefined ? {} : { 'idempotency-key': key });

describe('a key that comes again', () => {
  test('one after the other: the directory is asked once, and nothing is counted twice', async () => {
    const body = paidBy(await issued());
    const first = await authorize(body, 'asked-1');
    assert.equal(first.status, 201, first.text);
    const before = await traces();
    for (let i = 0; i < 3; i++) {
      const again = await authorize(body, 'asked-1');
      assert.deepEqual([again.status, again.text], [201, first.text]);
    }
    assert.deepEqual(difference(before, await traces()), {});
  });

  test('50 at once: one order, one message to the directory, one body', async () => {
    const body = paidBy(await issued());
    const before = await traces();
    const answers = await Promise.all(Array.from({ length: 50 }, () => authorize(body, 'asked-50')));
    const { tried, ...made } = difference(before, await traces()) as Record<string, number>;
    assert.deepEqual(made, { orders: 1, challenges: 1, messages: 1, transactions: 1 });
    const alone = await traces();
    await authorize(paidBy(await issued()));
    assert.equal(tried, (difference(alone, await traces()) as Record<string, number>).tried, 'one attempt');
    const bodies = new Set(
      answers.filter(({ status }) => status !== 409).map(({ status, text }) => `${status} ${text}`),
    );
    assert.equal(bodies.size, 1);
    assert.equal((await authorize(body, 'asked-50')).text, answers.find(({ status }) => status === 201)?.text);
  });

  test('frictionless, refused by the directory, with a proof from elsewhere, declined: the answer, and nothing else', async () => {
    const cavv = Buffer.alloc(20, 7).toString('base64');
    const external = { cavv, eci: '05', xid: cavv, ds_trans_id: '6f3a1f2e-9a37-4f6c-8d53-0b8f5a1f4a11' };
    const bodies = [
      payment({ pan: simulated('10', '921') }),
      payment({ pan: simulated('10', '923') }),
      payment({ secure3d: external }),
      payment({ pan: CARDS.declined }),
      payment({ pan: CARDS.fraud }),
    ];
    for (const [i, body] of bodies.entries()) {
      const first = await authorize(body, `kind-${i}`);
      const before = await traces();
      const again = await authorize(body, `kind-${i}`);
      assert.deepEqual([again.status, again.text], [first.status, first.text]);
      assert.equal(again.headers.get('idempotent-replay'), 'true');
      assert.deepEqual(difference(before, await traces()), {}, `kind ${i}`);
    }
  });

  test('the kept answer comes before what has become of the fields since', async () => {
    const body = payment({ card: { holder: 'Ada Example', expiration_month: 12, expiration_year: 2030 } });
    await shop.withSettings({ cvv_required: false }, async () => {
      assert.equal((await authorize(body, 'without-cvv')).status, 200);
    });
    assert.equal((await authorize(body, 'without-cvv')).status, 200);
    assert.equal((await authorize({ ...body, amount: 3 }, 'without-cvv')).status, 422);
  });

  test('complete and resume: the device-data step asks the directory once', async () => {
    const order = await shop.prepared({ pan: CARDS.device });
    await deviceData(order);
    const resume = (): Promise<Reply> =>
      florin.merchant('POST', `/gateway/orders/${order.id}/resume`, {}, { 'idempotency-key': 'resume-1' });
    const before = await traces();
    const answers = await Promise.all(Array.from({ length: 20 }, resume));
    assert.deepEqual(difference(before, await traces()), { transactions: 1 });
    const [first] = answers.filter(({ status }) => status === 201);
    assert.ok(first);
    assert.equal((await resume()).text, first.text);
    assert.deepEqual(difference(before, await traces()), { transactions: 1 });
  });

  test('issuing: a card is made once, and a replay asks nothing', async () => {
    const made = await ada('POST', '/cards/request', cardRequest(), { 'idempotency-ref': 'card-1' });
    assert.equal(made.status, 200, made.text);
    const cards = await count('cards');
    const numbers = await count('card_numbers');
    const again = await Promise.all(
      Array.from({ length: 20 }, () => ada('POST', '/cards/request', cardRequest(), { 'idempotency-ref': 'card-1' })),
    );
    for (const { text, status } of again) assert.deepEqual([status, text], [200, made.text]);
    assert.deepEqual([await count('cards'), await count('card_numbers')], [cards, numbers]);
  });
});

describe('a form that comes again', () => {
  async function page(fields: object = {}): Promise<{ id: string; url: string }> {
    const reply = await shop.create({ currency: 'EUR', ...fields });
    assert.equal(reply.status, 201, reply.text);
    return { id: orderOf(reply).id, url: reply.headers.get('location') as string };
  }

  test('at once: one question to the directory', async () => {
    const card = await issued();
    const { url } = await page({ options: { force3d: 1 } });
    const form = await openPage(url);
    const fields = typed(card.number, {
      cvv: card.cvv,
      month: card.expiryMmyy.slice(0, 2),
      year: card.expiryMmyy.slice(2),
    });
    const before = await traces();
    const answers = await Promise.all(Array.from({ length: 10 }, () => form.post(fields)));
    for (const answer of answers) assert.equal(answer.status, 303);
    const { tried: _, ...made } = difference(before, await traces()) as Record<string, number>;
    assert.deepEqual(made, { challenges: 1, messages: 1, transactions: 1 });
  });

  test('after its card was declined: no second attempt; another form, or another card in the same one, is one', async () => {
    const { id, url } = await page();
    const form = await openPage(url);
    for (let i = 0; i < 3; i++) assert.equal((await form.post(typed(CARDS.declined))).status, 303);
    assert.equal((await shop.get(id)).operations.length, 1);
    assert.equal((await form.post(typed(simulated('10', '005')))).status, 303);
    assert.equal((await shop.get(id)).operations.length, 2);
    await (await openPage(url)).post(typed(CARDS.declined));
    assert.equal((await shop.get(id)).operations.length, 3);
  });

  test('from the bank: TermUrl after the device-data step asks the directory once', async () => {
    const order = await shop.prepared({ pan: CARDS.device });
    const { form3d } = order;
    await deviceData(order);
    const before = await traces();
    await Promise.all(Array.from({ length: 10 }, () => postForm(form3d.TermUrl, { MD: form3d.MD })));
    assert.deepEqual(difference(before, await traces()), { transactions: 1 });
  });
});

describe('a crash between the question and its answer', () => {
  const GONE = 'directory.answer';

  test('the repeat is told that the payment was not made, and nothing was sent', async () => {
    const body = paidBy(await issued());
    lost.add(GONE);
    const sent = (await traces()).sent;
    assert.equal((await authorize(body, 'crash-1')).status, 500);
    lost.clear();
    assert.equal((await authorize(body, 'crash-1')).status, 409, 'it may still be under way');
    await shop.advance('61s');
    const told = await authorize(body, 'crash-1');
    assert.deepEqual([told.status, told.body.failure_type], [402, 'rejected'], told.text);
    assert.equal((await shop.get(told.body.order_id)).status, 'rejected');
    assert.equal((await traces()).sent, sent);
    assert.deepEqual((await authorize(body, 'crash-1')).text, told.text);
    await shop.booksHold();
  });

  test('a payer finds his page as it was, and pays', async () => {
    const reply = await shop.create({ currency: 'EUR', options: { force3d: 1 } });
    const url = reply.headers.get('location') as string;
    const form = await openPage(url);
    lost.add(GONE);
    assert.equal((await form.post(typed(CARDS.challenge))).status, 500);
    lost.clear();
    assert.ok((await openPage(url)).html.includes('data-again='), 'it may still be under way');
    await shop.advance('61s');
    const again = await openPage(url);
    assert.ok(again.html.includes('<form id="card"'));
    assert.equal((await again.post(typed(simulated('10', '921')))).status, 303);
    assert.equal((await shop.get(orderOf(reply).id)).status, 'authorized');
  });

  test('a soft decline that was to step up ends as the decline that it is', async () => {
    await shop.withSettings({ step_up_automatically: true }, async () => {
      lost.add(GONE);
      const body = payment({ pan: simulated('10', '901') });
      assert.equal((await authorize(body, 'crash-2')).status, 500);
      await shop.advance('61s');
      const told = await authorize(body, 'crash-2');
      assert.deepEqual([told.status, told.body.failure_message], [402, 'Soft-Decline'], told.text);
    });
  });

  test('an order behind the device-data step can still be completed', async () => {
    const order = await shop.prepared({ pan: CARDS.device });
    await deviceData(order);
    lost.add(GONE);
    assert.equal((await shop.post(order.id, 'resume')).status, 500);
    lost.clear();
    assert.equal((await shop.post(order.id, 'resume')).status, 402, 'it may still be under way');
    await shop.advance('61s');
    assert.equal((await shop.post(order.id, 'resume')).status, 201);
  });
});

function postForm(action: string, fields: Readonly<Record<string, string>>): Promise<Response> {
  return fetch(action, { method: 'POST', redirect: 'manual', body: new URLSearchParams(fields) });
}
