// An attack replayed on virtual time: ten thousand stolen cards from two hundred addresses among a thousand honest buyers.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type Random, seededRandom } from '../../src/base/index.ts';
import { type Answer, liveTesting, sandboxTesting } from '../../src/gateway/risk/card-testing.ts';
import { hasVisitor, type Keys, keysOf, type Payment } from '../../src/gateway/risk/facts.ts';
import { RETRY_LIMITS, SANDBOX_LIMITS, SIGNALS, UNFAMILIAR } from '../../src/gateway/risk/thresholds.ts';
import { MemoryCounters, payment, plain } from './memory.ts';

const STOLEN = 10_000;
const ADDRESSES = 200;
const HONEST = 1_000;
const HOUR_MS = 3_600_000;
const DAY_S = 86_400;
/** How long an issuer takes. */
const ANSWER_MS = 800;

type Action = 'pass' | 'refuse' | 'force3d';

/** The defence as a use case asks it, with its counters in memory. */
class Defence {
  readonly #counters = new MemoryCounters();
  readonly #testing;
  /** Of payments that are still to be answered. */
  readonly #keys = new WeakMap<Payment, Keys>();

  constructor(testing = liveTesting) {
    this.#testing = testing;
  }

  ask(of: Payment): Action {
    const keys = keysOf(of, plain);
    this.#keys.set(of, keys);
    const counters = this.#counters.load(keys, this.#testing.windows, of.at);
    const visitor = hasVisitor(of);
    const action = this.#testing.suspicionOf(keys, counters, visitor)?.action ?? 'pass';
    const held = action !== 'pass';
    this.#counters.apply(this.#testing.tried(of.project.id, keys, counters, { visitor, held }, of.at));
    return action;
  }

  answer(of: Payment, answer: Answer, at: Date): void {
    const keys = this.#keys.get(of) ?? keysOf(of, plain);
    this.#counters.apply(this.#testing.answered(of.project.id, keys, answer, hasVisitor(of), at));
  }
}

const APPROVED: Answer = { class: 'approved', retry: null };
const DECLINED: Answer = { class: 'declined', retry: 'generic' };

interface Attack {
  readonly name: string;
  readonly hours: number;
  readonly bins: number;
  /** How many /24 the addresses come from. */
  readonly nets: number;
  readonly amount: (random: Random) => bigint;
  /** The shop sells one thing, and the thieves buy it. */
  readonly onePrice?: bigint;
  /** Honest buyers in the week before; left out: a shop with a past. */
  readonly past?: number;
  /** All of it goes through one static link: thieves and honest payers alike, each with a browser that keeps no cookie. */
  readonly link?: string;
  readonly goal: { readonly leaked: number; readonly disturbed: number; readonly noticedMs: number };
}

/** At most 1 % of the stolen cards after the first hundred tries, at most 0.2 % of the honest buyers, noticed within ten seconds. */
const GOAL = { leaked: STOLEN / 100, disturbed: HONEST / 500, noticedMs: 10_000 };

const anyAmount = (random: Random): bigint => BigInt(100 + random.int(5000));

