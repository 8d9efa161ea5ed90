// Whatever a tenant is told of is proved: each change has its event, each event its change, and the numbers have no gaps
// (docs/contract/events.md#events).
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { CATALOGUE } from '../../../src/events/log/catalogue.ts';
import { type Client, type Reply, type TestApp, testApp } from '../../support/app.ts';
import { assertBooksHold, customer, fundedCard, purchase } from '../../support/issuing.ts';

let florin: TestApp;
let ada: Client;

const ok = (reply: Reply): Reply => {
  assert.ok(reply.status < 300, reply.text);
  return reply;
};

before(async () => {
  florin = await testApp();
  ada = await customer(florin);
  const wallets = { digitalWallets: { walletsEnabled: true, pushProvisioningEnabled: true } };
  const card = await fundedCard(ada, 5000, { ...wallets, cardholderMobileNumber: '+35699000123' });
  ok(await ada('POST', `/cards/wallet-tokens/${card}`, { wallet: 'APPLE', device: 'phone' }));
  await purchase(florin, card, 100);
  const { number, cvv, expiryMmyy } = (await florin.operator('GET', `/operator/cards/${card}/number`)).body;
  const paid = await florin.merchant('POST', '/gateway/orders/authorize', {
    amount: '1.00',
    currency: 'EUR',
    pan: number,
    card: {
      cvv,
      holder: 'Ada Example',
      expiration_month: Number(expiryMmyy.slice(0, 2)),
      expiration_year: 2000 + Number(expiryMmyy.slice(2)),
    },
    location: { ip: '6.6.6.6' },
    options: { force3d: 1 },
  });
  assert.ok(paid.status < 300, paid.text);
});

const NOUNS = Object.entries(CATALOGUE)
  .filter(([noun, { owners }]) => noun !== 'webhook' && (owners as readonly string[]).includes('tenant'))
  .map(([noun]) => noun);

const red = async (): Promise<string[]> => {
  const { checks } = (await florin.operator('GET', '/operator/invariants?full=true')).body;
  return checks.filter(({ ok: right }: { ok: boolean }) => !right).map(({ id }: { id: string }) => id);
};

test('each noun of a tenant is proved: an event that is gone is found, and one too many', async () => {
  await assertBooksHold(florin);
  const unproved: string[] = [];
  for (const noun of NOUNS) {
    const planted = `select e.* from events e where subject_type = '${noun}' and sequence = 1 order by id desc limit 1`;
    await florin.database.query(`create table planted as ${planted}`);
    const [{ count } = { count: 0n }] = await florin.database.query<{ count: bigint }>(
      'select count(*) as count from planted',
    );
    assert.equal(count, 1n, `there is no ${noun}`);
    const wrong = `${noun}_events_are_changes`;
    await florin.database.query('delete from events e using planted p where e.owner_id = p.owner_id and e.id = p.id');
    if (!(await red()).includes(wrong)) unproved.push(`${noun}: gone`);
    await florin.database.query('insert into events select * from planted');
    await florin.database.query('update planted set id = -id');
    await florin.database.query('insert into events select * from planted');
    if (!(await red()).includes(wrong)) unproved.push(`${noun}: twice`);
    await florin.database.query('delete from events e using planted p where e.owner_id = p.owner_id and e.id = p.id');
    await florin.database.query('drop table planted');
  }
  assert.deepEqual(unproved, []);
  await assertBooksHold(florin);
});
