// Windows of spending: UTC calendar days, weeks from Monday, months, quarters, years, and all time. Pure.
// Rule: a window is named by its first moment; two moments are in one window exactly when their names are equal.
import type { Interval } from './model.ts';

/** What is counted: every interval of the contract, and what was drawn at cash machines in a day. */
export type CounterName = Interval | 'ATM_DAILY';

type Start = (year: number, month: number, day: number, at: Date) => number;

const startOfDay: Start = (year, month, day) => Date.UTC(year, month, day);

const STARTS: Readonly<Record<CounterName, Start>> = {
  DAILY: startOfDay,
  // getUTCDay counts from Sunday; a week begins with Monday.
  WEEKLY: (year, month, day, at) => Date.UTC(year, month, day - ((at.getUTCDay() + 6) % 7)),
  MONTHLY: (year, month) => Date.UTC(year, month, 1),
  QUARTERLY: (year, month) => Date.UTC(year, month - (month % 3), 1),
  YEARLY: (year) => Date.UTC(year, 0, 1),
  ALWAYS: () => 0,
  ATM_DAILY: startOfDay,
};

export const COUNTERS = Object.keys(STARTS) as readonly CounterName[];

/** The first moment of the window that `at` is in. */
export const windowStart = (of: CounterName, at: Date): Date =>
  new Date(STARTS[of](at.getUTCFullYear(), at.getUTCMonth(), at.getUTCDate(), at));
