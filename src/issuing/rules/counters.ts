// What a card has spent in its current windows. Pure (docs/contract/issuing.md#spend-rules, 1 to 5).
// Rule: `used` of a window is at any moment the sum of what the parts of that window hold, and never below zero.
import { COUNTERS, type CounterName, windowStart } from './windows.ts';

/** Counter → its current window and what was used in it, minor units as text. */
export type Windows = Readonly<Partial<Record<CounterName, { readonly start: string; readonly used: string }>>>;

/** One consumption (or, below zero, one refund): what of it stands on the counters of the windows that `at` is in. */
export interface Part {
  readonly at: string;
  /** Minor units that may still be given back; a refund has 0. */
  readonly amount: string;
  readonly used: Readonly<Partial<Record<CounterName, string>>>;
  /** Of a refund: the reference that it can be undone by. */
  readonly reference?: string;
}

export interface Counted {
  readonly windows: Windows;
  readonly parts: readonly Part[];
}

const nameOf = (counter: CounterName, at: Date): string => windowStart(counter, at).toISOString();

/** A clock that was set back doesn't open a window again: spending goes on in the one that was reached. */
function reached(windows: Windows, now: Date): Date {
  const day = windows.DAILY ? new Date(windows.DAILY.start) : now;
  return day > now ? day : now;
}

/** What is used of the window that `now` is in. */
export function usedOf(windows: Windows, counter: CounterName, now: Date): bigint {
  const window = windows[counter];
  return window?.start === nameOf(counter, reached(windows, now)) ? BigInt(window.used) : 0n;
}

/** The windows of `at` with each counter's change added; windows that are over begin anew. */
function moved(windows: Windows, at: Date, change: (counter: CounterName, used: bigint) => bigint): Windows {
  return Object.fromEntries(
    COUNTERS.map((counter) => {
      const used = usedOf(windows, counter, at);
      return [counter, { start: nameOf(counter, at), used: (used + change(counter, used)).toString() }];
    }),
  );
}

/** An approval, an increment, or a clearing above its hold consumes in the windows of its own time. */
export function consume({ windows, parts }: Counted, amount: bigint, atm: boolean, now: Date): Counted {
  if (amount === 0n) return { windows, parts };
  const at = reached(windows, now);
  const counts = (counter: CounterName): boolean => atm || counter !== 'ATM_DAILY';
  const used = Object.fromEntries(COUNTERS.filter(counts).map((counter) => [counter, amount.toString()]));
  return {
    windows: moved(windows, at, (counter) => (counts(counter) ? amount : 0n)),
    parts: [...parts, { at: at.toISOString(), amount: amount.toString(), used }],
  };
}

const least = (a: bigint, b: bigint): bigint => (a < b ? a : b);

/** Takes `amount` of one part off the counters that are still in its windows. */
function takenOff(windows: Windows, part: Part, amount: bigint, now: Date): { windows: Windows; part: Part } {
  const at = new Date(part.at);
  const present = reached(windows, now);
  const given: Partial<Record<CounterName, bigint>> = {};
  const after = moved(windows, present, (counter, used) => {
    const stands = part.used[counter];
    if (stands === undefined || nameOf(counter, at) !== nameOf(counter, present)) return 0n;
    given[counter] = least(amount, least(used, BigInt(stands)));
    return -given[counter];
  });
  const used = Object.fromEntries(
    Object.entries(part.used).map(([counter, text]) => [
      counter,
      (BigInt(text) - (given[counter as CounterName] ?? 0n)).toString(),
    ]),
  );
  return { windows: after, part: { ...part, amount: (BigInt(part.amount) - amount).toString(), used } };
}

/** Reversal, expiry, clearing below the hold: back to the windows it was consumed in, what came last first. A window that is over stays. */
export function giveBack({ windows, parts }: Counted, amount: bigint, now: Date): Counted {
  let left = amount;
  let current = windows;
  const after = [...parts];
  for (let i = after.length - 1; i >= 0 && left > 0n; i--) {
    const part = after[i] as Part;
    const take = least(left, BigInt(part.amount));
    if (take <= 0n) continue;
    const done = takenOff(current, part, take, now);
    current = done.windows;
    after[i] = done.part;
    left -= take;
  }
  return { windows: current, parts: after };
}

/** A refund gives back in the current windows, as far as something was used in them. */
export function refund({ windows, parts }: Counted, amount: bigint, reference: string, now: Date): Counted {
  const at = reached(windows, now);
  const given: Partial<Record<CounterName, string>> = {};
  const after = moved(windows, at, (counter, used) => {
    if (counter === 'ATM_DAILY') return 0n;
    const give = least(amount, used);
    given[counter] = (-give).toString();
    return -give;
  });
  return { windows: after, parts: [...parts, { at: at.toISOString(), amount: '0', used: given, reference }] };
}

/** A refund that is taken back: what it gave back is used again, in the windows that are still the same. */
export function unrefund({ windows, parts }: Counted, reference: string, now: Date): Counted {
  const part = parts.find((one) => one.reference === reference);
  if (!part) return { windows, parts };
  const at = new Date(part.at);
  const present = reached(windows, now);
  const after = moved(windows, present, (counter) =>
    nameOf(counter, at) === nameOf(counter, present) ? -BigInt(part.used[counter] ?? '0') : 0n,
  );
  return { windows: after, parts: parts.filter((one) => one !== part) };
}
