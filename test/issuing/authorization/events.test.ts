// Each way in which an authorization changes has its event, and the event says what the list of payments says at that moment
// (docs/contract/events.md#authorizations).
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { addDays } from '../../../src/base/index.ts';
import type { CATALOGUE } from '../../../src/events/log/catalogue.ts';
import { authorizationTimelines } from '../../../src/issuing/authorization/index.ts';
import type { Card } from '../../../src/issuing/cards/index.ts';
import type { Authorization } from '../../../src/issuing/payments/index.ts';
import { authorizationsOfCard, paymentView } from '../../../src/issuing/payments/index.ts';
import type { NetworkRequest } from '../../../src/network/index.ts';
import { differing } from '../../events/told.ts';
import { type IssuerWorld, issuerWorld, later, NOW, runDue } from './issuer.ts';

let world: IssuerWorld;
before(async () => {
  world = await issuerWorld();
});

interface Told {
  readonly type: string;
  readonly cause: { readonly by: string };
  readonly resource: { readonly id: string; readonly sequence: number };
  readonly data: { readonly object: Record<string, unknown>; readonly previous: Record<string, unknown> };
}

const rowsOf = ({ tenant_id, id }: Card): Promise<Authorization[]> =>
  authorizationsOfCard(world.database, tenant_id, id, null, 100);
const toldOf = async ({ id }: Authorization): Promise<Told[]> =>
  (
    await world.database.query<{ body: string }>('select body from events where subject_id = $1 order by sequence', [
      id,
    ])
  ).map(({ body }) => JSON.parse(body));

/** Where the newest event of a card's payments differs from what their list shows; and gaps in its numbers. */
async function untrue(card: Card): Promise<string[]> {
  const found: string[] = [];
  for (const row of await rowsOf(card)) {
    const told = await toldOf(row);
    const shown = JSON.parse(JSON.stringify(paymentView(world.issuer.permutation, row)));
    found.push(...differing(shown, told.at(-1)?.data.object ?? {}));
    if (told.some(({ resource }, i) => resource.sequence !== i + 1) || told.length !== row.events)
      found.push('sequence');
  }
  return found;
}

type Step = (card: Card) => Promise<unknown>;
const handled = (request: NetworkRequest) => world.authorizer.handle(request);
const sent = async (request: NetworkRequest): Promise<NetworkRequest> => {
  await handled(request);
  return request;
};
const approved = (card: Card, fields: Partial<NetworkRequest> = {}): Promise<NetworkRequest> =>
  sent(world.request(card, 1000n, fields));

/** verb → how it comes to it, and the states of the payment at each of its events. */
const WAYS: Readonly<Record<(typeof CATALOGUE.authorization.verbs)[number], readonly [Step, ...string[]]>> = {
  pending: [
    async (card) => {
      await world.set({
        tenant: { forwarding: { url: 'https://tenant.example/hook', secret: 'whsec_AAAA' } },
        programme: { authForwarding: true },
        profile: { authForwarding: true },
      });
      await approved(card);
      await world.set({});
    },
    'PENDING',
    'OPEN',
  ],
  approved: [approved, 'OPEN'],
  declined: [(card) => sent(world.request(card, 99_999n)), 'DECLINED'],
  incremented: [async (card) => handled(later(world, await approved(card), 'increment', 500n)), 'OPEN', 'OPEN'],
  reversed: [async (card) => handled(later(world, await approved(card), 'reverse', 1000n)), 'OPEN', 'CLOSED'],
  cleared: [async (card) => handled(later(world, await approved(card), 'charge', 1000n)), 'OPEN', 'CLOSED'],
  voided: [
    async (card) => {
      const charge = await sent(later(world, await approved(card), 'charge', 1000n));
      await handled(later(world, charge, 'reverse', 1000n));
    },
    'OPEN',
    'CLOSED',
    'CLOSED',
  ],
  expired: [
    async (card) => {
      await approved(card);
      world.clock.set(addDays(new Date(NOW), 8));
      await runDue(authorizationTimelines(world.issuer)[0], world.database, world.clock.now());
      world.clock.set(new Date(NOW));
    },
    'OPEN',
    'CLOSED',
  ],
  refunded: [(card) => sent(world.request(card, 300n, { operation: 'refund' })), 'CLOSED'],
  refund_reversed: [
    async (card) => {
      const refund = await sent(world.request(card, 300n, { operation: 'refund' }));
      await handled(later(world, refund, 'reverse', 300n));
    },
    'CLOSED',
    'CLOSED',
  ],
};

for (const [verb, [step, ...states]] of Object.entries(WAYS))
  test(`authorization.${verb}: one event a change, and each says what is so`, async () => {
    const card = await world.card(10_000n);
    await step(card);
    const [row] = await rowsOf(card);
    assert.ok(row);
    const told = await toldOf(row);
    assert.deepEqual(
      told.map(({ data }) => data.object.state),
      states,
    );
    assert.ok(told.some(({ type }) => type === `authorization.${verb}`));
    assert.deepEqual(await untrue(card), []);
    assert.deepEqual(await world.violated(), []);
    const [first, second] = told;
    assert.deepEqual(first?.data.previous, {});
    if (second) assert.ok(Object.keys(second.data.previous).length > 0);
    assert.ok(Array.isArray(first?.data.object.explanation));
  });

test('what is refused, and what is repeated, has no event', async () => {
  const card = await world.card(1000n);
  const first = await approved(card);
  await handled({ ...first, attempt: 2 });
  await handled(later(world, first, 'increment', 5000n));
  await handled(later(world, first, 'reverse', 5000n));
  const [row] = await rowsOf(card);
  assert.deepEqual(
    (await toldOf(row as Authorization)).map(({ type }) => type),
    ['authorization.approved'],
  );
});

test('an event that says otherwise, one that is missing, one that is too many: each is found', async () => {
  const card = await world.card(1000n);
  await approved(card);
  const [row] = await rowsOf(card);
  const { id } = row as Authorization;
  const changed = async (statement: string): Promise<void> => {
    await world.database.query(statement, [id]);
  };
  await changed(`update events set body = replace(body, '"held":1000', '"held":999') where subject_id = $1`);
  assert.deepEqual(await untrue(card), ['held']);
  await changed(`update events set body = replace(body, '"held":999', '"held":1000') where subject_id = $1`);
  await changed('update authorizations set events = 2 where id = $1');
  assert.deepEqual(await untrue(card), ['sequence']);
  assert.deepEqual(await world.violated(), ['authorization_events_are_changes']);
  await changed('update authorizations set events = 1 where id = $1');
  assert.deepEqual(await world.violated(), []);
});
