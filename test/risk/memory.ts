// Counters in memory that add up the same changes as the table would, and payments to ask about.
import { createHmac } from 'node:crypto';
import { type Counters, countersFrom, type Window, wantedOf } from '../../src/gateway/risk/counters.ts';
import type { Keyed, Keys, Payment } from '../../src/gateway/risk/facts.ts';
import type { CounterRow } from '../../src/gateway/risk/queries.ts';
import type { Change } from '../../src/store/index.ts';

export const keyed: Keyed = (purpose, data) => createHmac('sha256', purpose).update(data).digest();

export class MemoryCounters {
  /** By dimension, key and span: buckets in the order of their times. */
  readonly #series = new Map<string, { at: number; count: bigint; sum: bigint }[]>();

  apply(changes: readonly Change[]): void {
    for (const change of changes) {
      if (change.table.name !== 'risk_counters') continue;
      const { dimension, key_hash, span, bucket_at, count, sum } = change.row as unknown as CounterRow;
      const name = `${dimension} ${key_hash} ${span}`;
      const series = this.#series.get(name) ?? [];
      this.#series.set(name, series);
      const bucket = series.findLast(({ at }) => at === bucket_at.getTime());
      if (bucket) Object.assign(bucket, { count: bucket.count + count, sum: bucket.sum + sum });
      else series.push({ at: bucket_at.getTime(), count, sum });
    }
  }

  load(keys: Keys, windows: readonly Window[], now: Date): Counters {
    const wanted = wantedOf(keys, windows, now);
    const totals = wanted.map(({ dimension, keyHash, span, since }) => {
      const total = { count: 0n, sum: 0n };
      for (const { at, count, sum } of this.#series.get(`${dimension} ${keyHash} ${span}`) ?? []) {
        if (at < since.getTime() || at > now.getTime()) continue;
        total.count += count;
        total.sum += sum;
      }
      return total;
    });
    return countersFrom(wanted, totals);
  }
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
