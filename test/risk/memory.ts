// Counters in memory that add up the same changes as the table would, and payments to ask about.
import { createHmac } from 'node:crypto';
import { type Counters, countersFrom, type Window, wantedOf } from '../../src/gateway/risk/counters.ts';
import type { Keyed, Keys, Payment } from '../../src/gateway/risk/facts.ts';
import type { Counted, CounterRow } from '../../src/gateway/risk/queries.ts';
import type { Change } from '../../src/store/index.ts';

const keys = new Map<string, Map<string, Buffer>>();

/** A replay asks for the same few thousand keys a million times. */
export const keyed: Keyed = (purpose, data) => {
  const made = keys.get(purpose) ?? new Map<string, Buffer>();
  keys.set(purpose, made);
  const key = made.get(data) ?? createHmac('sha256', purpose).update(data).digest();
  made.set(data, key);
  return key;
};

/** A bucket with all that was counted up to its end: a window is the difference of two. */
interface Bucket {
  readonly at: number;
  count: bigint;
  sum: bigint;
}

/** How many of the buckets begin before this time. */
function before(series: readonly Bucket[], time: number): number {
  let [low, high] = [0, series.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((series[middle] as Bucket).at < time) low = middle + 1;
    else high = middle;
  }
  return low;
}

export class MemoryCounters {
  /** By span and dimension, then by key: buckets in the order of their times. */
  readonly #series = new Map<string, Map<string, Bucket[]>>();

  apply(changes: readonly Change[]): void {
    for (const change of changes) {
      if (change.table.name !== 'risk_counters') continue;
      const { dimension, key_hash, span, bucket_at, count, sum } = change.row as unknown as CounterRow;
      const name = `${span} ${dimension}`;
      const ofDimension = this.#series.get(name) ?? new Map<string, Bucket[]>();
      this.#series.set(name, ofDimension);
      const series = ofDimension.get(key_hash) ?? [];
      ofDimension.set(key_hash, series);
      const at = bucket_at.getTime();
      const place = before(series, at);
      if (series[place]?.at !== at) {
        const { count = 0n, sum = 0n } = series[place - 1] ?? {};
        series.splice(place, 0, { at, count, sum });
      }
      for (const bucket of series.slice(place)) {
        bucket.count += count;
        bucket.sum += sum;
      }
    }
  }

  load(of: Keys, windows: readonly Window[], now: Date): Counters {
    const wanted = wantedOf(of, windows, now);
    const totals = wanted.map(({ dimension, keyHash, span, since }) => {
      const series = this.#series.get(`${span} ${dimension}`)?.get(keyHash) ?? [];
      const upTo = (place: number): Counted => series[place - 1] ?? NOTHING;
      const [all, old] = [upTo(before(series, now.getTime() + 1)), upTo(before(series, since.getTime()))];
      return { count: all.count - old.count, sum: all.sum - old.sum };
    });
    return countersFrom(wanted, totals);
  }
}

const NOTHING: Counted = { count: 0n, sum: 0n };

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
