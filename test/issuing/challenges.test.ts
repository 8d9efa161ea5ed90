// Each change of a challenge has its event, and the event says what the list of challenges says at that moment
// (docs/contract/events.md#challenges).
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { addMs, type Pan } from '../../src/base/index.ts';
import type { CATALOGUE } from '../../src/events/log/catalogue.ts';
import type { Card } from '../../src/issuing/cards/index.ts';
import { answerFromDevice } from '../../src/issuing/challenges/challenge.ts';
import {
  type ChallengeName,
  checkCode,
  endChallenges,
  enrol,
  fallBack,
  resend,
  stateOf,
} from '../../src/issuing/challenges/index.ts';
import { type ChallengeRow, challengesOfCard } from '../../src/issuing/challenges/queries.ts';
import { challengeView } from '../../src/issuing/challenges/write.ts';
import { factorSet, userCreate } from '../../src/issuing/people/index.ts';
import { differing } from '../events/told.ts';
import { type IssuerWorld, issuerWorld } from './authorization/issuer.ts';

const MOBILE = '+35699000321';
const CODE = '123456';
let world: IssuerWorld;
let linkedUserId: string;
before(async () => {
  world = await issuerWorld();
  const id = world.issuer.ids.next();
  const tenantId = 1n;
  linkedUserId = world.issuer.permutation.outward(id);
  await world.database.transaction(async (db) => {
    const of = { id, tenantId, identityId: 5n, kind: 'root', name: 'Ada', surname: 'Example' } as const;
    await userCreate(db, world.issuer, { ...of, email: 'ada@example.test', mobile: MOBILE, password: null });
    await factorSet(db, world.issuer, { tenantId, id }, 'BIOMETRICS', true);
  });
});

interface Told {
  readonly type: string;
  readonly resource: { readonly sequence: number };
  readonly data: { readonly object: Record<string, unknown>; readonly previous: Record<string, unknown> };
}

async function asked(fields: Partial<Card> = { mobile: MOBILE }): Promise<{ card: Card; name: ChallengeName }> {
  const card = await world.card(0n, fields);
  const enrolled = await enrol(world.issuer, {
    pan: world.cardNumbers.get(card.id) as Pan,
    amount: { minor: 1250n, currency: 'EUR' },
    merchantName: 'Shop',
    forced: true,
  });
  assert.ok(enrolled?.kind === 'challenge');
  return { card, name: enrolled.challenge };
}
async function askedOnDevice(): Promise<{ card: Card; name: ChallengeName }> {
  const { details } = await world.card();
  const threeDs = { linkedUserId, primaryChannel: 'BIOMETRICS', fallbackChannel: 'OTP_SMS' } as const;
  return asked({ details: { ...details, threeDs } });
}

async function rowOf(card: Card): Promise<ChallengeRow> {
  const [row] = await challengesOfCard(world.database, card.tenant_id, card.id, 1);
  assert.ok(row);
  return row;
}
const toldOf = async ({ id }: ChallengeRow): Promise<Told[]> =>
  (
    await world.database.query<{ body: string }>('select body from events where subject_id = $1 order by sequence', [
      id,
    ])
  ).map(({ body }) => JSON.parse(body));

/** Where the newest event differs from the list, and gaps in the numbers. */
async function untrue(card: Card): Promise<string[]> {
  const row = await rowOf(card);
  const told = await toldOf(row);
  const shown = JSON.parse(JSON.stringify(challengeView(world.issuer.permutation, row)));
  const counted = told.length === row.events && told.every(({ resource }, i) => resource.sequence === i + 1);
  return [...differing(shown, told.at(-1)?.data.object ?? {}), ...(counted ? [] : ['sequence'])];
}

const later = (ms: number): void => world.clock.set(addMs(world.clock.now(), ms));
type Story = () => Promise<{ card: Card }>;
const told = (name: string): string => `challenge.${name}`;

