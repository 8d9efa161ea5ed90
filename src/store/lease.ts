// Who of several Florins on one database lives. Owns processes: a row a process, renewed all the time, so that an operation whose
// process is gone can be told from one that is still waited for. Not a lock of a connection: a process outlives its connections.
// Rule: times here are the database's own real time, the only clock that all processes share.
import type { Clock, Log } from '../base/index.ts';
import type { Db } from './commit/index.ts';
import { StartError } from './embedded/index.ts';

export interface LeaseTimes {
  /** How long a process counts as living after its last sign of life. */
  readonly leaseMs: number;
  readonly renewMs: number;
}

/** Of the lease: a tenth less than the database counts. */
const HELD_SHARE = 0.9;

export const LEASE_TIMES: LeaseTimes = { leaseMs: 15_000, renewMs: 2_000 };

export interface Lease {
  /** How often a sign of life is given, milliseconds: to look for the dead more often brings nothing. */
  readonly renewMs: number;
  /** The number that this process' work carries. It gets another one when it was taken for dead meanwhile. */
  process(): bigint;
  /** False: the process may have been taken for dead by now. Then it decides nothing. */
  held(): boolean;
  /**
   * Before work that carries this number goes out: waits until the lease is held for sure. False: it was lost, and somebody else finds
   * out what became of the work.
   */
  keeps(process: bigint): Promise<boolean>;
  /** Milliseconds since the database last took a sign of life: how long ago something was written for sure. */
  silentMs(): number;
  /** The numbers of those that live. What has shown no sign of life for too long is dead from this moment on. */
  living(): Promise<ReadonlySet<bigint>>;
  release(): Promise<void>;
}

export interface LeaseOptions {
  /** Connections of its own, with short deadlines: a busy pool must not look like a dead process. */
  readonly db: Db;
  /** Real time. */
  readonly clock: Clock;
  readonly log: Log;
  readonly times?: LeaseTimes;
  /** Nobody else can be using the database: whoever has a row is dead. */
  readonly alone: boolean;
  /** Of a process that is dead for sure; null: none is. */
  readonly dead?: bigint | null;
}

export async function openLease({
  db,
  clock,
  log,
  times = LEASE_TIMES,
  alone,
  dead = null,
}: LeaseOptions): Promise<Lease> {
  const { leaseMs, renewMs } = times;
  const ending = new AbortController();
  let renewedAt = clock.elapsed();
  if (alone || dead !== null) await forgetProcesses(db, alone ? null : dead);
  let number = await enter(db, leaseMs);

  let renewal: Promise<void> | null = null;
  /** One at a time: two that find the row gone would draw two numbers, and nobody would keep the first alive. */
  const renew = (): Promise<void> => {
    renewal ??= renewOnce().finally(() => {
      renewal = null;
    });
    return renewal;
  };

  /** The moment before the statement was sent counts: the database's own count begins later. */
  async function renewOnce(): Promise<void> {
    const sentAt = clock.elapsed();
    const rows = await db.query(
      `update processes set expires_at = clock_timestamp() + $2 * interval '1 ms' where id = $1 returning id`,
      [number, leaseMs],
    );
    if (rows.length === 0) {
      number = await enter(db, leaseMs);
      log.error({ process: number.toString() }, 'this process was taken for dead; it goes on under another number');
    }
    renewedAt = sentAt;
  }

  const renewing = (async () => {
    while (!ending.signal.aborted) {
      await clock.sleep(renewMs, ending.signal).catch(() => undefined);
      if (ending.signal.aborted) return;
      await renew().catch((error: unknown) => log.warn({ err: error }, 'no sign of life could be given'));
    }
  })();

  const held = (): boolean => clock.elapsed() - renewedAt < leaseMs * HELD_SHARE;

  return {
    renewMs,
    process: () => number,
    held,
    async keeps(process) {
      for (const until = clock.elapsed() + leaseMs; !held() && clock.elapsed() < until; ) await clock.sleep(100);
      return held() && number === process;
    },
    silentMs: () => clock.elapsed() - renewedAt,
    async living() {
      // Behind an outage that was longer than the lease nobody has taken us for dead yet: it mustn't be ourselves.
      if (!held()) await renew();
      await db.query('delete from processes where expires_at < clock_timestamp()');
      const rows = await db.query<{ id: bigint }>('select id from processes');
      return new Set(rows.map(({ id }) => id));
    },
    async release() {
      ending.abort(new Error('ending'));
      await renewing;
      await db.query('delete from processes where id = $1', [number]);
    },
  };
}

/** Of these it is known for sure that they are dead: one, or all (`null`) where nobody can be using the database. */
export const forgetProcesses = (db: Db, only: bigint | null = null): Promise<unknown> =>
  db.query('delete from processes where id = coalesce($1, id)', [only]);

/** Does any process on this database live? For whoever must not work beside one. */
export async function anyLives(db: Db): Promise<boolean> {
  const rows = await db.query('select from processes where expires_at > clock_timestamp()');
  return rows.length > 0;
}

/** More than live at once on any database. */
const MOST_DRAWN = 1000;

/** A number that no process has: where a database was restored or failed over, its sequence may lie behind its table. */
async function enter(db: Db, leaseMs: number): Promise<bigint> {
  for (let drawn = 0; drawn < MOST_DRAWN; drawn++) {
    const [row] = await db.query<{ id: bigint }>(
      `insert into processes (id, expires_at) values (nextval('process_ids'), clock_timestamp() + $1 * interval '1 ms')
       on conflict (id) do nothing returning id`,
      [leaseMs],
    );
    if (row) return row.id;
  }
  throw new StartError(
    `The database has given out ${MOST_DRAWN} numbers of processes that are taken: its sequence process_ids is wrong.`,
  );
}
