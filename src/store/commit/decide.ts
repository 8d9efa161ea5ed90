// The pure half of a group: its needs loaded once, its commands decided in order of arrival, each on the state that the ones
// before it left. Rule: what a decision throws is its own caller's, and is told with the group's outcome, not before.
import { assert } from '../../base/index.ts';
import type { Command, Db, Decision, Follow, Kind, Loaded, Told } from './command.ts';
import { NOBODY } from './outcome.ts';
import type { Change } from './table.ts';

// biome-ignore lint/suspicious/noExplicitAny: a group's needs are of many kinds
type AnyKind = Kind<any, any>;

interface KindState {
  readonly kind: AnyKind;
  readonly keys: Map<string, unknown>;
  /** By key text; of the keys only. */
  states: Map<string, unknown>;
  /** Changed in a way that only loading tells. */
  readonly stale: Set<string>;
}

export type States = Map<string, KindState>;

/** Loads every need of the commands: one call a kind, kinds by name; the calls are sent one behind the other without waiting. */
export async function loadStates(db: Db, commands: readonly Command<unknown>[]): Promise<States> {
  const byName = new Map<string, KindState>();
  for (const { needs } of commands) {
    for (const { kind, key } of needs) {
      let wanted = byName.get(kind.name);
      if (!wanted) byName.set(kind.name, (wanted = { kind, keys: new Map(), states: new Map(), stale: new Set() }));
      wanted.keys.set(kind.keyText(key), key);
    }
  }
  const kinds = [...byName.values()].sort((a, b) => (a.kind.name < b.kind.name ? -1 : 1));
  await Promise.all(
    kinds.map(async (wanted) => {
      const ordered = [...wanted.keys].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, key]) => key);
      wanted.states = new Map(await wanted.kind.load(db, ordered));
    }),
  );
  return byName;
}

/** What became of one command of the group. */
export type Verdict =
  | { readonly value: unknown }
  | { readonly thrown: unknown }
  /** It needs a state that a command before it changed in a way that only loading tells: the next group's. */
  | { readonly later: true };

export interface Decided {
  /** One a command, in their order. */
  readonly verdicts: readonly Verdict[];
  readonly changes: readonly Change[];
}

/** What all commands of a group are told. */
export type ToldAll = Omit<Told, 'cause'>;

export function decideAll(commands: readonly Command<unknown>[], states: States, told: ToldAll): Decided {
  const changes: Change[] = [];
  const following = followersOf(states);
  const loaded: Loaded = {
    get(kind, key) {
      const ofKind = states.get(kind.name);
      const text = kind.keyText(key);
      assert(ofKind?.keys.has(text), `${kind.name} was not among the command's needs`);
      return ofKind?.states.get(text) as never;
    },
  };
  const verdicts = commands.map((command): Verdict => {
    if (isStale(command, states)) return { later: true };
    let decision: Decision<unknown>;
    try {
      decision = decided(command, loaded, told);
      for (const change of decision.changes) assertOwned(command, change);
    } catch (thrown) {
      return { thrown };
    }
    for (const change of decision.changes) {
      changes.push(change);
      for (const [state, follow] of following.get(change.table.name) ?? []) followed(state, follow, change);
    }
    return { value: decision.value };
  });
  return { verdicts, changes };
}

/** The command whose decision is being made: between its first line and its last nobody else's code runs. */
let deciding: string | null = null;

/** The name of the command that is being decided at this moment; null: none is. For tests that see whether decisions ask anybody. */
export const decidingNow = (): string | null => deciding;

function decided<Value>(command: Command<Value>, loaded: Loaded, told: ToldAll): Decision<Value> {
  deciding = command.name;
  try {
    const { now, ids, chance, process } = told;
    return command.decide(loaded, { now, ids, chance, process, cause: command.cause ?? 'schedule' });
  } finally {
    deciding = null;
  }
}

/** No transaction spans two owners; rows of the installation itself are a command's that has none. */
function assertOwned({ name, owner }: Command<unknown>, { table, row }: Change): void {
  const whose = table.owner === null ? null : row[table.owner];
  assert(whose === null || whose === (owner ?? NOBODY), `${name} changes a row of another owner in ${table.name}`);
}

const isStale = ({ needs }: Command<unknown>, states: States): boolean =>
  needs.some(({ kind, key }) => states.get(kind.name)?.stale.has(kind.keyText(key)) === true);

/** Table → the states of this group that follow it. */
function followersOf(states: States): Map<string, [KindState, Follow<unknown>][]> {
  const following = new Map<string, [KindState, Follow<unknown>][]>();
  for (const state of states.values()) {
    for (const follow of state.kind.follows) {
      const known = following.get(follow.table);
      if (known) known.push([state, follow]);
      else following.set(follow.table, [[state, follow]]);
    }
  }
  return following;
}

function followed(state: KindState, follow: Follow<unknown>, change: Change): void {
  const key = follow.keyOf(change);
  if (key === null || !state.keys.has(key)) return;
  if (!follow.apply) {
    state.stale.add(key);
    return;
  }
  const after = follow.apply(state.states.get(key), change);
  if (after === undefined) state.states.delete(key);
  else state.states.set(key, after);
}
