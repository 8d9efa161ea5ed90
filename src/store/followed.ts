// Values that every process on one database follows: the sandbox's clock, the faults of its link. Owns shared_state, shared_followers.
// Rule: a change is in the database before anybody acts on it, and who made it goes on when every living process has it.
import type { Clock, Log } from '../base/index.ts';
import type { Database } from './database.ts';

export interface Shared {
  /** Called with the value whenever it has changed, and at once when there is one. */
  on<Value>(name: string, apply: (value: Value) => void): void;
  /**
   * Makes the value anew from the present one; others' changes between are seen and not lost. Resolves when every living process
   * follows it, with `wait: false` when it is stored and applied here.
   */
  change<Value>(
    name: string,
    make: (current: Value | null) => Value,
    options?: { readonly wait?: boolean },
  ): Promise<void>;
  /** Follows what others change until the signal. */
  follow(signal: AbortSignal): Promise<void>;
}

const POLL_MS = 250;
/** So often a process shows that it lives; one that hasn't for three times as long is waited for no more. */
const SHOW_MS = 1000;
const ALIVE_MS = 3 * SHOW_MS;
/** For a living process that doesn't come to it. */
const WAIT_MS = 5000;

type State = Readonly<Record<string, unknown>>;

/**
 * `process`: a number that no other process has. The clock is the system's.
 * Long: the memory of what is shared, and the few functions that keep it true.
 */
export async function openShared(
  database: Database,
  { process, clock, log }: { readonly process: bigint; readonly clock: Clock; readonly log: Log },
): Promise<Shared> {
  const listeners = new Map<string, (value: unknown) => void>();
  let version = -1n;
  let state: State = {};
  let shownAt = Number.NEGATIVE_INFINITY;

  async function look(): Promise<void> {
    const [row] = await database.query<{ version: bigint; state: State | null }>(
      'select version, case when version <> $1 then state end as state from shared_state',
      [version],
    );
    if (row?.state) apply(row.version, row.state);
  }

  function apply(seen: bigint, next: State): void {
    // An answer may come later than that of a question which was asked after it.
    if (seen <= version) return;
    const before = state;
    version = seen;
    state = next;
    shownAt = Number.NEGATIVE_INFINITY;
    for (const [name, value] of Object.entries(next))
      if (JSON.stringify(value) !== JSON.stringify(before[name])) listeners.get(name)?.(value);
  }

  async function show(): Promise<void> {
    if (clock.elapsed() - shownAt < SHOW_MS) return;
    shownAt = clock.elapsed();
    await database.query(
      `insert into shared_followers (process, version, seen_at) values ($1, $2, $3)
       on conflict (process) do update set version = excluded.version, seen_at = excluded.seen_at`,
      [process, version, clock.now()],
    );
  }

  async function everybodyFollows(wanted: bigint): Promise<void> {
    const until = clock.elapsed() + WAIT_MS;
    for (;;) {
      const behind = await database.query(
        'select process from shared_followers where process <> $1 and version < $2 and seen_at > $3',
        [process, wanted, new Date(clock.now().getTime() - ALIVE_MS)],
      );
      if (behind.length === 0 || clock.elapsed() > until) return;
      await clock.sleep(20);
    }
  }

  await look();
  return {
    on(name, listener) {
      listeners.set(name, listener as (value: unknown) => void);
      if (name in state) listener(state[name] as never);
    },
    async change<Value>(
      name: string,
      make: (current: Value | null) => Value,
      { wait = true }: { readonly wait?: boolean } = {},
    ) {
      for (;;) {
        await look();
        const value = make((state[name] as Value | undefined) ?? null);
        const [row] = await database.query<{ version: bigint; state: State }>(
          `update shared_state set version = version + 1, state = state || jsonb_build_object($2::text, $3::jsonb)
           where version = $1 returning version, state`,
          [version, name, JSON.stringify(value)],
        );
        if (!row) continue;
        apply(row.version, row.state);
        return wait ? everybodyFollows(row.version) : undefined;
      }
    },
    async follow(signal) {
      while (!signal.aborted) {
        try {
          await look();
          await show();
        } catch (error) {
          log.warn({ err: error }, 'what all processes share could not be read');
        }
        await clock.sleep(POLL_MS, signal).catch(() => undefined);
      }
      // Nobody needs to wait for this one any more.
      await database.query('delete from shared_followers where process = $1', [process]).catch(() => undefined);
    },
  };
}
