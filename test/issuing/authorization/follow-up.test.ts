// A payment from its hold to its refund, each message once and again; the books are checked after every step.
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import fc from 'fast-check';
import { addDays } from '../../../src/base/index.ts';
import { authorizationTimelines } from '../../../src/issuing/authorization/index.ts';
import type { Card } from '../../../src/issuing/cards/index.ts';
import type { NetworkRequest } from '../../../src/network/index.ts';
import { type IssuerWorld, issuerWorld, later, NOW, runDue } from './issuer.ts';
import { withPlastic } from './world.ts';

let world: IssuerWorld;
before(async () => {
  world = await issuerWorld();
});

const plastic = (funds: bigint): Promise<Card> => world.card(funds, withPlastic());

const codeOf = async (request: NetworkRequest): Promise<string> =>
  (await world.authorizer.handle(request)).responseCode;

/** Sends each message twice: the answers are the same, and the second changes nothing. */
async function sent(request: NetworkRequest): Promise<string> {
  const first = await world.authorizer.handle(request);
  const instrument = await world.database.query('select * from funds order by instrument_id');
  assert.deepEqual(await world.authorizer.handle({ ...request, attempt: 2 }), first);
  assert.deepEqual(await world.database.query('select * from funds order by instrument_id'), instrument);
  assert.deepEqual(await world.violated(), []);
  return first.responseCode;
}

async function holding(card: Card, actual: bigint, held: bigint): Promise<void> {
  assert.deepEqual(await world.funds(card.id), { actual, held });
}

test('hold, increment, partial reversal, clearing, refund, refund reversal', async () => {
  const card = await world.card(10_000n);
  const first = world.request(card, 1000n);
  const answer = await world.authorizer.handle(first);
  assert.equal(answer.responseCode, '00');
  assert.match(answer.authCode ?? '', /^\d{6}$/);
  assert.equal(answer.approvedMinor, 1000n);
  assert.match(answer.rrn, /^\d{12}$/);
  await holding(card, 10_000n, 1000n);
  assert.equal(await sent(later(world, first, 'increment', 500n)), '00');
  await holding(card, 10_000n, 1500n);
  assert.equal(await sent(later(world, first, 'reverse', 300n)), '00');
  await holding(card, 10_000n, 1200n);
  const charge = later(world, first, 'charge', 1100n);
  const cleared = await world.authorizer.handle(charge);
  assert.equal(cleared.authCode, answer.authCode);
  assert.equal(cleared.rrn, answer.rrn);
  assert.equal(await sent(charge), '00');
  await holding(card, 8900n, 0n);
  const refund = later(world, first, 'refund', 400n);
  assert.equal(await sent(refund), '00');
  await holding(card, 9300n, 0n);
  assert.equal(await sent(later(world, refund, 'reverse', 400n)), '00');
  assert.equal(await sent(later(world, refund, 'reverse', 400n)), '25');
  await holding(card, 8900n, 0n);
  assert.equal(await sent(later(world, first, 'refund', 1101n)), '13');
  assert.equal(await sent(later(world, charge, 'refund', 1100n)), '00');
  await holding(card, 10_000n, 0n);
});

test('several clearings keep the rest held until the last; one may go over', async () => {
  const card = await world.card(5000n);
  const first = world.request(card, 1000n, { final: false });
  assert.equal(await sent(first), '00');
  assert.equal(await sent(later(world, first, 'charge', 400n, { final: false })), '00');
  await holding(card, 4600n, 600n);
  assert.equal(await sent(later(world, first, 'charge', 700n)), '00');
  await holding(card, 3900n, 0n);
  assert.equal(await sent(later(world, first, 'reverse', 1n)), '25');
});

test('a clearing that is taken back is a refund of it, at most once', async () => {
  const card = await world.card(5000n);
  const first = world.request(card, 1000n);
  await codeOf(first);
  const charge = later(world, first, 'charge', 1000n);
  await codeOf(charge);
  assert.equal(await sent(later(world, charge, 'reverse', 1000n)), '00');
  await holding(card, 5000n, 0n);
  assert.equal(await sent(later(world, charge, 'reverse', 1000n)), '13');
});

test('a clearing without any hold is posted, below zero if it must be', async () => {
  const card = await world.card(100n);
  assert.equal(await sent(world.request(card, 300n, { operation: 'charge' })), '00');
  await holding(card, -200n, 0n);
  assert.equal(await codeOf(world.request(card, 1n)), '51');
});

test('a refund without original and a credit pay to the card', async () => {
  const card = await world.card(0n);
  assert.equal(await sent(world.request(card, 300n, { operation: 'refund' })), '00');
  const credit = world.request(card, 200n, { operation: 'credit', channel: 'credit' });
  assert.equal(await sent(credit), '00');
  await holding(card, 500n, 0n);
  assert.equal(await sent(later(world, credit, 'reverse', 200n)), '00');
  await holding(card, 300n, 0n);
});

test('a reversal that overtakes its request is remembered: the late request holds nothing', async () => {
  const card = await world.card(1000n);
  const first = world.request(card, 500n);
  assert.equal(await sent(later(world, first, 'reverse', 500n)), '25');
  assert.equal(await sent(first), '12');
  await holding(card, 1000n, 0n);
  // And in one commit group.
  const second = world.request(card, 500n);
  const [reversed, answered] = await Promise.all([codeOf(later(world, second, 'reverse', 500n)), codeOf(second)]);
  assert.ok(
    (reversed === '25' && answered === '12') || (reversed === '00' && answered === '00'),
    `${reversed} ${answered}`,
  );
  await holding(card, 1000n, 0n);
});

