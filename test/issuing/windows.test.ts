// Windows of spending at their edges, and the counters of a card over the life of what it spent.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  COUNTERS,
  type Counted,
  type CounterName,
  consume,
  giveBack,
  refund,
  unrefund,
  usedOf,
  windowStart,
} from '../../src/issuing/rules/index.ts';

const at = (text: string): Date => new Date(`${text}Z`);

// Ends told another way than the starts in the source.
type End = (start: Date) => number;

const later =
  (years: number, months: number, days: number): End =>
  (start) =>
    Date.UTC(start.getUTCFullYear() + years, start.getUTCMonth() + months, start.getUTCDate() + days);

const ENDS: Readonly<Record<CounterName, End | null>> = {
  DAILY: later(0, 0, 1),
  WEEKLY: later(0, 0, 7),
  MONTHLY: later(0, 1, 0),
  QUARTERLY: later(0, 3, 0),
  YEARLY: later(1, 0, 0),
  ALWAYS: null,
  ATM_DAILY: later(0, 0, 1),
};

/** The first moment after the window that `at` is in; null: it never ends. */
function windowEnd(of: CounterName, at: Date): Date | null {
  const end = ENDS[of];
  return end && new Date(end(windowStart(of, at)));
}

const NOTHING: Counted = { windows: {}, parts: [] };

/** Counter, the last millisecond before an edge, the first one behind it. */
const EDGES: readonly (readonly [CounterName, string, string])[] = [
  ['DAILY', '2028-02-28T23:59:59.999', '2028-02-29T00:00:00.000'],
  ['DAILY', '2028-02-29T23:59:59.999', '2028-03-01T00:00:00.000'],
  ['DAILY', '2027-12-31T23:59:59.999', '2028-01-01T00:00:00.000'],
  ['ATM_DAILY', '2026-11-21T23:59:59.999', '2026-11-22T00:00:00.000'],
  // 2026-11-22 is a Sunday.
  ['WEEKLY', '2026-11-22T23:59:59.999', '2026-11-23T00:00:00.000'],
  ['WEEKLY', '2027-01-03T23:59:59.999', '2027-01-04T00:00:00.000'],
  ['MONTHLY', '2028-02-29T23:59:59.999', '2028-03-01T00:00:00.000'],
  ['MONTHLY', '2027-12-31T23:59:59.999', '2028-01-01T00:00:00.000'],
  ['QUARTERLY', '2027-03-31T23:59:59.999', '2027-04-01T00:00:00.000'],
  ['QUARTERLY', '2027-12-31T23:59:59.999', '2028-01-01T00:00:00.000'],
  ['YEARLY', '2027-12-31T23:59:59.999', '2028-01-01T00:00:00.000'],
];

for (const [counter, last, first] of EDGES)
  test(`${counter} ends between ${last} and ${first}`, () => {
    assert.notDeepEqual(windowStart(counter, at(last)), windowStart(counter, at(first)));
    assert.deepEqual(windowStart(counter, at(first)), at(first));
    assert.deepEqual(windowEnd(counter, at(last)), at(first));
    const spent = consume(NOTHING, 700n, true, at(last));
    assert.equal(usedOf(spent.windows, counter, at(last)), 700n);
    assert.equal(usedOf(spent.windows, counter, at(first)), 0n);
    const both = consume(spent, 5n, true, at(first));
    assert.equal(usedOf(both.windows, counter, at(first)), 5n);
    assert.equal(usedOf(both.windows, 'ALWAYS', at(first)), 705n);
  });

test('a quarter and a year have no edge inside; all time has none at all', () => {
  assert.deepEqual(windowStart('QUARTERLY', at('2027-05-31T10:00:00')), at('2027-04-01T00:00:00'));
  assert.deepEqual(windowStart('YEARLY', at('2028-02-29T10:00:00')), at('2028-01-01T00:00:00'));
  assert.deepEqual(windowStart('WEEKLY', at('2028-02-29T10:00:00')), at('2028-02-28T00:00:00'));
  assert.equal(windowEnd('ALWAYS', at('2028-02-29T10:00:00')), null);
});

test('any moment lies in its window, and windows follow one another without gaps', () => {
  fc.assert(
    fc.property(
      fc.date({ min: at('2025-01-01T00:00:00'), max: at('2060-01-01T00:00:00'), noInvalidDate: true }),
      fc.constantFrom(...COUNTERS),
      (moment, counter) => {
        const start = windowStart(counter, moment);
        const end = windowEnd(counter, moment);
        assert.ok(start <= moment && (end === null || moment < end));
        if (end) assert.deepEqual(windowStart(counter, end), end);
        assert.deepEqual(windowStart(counter, start), start);
      },
    ),
  );
});

