// docs/contract/gateway.md#cashflow: a refund of a converted charge uses the charge's rate, and the last part takes the exact rest, for
// every way to split any amount, between currencies with and without decimals.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { exponentOf } from '../../src/base/index.ts';
import {
  cashflowOf,
  convert,
  convertedMovement,
  type Movement,
  type Posting,
  type PricingPlan,
  postOperation,
  type Rate,
} from '../../src/ledger/index.ts';

const at = new Date('2026-11-21T10:00:00Z');
const currency = fc.constantFrom('EUR', 'USD', 'GBP', 'PLN', 'JPY', 'KRW');
const rate = fc.bigInt(1n, 500_000_000n).map((micro): Rate => ({ micro, day: '2026-11-21', source: 'test' }));
const percent = fc.integer({ min: 0, max: 100 }).map(String);

interface Life {
  readonly from: string;
  readonly to: string;
  readonly charges: readonly { readonly minor: bigint; readonly rate: Rate }[];
  /** Where the sum of the charges is cut, as shares of it. */
  readonly cuts: readonly number[];
  /** After how many refunds the issuer takes the rest back, and the merchant wins it again. */
  readonly dispute: number | null;
  readonly plan: PricingPlan;
}

const life: fc.Arbitrary<Life> = fc.record({
  from: currency,
  to: currency,
  charges: fc.array(
    fc.record({ minor: fc.oneof(fc.bigInt(1n, 20n), fc.bigInt(1n, 100_000n), fc.bigInt(1n, 999_999_999_999n)), rate }),
    { minLength: 1, maxLength: 3 },
  ),
  cuts: fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 12 }),
  dispute: fc.option(fc.nat(12)),
  plan: fc.record({
    rules: fc.tuple(percent, percent, percent).map((of): PricingPlan['rules'] =>
      (['charge', 'refund', 'chargeback'] as const).map((operation, i) => ({
        operation,
        percent: of[i] as string,
        fixed: '0',
      })),
    ),
    reserve: percent.map((of) => ({ percent: of, days: 30 })),
  }),
});

/** The refunds that an amount is cut into, none of them empty. */
function partsOf(total: bigint, cuts: readonly number[]): bigint[] {
  const places = [...new Set(cuts.map((cut) => (total * BigInt(Math.floor(cut * 1e6))) / 1_000_000n))];
  const ordered = [
    0n,
    ...places.filter((place) => place > 0n && place < total).sort((a, b) => (a < b ? -1 : 1)),
    total,
  ];
  return ordered.slice(1).map((place, i) => place - (ordered[i] as bigint));
}

/** The movements of a life in their order. */
function movementsOf({ charges, cuts, dispute }: Life): Movement[] {
  const total = charges.reduce((sum, { minor }) => sum + minor, 0n);
  const parts = partsOf(total, cuts);
  const movements: Movement[] = charges.map(({ minor, rate: of }) => ({ kind: 'charge', minor, rate: of }));
  let left = total;
  for (const [i, minor] of parts.entries()) {
    if (i === dispute)
      for (const kind of ['chargeback', 'representment'] as const) movements.push({ kind, minor: left, rate: null });
    movements.push({ kind: 'refund', minor, rate: null });
    left -= minor;
  }
  return movements;
}

const OUT = new Set(['refund', 'chargeback']);
const sumOf = <Item>(items: readonly Item[], read: (item: Item) => bigint): bigint =>
  items.reduce((sum, item) => sum + read(item), 0n);

test('property: however an amount is split, everything goes back to the cent in both currencies, and cashflows are what was booked', () => {
  fc.assert(
    fc.property(
      life.filter(({ from, to }) => from !== to),
      (lived) => {
        const { from, to, plan } = lived;
        const minorOf = (text: string): bigint => BigInt(text.replace('.', '')) / (exponentOf(to) === 0 ? 100n : 1n);
        const movements = movementsOf(lived);
        const all: Posting[] = [];
        const flows = movements.map(({ kind, minor, rate: own }, i) => {
          const { accounting, rate: used } = convertedMovement(movements.slice(0, i + 1), from, to);
          const { postings } = postOperation({
            owner: 1n,
            subject: { type: 'order', id: 1n },
            operationId: BigInt(i + 1),
            operation: kind,
            amount: { minor, currency: from },
            hold: 0n,
            accounting: to,
            rate: own ?? used,
            accountingMinor: accounting,
            plan,
            cardType: null,
            country: null,
            link: 'simulator',
            at,
          });
          all.push(...postings);
          return { kind, accounting, flow: cashflowOf(postings, to, accounting) };
        });
        for (const side of [from, to]) {
          const pair = all.filter(({ account, currency: its }) => account.startsWith('fx:') && its === side);
          assert.equal(
            sumOf(pair, ({ amount }) => amount),
            0n,
            `${side} is left in the conversion`,
          );
        }
        // What was charged went back, and the merchant is left with the fees and what is in reserve.
        const signed = sumOf(flows, ({ kind, flow }) => (OUT.has(kind) ? -1n : 1n) * minorOf(flow.amount));
        assert.equal(signed, 0n);
        const merchants = all.filter(({ account, currency: its }) => account.startsWith('merchant_') && its === to);
        const fees = all.filter(({ account }) => account === 'fee_income');
        assert.equal(
          sumOf(merchants, ({ amount }) => amount),
          -sumOf(fees, ({ amount }) => amount),
        );
        assert.equal(
          sumOf(flows, ({ flow }) => minorOf(flow.fee)),
          -sumOf(fees, ({ amount }) => amount),
        );
        const owed = all.filter(({ account }) => account === 'merchant_payable' || account === 'merchant_disputed');
        assert.equal(
          sumOf(flows, ({ flow }) => minorOf(flow.receivable)),
          -sumOf(owed, ({ amount }) => amount),
        );
        for (const { flow } of flows) assert.ok(minorOf(flow.fee) >= 0n && minorOf(flow.reserve) >= 0n);
      },
    ),
    { numRuns: 5000 },
  );
});

test('property: of one charge every refund but the last is converted half to even, the last takes the rest', () => {
  fc.assert(
    fc.property(
      life.filter(({ from, to }) => from !== to),
      (lived) => {
        const { from, to } = lived;
        const [charge] = lived.charges;
        const movements = movementsOf({ ...lived, charges: lived.charges.slice(0, 1), dispute: null });
        assert.ok(charge);
        const booked = movements.map((_, i) => convertedMovement(movements.slice(0, i + 1), from, to).accounting);
        const each = movements.map(({ minor }) => convert({ minor, currency: from }, to, charge.rate));
        assert.deepEqual(booked.slice(0, -1), each.slice(0, -1));
        assert.equal(booked.at(-1), (each[0] as bigint) - sumOf(booked.slice(1, -1), (amount) => amount));
      },
    ),
    { numRuns: 5000 },
  );
});

test('more than was charged is no movement', () => {
  const of: Rate = { micro: 900_000n, day: '2026-11-21', source: 'test' };
  const charge: Movement = { kind: 'charge', minor: 100n, rate: of };
  assert.throws(() => convertedMovement([charge, { kind: 'refund', minor: 101n, rate: null }], 'USD', 'EUR'));
  assert.throws(() => convertedMovement([charge, { kind: 'representment', minor: 1n, rate: null }], 'USD', 'EUR'));
});