const ATTACKS: readonly Attack[] = [
  {
    name: 'numbers counted upwards in a few ranges, from rented racks',
    hours: 1,
    bins: 4,
    nets: 6,
    amount: () => 100n,
    goal: GOAL,
  },
  {
    name: 'a bought list, from addresses all over the world',
    hours: 1,
    bins: 400,
    nets: 200,
    amount: () => 199n,
    goal: GOAL,
  },
  { name: 'the same list, as fast as it goes', hours: 1 / 6, bins: 400, nets: 200, amount: () => 199n, goal: GOAL },
  // Two tries from an address an hour: what is noticed is the share of declines, and that takes some tries.
  {
    name: 'the same list, slowly',
    hours: 10,
    bins: 400,
    nets: 200,
    amount: () => 199n,
    goal: { ...GOAL, noticedMs: 120_000 },
  },
  // Nothing links the first tries of the addresses with each other: 121 of the 200 are expected after the first hundred tries,
  // and those alone would break the goal. What tells them is that this shop never sold to such a bank at such a price.
  { name: 'every try another range and amount', hours: 1, bins: 400, nets: 200, amount: anyAmount, goal: GOAL },
  { name: 'the same, as fast as it goes', hours: 1 / 6, bins: 400, nets: 200, amount: anyAmount, goal: GOAL },
  {
    name: 'the same, slowly',
    hours: 10,
    bins: 400,
    nets: 200,
    amount: anyAmount,
    goal: { ...GOAL, noticedMs: 120_000 },
  },
  // The limits of the method. Thieves who only try cards of the banks that this shop's customers have: the first try of an address
  // is answered (121 expected), the next ones are not.
  {
    name: 'every try another amount, from the banks of the shop',
    hours: 1,
    bins: 60,
    nets: 200,
    amount: anyAmount,
    goal: { leaked: 200, disturbed: GOAL.disturbed, noticedMs: 60_000 },
  },
  // To a new shop everything is new, and to challenge every stranger would disturb every honest one: three or four cards an
  // address are answered before its own record speaks.
  {
    name: 'every try another range and amount, in a new shop',
    hours: 1,
    bins: 400,
    nets: 200,
    amount: anyAmount,
    past: 0,
    goal: { leaked: 900, disturbed: GOAL.disturbed, noticedMs: 60_000 },
  },
  // Every buyer looks like a thief while it lasts: they are asked for 3-D Secure, and nobody is turned away.
  {
    name: 'the one price of a shop',
    hours: 1 / 2,
    bins: 400,
    nets: 200,
    amount: () => 1990n,
    onePrice: 1990n,
    goal: { leaked: GOAL.leaked, disturbed: HONEST, noticedMs: 60_000 },
  },
  {
    name: 'a static link where everybody enters an amount: every try another range and amount',
    hours: 1,
    bins: 400,
    nets: 200,
    amount: anyAmount,
    link: 'donate',
    goal: GOAL,
  },
  {
    name: 'a static link with one price',
    hours: 1 / 2,
    bins: 400,
    nets: 200,
    amount: () => 1990n,
    onePrice: 1990n,
    link: 'ticket',
    goal: { leaked: GOAL.leaked, disturbed: HONEST, noticedMs: 60_000 },
  },
];

interface Report {
  /** Stolen cards that an issuer answered, after the first hundred tries. */
  leaked: number;
  /** Honest buyers who were refused or sent to 3-D Secure; those after the attack was over for half an hour; those refused. */
  disturbed: number;
  disturbedAfter: number;
  refused: number;
  /** Virtual time from the first try to the first one held back. */
  noticedMs: number;
}

const PAST = 3_000;
/** Of two hundred honest buyers one has a card of a bank that the shop's customers do not have. */
const TOURISTS_PERCENT = 0.5;

/** The first sixty are those of the shop's customers. */
const bin = (n: number): string => String(400_000 + n * 37);

interface Step {
  readonly at: number;
  run(): void;
}

