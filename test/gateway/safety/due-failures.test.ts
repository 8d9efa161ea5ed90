// Work that is due and fails: it is tried again in growing waits, shown to the operator, and stands in nobody's way, neither in the
// worker's nor in that of a clock that is moved. What fails is planted between a decision and its commit.
import assert from 'node:assert/strict';
import { before, beforeEach, describe, test } from 'node:test';
import { systemClock } from '../../../src/base/index.ts';
import type { Command, Committer } from '../../../src/store/index.ts';
import { basic, type Client, payment, type TestApp, testApp } from '../../support/app.ts';
import { customer, plasticCard } from '../../support/issuing.ts';
import { orderOf, type Shop, shopOf } from '../../support/shop.ts';

/** Names of commands that fail, each for the owners that it fails for. */
const broken = new Map<string, (owner: bigint, id: bigint) => boolean>();
/** Commands that do nothing, and say so to nobody. */
const idle = new Set<string>();

class BrokenPart extends Error {
  readonly code = 'PART_BROKEN';
}

const planted = (committer: Committer): Committer => ({
  submit: <Value>(command: Command<Value>): Promise<Value> => {
    const [first] = command.needs as readonly { key: { owner?: bigint; tenantId?: bigint; id?: bigint } }[];
    const { owner = first?.key.tenantId ?? 0n, id = 0n } = first?.key ?? {};
    if (broken.get(command.name)?.(owner, id))
      return Promise.reject(new BrokenPart('the text of an error may say 4111111111111111'));
    return idle.has(command.name)
      ? committer.submit({ ...command, decide: (state, told) => ({ ...command.decide(state, told), changes: [] }) })
      : committer.submit(command);
  },
  waitingMs: () => committer.waitingMs(),
  drain: () => committer.drain(),
});

let florin: TestApp;
let shop: Shop;
const START = '2026-03-02T10:00:00.000Z';
before(async () => {
  florin = await testApp({}, { plant: planted });
  shop = shopOf(florin);
});

const clock = (body: object) => florin.operator('PUT', '/simulator/clock', body);
const advance = async (by: string): Promise<{ now: string; not_run: Row[] }> => {
  const reply = await florin.operator('POST', '/simulator/clock/advance', { by });
  assert.equal(reply.status, 200, reply.text);
  return reply.body;
};

interface Row {
  readonly about: string;
  readonly id: string;
  readonly project?: string;
  readonly tenant?: string;
  readonly kind: string;
  readonly tries: number;
  readonly since: string;
  readonly next_try_at: string;
  readonly code: string;
}
const failing = async (): Promise<Row[]> => {
  const reply = await florin.operator('GET', '/operator/due');
  assert.equal(reply.status, 200, reply.text);
  return reply.body.failing;
};

const created = async (by: Client, fields: object = {}): Promise<string> => {
  const reply = await by('POST', '/gateway/orders/create', { amount: 5, currency: 'EUR', ...fields });
  assert.equal(reply.status, 201, reply.text);
  return orderOf(reply).id;
};
const statusOf = async (by: Client, id: string): Promise<string> =>
  orderOf(await by('GET', `/gateway/orders/${id}`)).status;

const ownerOf = async (login: string): Promise<bigint> => {
  const [row] = await florin.database.query<{ id: bigint }>('select id from projects where login = $1', [login]);
  assert.ok(row);
  return row.id;
};

