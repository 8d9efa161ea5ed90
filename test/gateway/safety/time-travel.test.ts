// Sixty days: every timer of an order does its work once, at its time, also over a restart with the clock where it was; and it makes no
// difference whether the days pass one by one or in leaps.
import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { simulated, type TestApp, testApp } from '../../support/app.ts';
import { orderOf, type Shop, shopOf } from '../../support/shop.ts';
import { truthIsTold } from '../events/truth.ts';

const START = '2026-12-01T12:00:00.000Z';
const DAYS = 60;
const CHARGEBACK = '4999997093000000';

/** What becomes of an order that is left alone: its last status, its operations, and what was told about it, each with its day. */
interface Fate {
  readonly status: string;
  readonly operations: readonly string[];
  readonly events: readonly string[];
}

interface World {
  readonly florin: TestApp;
  readonly shop: Shop;
  readonly ids: Readonly<Record<string, string>>;
}

/** One order of each kind that time does something to. */
async function world(): Promise<World> {
  const florin = await testApp();
  const shop = shopOf(florin);
  const clock = await florin.operator('PUT', '/simulator/clock', { now: START, frozen: true });
  assert.equal(clock.status, 200, clock.text);
  await shop.terminal('several', { multicapture: true });
  const ids: Record<string, string> = {};
  const keep = async (name: string, order: Promise<{ id: string }>) => {
    ids[name] = (await order).id;
  };
  const made = async (reply: ReturnType<Shop['create']>) => orderOf(await reply);
  await keep('forgotten page', made(shop.create({ options: { expiration_timeout: '2h' } })));
  await keep('abandoned challenge', made(shop.authorize({ pan: simulated('10', '920') })));
  await keep('held', shop.authorized());
  await keep('charged', shop.charged());
  await keep('refunded in part', shop.charged());
  await keep('charged back', shop.charged({ pan: CHARGEBACK }));
  await keep('no answer to the charge', shop.authorized({ pan: simulated('20', '911') }));
  await keep(
    'charge refused again and again',
    made(shop.authorize({ pan: simulated('20', '005'), options: { auto_charge: 1 } })),
  );
  await keep('rest of a hold', shop.authorized({ amount: 10, options: { terminal: 'several' } }));
  await keep(
    'held, merchant-initiated',
    made(shop.post(ids.charged as string, 'rebill', { amount: 5, location: { ip: '192.0.2.9' } })),
  );
  await shop.withSettings({ capture_delay: '3d' }, async () => keep('captured late', shop.authorized()));
  await shop.act(ids['refunded in part'] as string, 'refund', { amount: '2.50' });
  await shop.act(ids['rest of a hold'] as string, 'charge', { amount: 4 });
  assert.equal((await shop.act(ids['no answer to the charge'] as string, 'charge')).status, 500);
  return { florin, shop, ids };
}

const dayOf = (at: Date): number => Math.floor((at.getTime() - Date.parse(START)) / 86_400_000);

async function fates({ florin, shop, ids }: World): Promise<Record<string, Fate>> {
  const outward = new Map(Object.entries(ids).map(([name, id]) => [id, name]));
  const told = Map.groupBy(
    await florin.database.query<{ subject_id: bigint; sequence: number; type: string; created_at: Date }>(
      'select subject_id, sequence, type, created_at from events order by subject_id, sequence',
    ),
    ({ subject_id }) => outward.get(florin.app.permutation.outward(subject_id)),
  );
  const all: Record<string, Fate> = {};
  for (const [name, id] of Object.entries(ids)) {
    const { status, operations } = await shop.get(id);
    const events = told.get(name) ?? [];
    assert.deepEqual(
      events.map(({ sequence }) => sequence),
      events.map((_, i) => i + 1),
      `${name}: events without gaps`,
    );
    all[name] = {
      status,
      operations: operations.map(
        (of: { type: string; status: string; amount: string; created: string; arn?: string }) =>
          `${dayOf(new Date(`${of.created.replace(' ', 'T')}Z`))} ${of.type} ${of.status} ${of.amount}${of.arn ? ' cleared' : ''}`,
      ),
      events: events.map(({ type, created_at }) => `${dayOf(created_at)} ${type}`),
    };
  }
  return all;
}

const AUTHORIZED = ['0 authorize success 12.50'];
const CHARGED = [...AUTHORIZED, '0 charge success 12.50 cleared'];

