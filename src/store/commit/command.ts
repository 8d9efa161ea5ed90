// The vocabulary of the committer: what a command needs, how state follows changes, what a decision returns. Types only.
// Rule: nobody tells a group what a row looks like after a command; the kinds say how their state follows from the changes.
import type { IdMaker, Random } from '../../base/index.ts';
import type { Cause } from './caller.ts';
import type { Change, Table } from './table.ts';

/** Anything that runs one SQL statement. Rows come back as objects: int8 as bigint, timestamptz as Date, jsonb parsed. */
export interface Db {
  query<Row extends object>(text: string, values?: readonly unknown[]): Promise<Row[]>;
}

declare const isTransaction: unique symbol;

/** A Db whose statements are one transaction. What has to change together with something else asks for this, and can't be given a pool. */
export interface Transaction extends Db {
  readonly [isTransaction]: true;
}

/** How a state follows the changes of one table. */
export interface Follow<State> {
  readonly table: string;
  /** The key text of the state that a changed row belongs to; null: of none. */
  keyOf(change: Change): string | null;
  /** The state with the change in it. Without it the state is unknown from then on, and who needs it waits for the next group. */
  readonly apply?: (state: State | undefined, change: Change) => State | undefined;
}

/**
 * A kind of state that commands need. `load` locks what it reads (`for update`, in key order) and answers by `keyText`;
 * a key with nothing behind it is left out. Kinds are loaded in the order of their names, so that groups can't deadlock.
 */
export interface Kind<Key, State> {
  readonly name: string;
  keyText(key: Key): string;
  load(db: Db, keys: readonly Key[]): Promise<ReadonlyMap<string, State>>;
  /** One for each table that `load` reads and commands write (test/house/kinds.test.ts). */
  readonly follows: readonly Follow<State>[];
}

/** A state made of rows of `of`. `keyOf` and `apply` see the row as the change has it: of a removed one only the key columns. */
export const follow = <Row extends object, State>(
  of: Table<Row>,
  keyOf: (row: Row) => string | null,
  apply?: (state: State | undefined, row: Row, op: Change['op']) => State | undefined,
): Follow<State> => ({
  table: of.name,
  keyOf: (change) => keyOf(change.row as Row),
  ...(apply ? { apply: (state, change) => apply(state, change.row as Row, change.op) } : {}),
});

/** A state that is one row, found by columns of its key. */
export const followRow = <Row extends object>(of: Table<Row>, keyOf: (row: Row) => string): Follow<Row> =>
  follow(of, keyOf, (_before, row, op) => (op === 'remove' ? undefined : row));

export interface Need {
  // biome-ignore lint/suspicious/noExplicitAny: a command's needs are of many kinds
  readonly kind: Kind<any, any>;
  readonly key: unknown;
}

export interface Loaded {
  /** The state as the commands before this one in the group left it; undefined when there is none. Only for what `needs` names. */
  get<Key, State>(kind: Kind<Key, State>, key: Key): State | undefined;
}

export interface Decision<Value> {
  readonly value: Value;
  readonly changes: readonly Change[];
}

/** What a decision is told beside what it needs, so that it asks nobody. */
export interface Told {
  /** Business time: one moment for all of a group. */
  readonly now: Date;
  readonly ids: IdMaker;
  readonly chance: Random;
  /** The number that this process' work carries. */
  readonly process: bigint;
  /** By whose doing the command was submitted. */
  readonly cause: Cause;
}

export interface Command<Value> {
  /** For traces and fault points: `authorize.intent`. */
  readonly name: string;
  /** Whose rows it changes, a project or a tenant: no transaction spans two owners. null: rows that belong to nobody. */
  readonly owner: bigint | null;
  readonly needs: readonly Need[];
  /** It records what was found out about work that has begun: written also when its caller waits no more. */
  readonly finishes?: true;
  /** It makes room for what is asked for, and is no part of it: it stays whatever becomes of that, and no audit row tells of it. */
  readonly prepares?: true;
  /** By whose doing: the committer notes it. */
  readonly cause?: Cause;
  /** Pure: what it answers follows from what it is given, and it may be asked again, when a group had to be given up. */
  decide(state: Loaded, told: Told): Decision<Value>;
}

/** One connection, reserved for a committer. Statements may be sent without waiting for one another; they run in order. */
export interface Session extends Db {
  /** Its tables may lie on several nodes: each statement needs a plan for its values. */
  readonly spread?: boolean;
  readonly broken: boolean;
  /** True: committed. False: rolled back, because a statement before it had failed. Rejected: nobody knows. */
  commit(): Promise<boolean>;
  close(): void;
}

export interface Committer {
  /**
   * Resolves once the command's changes are durable. Rejects with what its decision threw, or with what Postgres said of it, or with
   * NotWritten: then nothing of it was written, ever. While the outcome of a COMMIT is unknown it waits.
   */
  submit<Value>(command: Command<Value>): Promise<Value>;
  /** How long the oldest command waits that isn't answered yet, milliseconds. */
  waitingMs(): number;
  /** Resolves when everything submitted so far is answered; after `withinMs` it gives up what still isn't. */
  drain(withinMs?: number): Promise<void>;
}

/** The command came to nothing in its time: no connection, or rows that others held. It has no effect and will have none. */
export class NotWritten extends Error {
  constructor(cause?: unknown) {
    super('not written in time', { cause });
  }
}

/** The answer to a COMMIT is missing, and nobody waits for it any longer: what was asked was done once, or not at all. */
export class OutcomeUnknown extends Error {
  constructor(cause?: unknown) {
    super('commit outcome unknown', { cause });
  }
}
