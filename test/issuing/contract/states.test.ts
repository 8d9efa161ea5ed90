// Whatever a cardholder, the operator, merchants and time do to cards and an account, in whatever order: each answer is the one that a
// model of docs/contract/issuing.md#state-machine, #activation-order gives, balances are the sums of their entries, the books hold.
// Rule: the model here is written from the document and imports nothing of src. FLORIN_TEST_RUNS sets another number of runs.
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import fc from 'fast-check';
import { type Client, type Reply, type TestApp, testApp } from '../../support/app.ts';
import { advance, assertBooksHold, customer, DEBIT, newCard, UPGRADE } from '../../support/issuing.ts';

const RUNS = Number(process.env.FLORIN_TEST_RUNS ?? 20);
const STEPS = 40;
const CODE = UPGRADE.activationCode;

let florin: TestApp;
let ada: Client;
before(async () => {
  florin = await testApp();
  ada = await customer(florin);
});

type Block = 'USER' | 'SYSTEM' | 'LOST';
type Destroyed = 'USER' | 'LOST' | 'STOLEN';

interface Money {
  actual: number;
  held: number;
}

interface Standing {
  blocks: Block[];
  destroyed: Destroyed | null;
}

interface ModelCard extends Standing {
  readonly id: string;
  readonly debit: boolean;
  /** null: never ordered. */
  plastic: { pending: boolean; code: string | null; wrong: number } | null;
  type: 'VIRTUAL' | 'PHYSICAL';
  reported: 'LOST' | 'STOLEN' | null;
  replaced: boolean;
  /** A debit card's is its account's. */
  readonly money: Money;
  held: number;
  most: number | null;
}

interface Payment {
  readonly id: string;
  readonly card: ModelCard;
  held: number;
  cleared: number;
  refunded: number;
}

interface World {
  readonly account: Standing & { readonly id: string; readonly money: Money };
  readonly cards: ModelCard[];
  readonly payments: Payment[];
  /** What came from outside and went there. */
  outside: number;
}

const stateOf = ({ blocks, destroyed }: Standing): 'ACTIVE' | 'BLOCKED' | 'DESTROYED' =>
  destroyed ? 'DESTROYED' : blocks.length > 0 ? 'BLOCKED' : 'ACTIVE';
const shown = (of: Standing): object => {
  const state = stateOf(of);
  return {
    state,
    ...(state === 'BLOCKED' ? { blockedReason: of.blocks.at(-1) } : {}),
    ...(of.destroyed ? { destroyedReason: of.destroyed } : {}),
  };
};

/** The refusals of a verb in their order, then what it does to the model. */
interface Verb {
  readonly refused: readonly (readonly [code: string, applies: (card: ModelCard, code: string) => boolean])[];
  readonly apply: (card: ModelCard, code: string) => void;
  readonly body?: (code: string) => object;
  /** A refusal that counts. */
  readonly counts?: (card: ModelCard, code: string) => void;
}
const isGone = ['INSTRUMENT_DESTROYED', (card: ModelCard) => card.destroyed !== null] as const;
const isBlocked = ['INSTRUMENT_BLOCKED', (card: ModelCard) => stateOf(card) === 'BLOCKED'] as const;
const isVirtual = ['INSTRUMENT_NOT_PHYSICAL', (card: ModelCard) => card.plastic === null] as const;
const lift = (of: Standing, block: Block): void => {
  of.blocks = of.blocks.filter((one) => one !== block);
};

