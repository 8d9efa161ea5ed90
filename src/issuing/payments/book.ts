// What each message does to an authorization, to the money and to the spend counters. Pure.
// Rule: `held` is always what is still to be cleared with its fee and padding; nothing else sets it.
import { assert, divideHalfEven } from '../../base/index.ts';
import type { Movement } from '../accounts/index.ts';
import { feeOn, holdOn } from '../decision/index.ts';
import { consume, giveBack, refund, unrefund, type Windows } from '../rules/index.ts';
import type { Authorization } from './model.ts';

export interface Booked {
  readonly row: Authorization;
  readonly windows: Windows;
  readonly movements: readonly Omit<Movement, 'subject' | 'details'>[];
}

/** A message's own amount: as the merchant wrote it, and in the card's currency. */
export interface Amount {
  readonly asked: bigint;
  readonly billed: bigint;
}

const holdFor = (row: Pick<Authorization, 'open' | 'cleared' | 'details'>): bigint =>
  holdOn(row.details.tariff, row.open, row.cleared);

const atm = ({ channel }: Authorization): boolean => channel === 'atm';

const changed = (
  { asked }: Authorization,
  by: Partial<Record<keyof Authorization['asked'], bigint>>,
): Authorization['asked'] => ({
  open: (BigInt(asked.open) + (by.open ?? 0n)).toString(),
  cleared: (BigInt(asked.cleared) + (by.cleared ?? 0n)).toString(),
  refunded: (BigInt(asked.refunded) + (by.refunded ?? 0n)).toString(),
});

/** State, timer and hold as they follow from what is open. */
function consistent(row: Authorization): Authorization {
  assert(row.open >= 0n && BigInt(row.asked.open) >= 0n, 'more was cleared or released than was open');
  assert(
    row.refunded <= row.cleared || row.kind === 'credit' || row.kind === 'refund',
    'more was given back than taken',
  );
  const closed = row.open === 0n && row.state === 'OPEN';
  return {
    ...row,
    held: holdFor(row),
    state: closed ? 'CLOSED' : row.state,
    expires_at: row.open === 0n ? null : row.expires_at,
  };
}

/** The movement that takes the hold from what it was to what it is. */
const holding = (
  type: Movement['type'],
  before: Authorization,
  after: Authorization,
): Omit<Movement, 'subject' | 'details'>[] =>
  after.held === before.held ? [] : [{ type, actual: 0n, held: after.held - before.held, counter: null }];

/** The first amount, or more of it; `first` only for the message that begins it. */
export function hold(
  row: Authorization,
  windows: Windows,
  { asked, billed }: Amount,
  now: Date,
  first: boolean,
): Booked {
  const counted = consume({ windows, parts: row.parts }, billed, atm(row), now);
  const after = consistent({
    ...row,
    amount: row.amount + asked,
    asked: changed(row, { open: asked }),
    authorized: row.authorized + billed,
    open: row.open + billed,
    parts: counted.parts,
  });
  return {
    row: after,
    windows: counted.windows,
    movements: holding(first ? 'AUTHORISATION' : 'AUTHORISATION_INCREMENT', row, after),
  };
}

/** What a message would add to the hold: for the check of the funds before it. */
export const holdAdded = (row: Authorization, billed: bigint): bigint =>
  holdFor({ ...row, open: row.open + billed }) - row.held;

/** Gives up a part of what is open, or all of it. */
export function release(
  row: Authorization,
  windows: Windows,
  amount: Amount | 'all',
  now: Date,
  type: 'AUTHORISATION_REVERSAL' | 'AUTHORISATION_EXPIRY',
): Booked {
  const { asked, billed } = amount === 'all' ? { asked: BigInt(row.asked.open), billed: row.open } : amount;
  const counted = giveBack({ windows, parts: row.parts }, billed, now);
  const after = consistent({
    ...row,
    asked: changed(row, { open: -asked }),
    open: row.open - billed,
    parts: counted.parts,
  });
  return { row: after, windows: counted.windows, movements: holding(type, row, after) };
}