/** Long: one attack in its order of events; every step counts into the same report. */
function replay(attack: Attack, seed: number): Report {
  const random = seededRandom(seed);
  const chance = (percent: number): boolean => random.int(10_000) < percent * 100;
  const defence = new Defence();
  const start = Date.UTC(2026, 10, 21, 9, 0, 0);
  const length = attack.hours * HOUR_MS;
  const report: Report = {
    leaked: 0,
    disturbed: 0,
    disturbedAfter: 0,
    refused: 0,

    noticedMs: Number.POSITIVE_INFINITY,
  };
  const steps: Step[] = [];
  const later = (at: number, run: () => void): void => {
    const next = { at, run };
    let i = steps.length;
    while (i > 0 && (steps[i - 1] as Step).at < at) i--;
    steps.splice(i, 0, next);
  };

  let tries = 0;
  const firstTry = start + 600_000;
  function steal(n: number, at: number): void {
    const address = random.int(ADDRESSES);
    const net = address % attack.nets;
    const of = payment({
      card: `stolen ${n}`,
      bin: bin(random.int(attack.bins)),
      ip: `45.${net >> 8}.${net & 255}.${1 + Math.floor(address / attack.nets)}`,
      amount: attack.amount(random),
      link: attack.link ?? null,
      at: new Date(at),
    });
    tries++;
    if (defence.ask(of) !== 'pass') {
      report.noticedMs = Math.min(report.noticedMs, at - firstTry);
      return;
    }
    if (tries > 100) report.leaked++;
    // One in eight lives.
    const answer = chance(12.5) ? APPROVED : DECLINED;
    later(at + ANSWER_MS, () => defence.answer(of, answer, new Date(at + ANSWER_MS)));
  }

  /** Buys once; a declined card is tried again, or another one, at a person's pace. */
  function buy(n: number, at: number): void {
    // One in five sits behind an address with others: an office, a family, a mobile network.
    const ip = chance(20) ? `81.0.0.${random.int(12)}` : `82.${n >> 8}.${n & 255}.9`;
    // Half buy at one of a few price points, the others fill a basket.
    const basket = chance(50) ? ([999n, 1999n, 4900n][random.int(3)] as bigint) : BigInt(500 + random.int(20_000));
    const amount = attack.onePrice ?? basket;
    const range = bin(random.int(chance(TOURISTS_PERCENT) ? 400 : 60));
    // Whoever bought before the attack is not one of the thousand.
    let bothered = n >= HONEST;
    const go = (time: number, card: number, left: number): void => {
      const of = payment({
        card: `honest ${n} ${card}`,
        bin: range,
        ip,
        amount,
        link: attack.link ?? null,
        at: new Date(time),
      });
      const action = defence.ask(of);
      if (action !== 'pass' && !bothered) {
        bothered = true;
        report.disturbed++;
        if (time > firstTry + length + 1_900_000) report.disturbedAfter++;
      }
      if (action === 'refuse') {
        report.refused++;
        return;
      }
      const declined = chance(left === 2 ? 8 : 25);
      later(time + ANSWER_MS, () => defence.answer(of, declined ? DECLINED : APPROVED, new Date(time + ANSWER_MS)));
      if (declined && left > 0) {
        const again = time + 20_000 + random.int(120_000);
        later(again, () => go(again, chance(60) ? card + 1 : card, left - 1));
      }
    };
    go(at, 0, 2);
  }

  const planned: Step[] = [];
  for (let n = 0; n < STOLEN; n++) {
    const at = firstTry + (n === 0 ? 0 : random.int(length));
    planned.push({ at, run: () => steal(n, at) });
  }
  for (let n = 0; n < (attack.past ?? PAST); n++) {
    const at = start - random.int(7 * DAY_S * 1000);
    planned.push({ at, run: () => buy(HONEST + n, at) });
  }
  for (let n = 0; n < HONEST; n++) {
    const at = start + random.int(length + 5_400_000);
    planned.push({ at, run: () => buy(n, at) });
  }
  steps.push(...planned.sort((a, b) => b.at - a.at));
  for (let step = steps.pop(); step; step = steps.pop()) step.run();
  return report;
}

for (const attack of ATTACKS) {
  test(`ten thousand stolen cards: ${attack.name}`, (t) => {
    for (const seed of [1, 2]) {
      const report = replay(attack, seed);
      t.diagnostic(`seed ${seed}: ${JSON.stringify(report)}`);
      const { leaked, disturbed, noticedMs } = attack.goal;
      assert.ok(report.leaked <= leaked, `${report.leaked} stolen cards were answered`);
      assert.ok(report.disturbed <= disturbed, `${report.disturbed} honest buyers were disturbed`);
      assert.ok(report.noticedMs <= noticedMs, `noticed after ${report.noticedMs} ms`);
      assert.equal(report.refused, 0, 'an honest buyer was refused');
      assert.equal(report.disturbedAfter, 0, 'a buyer was disturbed when it was long over');
    }
  });
}

const NOON = Date.UTC(2026, 10, 21, 12, 0, 0);
const at = (seconds: number): Date => new Date(NOON + seconds * 1000);

test('one visitor with many cards is challenged after five and refused after ten, good card or bad', () => {
  for (const last of [APPROVED, DECLINED]) {
    const defence = new Defence();
    const actions: Action[] = [];
    for (let n = 0; n < 14; n++) {
      const of = payment({ card: `card ${n}`, bin: bin(n), ip: '45.0.0.1', amount: BigInt(100 + n), at: at(n * 40) });
      const action = defence.ask(of);
      actions.push(action);
      if (action === 'pass') defence.answer(of, n < 4 ? DECLINED : last, at(n * 40 + 1));
    }
    assert.deepEqual(actions, [...Array(4).fill('pass'), ...Array(5).fill('force3d'), ...Array(5).fill('refuse')]);
  }
});

test('an address that many share is left alone as long as its cards are good', () => {
  const defence = new Defence();
  for (let n = 0; n < 200; n++) {
    const of = payment({ card: `card ${n}`, bin: bin(n % 7), ip: '81.0.0.1', amount: BigInt(500 + n), at: at(n * 10) });
    assert.equal(defence.ask(of), 'pass');
    defence.answer(of, n % 6 === 0 ? DECLINED : APPROVED, at(n * 10 + 1));
  }
});