const VERBS = {
  block: {
    refused: [isGone, ['INSTRUMENT_ALREADY_BLOCKED', ({ blocks }) => blocks.includes('USER')]],
    apply: (card) => void card.blocks.push('USER'),
  },
  unblock: {
    refused: [
      isGone,
      ['INSTRUMENT_MARKED_LOST_STOLEN', ({ blocks }) => blocks.includes('LOST')],
      ['INSTRUMENT_NOT_BLOCKED', ({ blocks }) => !blocks.includes('USER')],
    ],
    apply: (card) => lift(card, 'USER'),
  },
  remove: {
    refused: [
      isGone,
      ['BALANCE_NOT_ZERO', ({ debit, money, held }) => held > 0 || (!debit && (money.actual !== 0 || money.held > 0))],
    ],
    apply: (card) => {
      card.destroyed = 'USER';
    },
  },
  upgrade: {
    refused: [isGone, isBlocked, ['INSTRUMENT_ALREADY_UPGRADED_TO_PHYSICAL', ({ plastic }) => plastic !== null]],
    apply: (card, code) => {
      card.plastic = { pending: true, code, wrong: 0 };
    },
    body: (activationCode) => ({ ...UPGRADE, activationCode }),
  },
  activate: {
    refused: [
      isGone,
      isBlocked,
      isVirtual,
      ['INSTRUMENT_ALREADY_ACTIVATED', ({ plastic }) => plastic?.pending === false],
      ['ACTIVATION_CODE_INVALID', ({ plastic }, code) => plastic?.code !== code],
    ],
    apply: (card) => {
      card.plastic = { pending: false, code: null, wrong: 0 };
      card.type = 'PHYSICAL';
    },
    counts: ({ plastic, blocks }) => {
      if (plastic && ++plastic.wrong >= 5 && !blocks.includes('SYSTEM')) blocks.push('SYSTEM');
    },
    body: (activationCode) => ({ activationCode }),
  },
  'report-lost': {
    refused: [isGone, isVirtual, ['INSTRUMENT_MARKED_LOST_STOLEN', ({ blocks }) => blocks.includes('LOST')]],
    apply: (card) => {
      card.blocks.push('LOST');
      card.reported = 'LOST';
    },
  },
  'report-stolen': {
    refused: [isGone, isVirtual],
    apply: (card) => {
      card.destroyed = 'STOLEN';
      card.reported = 'STOLEN';
    },
  },
  'replace-damaged': {
    refused: [isGone, ['INSTRUMENT_MARKED_LOST_STOLEN', ({ reported }) => reported !== null], isBlocked, isVirtual],
    apply: (card, code) => {
      card.plastic = { pending: true, code, wrong: 0 };
    },
    body: (activationCode) => ({ activationCode }),
  },
  'replace-lost-stolen': {
    refused: [
      ['INSTRUMENT_ALREADY_REPLACED', ({ replaced }) => replaced],
      ['INSTRUMENT_NOT_MARKED_LOST_STOLEN', ({ reported }) => reported === null],
    ],
    apply: (card) => {
      card.replaced = true;
      card.destroyed ??= 'LOST';
    },
    body: (activationCode) => ({ activationCode }),
  },
} as const satisfies Readonly<Record<string, Verb>>;

type Step =
  | { readonly do: 'card'; readonly verb: keyof typeof VERBS; readonly card: number; readonly right: boolean }
  | { readonly do: 'operator'; readonly verb: 'block' | 'unblock'; readonly card: number }
  | { readonly do: 'account'; readonly verb: 'block' | 'unblock'; readonly operator: boolean }
  | { readonly do: 'transfer'; readonly from: number; readonly to: number; readonly amount: number }
  | { readonly do: 'deposit'; readonly amount: number }
  | { readonly do: 'buy'; readonly card: number; readonly amount: number; readonly channel: 'ecommerce' | 'chip' }
  | { readonly do: 'follow'; readonly verb: Follow; readonly payment: number; readonly amount: number }
  | { readonly do: 'limit'; readonly card: number; readonly most: number }
  | { readonly do: 'wait'; readonly by: '61m' | '25h' | '8d' };
type Follow = 'clear' | 'reverse' | 'increment' | 'expire' | 'refund';

const index = fc.nat({ max: 11 });
const amount = fc.integer({ min: 1, max: 400 });
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 9,
    arbitrary: fc.record({
      do: fc.constant('card'),
      verb: fc.constantFrom(...(Object.keys(VERBS) as (keyof typeof VERBS)[])),
      card: index,
      right: fc.boolean(),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constant('operator'), verb: fc.constantFrom('block', 'unblock'), card: index }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant('account'),
      verb: fc.constantFrom('block', 'unblock'),
      operator: fc.boolean(),
    }),
  },
  { weight: 4, arbitrary: fc.record({ do: fc.constant('transfer'), from: index, to: index, amount }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('deposit'), amount }) },
  {
    weight: 5,
    arbitrary: fc.record({
      do: fc.constant('buy'),
      card: index,
      amount,
      channel: fc.constantFrom('ecommerce', 'chip'),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant('follow'),
      verb: fc.constantFrom('clear', 'reverse', 'increment', 'expire', 'refund'),
      payment: index,
      amount,
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('limit'), card: index, most: fc.nat({ max: 400 }) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('wait'), by: fc.constantFrom('61m', '25h', '8d') }) },
);

