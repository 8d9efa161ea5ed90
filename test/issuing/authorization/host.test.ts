// The issuer as the network meets it: secrets of the card, strong authentication, forwarding to the tenant, dry runs, unknown numbers.
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { addMs, luhnDigit, type Pan } from '../../../src/base/index.ts';
import { authorizationTimelines, type CavvClaim, type Forwarded } from '../../../src/issuing/authorization/index.ts';
import type { Card } from '../../../src/issuing/cards/index.ts';
import type { NetworkRequest } from '../../../src/network/index.ts';
import { pan } from '../../network/requests.ts';
import { type IssuerWorld, issuerWorld, later, runDue } from './issuer.ts';
import { PLASTIC, withPlastic } from './world.ts';

let world: IssuerWorld;
before(async () => {
  world = await issuerWorld();
});

const numberOf = (card: Card): Pan => {
  const number = world.cardNumbers.get(card.id);
  assert.ok(number);
  return number;
};
const codesOf = async (...requests: NetworkRequest[]): Promise<string[]> => {
  const codes: string[] = [];
  for (const request of requests) codes.push((await world.authorizer.handle(request)).responseCode);
  return codes;
};

test('a number of nobody is 14, and nothing is kept of it', async () => {
  const card = await world.card(100n);
  const request = world.request(card, 10n, { pan: pan(`559999000009999${luhnDigit('559999000009999')}`) });
  assert.deepEqual(await codesOf(request, { ...request, attempt: 2 }), ['14', '14']);
  assert.deepEqual(
    await world.database.query('select 1 from authorization_messages where reference = $1', [request.reference]),
    [],
  );
});

test('a right CVV is M, a wrong one N and 82; after three wrong ones none is tried, and cards without stay usable', async () => {
  const card = await world.card(1000n);
  const right = world.issuer.vault.cardVerification.cvv(numberOf(card), card.expires);
  const wrong = right === '111' ? '222' : '111';
  const ask = (cvv: string | null) => world.authorizer.handle(world.request(card, 1n, { cvv }));
  assert.equal((await ask(right)).cvvResult, 'M');
  for (let i = 0; i < 2; i++) {
    const { responseCode, cvvResult } = await ask(wrong);
    assert.deepEqual([responseCode, cvvResult], ['82', 'N']);
  }
  assert.equal((await ask(right)).responseCode, '00', 'two wrong ones are forgiven by a right one');
  for (let i = 0; i < 3; i++) assert.equal((await ask(wrong)).responseCode, '82');
  assert.equal((await ask(right)).responseCode, '62');
  assert.equal((await ask(null)).responseCode, '00');
});

test('wrong CVVs that come at once are all counted', async () => {
  const card = await world.card(1000n);
  const right = world.issuer.vault.cardVerification.cvv(numberOf(card), card.expires);
  const wrong = right === '111' ? '222' : '111';
  const answers = await Promise.all(
    Array.from({ length: 20 }, () => world.authorizer.handle(world.request(card, 1n, { cvv: wrong }))),
  );
  assert.equal(answers.filter(({ responseCode }) => responseCode === '82').length, 3);
  assert.equal(answers.filter(({ responseCode }) => responseCode === '62').length, 17);
});

test('three wrong PINs block the PIN', async () => {
  const card = await world.card(1000n, withPlastic());
  const right = world.issuer.vault.cardVerification.pin(numberOf(card), PLASTIC.pinOffset);
  const wrong = right === '1111' ? '2222' : '1111';
  const use = (pin: string) => world.request(card, 1n, { channel: 'chip', pin });
  assert.deepEqual(await codesOf(use(wrong), use(wrong), use(right), use(wrong), use(wrong), use(wrong), use(right)), [
    '55',
    '55',
    '00',
    '55',
    '55',
    '55',
    '75',
  ]);
});

const AUTHENTICATION = {
  letter: 'Y',
  eci: '05',
  cavv: Buffer.alloc(20, 7).toString('base64'),
  dsTransId: 'd',
  version: '2.2.0',
  forced: false,
};

