// How an endpoint does, by what its tries come to. Pure.
import type { Standing } from './queries.ts';
import type { Verdict } from './schedule.ts';

/** Without a success for this long its owner is told. */
const FAILING_MS = 3_600_000;
/** The last success is written down at most so often. */
const SUCCESS_MS = 60_000;

export interface Stood {
  readonly standing: Standing;
  /** What its owner is told now. */
  readonly tell: 'failing' | 'recovered' | null;
}

/** null: nothing that is worth a row. */
export function stoodAfter(
  before: Standing,
  verdict: Verdict,
  now: Date,
  circuit_open = before.circuit_open,
): Stood | null {
  if (verdict !== 'delivered') {
    const since = before.failing_since ?? now;
    const fails = !before.failing_told && now.getTime() - since.getTime() >= FAILING_MS;
    if (before.failing_since !== null && !fails && circuit_open === before.circuit_open) return null;
    const standing = { ...before, failing_since: since, failing_told: before.failing_told || fails, circuit_open };
    return { standing, tell: fails ? 'failing' : null };
  }
  const known = before.succeeded_at !== null && now.getTime() - before.succeeded_at.getTime() < SUCCESS_MS;
  if (known && before.failing_since === null && circuit_open === before.circuit_open) return null;
  return {
    standing: { failing_since: null, failing_told: false, succeeded_at: now, circuit_open },
    tell: before.failing_told ? 'recovered' : null,
  };
}
