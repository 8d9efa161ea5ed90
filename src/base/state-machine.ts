// Lifecycles as data: rows of [from, trigger, to]. A move that stands in no row does not exist.
import { assert } from './assert.ts';

export interface Lifecycle<State extends string, Trigger extends string> {
  /** The state after `trigger`, or null when the table has no such move. */
  next(from: State, trigger: Trigger): State | null;
  /** Like next, for moves that the caller has already checked. */
  move(from: State, trigger: Trigger): State;
  readonly rows: readonly (readonly [State, Trigger, State])[];
}

export function lifecycle<State extends string, Trigger extends string>(
  rows: readonly (readonly [State, Trigger, State])[],
): Lifecycle<State, Trigger> {
  const moves = new Map<string, State>();
  for (const [from, trigger, to] of rows) {
    const key = `${from} ${trigger}`;
    assert(!moves.has(key), `two rows for ${key}`);
    moves.set(key, to);
  }
  const next = (from: State, trigger: Trigger): State | null => moves.get(`${from} ${trigger}`) ?? null;
  return {
    rows,
    next,
    move: (from, trigger) => {
      const to = next(from, trigger);
      assert(to !== null, `no move ${trigger} from ${from}`);
      return to;
    },
  };
}
