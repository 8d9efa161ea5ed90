// An attack replayed on virtual time: ten thousand stolen cards from two hundred addresses among a thousand honest buyers.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Random, seededRandom } from '../../src/base/index.ts';
import {
  type Answer,
  answered,
  RETRY_LIMITS,
  SIGNALS,
  suspicionOf,
  TESTING_WINDOWS,
  tried,
} from '../../src/gateway/risk/card-testing.ts';
import { hasVisitor, keysOf, type Payment } from '../../src/gateway/risk/facts.ts';
import { keyed, MemoryCounters, payment } from './memory.ts';

const STOLEN = 10_000;
const ADDRESSES = 200;
const HONEST = 1_000;
const HOUR_MS = 3_600_000;
/** How long an issuer takes. */
const ANSWER_MS = 800;

type Action = 'pass' | 'refuse' | 'force3d';

/** The defence as a use case asks it, with its counters in memory. */
class Defence {
  readonly #counters = new MemoryCounters();

  ask(of: Payment): Action {
    const keys = keysOf(of, keyed);
    const counters = this.#counters.load(keys, TESTING_WINDOWS, of.at);
    const visitor = hasVisitor(of);
    const action = suspicionOf(keys, counters, visitor)?.action ?? 'pass';
    this.#counters.apply(tried(of.project.id, keys, counters, { visitor, held: action !== 'pass' }, of.at));
    return action;
  }

  answer(of: Payment, answer: Answer, at: Date): void {
    this.#counters.apply(answered(of.project.id, keysOf(of, keyed), answer, hasVisitor(of), at));
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
}

const ATTACKS: readonly Attack[] = [
  {
    name: 'numbers counted upwards in a few ranges, from rented racks',
    hours: 1,
    bins: 4,
    nets: 6,
    amount: () => 100n,
  },
  { name: 'a bought list, from addresses all over the world', hours: 1, bins: 400, nets: 200, amount: () => 199n },
  { name: 'the same list, as fast as it goes', hours: 1 / 6, bins: 400, nets: 200, amount: () => 199n },
  {
    name: 'every try another amount',
    hours: 1,
    bins: 400,
    nets: 200,
    amount: (random) => BigInt(100 + random.int(5000)),
  },
  { name: 'the same list, slowly', hours: 10, bins: 400, nets: 200, amount: () => 199n },
];

interface Report {
  /** Stolen cards that an issuer answered, after the first hundred tries. */
  readonly leaked: number;
  /** Honest buyers who were refused or sent to 3-D Secure. */
  readonly disturbed: number;
  /** Virtual time from the first try to the first one held back. */
  readonly noticedAfterMs: number;
}

/** The bank ranges of the shop's country: honest buyers and thieves draw from the same. */
const bin = (n: number): string => String(400_000 + n * 37);

interface Step {
  readonly at: number;
  run(): void;
}

function replay(attack: Attack, seed: number): Report {
  const random = seededRandom(seed);
  const chance = (percent: number): boolean => random.int(10_000) < percent * 100;
  const defence = new Defence();
  const start = Date.UTC(2026, 10, 21, 9, 0, 0);
  const length = attack.hours * HOUR_MS;
  const report = { leaked: 0, disturbed: 0, noticedAfterMs: Number.POSITIVE_INFINITY };
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
      at: new Date(at),
    });
    tries++;
    if (defence.ask(of) !== 'pass') {
      report.noticedAfterMs = Math.min(report.noticedAfterMs, at - firstTry);
      return;
    }
    if (tries > 100) report.leaked++;
    // One in eight lives.
    const answer = chance(Number(process.env.LIVE ?? 12.5)) ? APPROVED : DECLINED;
    later(at + ANSWER_MS, () => defence.answer(of, answer, new Date(at + ANSWER_MS)));
  }

  /** Buys once; a declined card is tried again, or another one, at a person's pace. */
  function buy(n: number, at: number): void {
    // One in five sits behind an address with others: an office, a family, a mobile network.
    const ip = chance(20) ? `81.0.0.${random.int(12)}` : `82.${n >> 8}.${n & 255}.9`;
    // Half buy at one of a few price points, the others fill a basket.
    const amount = chance(50) ? ([999n, 1999n, 4900n][random.int(3)] as bigint) : BigInt(500 + random.int(20_000));
    let bothered = false;
    const go = (time: number, card: number, left: number): void => {
      const of = payment({ card: `honest ${n} ${card}`, bin: bin(random.int(60)), ip, amount, at: new Date(time) });
      const action = defence.ask(of);
      if (action !== 'pass' && !bothered) {
        bothered = true;
        report.disturbed++;
      }
      if (action === 'refuse') return;
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
  for (let n = 0; n < HONEST; n++) {
    const at = start + random.int(length + 1_800_000);
    planned.push({ at, run: () => buy(n, at) });
  }
  steps.push(...planned.sort((a, b) => b.at - a.at));
  for (let step = steps.pop(); step; step = steps.pop()) step.run();
  return report;
}

for (const attack of ATTACKS) {
  test(`held: ${attack.name}`, (t) => {
    for (const seed of [1, 2, 3, 4, 5, 6]) {
      const { leaked, disturbed, noticedAfterMs } = replay(attack, seed);
      t.diagnostic(
        `seed ${seed}: ${leaked} of ${STOLEN} answered, ${disturbed} of ${HONEST} disturbed, ${noticedAfterMs} ms`,
      );
    }
  });
}
