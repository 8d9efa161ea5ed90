// Wrong credentials, as the audit log tells them.
// Rule: a flood of them is a handful of rows, whoever sends it: the first of an address and of a login one by one, the others of each ten
// minutes as one row with their number. What is counted in memory is bounded, and told at the latest when the server stops.
import { addressOf, type Clock, type Log } from '../base/index.ts';
import type { Transaction } from '../store/index.ts';
import { auditAppend, type Keyed } from './audit.ts';

const WINDOW_MS = 600_000;
/** Told one by one, of what one party holds as its addresses; again after ten minutes without any. */
const OF_ONE_ADDRESS = 5;
/** The same of one login, from wherever. */
const OF_ONE_LOGIN = 20;
/** More addresses, or logins, than this at once are told of as `many`. */
const MOST = 1000;
/** Rows of one transaction: it keeps the chain's lock, and operators' changes wait for that. */
const PORTION = 20;
/** Rows that wait for the database at most; while it is away the newest are not told. */
const MOST_WAITING = 2 * MOST;

export type RefusedAt = 'operator' | 'gateway' | 'issuing';

/** So many refusals to be told as one row. */
export interface Refusals {
  readonly origin: string;
  readonly target: RefusedAt;
  readonly times: number;
}

interface Tally {
  readonly origin: string;
  readonly target: RefusedAt;
  told: number;
  untold: number;
  endsAtMs: number;
}

/** Which refusals are told, and when; `nowMs`: of a clock that only runs. */
export function refusalTallies() {
  const addresses = new Map<string, Tally>();
  const logins = new Map<string, Tally>();

  function tallyOf(tallies: Map<string, Tally>, key: string, made: Omit<Tally, 'told' | 'untold'>): Tally | null {
    let tally = tallies.get(key);
    if (tally) return tally;
    if (tallies.size >= MOST) return null;
    tallies.set(key, (tally = { ...made, told: 0, untold: 0 }));
    return tally;
  }

  /** Of more than can be told apart: one a door, beside the others. */
  function many(target: RefusedAt, endsAtMs: number): Tally {
    const key = `${target} many`;
    let tally = addresses.get(key);
    if (!tally) addresses.set(key, (tally = { origin: 'many', target, told: 0, untold: 0, endsAtMs }));
    return tally;
  }

  return {
    /** The row to be written at once; null: it is counted, and told later. */
    note(nowMs: number, address: string, target: RefusedAt, login: string | null): Refusals | null {
      const made = { origin: addressOf(address)?.party ?? address, target, endsAtMs: nowMs + WINDOW_MS };
      const ofAddress = tallyOf(addresses, `${target} ${made.origin}`, made);
      const ofLogin = login === null ? null : tallyOf(logins, `${target} ${login}`, { ...made, origin: 'many' });
      if (ofAddress && ofAddress.told >= OF_ONE_ADDRESS) ofAddress.untold++;
      else if (!ofAddress || (ofLogin && ofLogin.told >= OF_ONE_LOGIN)) many(target, made.endsAtMs).untold++;
      else {
        ofAddress.told++;
        if (ofLogin) ofLogin.told++;
        return { origin: address, target, times: 1 };
      }
      return null;
    },
    /** What was counted in windows that are over; with `all`, also in those that are not. */
    over(nowMs: number, all = false): Refusals[] {
      const rows: Refusals[] = [];
      for (const tallies of [addresses, logins])
        for (const [key, tally] of tallies) {
          if (!all && tally.endsAtMs > nowMs) continue;
          // Who goes on is told by number only.
          if (tally.untold > 0) {
            rows.push({ origin: tally.origin, target: tally.target, times: tally.untold });
            Object.assign(tally, { untold: 0, endsAtMs: nowMs + WINDOW_MS });
          } else tallies.delete(key);
        }
      return rows;
    },
  };
}

export interface RefusalsOptions {
  readonly database: { transaction<Value>(work: (db: Transaction) => Promise<Value>): Promise<Value> };
  readonly keyed: Keyed;
  readonly clock: Clock;
  readonly log: Log;
  /** Keeps the writing until shutdown. */
  readonly background: (work: Promise<unknown>) => void;
}

/**
 * `refused` takes note of a wrong login and answers at once: from which address, and at which API. Never under which name is told: people
 * mistake the field for the secret's. `tell` is to be called now and then, with `all` before the end.
 */
export function auditRefusals({ database, keyed, clock, log, background }: RefusalsOptions) {
  const tallies = refusalTallies();
  const waiting: (Refusals & { readonly at: Date })[] = [];
  let writing = false;

  async function write(): Promise<void> {
    writing = true;
    try {
      while (waiting.length > 0) {
        const noted = waiting.slice(0, PORTION);
        await database.transaction(async (db) => {
          for (const { origin, target, times, at } of noted) {
            const result = times === 1 ? 'unauthenticated' : `unauthenticated, ${times} times`;
            await auditAppend(db, keyed, { actor: 'unknown', origin, action: 'login', target }, result, at);
          }
        });
        waiting.splice(0, noted.length);
      }
    } catch (error) {
      log.error({ err: error }, 'refused logins could not be audited');
    } finally {
      writing = false;
    }
  }

  function put(rows: readonly Refusals[]): void {
    const at = clock.now();
    waiting.push(...rows.slice(0, MOST_WAITING - waiting.length).map((row) => ({ ...row, at })));
    if (waiting.length > 0 && !writing) background(write());
  }

  let toldAtMs = clock.elapsed();
  function tell(all = false): void {
    toldAtMs = clock.elapsed();
    put(tallies.over(toldAtMs, all));
  }

  return {
    refused(address: string, target: RefusedAt, login: string | null): void {
      const nowMs = clock.elapsed();
      // Where nobody calls by (a server without workers), they do it themselves.
      if (nowMs >= toldAtMs + WINDOW_MS) tell();
      const row = tallies.note(nowMs, address, target, login);
      if (row) put([row]);
    },
    tell,
  };
}
