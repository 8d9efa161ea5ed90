// What must be true, as a statement that returns what violates it, and the scope that it is asked of: what has changed, a slice of an
// owner's history, or all of it. Rule: one statement for every scope. What is proved quickly and what is proved in full is the same.
import type { Db } from '../store/index.ts';

export interface Invariant {
  readonly id: string;
  readonly title: string;
  /**
   * What it is about. `subject`: one order, authorization, instrument or card, whose id is the column `subject` of a violation; asked of
   * every slice. `owner`: the rows of an owner together; asked when all slices are through. `moment`: what is open now, of everybody.
   */
  readonly of: 'subject' | 'owner' | 'moment';
  /**
   * Rows are violations; at most a hundred are shown. `{column}` says of an id that it is in scope; `$owner`, `$now`; `$whole`: all of the
   * owner is in scope; `$most`: of a subject with more rows than this the older ones may be left to the full proof.
   */
  readonly sql: string;
}

/** A table whose ids an owner's history is walked by. */
export interface Walk {
  readonly table: string;
  readonly owner: string;
  /** null: its rows have none; they only tell that there is such an owner. */
  readonly id: string | null;
}

/** What a half has to be proved. */
export interface Auditor {
  readonly invariants: readonly Invariant[];
  readonly walks: readonly Walk[];
}

/** Some ids; those after one up to another; all of an owner. */
export type Scope =
  | { readonly ids: readonly bigint[] }
  | { readonly after: bigint; readonly upto: bigint }
  | { readonly whole: true };

export interface Asked {
  readonly owner: bigint;
  readonly now: Date;
  readonly scope: Scope;
  /** Absent: all of a subject's rows. */
  readonly most?: bigint;
}

export const MOST_SHOWN = 100;
/** More than any id, and more rows than anything has. */
export const LAST = 2n ** 63n - 1n;

const TYPES = {
  owner: 'int8',
  now: 'timestamptz',
  whole: 'bool',
  most: 'int8',
  ids: 'int8[]',
  after: 'int8',
  upto: 'int8',
} as const;
type Name = keyof typeof TYPES;

function condition(scope: Scope, column: string): string {
  if ('whole' in scope) return 'true';
  return 'ids' in scope ? `${column} = any($ids)` : `(${column} > $after and ${column} <= $upto)`;
}

/** What violates it there, at most a hundred. */
export function violations(
  db: Db,
  { sql }: Invariant,
  { owner, now, scope, most = LAST }: Asked,
): Promise<Record<string, unknown>[]> {
  const given = { owner, now, whole: 'whole' in scope, most, ids: [], after: 0n, upto: 0n, ...scope };
  const names: Name[] = [];
  const text = sql
    .replace(/\{([\w.]+)\}/g, (_, column: string) => condition(scope, column))
    .replace(/\$([a-z]+)/g, (_, name: Name) => {
      if (!names.includes(name)) names.push(name);
      return `$${names.indexOf(name) + 1}::${TYPES[name]}`;
    });
  return db.query(
    `select * from (${text}) violations limit ${MOST_SHOWN}`,
    names.map((name) => given[name]),
  );
}