const freshCard = (id: string, money: Money, debit: boolean): ModelCard => ({
  id,
  debit,
  money,
  blocks: [],
  destroyed: null,
  plastic: null,
  type: 'VIRTUAL',
  reported: null,
  replaced: false,
  held: 0,
  most: null,
});

async function newWorld(): Promise<World> {
  const opened = await ada('POST', '/managed-accounts', { profileId: '1011', friendlyName: 'World', currency: 'EUR' });
  assert.equal(opened.status, 200, opened.text);
  const account = { id: opened.body.id, blocks: [], destroyed: null, money: { actual: 1000, held: 0 } };
  const paid = await florin.operator('POST', `/simulator/accounts/${account.id}/deposit`, { amount: 1000 });
  assert.equal(paid.status, 200, paid.text);
  const debit = await newCard(ada, { ...DEBIT, parentManagedAccountId: account.id });
  const cards = [
    freshCard(await newCard(ada), { actual: 0, held: 0 }, false),
    freshCard(debit, account.money, true),
    freshCard(await newCard(ada), { actual: 0, held: 0 }, false),
  ];
  return { account, cards, payments: [], outside: 1000 };
}

const pick = <Value>(values: readonly Value[], at: number): Value | undefined =>
  values[at % Math.max(1, values.length)];
const available = ({ actual, held }: Money): number => actual - held;

function answered(reply: Reply, expected: string | null, what: string): void {
  if (expected === null)
    assert.ok(reply.status === 200 || reply.status === 204, `${what}: ${reply.status} ${reply.text}`);
  else assert.deepEqual([reply.status, reply.body?.errorCode], [409, expected], `${what}: ${reply.text}`);
}

const request = (world: World, one: Step): (() => Promise<Reply>) | null => {
  const operator = florin.operator;
  if (one.do === 'card') {
    const card = pick(world.cards, one.card) as ModelCard;
    const rule: Verb = VERBS[one.verb];
    const code = one.right ? CODE : '999999';
    return () => ada('POST', `/cards/${one.verb}/${card.id}`, rule.body?.(one.verb === 'activate' ? code : CODE));
  }
  if (one.do === 'operator') {
    const card = pick(world.cards, one.card) as ModelCard;
    return () => operator('POST', `/operator/cards/${card.id}/${one.verb}`);
  }
  if (one.do === 'account') {
    const { id } = world.account;
    return () =>
      one.operator
        ? operator('POST', `/operator/managed-accounts/${id}/${one.verb}`)
        : ada('POST', `/managed-accounts/${one.verb}/${id}`);
  }
  if (one.do === 'transfer') {
    const [source, destination] = [one.from, one.to].map((at) => {
      const card = pick([null, ...world.cards], at);
      return card ? { type: 'managed_cards', id: card.id } : { type: 'managed_accounts', id: world.account.id };
    });
    const destinationAmount = { currency: 'EUR', amount: one.amount };
    return () => ada('POST', '/transfers', { source, destination, destinationAmount });
  }
  if (one.do === 'deposit')
    return () => operator('POST', `/simulator/accounts/${world.account.id}/deposit`, { amount: one.amount });
  if (one.do === 'buy') {
    const { id: cardId } = pick(world.cards, one.card) as ModelCard;
    const body = { cardId, amount: one.amount, currency: 'EUR', channel: one.channel, threeDs: true };
    return () => operator('POST', '/simulator/purchases', body);
  }
  if (one.do === 'follow') {
    const payment = pick(world.payments, one.payment);
    if (!payment) return null;
    const { id: authorizationId } = payment;
    if (one.verb === 'refund')
      return () => operator('POST', '/simulator/refunds', { authorizationId, amount: one.amount });
    const body = one.verb === 'expire' ? undefined : one.verb === 'reverse' ? {} : { amount: one.amount };
    return () => operator('POST', `/simulator/authorizations/${authorizationId}/${one.verb}`, body);
  }
  if (one.do === 'limit') {
    const { id } = pick(world.cards, one.card) as ModelCard;
    return () => ada('PUT', `/cards/limits/${id}`, { data: { maxTransactionAmount: one.most } });
  }
  return () => advance(florin, one.by).then(async () => ((ada = await customer(florin)), ada('GET', '/cards?limit=1')));
};