test('an IPv6 customer is one visitor, whatever address of the /64 is used', () => {
  const defence = new Defence();
  let refused = 0;
  for (let n = 0; n < 14; n++) {
    const of = payment({
      card: `card ${n}`,
      bin: bin(n),
      ip: `2001:db8:1:2::${n.toString(16)}`,
      amount: BigInt(100 + n),
      at: at(n * 40),
    });
    const action = defence.ask(of);
    if (action === 'refuse') refused++;
    if (action === 'pass') defence.answer(of, DECLINED, at(n * 40 + 1));
  }
  assert.equal(refused, 5);
});

const answerEach = (defence: Defence, answers: readonly Answer[], everySeconds: number): void => {
  for (const [n, answer] of answers.entries()) {
    const when = at(n * everySeconds);
    const of = payment({ card: 'one card', ip: `82.0.${n}.1`, amount: BigInt(1000 + n * 100), at: when });
    defence.ask(of);
    defence.answer(of, answer, when);
  }
};
const askOnce = (defence: Defence, seconds: number, initiator: 'customer' | 'merchant' = 'customer'): Action =>
  defence.ask(payment({ card: 'one card', ip: '83.0.0.1', amount: 777n, at: at(seconds), initiator }));

test('a card that will never be approved is not sent again for thirty days, by visitor or merchant', () => {
  const defence = new Defence();
  answerEach(defence, [{ class: 'declined', retry: 'never' }], 1);
  assert.equal(askOnce(defence, 60), 'refuse');
  assert.equal(askOnce(defence, 60, 'merchant'), 'refuse');
  assert.equal(askOnce(defence, 29 * DAY_S, 'merchant'), 'refuse');
  assert.equal(askOnce(defence, 31 * DAY_S), 'pass');
  assert.equal(defence.ask(payment({ card: 'another card', ip: '83.0.0.1', at: at(60) })), 'pass');
});

test('twenty declines in thirty days, or ten in one, are the end of a card; approvals are not counted', () => {
  const month = new Defence();
  answerEach(month, Array<Answer>(19).fill(DECLINED), DAY_S);
  assert.equal(askOnce(month, 19 * DAY_S, 'merchant'), 'pass');
  answerEach(month, Array<Answer>(20).fill(DECLINED), DAY_S);
  assert.equal(askOnce(month, 20 * DAY_S, 'merchant'), 'refuse');
  const day = new Defence();
  answerEach(day, Array<Answer>(10).fill(DECLINED), 3600);
  assert.equal(askOnce(day, 10 * 3600, 'merchant'), 'refuse');
  assert.equal(askOnce(day, 3 * DAY_S, 'merchant'), 'pass');
  const regular = new Defence();
  answerEach(regular, Array<Answer>(60).fill(APPROVED), 3600 * 8);
  assert.equal(askOnce(regular, 60 * 3600 * 8), 'pass');
});

test('soft declines and errors say nothing about a card', () => {
  const defence = new Defence();
  answerEach(defence, Array<Answer>(15).fill({ class: 'soft_declined', retry: 'correct_data' }), 60);
  answerEach(defence, Array<Answer>(15).fill({ class: 'error', retry: 'never' }), 60);
  assert.equal(askOnce(defence, 3000), 'pass');
});

test('a batch of declined rebills holds no visitor back', () => {
  const defence = new Defence();
  for (let n = 0; n < 300; n++) {
    const of = payment({
      card: `member ${n}`,
      bin: bin(n % 9),
      ip: '10.0.0.1',
      amount: 999n,
      at: at(n),
      initiator: 'merchant',
    });
    assert.equal(defence.ask(of), 'pass');
    defence.answer(of, n % 3 === 0 ? APPROVED : DECLINED, at(n));
  }
  assert.equal(
    defence.ask(payment({ card: 'a buyer', bin: bin(1), ip: '82.0.0.1', amount: 999n, at: at(301) })),
    'pass',
  );
});

test('a card that paid here before is not bothered in the middle of an attack', () => {
  const defence = new Defence();
  const regular = (seconds: number): Payment =>
    payment({ card: 'regular', bin: bin(3), ip: '82.0.0.1', amount: 100n, at: at(seconds) });
  assert.equal(defence.ask(regular(-DAY_S)), 'pass');
  defence.answer(regular(-DAY_S), APPROVED, at(-DAY_S));
  let held = 0;
  for (let n = 0; n < 100; n++) {
    const of = payment({ card: `stolen ${n}`, bin: bin(n), ip: `45.0.${n}.1`, amount: 100n, at: at(n) });
    if (defence.ask(of) === 'pass') defence.answer(of, DECLINED, at(n));
    else held++;
  }
  assert.ok(held > 50);
  assert.equal(defence.ask(regular(101)), 'pass');
  assert.equal(
    defence.ask(payment({ card: 'stranger', bin: bin(3), ip: '82.0.0.2', amount: 100n, at: at(101) })),
    'force3d',
  );
});