/** The part in the card's currency of what is open: the last part takes the rest, so that nothing is left by rounding. */
export function openShare(row: Authorization, asked: bigint): bigint {
  const open = BigInt(row.asked.open);
  return asked >= open ? row.open : divideHalfEven(row.open * asked, open);
}

/** As above, of what was cleared and not yet given back: a refund has the rate of its clearing. */
export function clearedShare(row: Authorization, asked: bigint): bigint {
  const left = BigInt(row.asked.cleared) - BigInt(row.asked.refunded);
  return asked >= left ? row.cleared - row.refunded : divideHalfEven((row.cleared - row.refunded) * asked, left);
}

const least = (a: bigint, b: bigint): bigint => (a < b ? a : b);

/**
 * The network has settled: the amount is posted whatever the funds are. What the hold covers ends with it; the rest is consumed now.
 * `last`: no other clearing follows, and what is still held is released.
 */
export function clear(row: Authorization, windows: Windows, amount: Amount, last: boolean, now: Date): Booked {
  const covered = least(openShare(row, amount.asked), row.open);
  const askedCovered = least(amount.asked, BigInt(row.asked.open));
  const closes = last || covered === row.open;
  // In another currency the clearing has a rate of its own: what it takes more or less than its hold is counted.
  const excess = amount.billed - covered;
  const left = closes ? row.open - covered : 0n;
  const net = excess - left;
  const counted =
    net > 0n
      ? consume({ windows, parts: row.parts }, net, atm(row), now)
      : giveBack({ windows, parts: row.parts }, -net, now);
  const fee = feeOn(row.details.tariff, amount.billed, row.cleared);
  const forced = askedCovered < amount.asked;
  const after = consistent({
    ...row,
    asked: changed(row, { open: closes ? -BigInt(row.asked.open) : -askedCovered, cleared: amount.asked }),
    open: closes ? 0n : row.open - covered,
    cleared: row.cleared + amount.billed,
    fees: row.fees + fee,
    parts: counted.parts,
    details: { ...row.details, forced: row.details.forced || forced },
  });
  return {
    row: after,
    windows: counted.windows,
    movements: [
      { type: 'SETTLEMENT', actual: -amount.billed, held: after.held - row.held, counter: 'scheme_payable' },
      ...(fee > 0n ? [{ type: 'FEE', actual: -fee, held: 0n, counter: 'issuing_fees' } as const] : []),
    ],
  };
}

/** Money back to the card: with its original, or as a payment of its own. */
export function giveMoney(row: Authorization, windows: Windows, amount: Amount, reference: string, now: Date): Booked {
  // A payout to the card was never spent: it raises no limit.
  const counts = row.kind !== 'credit';
  const before = { windows, parts: row.parts };
  const counted = counts ? refund(before, amount.billed, reference, now) : before;
  const after = consistent({
    ...row,
    asked: changed(row, { refunded: amount.asked }),
    refunded: row.refunded + amount.billed,
    parts: counted.parts,
    details: {
      ...row.details,
      refunds: {
        ...row.details.refunds,
        [reference]: { asked: amount.asked.toString(), billed: amount.billed.toString() },
      },
    },
  });
  return {
    row: after,
    windows: counted.windows,
    movements: [{ type: 'REFUND', actual: amount.billed, held: 0n, counter: 'scheme_payable' }],
  };
}

/** A refund that the merchant takes back, whole; null: there is none of that reference, or it is taken back already. */
export function takeBack(row: Authorization, windows: Windows, reference: string, now: Date): Booked | null {
  const { [reference]: given, ...refunds } = row.details.refunds;
  if (!given) return null;
  const counted = unrefund({ windows, parts: row.parts }, reference, now);
  const billed = BigInt(given.billed);
  const after = consistent({
    ...row,
    asked: changed(row, { refunded: -BigInt(given.asked) }),
    refunded: row.refunded - billed,
    parts: counted.parts,
    details: { ...row.details, refunds },
  });
  return {
    row: after,
    windows: counted.windows,
    movements: [{ type: 'REFUND_REVERSAL', actual: -billed, held: 0n, counter: 'scheme_payable' }],
  };
}
