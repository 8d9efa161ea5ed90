// Postgres goes away at the wrong moment, over HTTP: what was done is never told as refused, what is not known is told as that, and the
// same idempotency-ref or the next read tells the truth (docs/contract/issuing.md#errors).
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type Client, type TestApp, testApp } from '../../support/app.ts';
import { testDatabase } from '../../support/database.ts';
import { assertBooksHold, customer, newCard } from '../../support/issuing.ts';
import { type PostgresProxy, postgresProxy } from '../../support/postgres-proxy.ts';

let florin: TestApp;
let proxy: PostgresProxy;
let ada: Client;
before(async () => {
  proxy = await postgresProxy((await testDatabase()).connection);
  florin = await testApp({}, { connection: proxy.connection });
  ada = await customer(florin);
});

after(() => proxy.close());

const balanceOf = async (id: string): Promise<number> =>
  (await ada('GET', `/managed-accounts/${id}`)).body.balances.actualBalance;
const transfer = (to: string, amount: number, ref: string, as = ada) =>
  as(
    'POST',
    '/transfers',
    {
      source: { type: 'managed_accounts', id: '2001' },
      destination: { type: 'managed_cards', id: to },
      destinationAmount: { currency: 'EUR', amount },
    },
    { 'idempotency-ref': ref },
  );

for (const [fault, name] of [
  ['answer lost', 'was done'],
  ['never arrived', 'was not done'],
  [{ error: '53100' }, 'was answered with an error'],
] as const)
  test(`a COMMIT that ${name}: the transfer of all there is is told as done, once, and again to its ref`, async () => {
    const card = await newCard(ada);
    const all = await balanceOf('2001');
    const ref = name.replaceAll(' ', '-');
    proxy.refuseAfterFaultMs = 1500;
    proxy.failCommit(fault);
    const [first, second] = await Promise.all([transfer(card, all, `${ref}-1`), transfer(card, all, `${ref}-2`)]);
    assert.equal(proxy.fired.get(typeof fault === 'string' ? fault : 'error'), 1, 'the fault happened');
    // One of the two is done, and only then the other is refused: FUNDS_INSUFFICIENT is never said of what was executed.
    const [done, other] = first.status === 200 ? [first, second] : [second, first];
    assert.equal(done.status, 200, `${first.text} ${second.text}`);
    // Who comes to the closed door hears that nobody knows.
    const named = other.status === 409 ? other.body.errorCode : `${other.status} ${other.body.code}`;
    assert.match(named, /^(FUNDS_INSUFFICIENT|500 SERVER_ERROR)$/);
    assert.equal(await balanceOf('2001'), 0);
    assert.equal((await transfer(card, all, `${ref}-${done === first ? 1 : 2}`)).text, done.text);
    const back = await ada('POST', '/transfers', {
      source: { type: 'managed_cards', id: card },
      destination: { type: 'managed_accounts', id: '2001' },
      destinationAmount: { currency: 'EUR', amount: all },
    });
    assert.equal(back.status, 200, back.text);
  });

test('An outcome not known in time: 500 {code: "SERVER_ERROR"}, the truth by the same idempotency-ref and the next read', async () => {
  const { bea, door } = await (async () => {
    const other = await postgresProxy((await testDatabase()).connection);
    after(() => other.close());
    const hasty = await testApp({}, { connection: other.connection, answerMs: 2000 });
    return { bea: await customer(hasty), door: other };
  })();
  const card = await newCard(bea);
  const balance = async () => (await bea('GET', `/cards/${card}`)).body.balances.actualBalance;
  for (const [i, fault] of (['answer lost', 'never arrived'] as const).entries()) {
    const ask = () => transfer(card, 100, `late-${i}`, bea);
    door.refuseAfterFaultMs = 4000;
    door.failCommit(fault);
    const told = await ask();
    assert.deepEqual([told.status, told.body.code], [500, 'SERVER_ERROR'], told.text);
    assert.equal(door.fired.get(fault), 1);
    let again = told;
    while (again.status === 500) again = await ask();
    assert.equal(again.status, 200, again.text);
    assert.equal(await balance(), 100 * (i + 1), 'once');
  }
});

test('the books hold', () => assertBooksHold(florin));