test('e-commerce wants an authentication of just this payment, once, or a payment that the merchant starts', async () => {
  const claims: CavvClaim[] = [];
  const host = world.authorizerWith({
    verifyCavv(claim) {
      claims.push(claim);
      return claim.amount.minor === 500n;
    },
  });
  const card = await world.card(10_000n);
  const shop = (minor: bigint, different: Partial<NetworkRequest> = {}) =>
    world.request(card, minor, { channel: 'ecommerce', ...different });
  const code = async (request: NetworkRequest): Promise<string> => (await host.handle(request)).responseCode;
  assert.equal(await code(shop(500n)), 'A1');
  assert.equal(await code(shop(499n, { authentication: AUTHENTICATION })), 'A1', 'of another amount');
  assert.equal(await code(shop(500n, { authentication: { ...AUTHENTICATION, letter: 'U' } })), 'A1');
  const proven = shop(500n, { authentication: AUTHENTICATION });
  assert.equal(await code(proven), '00');
  assert.equal(await code(proven), '00', 'a repeat is the same payment');
  assert.equal(await code(shop(500n, { authentication: AUTHENTICATION })), 'A1', 'used already');
  const respelled = { ...AUTHENTICATION, cavv: Buffer.alloc(20, 7).toString('hex') };
  assert.equal(await code(shop(500n, { authentication: respelled })), 'A1', 'the same value in other letters');
  assert.equal(await code(shop(500n, { exemption: 'mit' })), '00');
  assert.equal(await code(shop(500n, { initiator: 'merchant', originalTraceId: 'MCC1234561121' })), '00');
  assert.equal(await code(shop(500n, { initiator: 'merchant' })), 'A1');
  assert.equal(await code(shop(0n)), '85');
  assert.equal(claims.at(-1)?.merchantId, 'SHOP1');
  assert.deepEqual(await world.violated(), []);
});

test('two payments with one authentication at once: one of them', async () => {
  const card = await world.card(10_000n);
  const answers = await Promise.all(
    Array.from({ length: 10 }, () =>
      world.authorizer.handle(
        world.request(card, 500n, {
          channel: 'ecommerce',
          authentication: { ...AUTHENTICATION, cavv: Buffer.alloc(20, 9).toString('base64') },
        }),
      ),
    ),
  );
  assert.equal(answers.filter(({ responseCode }) => responseCode === '00').length, 1);
});

test('a dry run says what would be, and changes nothing', async () => {
  const card = await world.card(1000n);
  const request = world.request(card, 600n);
  const dry = await world.authorizer.ask(request, { dryRun: true });
  assert.equal(dry.answer.responseCode, '00');
  assert.deepEqual(await world.funds(card.id), { actual: 1000n, held: 0n });
  const wet = await world.authorizer.ask(request);
  assert.deepEqual(wet.explanation, dry.explanation);
  const second = await world.authorizer.ask(world.request(card, 600n, { cvv: '000' }), { dryRun: true });
  assert.notEqual(second.answer.responseCode, '00');
  const rows = await world.database.query('select 1 from authorizations where card_id = $1', [card.id]);
  assert.equal(rows.length, 1);
});

const FORWARDED = {
  tenant: { forwarding: { url: 'https://tenant.example/hook', secret: 'whsec_AAAA' } },
  programme: { authForwarding: true },
  profile: { authForwarding: true },
} as const;

test('a tenant is asked after the hold: its word, or the default of the card and then of the profile', async () => {
  await world.set(FORWARDED);
  const plain = await world.card(1000n);
  const cases: readonly (readonly [Forwarded, 'APPROVE' | 'DECLINE' | null, string])[] = [
    [{ decision: 'APPROVE', cause: 'answered' }, 'DECLINE', '00'],
    [{ decision: 'DECLINE', cause: 'answered' }, 'APPROVE', '05'],
    [{ decision: null, cause: 'timeout' }, 'APPROVE', '00'],
    [{ decision: null, cause: 'timeout' }, 'DECLINE', '91'],
    [{ decision: null, cause: 'timeout' }, null, '91'],
  ];
  for (const [said, timeoutDecision, code] of cases) {
    const card = await world.card(1000n, { details: { ...plain.details, timeoutDecision } });
    let heldMeanwhile = 0n;
    const host = world.authorizerWith({
      async forward() {
        heldMeanwhile = (await world.funds(card.id)).held;
        return said;
      },
    });
    const request = world.request(card, 400n);
    const [first, repeated] = await Promise.all([host.handle(request), host.handle({ ...request, attempt: 2 })]);
    assert.equal(first.responseCode, code);
    assert.deepEqual(repeated, first);
    assert.deepEqual(await host.handle(request), first);
    assert.equal(heldMeanwhile, 400n);
    assert.deepEqual(await world.funds(card.id), { actual: 1000n, held: code === '00' ? 400n : 0n });
    const [row] = await world.database.query<{ details: { forwarding: string }; windows: unknown }>(
      'select details from authorizations where card_id = $1',
      [card.id],
    );
    assert.match(row?.details.forwarding ?? '', new RegExp(said.cause));
  }
  assert.deepEqual(await world.violated(), []);
  await world.set({});
});