describe('with a clock that stands', () => {
  beforeEach(async () => {
    broken.clear();
    idle.clear();
    // What fails is tried again a second later: on a busy machine a clock that goes on is there before the clock is moved.
    await clock({ frozen: true });
    await advance('9d');
    await florin.database.query('delete from due_failures');
  });

  test('two hundred and fifty orders that fail keep no later one from its time', async () => {
    const sick = await ownerOf('sandbox');
    // All of one moment: a clock that is moved stops once for them.
    const ids = await Promise.all(
      Array.from({ length: 250 }, () => created(florin.merchant, { options: { expiration_timeout: '10m' } })),
    );
    const later = await created(florin.stranger, { options: { expiration_timeout: '20m' } });
    const own = await shop.authorized();
    broken.set('due.expire', (owner) => owner === sick);
    const { not_run } = await advance('30m');
    assert.equal(await statusOf(florin.stranger, later), 'rejected');
    assert.equal(not_run.length, 100, 'the first hundred are told');
    assert.deepEqual(new Set(not_run.map(({ kind }) => kind)), new Set(['expire']));
    await advance('8d');
    assert.equal(
      await statusOf(florin.merchant, own.id),
      'reversed',
      'what is not broken runs, also of the same owner',
    );
    assert.equal(await statusOf(florin.merchant, ids[0] as string), 'new');
    broken.clear();
    assert.deepEqual((await advance('1h')).not_run, []);
    assert.deepEqual(await florin.database.query(`select id from orders where status = 'new'`), []);
    assert.deepEqual(await failing(), []);
    await shop.booksHold();
  });

  test('is tried again in growing waits, that a restart does not forget', async () => {
    await clock({ now: new Date(Date.parse(START) + 400 * 86_400_000).toISOString() });
    broken.set('due.expire', () => true);
    const id = await created(florin.merchant, { options: { expiration_timeout: '1m' } });
    const waits: number[] = [];
    const { now: since } = await advance('1m');
    for (let tries = 1; tries <= 8; tries++) {
      const [row, ...others] = await failing();
      assert.ok(row && others.length === 0);
      const { body } = await florin.operator('GET', '/simulator/clock');
      waits.push(Date.parse(row.next_try_at) - Date.parse(body.now));
      assert.deepEqual(
        { ...row, next_try_at: '' },
        {
          about: 'order',
          id,
          project: 'sandbox',
          kind: 'expire',
          tries,
          since,
          next_try_at: '',
          code: 'PART_BROKEN',
        },
      );
      if (tries === 3) await florin.restart();
      await advance(`${waits.at(-1)}ms`);
    }
    assert.deepEqual(waits, [1_000, 5_000, 30_000, 120_000, 600_000, 3_600_000, 3_600_000, 3_600_000]);
    const metrics = await (await fetch(`${florin.url}/metrics`)).text();
    assert.match(metrics, /^florin_due_failures\{about="order"\} 1$/m);
    broken.clear();
    await advance('1h');
    assert.equal(await statusOf(florin.merchant, id), 'rejected');
    assert.deepEqual(await failing(), []);
  });

  test('one kind that fails stops no other on the same order', async () => {
    const { id } = await shop.authorized();
    broken.set('due.warn', () => true);
    const { not_run } = await advance('8d');
    assert.equal(await statusOf(florin.merchant, id), 'reversed');
    assert.deepEqual(
      not_run.map((row) => [row.id, row.kind]),
      [[id, 'warn']],
    );
  });

  test('work that is said to be done and is not counts as failed', async () => {
    const id = await created(florin.merchant, { options: { expiration_timeout: '1m' } });
    idle.add('due.expire');
    const { not_run } = await advance('5m');
    assert.deepEqual(
      not_run.map((row) => [row.id, row.kind, row.code]),
      [[id, 'expire', 'NO_EFFECT']],
    );
    const [again] = (await advance('2s')).not_run;
    assert.deepEqual([again?.code, again?.tries], ['NO_EFFECT', 2]);
    idle.clear();
    assert.deepEqual((await advance('10s')).not_run, []);
    assert.equal(await statusOf(florin.merchant, id), 'rejected');
  });

  test('issuing: plastic that fails at the bureau is told, and keeps no other from its time', async () => {
    const ada = await customer(florin);
    const [sick, well] = [await plasticCard(ada, false), await plasticCard(ada, false)];
    const stateOf = async (id: string): Promise<string> =>
      (await (await customer(florin))('GET', `/cards/${id}`)).body.physicalCardDetails.manufacturingState;
    const { inward } = florin.app.permutation;
    broken.set('card.due', (_, id) => id === inward(sick));
    const { not_run } = await advance('61m');
    assert.deepEqual(
      not_run.map((row) => [row.about, row.id, row.tenant, row.kind, row.tries]),
      [['card', sick, 'sandbox', 'card', 2]],
    );
    assert.deepEqual([await stateOf(sick), await stateOf(well)], ['REQUESTED', 'SENT_FOR_FULFILLMENT']);
    broken.clear();
    assert.deepEqual((await advance('1m')).not_run, []);
    assert.equal(await stateOf(sick), 'SENT_FOR_FULFILLMENT');
  });
});

describe('with a worker', () => {
  test('nobody waits for what fails: another order of the same owner and kind ends within two seconds of its time', async () => {
    broken.clear();
    const running = await testApp({ WORKERS: 'on' }, { plant: planted });
    const merchant = running.clientWith(basic('sandbox', 'sandbox-secret'));
    const before = await merchant('POST', '/gateway/orders/authorize', payment({ options: { auto_charge: 0 } }));
    assert.equal(before.status, 200);
    let well = 0n;
    broken.set('due.expire', (_, id) => id !== well);
    for (let i = 0; i < 13; i++)
      await Promise.all(
        Array.from({ length: 20 }, () => created(merchant, { options: { expiration_timeout: '100ms' } })),
      );
    const id = await created(merchant, { options: { expiration_timeout: '1s' } });
    well = running.app.permutation.inward(id) as bigint;
    const dueAt = systemClock.elapsed() + 1000;
    while ((await statusOf(merchant, id)) === 'new') {
      assert.ok(systemClock.elapsed() < dueAt + 2000, 'two seconds late');
      await systemClock.sleep(50);
    }
  });
});
