// The table of buckets that all servers of a database share; no other file names it.
// Rule: times are the database's own real time, the only clock that all servers share.
import { arrayLiteral, type Db } from '../../store/index.ts';
import type { Bucket } from './bucket.ts';

/** A bucket, and how often it was written: who writes it has seen the last write. */
export interface Stored extends Bucket {
  readonly version: bigint;
}

interface BucketRow {
  readonly now_us: number;
  readonly key: string | null;
  readonly version: bigint;
  readonly full_us: number;
  readonly promised_us: number;
}

const texts = (values: readonly string[]): string => arrayLiteral(values, 'text');

/** Those that there are, and what time it is. */
export async function bucketsRead(
  db: Db,
  keys: readonly string[],
): Promise<{ readonly nowUs: number; readonly buckets: ReadonlyMap<string, Stored> }> {
  const rows = await db.query<BucketRow>(
    `select floor(extract(epoch from clock_timestamp()) * 1000000)::float8 as now_us, key, version, full_us, promised_us
     from (select) as always left join rate_buckets on key = any($1::text[])`,
    [texts(keys)],
  );
  const buckets = new Map<string, Stored>();
  for (const { key, version, full_us, promised_us } of rows)
    if (key !== null) buckets.set(key, { version, fullUs: full_us, promisedUs: promised_us });
  return { nowUs: (rows[0] as BucketRow).now_us, buckets };
}

/** Writes each bucket whose last write the caller has seen; the keys of these. In the order of the keys, so that two never wait for each other. */
export async function bucketsWrite(db: Db, buckets: ReadonlyMap<string, Stored>): Promise<ReadonlySet<string>> {
  const keys = [...buckets.keys()].sort();
  const column = (of: (bucket: Stored) => unknown): string =>
    `{${keys.map((key) => String(of(buckets.get(key) as Stored))).join()}}`;
  const rows = await db.query<{ key: string }>(
    `insert into rate_buckets as b (key, version, full_us, promised_us)
     select * from unnest($1::text[], $2::int8[], $3::float8[], $4::float8[]) as t(key, version, full_us, promised_us) order by key
     on conflict (key) do update set version = excluded.version, full_us = excluded.full_us, promised_us = excluded.promised_us
     where b.version = excluded.version - 1 returning key`,
    [
      texts(keys),
      column(({ version }) => version),
      column(({ fullUs }) => fullUs),
      column(({ promisedUs }) => promisedUs),
    ],
  );
  return new Set(rows.map(({ key }) => key));
}

/** Deletes buckets that have been full for a minute, and that nobody was told to come back to: they are as new ones. */
export async function purgeRates(db: Db): Promise<void> {
  await db.query(
    `delete from rate_buckets where greatest(full_us, promised_us) < extract(epoch from clock_timestamp())::float8 * 1000000 - 60000000`,
  );
}
