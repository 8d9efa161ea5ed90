// What a sender has done, written behind it in groups: how far the endpoint is, what failed, every try.
// Rule: the cursor and what failed below it are one transaction, so that a kill repeats what was on its way and loses nothing. It isn't waited
// for by the disk: what a crash of Postgres takes away is sent again, too.
import type { Clock, Log } from '../../base/index.ts';
import { type Change, type Database, statementsFor } from '../../store/index.ts';
import { type AttemptRow, attemptPut, cursorMove, type DeliveryRow, deliveryPut, type Standing } from './queries.ts';

export interface Done {
  readonly attempt: AttemptRow | null;
  /** What is to be kept of it: a failure, or the end of one. */
  readonly delivery: DeliveryRow | null;
}

export interface Ledger {
  /** An event of the log is dealt with. Positions come in any order. */
  passed(position: bigint, done: Done): void;
  /** Something that had its row already. */
  tried(done: Done): void;
  /** Positions up to this one were looked at: what is not open is done. */
  readUpTo(position: bigint): void;
  opened(position: bigint): void;
  /** Positions that are open or not written yet. */
  pending(): number;
  standing(to: Standing): void;
  /** Resolves when all so far is written, or the endpoint is another process'. */
  flush(): Promise<void>;
}

export interface LedgerOptions {
  readonly database: Pick<Database, 'transaction'>;
  readonly clock: Clock;
  readonly log: Log;
  readonly process: bigint;
  readonly owner: bigint;
  readonly webhook: bigint;
  readonly from: bigint;
  readonly standing: Standing;
  /** The endpoint is another process' now. */
  readonly onLost: () => void;
}

/** What one transaction writes. */
interface Taken {
  readonly attempts: readonly Change[];
  readonly deliveries: readonly Change[];
  readonly standing: Standing;
  readonly position: bigint;
}

/** Writes at most so often, so that many tries share a transaction. */
const EVERY_MS = 50;
const AGAIN_MS = 500;

/** Long: what is open, done and not written yet is one state. */
export function openLedger(options: LedgerOptions): Ledger {
  const { database, clock, log, process, owner, webhook, onLost } = options;
  /** Of the log: those under way. */
  const open = new Set<bigint>();
  let readTo = options.from;
  let written = options.from;
  let standing = options.standing;
  let standingChanged = false;
  let attempts: Change[] = [];
  let deliveries: Change[] = [];
  let passedCount = 0;
  let writing: Promise<void> | null = null;
  let lost = false;

  /** Everything up to here is done. */
  function doneTo(): bigint {
    let low = readTo;
    for (const position of open) if (position <= low) low = position - 1n;
    return low;
  }

  function note({ attempt, delivery }: Done): void {
    if (attempt) attempts.push(attemptPut(attempt));
    if (delivery) deliveries.push(deliveryPut(delivery));
    start();
  }

  function start(): void {
    writing ??= write().finally(() => {
      writing = null;
    });
  }

  const isDirty = (): boolean => attempts.length + deliveries.length > 0 || standingChanged || doneTo() > written;

  async function write(): Promise<void> {
    while (!lost && isDirty()) {
      await clock.sleep(EVERY_MS);
      // How it does is never ahead of what it did: who waits for the one reads the other.
      const taken: Taken = { attempts, deliveries, standing, position: doneTo() };
      const count = passedCount;
      attempts = [];
      deliveries = [];
      standingChanged = false;
      passedCount = 0;
      try {
        if (!(await writeOnce(taken))) {
          lost = true;
          onLost();
        }
        written = taken.position;
      } catch (error) {
        log.warn({ err: error }, 'deliveries could not be written down; tried again');
        attempts = [...taken.attempts, ...attempts];
        deliveries = [...taken.deliveries, ...deliveries];
        standingChanged = true;
        passedCount += count;
        await clock.sleep(AGAIN_MS);
      }
    }
  }

  const writeOnce = ({ attempts, deliveries, standing, position }: Taken): Promise<boolean> =>
    database.transaction(async (inside) => {
      await inside.query('set local synchronous_commit = off');
      const held = await cursorMove(inside, { ...standing, owner_id: owner, webhook_id: webhook, position }, process);
      // Tries were made, whoever sends now; what is to be tried again is his.
      const kept = held ? [...attempts, ...deliveries] : attempts;
      for (const { text, values } of statementsFor(kept)) await inside.query(text, values);
      return held;
    });

  return {
    opened(position) {
      open.add(position);
    },
    readUpTo(position) {
      readTo = position;
      start();
    },
    passed(position, done) {
      open.delete(position);
      passedCount++;
      note(done);
    },
    tried: note,
    pending: () => open.size + passedCount,
    standing(to) {
      standing = to;
      standingChanged = true;
      start();
    },
    async flush() {
      while (writing) await writing;
    },
  };
}
