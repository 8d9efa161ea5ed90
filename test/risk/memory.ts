// Counters in memory that add up the same changes as the table would, and payments to ask about.
import { createHmac } from 'node:crypto';
import { type Counters, countersFrom, type Window, wantedOf } from '../../src/gateway/risk/counters.ts';
import type { Keyed, Keys, Payment } from '../../src/gateway/risk/facts.ts';
import type { Counted, CounterRow } from '../../src/gateway/risk/queries.ts';
import type { Change } from '../../src/store/index.ts';

export const keyed: Keyed = (purpose, data) => createHmac('sha256', purpose).update(data).digest();

/** For a replay, which asks for millions of them: keys that differ where the data does, and hide nothing. */
export const plain = ((_purpose, data) => ({ toString: () => data })) as Keyed;

/** A bucket with all that was counted up to its end: a window is the difference of two. */
interface Bucket {
  readonly at: number;
  count: bigint;
  sum: bigint;
}

/** How many of the buckets begin before this time. */
function before(series: readonly Bucket[], time: number): number {
  let [low, high] = [0, series.length];
  if ((series[high - 1] as Bucket).at < time) return high;
  if ((series[0] as Bucket).at >= time) return 0;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((series[middle] as Bucket).at < time) low = middle + 1;
    else high = middle;
  }
  return low;
}

const NOTHING: Counted = { count: 0n, sum: 0n };

export class MemoryCounters {
  /** By span, dimension and key: buckets in the order of their times, and at least one. */
  readonly #series = new Map<number, Map<string, Map<string, Bucket[]>>>();

  apply(changes: readonly Change[]): void {
    for (const change of changes) {
      if (change.table.name !== 'risk_counters') continue;
      const { dimension, key_hash, span, bucket_at, count, sum } = change.row as unknown as CounterRow;
      const ofSpan = made(this.#series, span, () => new Map<string, Map<string, Bucket[]>>());
      const ofDimension = made(ofSpan, dimension, () => new Map<string, Bucket[]>());
      const at = bucket_at.getTime();
      const series = made(ofDimension, key_hash, () => [{ at, ...NOTHING }]);
      const place = before(series, at);
      if (series[place]?.at !== at) series.splice(place, 0, { ...(series[place - 1] ?? NOTHING), at });
      for (let later = place; later < series.length; later++) {
        const bucket = series[later] as Bucket;
        bucket.count += count;
        bucket.sum += sum;
      }
    }
  }

  load(of: Keys, windows: readonly Window[], now: Date): Counters {
    const wanted = wantedOf(of, windows, now);
    const end = now.getTime() + 1;
    const totals = wanted.map(({ dimension, keyHash, span, since }) => {
      const series = this.#series.get(span)?.get(dimension)?.get(keyHash);
      if (!series) return NOTHING;
      const { count, sum } = series[before(series, end) - 1] ?? NOTHING;
      const old = series[before(series, since.getTime()) - 1];
      return old ? { count: count - old.count, sum: sum - old.sum } : { count, sum };
    });
    return countersFrom(wanted, totals);
  }
}

function made<Key, Value>(map: Map<Key, Value>, key: Key, make: () => Value): Value {
  const known = map.get(key);
  if (known !== undefined) return known;
  const value = make();
  map.set(key, value);
  return value;
}

export interface Told {
  readonly amount?: bigint;
  readonly currency?: string;
  readonly accounting?: bigint | null;
  readonly card?: string;
  readonly bin?: string;
  readonly country?: string | null;
  readonly ip?: string | undefined;
  /** Comes by this static link, with this browser. */
  readonly link?: string | null;
  readonly session?: string | null;
  readonly ipCountry?: string | undefined;
  readonly email?: string | undefined;
  readonly clientCountry?: string;
  readonly at?: Date;
  readonly initiator?: 'customer' | 'merchant';
  readonly cardTesting?: boolean;
  readonly dryRun?: boolean;
  readonly timeZone?: string;
  readonly project?: bigint;
  readonly merchantOrderId?: string | null;
}

/** A payment of 12.50 EUR with a German card, told as fully as the overrides say. */
export function payment(told: Told = {}): Payment {
  const { amount = 1250n, currency = 'EUR', card = 'a card', ip, ipCountry, email } = told;
  return {
    project: {
      id: told.project ?? 7n,
      accounting_currency: 'EUR',
      settings: {
        time_zone: told.timeZone ?? 'UTC',
        card_testing: told.cardTesting ?? false,
        risk_dry_run: told.dryRun ?? false,
      },
    },
    orderId: 1n,
    draft: {
      amount,
      currency,
      merchantOrderId: told.merchantOrderId ?? null,
      location:
        ip === undefined && ipCountry === undefined
          ? null
          : { ...(ip && { ip }), ...(ipCountry && { country: ipCountry }) },
      client:
        email === undefined && told.clientCountry === undefined
          ? null
          : { ...(email && { email }), ...(told.clientCountry && { country: told.clientCountry }) },
    },
    bin: {
      brand: 'visa',
      subtype: 'debit',
      bin: told.bin ?? '411111',
      country: told.country === undefined ? 'DEU' : told.country,
    },
    fingerprint: () => card,
    accountingMinor: told.accounting ?? null,
    visit:
      told.link === undefined && told.session === undefined
        ? null
        : { address: ip ?? '', link: told.link ?? null, session: told.session ?? null },
    initiator: told.initiator ?? 'customer',
    at: told.at ?? new Date('2026-11-21T09:30:00Z'),
  };
}
