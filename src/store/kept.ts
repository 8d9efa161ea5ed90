// How fresh what a process keeps in memory of the database is, for what every request asks for: projects, tenants.
// Rule: what this process committed is there after `refresh`, what another one committed two seconds later.
import type { Clock, Log } from '../base/index.ts';

/** Older than this, memory is compared with the database behind the request; older than the second, before it. */
const FRESH_MS = 1000;
const STALE_MS = 2000;

export interface Kept {
  /** undefined: memory may be read now; else when this resolves. */
  fresh(): Promise<void> | undefined;
  /** One look at the database for all who ask for one meanwhile. */
  look(): Promise<void>;
  /** What was committed before this call is in memory when it resolves, or at the latest when memory is read next. */
  refresh(): Promise<void>;
}

/** `load` brings memory up to what the database has. `what` is kept, for the log. */
export function kept(
  what: string,
  load: () => Promise<void>,
  { clock, log }: { readonly clock: Clock; readonly log: Log },
): Kept {
  let loadedMs = Number.NEGATIVE_INFINITY;
  let loading: Promise<void> | null = null;

  async function loadNow(): Promise<void> {
    const startedMs = clock.elapsed();
    await load();
    loadedMs = startedMs;
  }
  const look = (): Promise<void> => {
    loading ??= loadNow().finally(() => {
      loading = null;
    });
    return loading;
  };
  const warn = (error: unknown): void => log.warn({ err: error }, `${what} could not be read again`);

  return {
    look,
    fresh() {
      const ageMs = clock.elapsed() - loadedMs;
      if (ageMs < FRESH_MS) return undefined;
      const looked = look();
      if (ageMs >= STALE_MS) return looked;
      looked.catch(warn);
      return undefined;
    },
    async refresh() {
      // A load under way may have begun before the commit.
      await loading?.catch(() => undefined);
      loadedMs = Number.NEGATIVE_INFINITY;
      await look().catch(warn);
    },
  };
}