test('a hold ends once, on its day; a later clearing still posts', async () => {
  const card = await world.card(1000n);
  const first = world.request(card, 600n);
  assert.equal(await codeOf(first), '00');
  const [expiry] = authorizationTimelines(world.issuer);
  const due = await expiry?.nextDueAt(world.database, new Date(NOW));
  assert.deepEqual(due, addDays(new Date(NOW), 7));
  world.clock.set(new Date(addDays(new Date(NOW), 7).getTime() - 1));
  assert.equal(await runDue(expiry, world.database, world.clock.now()), 0);
  world.clock.set(addDays(new Date(NOW), 7));
  assert.deepEqual(
    await Promise.all([1, 2].map(() => runDue(expiry, world.database, world.clock.now()))),
    [1, 1],
    'both found it',
  );
  await holding(card, 1000n, 0n);
  assert.equal(await sent(later(world, first, 'charge', 600n)), '00');
  await holding(card, 400n, 0n);
  const rows = await world.database.query<{ type: string; sequence: number }>(
    `select e.type, e.sequence from events e join authorizations a on a.id = e.subject_id where a.card_id = $1 order by e.sequence`,
    [card.id],
  );
  assert.deepEqual(
    rows.map(({ type, sequence }) => [sequence, type]),
    [
      [1, 'authorization.approved'],
      [2, 'authorization.expired'],
      [3, 'authorization.cleared'],
    ],
  );
  world.clock.set(new Date(NOW));
});

test('another currency: held at the rate, cleared at the rate of the day, refunded to the last minor unit', async () => {
  const card = await world.card(10_000n);
  const first = world.request(card, 1001n, { amount: { minor: 1001n, currency: 'USD' } });
  assert.equal(await sent(first), '00');
  await holding(card, 10_000n, 901n);
  assert.equal(await sent(later(world, first, 'charge', 1001n)), '00');
  await holding(card, 9099n, 0n);
  for (const part of [333n, 333n, 335n]) assert.equal(await sent(later(world, first, 'refund', part)), '00');
  await holding(card, 10_000n, 0n);
  assert.equal(await codeOf(world.request(card, 5n, { amount: { minor: 5n, currency: 'SEK' } })), '57');
});

test('fees are held with the purchase and charged at its clearing', async () => {
  await world.set({
    profile: { fees: { purchasePercent: '2', atmFixed: 150, fxPercent: '0', paddingPercent: '0' } },
  });
  const card = await plastic(10_000n);
  const first = world.request(card, 1000n, { channel: 'atm' });
  assert.equal(await sent(first), '00');
  await holding(card, 10_000n, 1170n);
  assert.equal(await sent(later(world, first, 'charge', 500n, { final: false })), '00');
  await holding(card, 9340n, 510n);
  assert.equal(await sent(later(world, first, 'charge', 500n)), '00');
  await holding(card, 8830n, 0n);
  await world.set({});
});

test('messages of one card that name a payment of another find nothing', async () => {
  const [mine, other] = [await world.card(1000n), await world.card(1000n)];
  const first = world.request(mine, 500n);
  await codeOf(first);
  const pan = world.cardNumbers.get(other.id);
  assert.ok(pan);
  assert.equal(await sent(later(world, first, 'reverse', 500n, { pan })), '25');
  assert.equal(await sent(later(world, first, 'increment', 5n, { pan })), '25');
  await holding(mine, 1000n, 500n);
});

test('whatever messages come in whatever order, the books are right', async () => {
  const step = fc.record({
    operation: fc.constantFrom<NetworkRequest['operation'][]>(
      'authorize',
      'increment',
      'charge',
      'reverse',
      'refund',
      'credit',
    ),
    of: fc.nat(5),
    amount: fc.bigInt(0n, 400n),
    final: fc.boolean(),
    usd: fc.boolean(),
    hours: fc.integer({ min: 0, max: 80 }),
  });
  await world.set({
    profile: { fees: { purchasePercent: '1.3', atmFixed: 7, fxPercent: '0.7', paddingPercent: '3' } },
  });
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 25 }), async (steps) => {
      const card = await plastic(1500n);
      const known: NetworkRequest[] = [];
      for (const { operation, of, amount, final, usd, hours } of steps) {
        world.clock.set(new Date(world.clock.now().getTime() + hours * 3_600_000));
        await runDue(authorizationTimelines(world.issuer)[0], world.database, world.clock.now());
        const original = known[of % Math.max(1, known.length)];
        const request =
          operation === 'authorize' || operation === 'credit' || !original
            ? world.request(card, amount, {
                operation,
                final,
                amount: { minor: amount, currency: usd ? 'USD' : 'EUR' },
                channel: operation === 'credit' ? 'credit' : final ? 'atm' : 'chip',
              })
            : later(world, original, operation, amount, { final });
        const answers = await Promise.all([world.authorizer.handle(request), world.authorizer.handle(request)]);
        assert.deepEqual(answers[0], answers[1]);
        known.push(request);
      }
      assert.deepEqual(await world.violated(), []);
    }),
    { numRuns: 25 },
  );
  await world.set({});
});