/** In sixty days, with the days counted from 0. docs/contract/gateway.md#statuses, #expiry-of-authorizations, #charge, #money-safety. */
const FATES: Readonly<Record<string, Fate>> = {
  'forgotten page': { status: 'rejected', operations: [], events: ['0 order.created', '0 order.expired'] },
  'abandoned challenge': { status: 'rejected', operations: [], events: ['0 order.prepared', '0 order.expired'] },
  held: {
    status: 'reversed',
    operations: [...AUTHORIZED, '7 reverse success 12.50'],
    events: ['0 order.authorized', '6 order.authorization_expiring', '7 order.authorization_expired'],
  },
  'held, merchant-initiated': {
    status: 'reversed',
    operations: ['0 authorize success 5.00', '5 reverse success 5.00'],
    events: ['0 order.authorized', '4 order.authorization_expiring', '5 order.authorization_expired'],
  },
  charged: {
    status: 'charged',
    operations: CHARGED,
    events: ['0 order.authorized', '0 order.charged', '0 order.settled'],
  },
  'refunded in part': {
    status: 'charged',
    operations: [...CHARGED, '0 refund success 2.50 cleared'],
    events: ['0 order.authorized', '0 order.charged', '0 order.partially_refunded', '0 order.settled'],
  },
  'charged back': {
    status: 'chargedback',
    operations: [...CHARGED, '0 chargeback success 12.50'],
    events: ['0 order.authorized', '0 order.charged', '0 order.settled', '0 order.chargedback'],
  },
  'no answer to the charge': {
    status: 'charged',
    operations: CHARGED,
    events: ['0 order.authorized', '0 order.charged', '0 order.settled'],
  },
  'charge refused again and again': {
    status: 'reversed',
    operations: [...AUTHORIZED, ...Array<string>(5).fill('0 charge failure 12.50'), '0 reverse success 12.50'],
    events: ['0 order.authorized', ...Array<string>(5).fill('0 order.charge_failed'), '0 order.reversed'],
  },
  'rest of a hold': {
    status: 'charged',
    operations: ['0 authorize success 10.00', '0 charge success 4.00 cleared', '7 reverse success 6.00'],
    events: [
      '0 order.authorized',
      '0 order.charged',
      '0 order.settled',
      '6 order.authorization_expiring',
      '7 order.authorization_expired',
    ],
  },
  'captured late': {
    status: 'charged',
    operations: [...AUTHORIZED, '3 charge success 12.50 cleared'],
    events: ['0 order.authorized', '3 order.charged', '3 order.settled'],
  },
};

/** What is kept back of the merchant's charges, minor units. */
async function reserved({ florin }: World): Promise<bigint> {
  const [row] = await florin.database.query<{ sum: bigint | null }>(
    `select -sum(amount)::int8 as sum from balances where account like 'merchant_reserve%'`,
  );
  return row?.sum ?? 0n;
}

describe('sixty days', () => {
  let daily: World;
  const kept: bigint[] = [];
  before(async () => {
    daily = await world();
    for (let day = 0; day < DAYS; day++) {
      if (day === 4 || day === 30) {
        await daily.florin.restart();
        const { body } = await daily.florin.operator('GET', '/simulator/clock');
        assert.deepEqual(body, { now: new Date(Date.parse(START) + day * 86_400_000).toISOString(), frozen: true });
      }
      await daily.shop.advance('1d');
      kept.push(await reserved(daily));
      if (day < 8 || day % 10 === 0) await truthIsTold(daily.florin);
      if (day % 10 === 0) await daily.shop.booksHold();
    }
  });

  it('do to each order what is due, once, restarts or not', async () => assert.deepEqual(await fates(daily), FATES));

  it('pass in two leaps as they pass one by one', async () => {
    const leaping = await world();
    await leaping.shop.advance('20d');
    await leaping.shop.advance('40d');
    assert.deepEqual(await fates(leaping), FATES);
    await leaping.shop.booksHold();
  });

  it('let the rolling reserve go thirty days after each charge, and to the cent', () => {
    // kept[n] is what is held back at the end of day n; the late charge comes with the end of day 2.
    const late = (kept[2] as bigint) - (kept[1] as bigint);
    assert.equal(late, 62n, '5 % of 12.50, half to even');
    assert.equal(kept[28], kept[2], 'untouched for thirty days');
    assert.equal(kept[31], late);
    assert.equal(kept[32], 0n);
  });

  it('are settled day by day: each day’s sums are those of the operations that were cleared for it', async () => {
    const rows = await daily.florin.database.query<Record<string, bigint>>(
      `select s.day, s.charges, s.charged, s.refunds, s.refunded,
              count(*) filter (where p.type = 'charge') as charge_rows,
              coalesce(sum(p.amount) filter (where p.type = 'charge'), 0)::int8 as charge_sum,
              count(*) filter (where p.type <> 'charge') as other_rows,
              coalesce(sum(p.amount) filter (where p.type <> 'charge'), 0)::int8 as other_sum
       from settlements s join operations p on p.project_id = s.project_id and p.currency = s.currency
        and (p.cleared_at at time zone 'UTC')::date - 1 = s.day
       group by s.project_id, s.day, s.link, s.currency, s.charges, s.charged, s.refunds, s.refunded order by s.day`,
    );
    assert.deepEqual(
      rows.map(({ charges, charged, refunds, refunded }) => [charges, charged, refunds, refunded]),
      rows.map(({ charge_rows, charge_sum, other_rows, other_sum }) => [
        charge_rows,
        charge_sum,
        other_rows,
        other_sum,
      ]),
    );
    assert.equal(rows.length, 2, 'day 0 and day 3');
    const [cleared] = await daily.florin.database.query<{ n: bigint }>(
      'select count(*) as n from operations where cleared_at is not null',
    );
    assert.equal(
      rows.reduce((sum, { charges, refunds }) => sum + (charges ?? 0n) + (refunds ?? 0n), 0n),
      cleared?.n,
    );
  });

  it('end with a dispute that the merchant wins: charged again', async () => {
    const id = daily.ids['charged back'] as string;
    const won = () => daily.florin.operator('POST', `/simulator/orders/${id}/representment`);
    assert.equal((await won()).status, 204);
    const made = await daily.shop.get(id);
    assert.equal(made.status, 'charged');
    assert.equal(made.operations.at(-1).type, 'representment');
    assert.equal((await won()).status, 409, 'once');
    await daily.shop.booksHold();
  });
});
