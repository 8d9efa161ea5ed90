// Statements on the parts of partitioned tables: one a day, made ahead and dropped when it is over; what no day was made for lies in the part
// beside them. Rule: none waits long for a lock, for others would wait behind it: a payment, too.
import type { Database, Db, Transaction } from '../../store/index.ts';

/** A table in days. */
export interface Parted {
  readonly table: string;
  /** By which its rows belong to a day. */
  readonly by: string;
  readonly beside: string;
}

export const PARTED: readonly Parted[] = [
  { table: 'events', by: 'id', beside: 'events_beside' },
  { table: 'webhook_attempts', by: 'event_id', beside: 'webhook_attempts_beside' },
];

/** So long a change of parts waits for a lock, and others behind it. */
export const LOCK_MS = 100;
/** Class of the advisory locks by which two who do the same meet. */
const CLASS = 7_046_006;

/** The parts of days, and those that were taken out and not dropped yet: by name. */
export async function daysOf(db: Db, { table }: Parted): Promise<{ readonly name: string; readonly part: boolean }[]> {
  return db.query(
    `select relname as name, relispartition as part from pg_class
     where relnamespace = 'public'::regnamespace and relkind = 'r' and relname ~ ('^' || $1 || '_d[0-9]{8}$') order by 1`,
    [table],
  );
}

/** What lies beside the days has rows with ids from `from` to below `to`. */
export async function anyBeside(db: Db, { by, beside }: Parted, from: bigint, to: bigint): Promise<boolean> {
  const rows = await db.query(`select from ${beside} where ${by} >= $1 and ${by} < $2 limit 1`, [from, to]);
  return rows.length > 0;
}

/** One change of a table's parts; nothing where another process changes them now. */
const changing = (
  { transaction }: Pick<Database, 'transaction'>,
  { table }: Parted,
  change: (inside: Transaction) => Promise<unknown>,
): Promise<void> =>
  transaction(async (inside) => {
    await inside.query(`set local lock_timeout = ${LOCK_MS}`);
    // Who crashes has it to do again: so the lock is not held until the disk has it.
    await inside.query('set local synchronous_commit = off');
    const [row] = await inside.query<{ held: boolean }>('select pg_try_advisory_xact_lock($1, hashtext($2)) as held', [
      CLASS,
      table,
    ]);
    if (row?.held) await change(inside);
  });

/**
 * A part for ids from `from` to below `to`. Attached, not made as a part: that takes no lock that writers of other parts, or readers of one,
 * would wait for.
 */
export const dayMake = (
  database: Pick<Database, 'transaction'>,
  parted: Parted,
  name: string,
  { from, to }: { readonly from: bigint; readonly to: bigint },
): Promise<void> =>
  changing(database, parted, async (inside) => {
    const [there] = await inside.query<{ name: string | null }>('select to_regclass($1)::text as name', [name]);
    if (there?.name) return;
    await inside.query(`create table ${name} (like ${parted.table} including all)`);
    await inside.query(`alter table ${parted.table} attach partition ${name} for values from (${from}) to (${to})`);
  });

/** Takes a part out. The whole table is locked meanwhile: nothing else stands in this transaction. */
export const dayTakeOut = (database: Pick<Database, 'transaction'>, parted: Parted, name: string): Promise<void> =>
  changing(database, parted, (inside) => inside.query(`alter table ${parted.table} detach partition ${name}`));

/** Drops what was taken out before: nobody looks there any more. */
export const dayDrop = (database: Pick<Database, 'transaction'>, parted: Parted, name: string): Promise<void> =>
  changing(database, parted, (inside) => inside.query(`drop table if exists ${name}`));

/** Of one row: the clock as it was looked at last. */
export interface Believed {
  readonly looked_at: Date;
  /** What is over is dropped from this moment on. */
  readonly drops_from: Date;
}

/** What `next` makes of it, and keeps. */
export const clockLook = (
  { transaction }: Pick<Database, 'transaction'>,
  next: (before: Believed | null) => Believed,
): Promise<Believed> =>
  transaction(async (inside) => {
    const [before = null] = await inside.query<Believed>(
      `select looked_at, drops_from from event_clock where name = 'clock' for update`,
    );
    const after = next(before);
    await inside.query(
      `insert into event_clock (name, looked_at, drops_from) values ('clock', $1, $2)
       on conflict (name) do update set looked_at = excluded.looked_at, drops_from = excluded.drops_from`,
      [after.looked_at, after.drops_from],
    );
    return after;
  });