/** What the document says of each step, applied to the model. */
function judge(world: World, one: Step, reply: Reply, what: string): void {
  if (one.do === 'card') {
    const card = pick(world.cards, one.card) as ModelCard;
    const rule: Verb = VERBS[one.verb];
    const code = one.verb === 'activate' && !one.right ? '999999' : CODE;
    const expected = rule.refused.find(([, applies]) => applies(card, code))?.[0] ?? null;
    answered(reply, expected, what);
    if (expected === 'ACTIVATION_CODE_INVALID') rule.counts?.(card, code);
    if (expected !== null) return;
    rule.apply(card, code);
    if (one.verb !== 'replace-lost-stolen') return;
    assert.notEqual(reply.body.id, card.id, what);
    const moved = card.debit ? 0 : Math.max(0, available(card.money));
    const next = freshCard(reply.body.id, card.debit ? card.money : { actual: moved, held: 0 }, card.debit);
    next.plastic = { pending: true, code: CODE, wrong: 0 };
    next.most = card.most;
    next.blocks = card.blocks.filter((block) => block === 'SYSTEM');
    card.money.actual -= moved;
    world.cards.push(next);
  } else if (one.do === 'operator') {
    const card = pick(world.cards, one.card) as ModelCard;
    const { blocks, destroyed } = card;
    const can =
      destroyed === null &&
      (one.verb === 'block' ? !blocks.includes('SYSTEM') : blocks.includes('SYSTEM') && !blocks.includes('LOST'));
    assert.equal(reply.status, can ? 204 : 409, `${what}: ${reply.text}`);
    if (can && one.verb === 'block') blocks.push('SYSTEM');
    else if (can) lift(card, 'SYSTEM');
  } else if (one.do === 'account') {
    const by = one.operator ? 'SYSTEM' : 'USER';
    const { blocks } = world.account;
    const can = one.verb === 'block' ? !blocks.includes(by) : blocks.includes(by);
    assert.equal(reply.status, can ? 204 : 409, `${what}: ${reply.text}`);
    if (can && one.verb === 'block') blocks.push(by);
    else if (can) lift(world.account, by);
  } else if (one.do === 'transfer') transferred(world, one, reply, what);
  else if (one.do === 'deposit') {
    assert.equal(reply.status, 200, what);
    world.account.money.actual += one.amount;
    world.outside += one.amount;
  } else if (one.do === 'buy') bought(world, one, reply, what);
  else if (one.do === 'follow') followed(world, one, reply, what);
  else if (one.do === 'limit') {
    const card = pick(world.cards, one.card) as ModelCard;
    answered(reply, card.destroyed ? 'INSTRUMENT_DESTROYED' : null, what);
    if (!card.destroyed) card.most = one.most === 0 ? null : one.most;
  } else if (one.by === '8d') for (const payment of world.payments) release(payment, payment.held);
}

function transferred(world: World, one: Step & { do: 'transfer' }, reply: Reply, what: string): void {
  const [source, destination] = [one.from, one.to].map((at) => pick([world.account, ...world.cards], at)) as [
    ModelCard | World['account'],
    ModelCard | World['account'],
  ];
  const isDebit = (side: object): boolean => 'debit' in side && side.debit === true;
  const rules: readonly (readonly [string, boolean])[] = [
    ['SOURCE_AND_DESTINATION_MUST_DIFFER', source === destination],
    ['SOURCE_CANNOT_BE_DEBIT_MODE_CARD', isDebit(source)],
    ['DESTINATION_CANNOT_BE_DEBIT_MODE_CARD', isDebit(destination)],
    ['SOURCE_BLOCKED', stateOf(source) === 'BLOCKED'],
    ['DESTINATION_DESTROYED', stateOf(destination) === 'DESTROYED'],
    ['DESTINATION_BLOCKED', stateOf(destination) === 'BLOCKED'],
    ['FUNDS_INSUFFICIENT', available(source.money) < one.amount],
  ];
  const expected = rules.find(([, applies]) => applies)?.[0] ?? null;
  answered(reply, expected, what);
  if (expected !== null) return;
  source.money.actual -= one.amount;
  destination.money.actual += one.amount;
}