/** A shop with a past of good payments, 300 of them at one office, and how many ranges and prices it knows. */
function shopWithPast(): Defence {
  const defence = new Defence();
  for (let n = 0; n < 700; n++) {
    const when = at(-3 * DAY_S + n * 60);
    const ip = n % 2 === 0 ? '81.0.0.1' : `82.${n >> 8}.${n & 255}.1`;
    const of = payment({ card: `past ${n}`, bin: bin(n % 5), ip, amount: BigInt(1000 + (n % 10)), at: when });
    assert.equal(defence.ask(of), 'pass');
    defence.answer(of, APPROVED, when);
  }
  return defence;
}
const declineMany = (defence: Defence): void => {
  for (let n = 0; n < 40; n++) {
    const when = at(n);
    const of = payment({ card: `stolen ${n}`, bin: bin(100 + n), ip: `45.0.${n}.1`, amount: BigInt(50 + n), at: when });
    if (defence.ask(of) === 'pass') defence.answer(of, DECLINED, when);
  }
};
const asked = (defence: Defence, told: { bin: number; ip: string; amount: bigint; seconds: number }, card: string) =>
  defence.ask(payment({ card, bin: bin(told.bin), ip: told.ip, amount: told.amount, at: at(told.seconds) }));

test('under attack what was never sold to is asked for 3-D Secure: an unknown bank at an unknown price, or a second card', () => {
  const defence = shopWithPast();
  const stranger = { bin: 300, ip: '83.0.0.1', amount: 7n, seconds: 41 };
  assert.equal(asked(defence, stranger, 'before'), 'pass');
  declineMany(defence);
  assert.equal(asked(defence, { ...stranger, ip: '83.0.0.2' }, 'a'), 'force3d');
  // One of the two is known: one tourist, and one large basket.
  assert.equal(asked(defence, { ...stranger, ip: '83.0.0.3', amount: 1001n }, 'b'), 'pass');
  assert.equal(asked(defence, { ...stranger, ip: '83.0.0.4', bin: 1 }, 'c'), 'pass');
  // Another card for the same basket is what a declined buyer does; for another one it is not.
  assert.equal(asked(defence, { ...stranger, ip: '83.0.0.4', bin: 2 }, 'd'), 'pass');
  assert.equal(asked(defence, { ...stranger, ip: '83.0.0.4', bin: 2, amount: 1002n }, 'e'), 'force3d');
  // An office where people bought before stays welcome.
  assert.equal(asked(defence, { ...stranger, ip: '81.0.0.1', bin: 2, amount: 9_999n }, 'f'), 'pass');
  // And it ends with the attack.
  assert.equal(asked(defence, { ...stranger, ip: '83.0.0.2', seconds: 1000 }, 'g'), 'pass');
});

test('a live card that the attack found vouches for nothing while it is new', () => {
  const defence = shopWithPast();
  declineMany(defence);
  const live = payment({ card: 'live', bin: bin(300), ip: '45.9.0.1', amount: 7n, at: at(41) });
  defence.answer(live, APPROVED, at(41));
  assert.equal(asked(defence, { bin: 300, ip: '45.9.0.2', amount: 7n, seconds: 43 }, 'next'), 'force3d');
});

test('every threshold has its reason, and every name is used once', () => {
  const rows = [...SIGNALS, ...UNFAMILIAR, ...RETRY_LIMITS, ...SANDBOX_LIMITS];
  assert.equal(new Set(rows.map(({ name }) => name)).size, rows.length);
  for (const { why } of rows) assert.ok(why.length > 20);
});