/** verb → how a challenge comes to it, and all that is told of it by then. */
const STORIES: Readonly<Record<(typeof CATALOGUE.challenge.verbs)[number], readonly [Story, ...string[]]>> = {
  created: [asked, 'created'],
  resent: [
    async () => {
      const of = await asked();
      later(16_000);
      assert.equal(await resend(world.issuer, of.name), 'sent');
      return of;
    },
    'created',
    'resent',
  ],
  fell_back: [
    async () => {
      const of = await askedOnDevice();
      assert.ok(await fallBack(world.issuer, of.name));
      return of;
    },
    'created',
    'fell_back',
  ],
  passed: [
    async () => {
      const of = await asked();
      assert.equal(await checkCode(world.issuer, of.name, CODE), 'PASSED');
      return of;
    },
    'created',
    'passed',
  ],
  failed: [
    async () => {
      const of = await asked();
      for (let i = 0; i < 3; i++) await checkCode(world.issuer, of.name, '000000');
      return of;
    },
    'created',
    'failed',
  ],
  expired: [
    async () => {
      const of = await asked();
      later(301_000);
      assert.equal(await stateOf(world.issuer, of.name), 'EXPIRED');
      return of;
    },
    'created',
    'expired',
  ],
};

for (const [verb, [story, ...types]] of Object.entries(STORIES))
  test(`challenge.${verb}: one event a change, and each says what is so`, async () => {
    const { card } = await story();
    const row = await rowOf(card);
    const events = await toldOf(row);
    assert.deepEqual(
      events.map(({ type }) => type),
      types.map(told),
    );
    assert.equal(types.at(-1), verb);
    assert.deepEqual(await untrue(card), []);
    assert.deepEqual(events[0]?.data.previous, {});
    if (events.length > 1) assert.ok(Object.keys(events.at(-1)?.data.previous ?? {}).length > 0);
  });

test('what nobody answers is ended and told when its time is over; what was sent again meanwhile is not', async () => {
  const { card } = await asked();
  const other = await asked();
  later(200_000);
  assert.equal(await resend(world.issuer, other.name), 'sent');
  later(200_000);
  await Promise.all([1, 2].map(() => endChallenges(world.issuer)));
  assert.equal((await toldOf(await rowOf(card))).at(-1)?.type, 'challenge.expired');
  assert.deepEqual(await untrue(card), []);
  assert.equal((await rowOf(other.card)).state, 'PENDING');
});

test('answers at once: one moves it, and only that one is told; what is refused is not', async () => {
  const { card, name } = await askedOnDevice();
  const shown = world.issuer.permutation.outward((await rowOf(card)).id);
  await Promise.all([
    answerFromDevice(world.issuer, shown, 'success'),
    answerFromDevice(world.issuer, shown, 'invalid'),
    answerFromDevice(world.issuer, shown, 'expired'),
  ]);
  assert.equal(await fallBack(world.issuer, name), null);
  assert.equal((await toldOf(await rowOf(card))).length, 2);
  assert.deepEqual(await untrue(card), []);
  const sent = await asked();
  assert.equal(await resend(world.issuer, sent.name), 'too_early');
  assert.equal(await checkCode(world.issuer, sent.name, '000000'), 'PENDING');
  assert.equal((await toldOf(await rowOf(sent.card))).length, 1);
});

test('no event holds a code, its hash or a telephone; one that says otherwise is found', async () => {
  const { card } = await asked();
  const row = await rowOf(card);
  assert.ok(row.code_hash);
  for (const secret of [row.code_hash, MOBILE, `"${CODE}"`, 'code'])
    assert.deepEqual(
      await world.database.query(`select id from events where subject_type = 'challenge' and strpos(body, $1) > 0`, [
        secret,
      ]),
      [],
    );
  await world.database.query(`update events set body = replace(body, 'PENDING', 'PASSED') where subject_id = $1`, [
    row.id,
  ]);
  assert.deepEqual(await untrue(card), ['state']);
});