function bought(world: World, one: Step & { do: 'buy' }, reply: Reply, what: string): void {
  const card = pick(world.cards, one.card) as ModelCard;
  const can =
    stateOf(card) === 'ACTIVE' &&
    (one.channel === 'ecommerce' || card.plastic?.pending === false) &&
    (!card.debit || stateOf(world.account) === 'ACTIVE') &&
    (card.most === null || one.amount <= card.most) &&
    one.amount <= available(card.money);
  assert.equal(reply.body.approved, can, `${what}: ${reply.text}`);
  if (!can) return;
  world.payments.push({ id: reply.body.authorizationId, card, held: one.amount, cleared: 0, refunded: 0 });
  card.money.held += one.amount;
  card.held += one.amount;
}

function release(payment: Payment, of: number): void {
  payment.held -= of;
  payment.card.held -= of;
  payment.card.money.held -= of;
}

/** Whether a later message is taken is the business of the authorization's own tests; what it moves is judged here. */
function followed(world: World, one: Step & { do: 'follow' }, reply: Reply, what: string): void {
  const payment = pick(world.payments, one.payment);
  if (!payment || reply.body.approved !== true) return;
  const { money } = payment.card;
  if (one.verb === 'clear') {
    release(payment, payment.held);
    money.actual -= one.amount;
    payment.cleared += one.amount;
    world.outside -= one.amount;
  } else if (one.verb === 'refund') {
    payment.refunded += one.amount;
    assert.ok(payment.refunded <= payment.cleared, what);
    money.actual += one.amount;
    world.outside += one.amount;
  } else if (one.verb === 'increment') release(payment, -one.amount);
  else release(payment, payment.held);
}

/** The sum of a statement's entries, each of which says what is left behind it. */
async function summed(target: string): Promise<Money> {
  let [actual, left, offset] = [0, 0, 0];
  for (;;) {
    const { body } = await ada('GET', `${target}?orderByTimestamp=ASC&offset=${offset}`);
    for (const entry of body.entry) {
      actual += entry.amount.amount;
      left += entry.availableBalanceAdjustment.amount;
      assert.deepEqual([entry.actualBalanceAfter.amount, entry.availableBalanceAfter.amount], [actual, left], target);
      assert.equal(entry.sequence, ++offset, target);
    }
    if (offset >= body.count) return { actual, held: actual - left };
  }
}

const TYPES = ['VIRTUAL', 'PHYSICAL'];
const MADE = ['REQUESTED', 'SENT_FOR_FULFILLMENT', 'DISPATCHED', 'DELIVERED'];

/** A card as it is shown is one that the document knows. */
// biome-ignore lint/suspicious/noExplicitAny: an answer
function assertDocumented(card: any): void {
  const { state, blockedReason, destroyedReason } = card.state;
  assert.ok(['ACTIVE', 'BLOCKED', 'DESTROYED'].includes(state), JSON.stringify(card.state));
  const blocks: unknown[] = state === 'BLOCKED' ? ['USER', 'SYSTEM', 'LOST'] : [undefined];
  assert.ok(blocks.includes(blockedReason), JSON.stringify(card.state));
  const ends: unknown[] = state === 'DESTROYED' ? ['SYSTEM', 'USER', 'LOST', 'STOLEN', 'EXPIRED'] : [undefined];
  assert.ok(ends.includes(destroyedReason), JSON.stringify(card.state));
  assert.ok(TYPES.includes(card.type), card.type);
  const { physicalCardDetails: plastic } = card;
  if (!plastic) assert.equal(card.type, 'VIRTUAL');
  else assert.ok(MADE.includes(plastic.manufacturingState), plastic.manufacturingState);
}

