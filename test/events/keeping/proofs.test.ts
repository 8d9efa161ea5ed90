// Proofs know what is gone: what its days are over for breaks no invariant, and a bug in what is kept is found as before.
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { addDays, systemClock } from '../../../src/base/index.ts';
import { createKeeping, createNumbering } from '../../../src/events/index.ts';
import { orderAuditor } from '../../../src/gateway/orders/index.ts';
import { createProver, ledgerAuditor } from '../../../src/ledger/index.ts';
import { type IssuerWorld, issuerWorld, later, NOW } from '../../issuing/authorization/issuer.ts';
import { silent } from '../../support/database.ts';

const TENANT = 1n;
const forever = new AbortController().signal;
let world: IssuerWorld;
before(async () => {
  world = await issuerWorld();
});

async function violated(): Promise<string[]> {
  const { database, clock } = world;
  await createNumbering({ database, clock: systemClock, log: silent }).settle();
  const places = createProver({
    database,
    clock,
    time: systemClock,
    log: silent,
    auditors: [ledgerAuditor, orderAuditor],
  });
  const { checks } = await places.full();
  return [...checks.filter(({ ok }) => !ok).map(({ id }) => id), ...(await world.violated())];
}

const purchase = async (card: Awaited<ReturnType<IssuerWorld['card']>>) => {
  const request = world.request(card, 1000n);
  await world.authorizer.handle(request);
  return request;
};

test('what is gone breaks none of them, what is missing of the rest does', async () => {
  const { database, clock } = world;
  const keeping = createKeeping({ database, time: clock, business: clock, log: silent, days: 7 });
  await keeping.keep(forever);
  const card = await world.card(100_000n);
  const first = await purchase(card);
  await purchase(card);
  assert.deepEqual(await violated(), []);
  for (let day = 1; day <= 8; day++) {
    clock.set(addDays(new Date(NOW), day));
    await keeping.keep(forever);
  }
  assert.deepEqual(await database.query('select from events'), []);
  assert.deepEqual(await violated(), []);

  // Of the old one more is told, and of a new one.
  await world.authorizer.handle(later(world, first, 'increment', 500n));
  await world.authorizer.handle(later(world, first, 'reverse', 500n));
  await purchase(card);
  assert.deepEqual(await violated(), []);
  const rows = await database.query<{ subject_id: bigint; id: bigint; sequence: number }>(
    `select subject_id, id, sequence from events where owner_id = $1 and subject_type = 'authorization' order by id`,
    [TENANT],
  );
  assert.deepEqual(
    rows.map(({ sequence }) => sequence),
    [2, 3, 1],
  );

  const [second, third, young] = rows;
  for (const [what, event] of [
    ['the last one of an old resource', third],
    ['the only one of a young resource', young],
  ] as const) {
    await database.query('create table planted as select * from events where id = $1', [event?.id]);
    await database.query('delete from events where id = $1', [event?.id]);
    assert.deepEqual(await violated(), ['authorization_events_are_changes'], what);
    await database.query('insert into events select * from planted');
    await database.query('drop table planted');
    assert.deepEqual(await violated(), []);
  }
  await database.query('update event_log set position = position + 1 where event_id = $1', [young?.id]);
  assert.deepEqual(await violated(), ['positions_without_gaps']);
  await database.query('update event_log set position = position - 1 where event_id = $1', [young?.id]);
  await database.query('delete from event_log where event_id = $1', [second?.id]);
  assert.deepEqual((await violated()).toSorted(), ['events_have_a_place', 'positions_without_gaps']);
});
