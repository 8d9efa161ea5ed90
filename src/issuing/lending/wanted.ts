// What a decision wants that its tenant doesn't hold: it is lent to him behind it, and the decision is made anew.
// Rule: a decision that threw has had no effect; nobody is refused while somebody else holds some that he doesn't use.

import type { Db } from '../../store/index.ts';
import { type RefusalCode, refuse } from '../fields/index.ts';
import type { IssuingDeps } from '../requests/index.ts';

export type LendingDeps = Pick<IssuingDeps, 'committer' | 'db'>;

/** Something that the whole installation has, and lends to tenants. */
export interface Lendable<Key> {
  /** What is said when nobody has any that he doesn't use. */
  readonly refusal: RefusalCode;
  /** Who wants the same waits for those before him. */
  turnOf(key: Key): string;
  /** Lends it to the tenant; false: none is left, with anybody. True may come too early: it is tried again. */
  provide(deps: LendingDeps, key: Key): Promise<boolean>;
}

/** Thrown by a decision: its tenant holds none of it. `withLent` sees to it. */
export class Wanted<Key> extends Error {
  readonly of: Lendable<Key>;
  readonly key: Key;
  constructor(of: Lendable<Key>, key: Key) {
    super('wanted from the installation');
    this.of = of;
    this.key = key;
  }
}

/** How often others may be quicker before the request fails. */
export const MOST_TRIES = 100;

/** Who wants some waits for those before him in this process: what they are lent may be his tenant's too. */
const underWay = new WeakMap<Db, Map<string, Promise<unknown>>>();
function inTurn<Value>(db: Db, name: string, work: () => Promise<Value>): Promise<Value> {
  const turns = underWay.get(db) ?? new Map<string, Promise<unknown>>();
  underWay.set(db, turns);
  const turn = (turns.get(name) ?? Promise.resolve()).then(work, work);
  turns.set(name, turn);
  const over = (): void => {
    if (turns.get(name) === turn) turns.delete(name);
  };
  turn.then(over, over);
  return turn;
}

/** Does `commit`; where its decision wants what its tenant doesn't hold, he is lent some and it is done anew. Refuses when nothing is left. */
export async function withLent<Value>(deps: LendingDeps, commit: () => Promise<Value>): Promise<Value> {
  for (let tries = 1; ; tries++) {
    try {
      return await commit();
    } catch (error) {
      if (!(error instanceof Wanted) || tries > MOST_TRIES) throw error;
      const { of, key } = error;
      if (!(await inTurn(deps.db, of.turnOf(key), () => of.provide(deps, key)))) throw refuse(of.refusal);
    }
  }
}