async function asModelled(world: World, what: string): Promise<void> {
  const balances = ({ actual, held }: Money) => ({ availableBalance: actual - held, actualBalance: actual });
  const account = (await ada('GET', `/managed-accounts/${world.account.id}`)).body;
  assert.deepEqual([account.state, account.balances], [shown(world.account), balances(world.account.money)], what);
  for (const card of world.cards) {
    const { body } = await ada('GET', `/cards/${card.id}`);
    assertDocumented(body);
    assert.deepEqual(body.state, shown(card), what);
    assert.deepEqual(body.balances, card.debit ? undefined : balances(card.money), what);
    assert.deepEqual(
      [body.type, body.physicalCardDetails?.pendingActivation],
      [card.type, card.plastic?.pending],
      what,
    );
  }
  const cards = world.cards.filter(({ debit }) => !debit);
  const total = [world.account, ...cards].reduce((sum, { money }) => sum + money.actual, 0);
  assert.equal(total, world.outside, what);
}

async function sumsHold(world: World): Promise<void> {
  const { id } = world.account;
  const account = (await ada('GET', `/managed-accounts/${id}`)).body.balances;
  const { actual, held } = await summed(`/managed-accounts/statement/${id}`);
  assert.deepEqual(account, { availableBalance: actual - held, actualBalance: actual });
  for (const card of world.cards.filter(({ debit }) => !debit)) {
    const { balances } = (await ada('GET', `/cards/${card.id}`)).body;
    const sum = await summed(`/cards/transactions/${card.id}`);
    assert.deepEqual(balances, { availableBalance: sum.actual - sum.held, actualBalance: sum.actual });
  }
}

test('any sequence of calls: each answered as the document says, balances equal to entries, invariants ok', {
  timeout: 600_000,
}, async () => {
  let steps = 0;
  let done = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: STEPS / 2, maxLength: STEPS }), async (sequence) => {
      ada = await customer(florin);
      const world = await newWorld();
      for (const one of sequence) {
        const what = JSON.stringify(one);
        const reply = await request(world, one)?.();
        if (!reply) continue;
        steps++;
        if (reply.status < 300) done++;
        judge(world, one, reply, what);
        await asModelled(world, what);
      }
      await sumsHold(world);
      await assertBooksHold(florin);
    }),
    { numRuns: RUNS },
  );
  assert.ok(done > steps / 4, `${done} of ${steps} did something`);
});

test('any calls at once: none fails, none leaves a documented state, balances equal to entries, invariants ok', {
  timeout: 600_000,
}, async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: STEPS, maxLength: 2 * STEPS }), async (all) => {
      ada = await customer(florin);
      const world = await newWorld();
      const { account } = world;
      for (const { id, debit } of world.cards) {
        assert.equal((await ada('POST', `/cards/upgrade/${id}`, UPGRADE)).status, 200);
        if (debit) continue;
        const [source, destination] = [
          { type: 'managed_accounts', id: account.id },
          { type: 'managed_cards', id },
        ];
        const destinationAmount = { currency: 'EUR', amount: 300 };
        const moved = await ada('POST', '/transfers', { source, destination, destinationAmount });
        assert.equal(moved.status, 200, moved.text);
      }
      const sequence = all.filter((one) => one.do !== 'wait');
      for (let i = 0; i < sequence.length; i += 20) {
        const batch = sequence.slice(i, i + 20).flatMap((one) => {
          const send = request(world, one);
          return send ? [send().then((reply) => ({ one, reply }))] : [];
        });
        for (const { one, reply } of await Promise.all(batch)) {
          assert.ok([200, 204, 409].includes(reply.status), `${JSON.stringify(one)} ${reply.status} ${reply.text}`);
          if (one.do === 'card' && one.verb === 'replace-lost-stolen' && reply.status === 200)
            world.cards.push(freshCard(reply.body.id, { actual: 0, held: 0 }, reply.body.mode === 'DEBIT_MODE'));
          if (one.do === 'buy' && reply.body.approved) {
            const card = pick(world.cards, one.card) as ModelCard;
            world.payments.push({ id: reply.body.authorizationId, card, held: 0, cleared: 0, refunded: 0 });
          }
        }
      }
      for (const { id } of world.cards) assertDocumented((await ada('GET', `/cards/${id}`)).body);
      await sumsHold(world);
      await assertBooksHold(florin);
    }),
    { numRuns: RUNS },
  );
});