test('what is given back goes to the windows it came from; windows that are over stay as they are', () => {
  const monday = at('2026-11-23T12:00:00');
  const tuesday = at('2026-11-24T12:00:00');
  const spent = consume(consume(NOTHING, 100n, false, monday), 40n, false, tuesday);
  const back = giveBack(spent, 60n, tuesday);
  // 40 of Tuesday's first, then 20 of Monday's: those leave the week but not Tuesday.
  assert.equal(usedOf(back.windows, 'DAILY', tuesday), 0n);
  assert.equal(usedOf(back.windows, 'WEEKLY', tuesday), 80n);
  assert.deepEqual(
    back.parts.map(({ amount }) => amount),
    ['80', '0'],
  );
  const later = giveBack(back, 80n, at('2026-12-24T12:00:00'));
  assert.equal(usedOf(later.windows, 'MONTHLY', at('2026-12-24T12:00:00')), 0n);
  assert.equal(usedOf(later.windows, 'QUARTERLY', at('2026-12-24T12:00:00')), 0n);
  assert.equal(usedOf(later.windows, 'YEARLY', at('2026-12-24T12:00:00')), 0n);
});

test('a refund gives back in the current windows and never raises a limit; its reversal uses it again', () => {
  const day = at('2026-11-23T12:00:00');
  const next = at('2026-11-24T12:00:00');
  const spent = consume(consume(NOTHING, 100n, false, day), 30n, false, next);
  const refunded = refund({ windows: spent.windows, parts: [] }, 100n, 'r', next);
  assert.equal(usedOf(refunded.windows, 'DAILY', next), 0n);
  assert.equal(usedOf(refunded.windows, 'MONTHLY', next), 30n);
  const again = unrefund(refunded, 'r', next);
  assert.equal(usedOf(again.windows, 'DAILY', next), 30n);
  assert.equal(usedOf(again.windows, 'MONTHLY', next), 130n);
  assert.deepEqual(again.parts, []);
});

test('cash at machines is counted beside, and a verification not at all', () => {
  const now = at('2026-11-23T12:00:00');
  assert.deepEqual(consume(NOTHING, 0n, true, now), NOTHING);
  const both = consume(consume(NOTHING, 10n, true, now), 20n, false, now);
  assert.equal(usedOf(both.windows, 'ATM_DAILY', now), 10n);
  assert.equal(usedOf(both.windows, 'DAILY', now), 30n);
});

test('a clock that is set back opens no window again', () => {
  const spent = consume(NOTHING, 10n, false, at('2026-11-23T12:00:00'));
  const back = at('2026-11-01T00:00:00');
  assert.equal(usedOf(spent.windows, 'DAILY', back), 10n);
  assert.equal(usedOf(consume(spent, 5n, false, back).windows, 'DAILY', back), 15n);
});

test('whatever happens, a counter is the sum of its parts and never below zero', () => {
  const step = fc.record({
    what: fc.constantFrom('consume', 'giveBack', 'refund', 'unrefund'),
    amount: fc.bigInt(1n, 500n),
    atm: fc.boolean(),
    hours: fc.integer({ min: 0, max: 24 * 20 }),
  });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
      let now = at('2026-11-20T12:00:00');
      let counted = NOTHING;
      let refunds = 0;
      for (const { what, amount, atm, hours } of steps) {
        now = new Date(now.getTime() + hours * 3_600_000);
        if (what === 'consume') counted = consume(counted, amount, atm, now);
        else if (what === 'giveBack') counted = giveBack(counted, amount, now);
        else if (what === 'refund') counted = refund(counted, amount, `r${++refunds}`, now);
        else counted = unrefund(counted, `r${refunds}`, now);
        for (const counter of COUNTERS) {
          const start = counted.windows[counter]?.start;
          const sum = counted.parts
            .filter((part) => windowStart(counter, new Date(part.at)).toISOString() === start)
            .reduce((total, part) => total + BigInt(part.used[counter] ?? '0'), 0n);
          assert.equal(BigInt(counted.windows[counter]?.used ?? '0'), sum, counter);
          assert.ok(sum >= 0n, counter);
        }
      }
    }),
    { numRuns: 300 },
  );
});
