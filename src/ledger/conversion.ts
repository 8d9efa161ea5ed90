// What of an order's converted charges has not gone back yet, in both currencies. Pure.
// Rule: what goes back is taken from the charges in their order, each at its own rate, and what empties a charge takes its exact rest: the sums
// match to the cent however an amount is split. Half a cent a part adds up, so that rest may be zero or below.
import { assert } from '../base/index.ts';
import { convert } from './post.ts';
import type { Rate } from './rates.ts';

/** An operation that moves a charge's money, in minor units of the order's currency. */
export interface Movement {
  readonly kind: 'charge' | 'refund' | 'chargeback' | 'representment';
  readonly minor: bigint;
  /** Of a charge; what follows uses it. */
  readonly rate: Rate | null;
}

export interface Converted {
  /** In the accounting currency: what is booked. */
  readonly accounting: bigint;
  /** Of the first charge that it concerns. */
  readonly rate: Rate;
}

interface Part {
  readonly minor: bigint;
  readonly accounting: bigint;
  readonly rate: Rate;
}

/** What the last of an order's movements is booked with, all of them in their order; `from` and `to` are its currencies. */
export function convertedMovement(movements: readonly Movement[], from: string, to: string): Converted {
  const converted = (minor: bigint, rate: Rate): bigint => convert({ minor, currency: from }, to, rate);
  let kept: readonly Part[] = [];
  let disputed: readonly Part[] = [];
  let moved: readonly Part[] = [];
  for (const { kind, minor, rate } of movements) {
    if (kind === 'charge') {
      assert(rate, 'a conversion needs a rate');
      moved = [{ minor, accounting: converted(minor, rate), rate }];
      kept = [...kept, ...moved];
      continue;
    }
    const [taken, left] = take(kind === 'representment' ? disputed : kept, minor, converted);
    moved = taken;
    if (kind === 'refund') kept = left;
    else if (kind === 'chargeback') [kept, disputed] = [left, [...disputed, ...taken]];
    else [kept, disputed] = [[...taken, ...kept], left];
  }
  const [first] = moved;
  assert(first, 'a movement of something');
  return { accounting: moved.reduce((sum, { accounting }) => sum + accounting, 0n), rate: first.rate };
}

/** The first `minor` of the parts, and what stays. */
function take(
  parts: readonly Part[],
  minor: bigint,
  converted: (minor: bigint, rate: Rate) => bigint,
): [taken: readonly Part[], left: readonly Part[]] {
  const taken: Part[] = [];
  const left: Part[] = [];
  let wanted = minor;
  for (const part of parts) {
    if (wanted >= part.minor) taken.push(part);
    else if (wanted === 0n) left.push(part);
    else {
      const accounting = converted(wanted, part.rate);
      taken.push({ ...part, minor: wanted, accounting });
      left.push({ ...part, minor: part.minor - wanted, accounting: part.accounting - accounting });
    }
    wanted -= wanted < part.minor ? wanted : part.minor;
  }
  assert(wanted === 0n, 'no more goes back than came in');
  return [taken, left];
}