test('a link under attack is told by its own declines, also where the shop is so large that its share does not move', () => {
  const defence = new Defence();
  // A month of good trade at another link, and more of it every second.
  const buy = (n: number, seconds: number): Action => {
    const of = payment({
      card: `honest ${n}`,
      bin: bin(n % 60),
      ip: `82.${n >> 8}.${n & 255}.1`,
      amount: BigInt(500 + (n % 400)),
      link: 'books',
      at: at(seconds),
    });
    const action = defence.ask(of);
    defence.answer(of, APPROVED, at(seconds));
    return action;
  };
  for (let n = 0; n < 600; n++) assert.equal(buy(n, -DAY_S - n), 'pass');
  const actions: Action[] = [];
  for (let n = 0; n < 60; n++) {
    for (let i = 0; i < 5; i++) assert.equal(buy(1000 + n * 5 + i, n), 'pass', 'nobody elsewhere is disturbed');
    // Twice from each address, with another range and amount each time.
    const ip = `45.${n >> 1}.7.1`;
    const of = payment({
      card: `stolen ${n}`,
      bin: bin(100 + n),
      ip,
      amount: BigInt(2000 + n),
      link: 'donate',
      at: at(n),
    });
    actions.push(defence.ask(of));
    if (actions.at(-1) === 'pass') defence.answer(of, DECLINED, at(n));
  }
  assert.ok(actions.slice(0, 20).every((action) => action === 'pass'));
  assert.ok(
    actions.slice(20).every((action) => action === 'force3d'),
    actions.join(),
  );
});

test('a browser that goes on from address to address is challenged and refused as one visitor', () => {
  const defence = new Defence();
  const actions = Array.from({ length: 12 }, (_, n) => {
    const ip = `45.${n}.0.1`;
    const of = payment({ card: `card ${n}`, bin: bin(n), ip, amount: BigInt(100 + n), session: 'one', at: at(n * 40) });
    const action = defence.ask(of);
    if (action === 'pass') defence.answer(of, DECLINED, at(n * 40 + 1));
    return action;
  });
  assert.deepEqual(actions, [...Array(4).fill('pass'), ...Array(5).fill('force3d'), ...Array(3).fill('refuse')]);
});

describe('in a sandbox', () => {
  /** Cards by a link from one address, answered as told; what the next one meets. */
  function after(answers: readonly Answer[], seconds = 1): Defence {
    const defence = new Defence(sandboxTesting);
    answers.forEach((answer, n) => {
      const of = payment({ card: `card ${n}`, link: 'donate', ip: `45.0.${n}.1`, at: at(n * seconds) });
      assert.equal(defence.ask(of), 'pass', `card ${n + 1}`);
      defence.answer(of, answer, at(n * seconds));
    });
    return defence;
  }
  const next = (defence: Defence, seconds: number, more: Parameters<typeof payment>[0] = {}): Action =>
    defence.ask(payment({ card: 'next', link: 'donate', ip: '46.0.0.1', at: at(seconds), ...more }));

  test('thirty failed cards of a link within ten minutes are let be, and the next one is refused', () => {
    assert.equal(next(after(Array(29).fill(DECLINED)), 30), 'pass');
    const defence = after(Array(30).fill(DECLINED));
    assert.equal(next(defence, 30), 'refuse');
    assert.equal(next(defence, 30, { link: 'books' }), 'pass', 'another link');
    assert.equal(next(defence, 30, { link: null }), 'pass', 'a page of one payer');
    assert.equal(next(defence, 30, { initiator: 'merchant' }), 'pass', 'a rebill');
    assert.equal(next(defence, 30 + 600), 'pass', 'after ten minutes');
  });

  test('the same from one address, by whatever way', () => {
    const defence = new Defence(sandboxTesting);
    const of = (n: number, more = {}): Payment => payment({ card: `card ${n}`, ip: '45.0.0.1', at: at(n), ...more });
    for (let n = 0; n < 30; n++) {
      const by = of(n, n % 2 === 0 ? { link: `link ${n}` } : {});
      assert.equal(defence.ask(by), 'pass');
      defence.answer(by, DECLINED, at(n));
    }
    assert.equal(defence.ask(of(31)), 'refuse');
    assert.equal(defence.ask(of(31, { ip: '45.0.0.2' })), 'pass', 'a neighbour');
    assert.equal(defence.ask(of(30 + 600)), 'pass');
  });

  test('approved cards, soft declines and errors do not count, and slow tries never add up', () => {
    assert.equal(next(after(Array(500).fill(APPROVED)), 500), 'pass');
    assert.equal(next(after(Array(100).fill({ class: 'soft_declined', retry: null })), 100), 'pass');
    assert.equal(next(after(Array(100).fill({ class: 'error', retry: 'never' })), 100), 'pass');
    // Two a minute: at most twenty within any ten minutes.
    assert.equal(next(after(Array(200).fill(DECLINED), 30), 6001), 'pass');
  });
});
