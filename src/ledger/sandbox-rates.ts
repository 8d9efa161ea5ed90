// The sandbox's rates: fixed points that other programs rely on. Rule: a pair that has a rate keeps it.
import { assert, dayOf, divideHalfEven } from '../base/index.ts';
import type { Transaction } from '../store/index.ts';
import { formatRate, parseRate, type RateInput, type Rates, rateRows } from './rates.ts';

/** Made up: units of each currency for one euro. */
const PER_EURO = { EUR: '1', USD: '1.085', GBP: '0.85', PLN: '4.3125', RUB: '98.5', JPY: '162.5' } as const;
export const SANDBOX_CURRENCIES = Object.keys(PER_EURO) as (keyof typeof PER_EURO)[];

/** Makes those that are missing. Two processes may do it at once. */
export async function seedRates(
  database: { transaction(work: (db: Transaction) => Promise<void>): Promise<void> },
  rates: Rates,
  now: Date,
): Promise<void> {
  const missing = ratesOf(dayOf(now)).filter(({ from, to }) => rates.get(from, to) === null);
  if (missing.length === 0) return;
  const rows = rateRows(missing, 'sandbox');
  assert(rows, 'the rates of the sandbox are rates');
  await database.transaction((db) => rates.put(db, rows, now));
  await rates.reload(now);
}

/** Each currency in each other, over the euro. */
function ratesOf(day: string): RateInput[] {
  const micro = (currency: keyof typeof PER_EURO): bigint => {
    const value = parseRate(PER_EURO[currency]);
    assert(value !== null, 'a rate');
    return value;
  };
  return SANDBOX_CURRENCIES.flatMap((from) =>
    SANDBOX_CURRENCIES.filter((to) => to !== from).map((to) => ({
      from,
      to,
      rate: formatRate(divideHalfEven(micro(to) * 1_000_000n, micro(from))),
      day,
    })),
  );
}
