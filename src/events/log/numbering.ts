// Gives events their positions, behind the commits that wrote them. Who holds an owner's head numbers what waits; any process may.
// Rule: nobody waits for it. What a process leaves, killed at any step, the next look of any other finds in the queue. What concerns endpoints
// is the operator's to know, too: it goes on into his log.
import type { Clock, Log } from '../../base/index.ts';
import { type Database, NOBODY } from '../../store/index.ts';
import { headHold, headMake, operatorCopies, queueNumber, queueOwners } from './queries.ts';

export interface NumberingOptions {
  readonly database: Pick<Database, 'query' | 'transaction'>;
  /** Real time. */
  readonly clock: Clock;
  readonly log: Log;
}

export interface Numbering {
  /** Something of this owner was committed just now. */
  wake(owner: bigint): void;
  /** Told of an owner whose log has grown, by this process. */
  onNumbered(listener: (owner: bigint) => void): void;
  /** Numbers everything that waits now; resolves when it is done. */
  settle(): Promise<void>;
  /** Looks for what others have left, until the signal; resolves when nothing is under way any more. */
  watch(signal: AbortSignal): Promise<void>;
}

/** What other processes, and transactions beside the committer, have left is found after this long. */
const LOOK_MS = 500;
const BATCH = 1_000;

export function createNumbering({ database, clock, log }: NumberingOptions): Numbering {
  const listeners: ((owner: bigint) => void)[] = [];
  /** By owner: the work under way, and whether more came since it looked. */
  const working = new Map<bigint, { again: boolean; readonly done: Promise<void> }>();
  const known = new Set<bigint>();

  /** One batch; whether there may be more. */
  async function numberSome(owner: bigint): Promise<boolean> {
    if (!known.has(owner)) await headMake(database, owner);
    known.add(owner);
    const { count, webhooks } = await database.transaction(async (inside) => {
      const head = await headHold(inside, owner);
      if (head === null) return { count: 0n, webhooks: [] };
      const numbered = await queueNumber(inside, owner, head, BATCH);
      if (owner !== NOBODY && numbered.webhooks.length > 0) await operatorCopies(inside, owner, numbered.webhooks);
      return numbered;
    });
    if (count > 0n) for (const listener of listeners) listener(owner);
    if (owner !== NOBODY && webhooks.length > 0) await wake(NOBODY);
    return count === BigInt(BATCH);
  }

  async function work(owner: bigint): Promise<void> {
    // What is committed in the same turn of the event loop is numbered together.
    await Promise.resolve();
    const own = working.get(owner);
    for (let more = true; more || own?.again; ) {
      if (own) own.again = false;
      more = await numberSome(owner);
    }
  }

  function wake(owner: bigint): Promise<void> {
    const under = working.get(owner);
    if (under) {
      under.again = true;
      return under.done;
    }
    const done = work(owner)
      .catch((error: unknown) => log.warn({ err: error }, 'events could not be numbered; the next look tries again'))
      .finally(() => working.delete(owner));
    working.set(owner, { again: false, done });
    return done;
  }

  async function settle(): Promise<void> {
    await Promise.all((await queueOwners(database)).map(wake));
  }

  return {
    wake(owner) {
      void wake(owner);
    },
    onNumbered(listener) {
      listeners.push(listener);
    },
    settle,
    async watch(signal) {
      while (!signal.aborted) {
        await settle().catch((error: unknown) => log.warn({ err: error }, 'events that wait could not be read'));
        await clock.sleep(LOOK_MS, signal).catch(() => undefined);
      }
      await Promise.all([...working.values()].map(({ done }) => done));
    },
  };
}