test('what a crash leaves waiting is ended by the default decision; the late answer changes nothing', async () => {
  await world.set(FORWARDED);
  const card = await world.card(1000n);
  let answerLate: (said: Forwarded) => void = () => undefined;
  const asked = new Promise<void>((resolve) => {
    const host = world.authorizerWith({
      forward: () => {
        resolve();
        return new Promise((late) => {
          answerLate = late;
        });
      },
    });
    waiting = host.handle(world.request(card, 400n));
  });
  await asked;
  const [, pending] = authorizationTimelines(world.issuer);
  assert.equal(await runDue(pending, world.database, world.clock.now()), 0, 'it may still be answered');
  assert.equal(await runDue(pending, world.database, addMs(world.clock.now(), 10_000)), 1);
  assert.deepEqual(await world.funds(card.id), { actual: 1000n, held: 0n });
  answerLate({ decision: 'APPROVE', cause: 'answered' });
  assert.equal((await waiting)?.responseCode, '91');
  assert.deepEqual(await world.funds(card.id), { actual: 1000n, held: 0n });
  await world.set({});
});
let waiting: Promise<{ responseCode: string }> | null = null;

test('a merchant that gives up while the tenant is asked gets its hold released', async () => {
  await world.set(FORWARDED);
  const card = await world.card(1000n);
  const request = world.request(card, 400n);
  const host = world.authorizerWith({
    async forward() {
      assert.equal((await world.authorizer.handle(later(world, request, 'reverse', 400n))).responseCode, '00');
      return { decision: 'APPROVE', cause: 'answered' };
    },
  });
  assert.equal((await host.handle(request)).approvedMinor, null);
  assert.deepEqual(await world.funds(card.id), { actual: 1000n, held: 0n });
  assert.deepEqual(await world.violated(), []);
  await world.set({});
});

test('levels: platform, identity, profile and card all apply, and KYC level 1 has rules of its own', async () => {
  const limit = (amount: number) => ({
    spendLimit: [{ value: { currency: 'EUR', amount }, interval: 'MONTHLY' as const }],
  });
  const base = await world.card(10_000n);
  const card = await world.card(10_000n, { details: { ...base.details, rules: limit(300) } });
  await world.set({ installation: { rules: { blockedMerchantCategories: ['7995'] } }, profile: { rules: limit(900) } });
  const gamble = world.request(card, 1n);
  const refused = await world.authorizer.ask({ ...gamble, terminal: { ...gamble.terminal, mcc: '7995' } });
  assert.deepEqual([refused.reason, refused.explanation.at(-1)?.level], ['MERCHANT_CATEGORY_BLOCKED', 'PLATFORM']);
  const large = await world.authorizer.ask(world.request(card, 301n));
  assert.deepEqual([large.reason, large.explanation.at(-1)?.level], ['SPEND_LIMIT_EXCEEDED', 'CARD']);
  await world.set({
    kycLevel: 'KYC_LEVEL_1',
    programme: {
      kyc: {
        KYC_LEVEL_1: { cards: 1, debitCards: false, rules: { maxTransactionAmount: 100 } },
        KYC_LEVEL_2: { cards: null, debitCards: true, rules: {} },
      },
    },
  });
  const low = await world.authorizer.ask(world.request(card, 101n));
  assert.deepEqual([low.reason, low.answer.responseCode], ['KYC_LIMIT_EXCEEDED', '61']);
  await world.set({});
});

test('a blocked parent account pays nothing', async () => {
  const account = await world.account(1000n);
  const card = await world.card(0n, { parent_account_id: account });
  assert.deepEqual(await codesOf(world.request(card, 10n)), ['00']);
  await world.database.query(`update managed_accounts set state = 'BLOCKED' where id = $1`, [account]);
  assert.deepEqual(await codesOf(world.request(card, 10n)), ['62']);
});
