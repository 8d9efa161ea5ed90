// Tables as data, and the changes that a decision may ask for. One multi-row statement a table and kind of change:
// rows travel as one array a column (unnest), so that a statement's text never depends on their number and stays prepared.
import { assert } from '../../base/index.ts';
import { type ColumnType, columnLiteral } from './array.ts';

export interface Table<Row extends object> {
  readonly name: string;
  readonly columns: Readonly<Record<keyof Row & string, ColumnType>>;
  readonly key: readonly (keyof Row & string)[];
  /** The column that says whose a row is, the first of the key; null: its rows belong to nobody. */
  readonly owner: string | null;
  /** What of a row has to be proved again when it changes. */
  readonly proved: Proved;
}

/** Columns of a table that proofs go by (touched.ts). */
export interface Proved {
  /** Ids of what the row is about: order, authorization, instrument, card. */
  readonly subjects: readonly string[];
  /** The posting group that the row is a line of. */
  readonly entry: string | null;
}

const OWNERS: ReadonlySet<string> = new Set(['owner_id', 'project_id', 'tenant_id']);

/**
 * Declares a table: its columns in order and its primary key, the owner first. Belongs in the one queries.ts that names the table.
 * `proved`: for a table that an invariant reads.
 */
export function table<Row extends object>(
  name: string,
  columns: Readonly<Record<keyof Row & string, ColumnType>>,
  key: readonly (keyof Row & string)[],
  proved: {
    readonly subjects?: readonly (keyof Row & string)[];
    readonly entry?: keyof Row & string;
  } = {},
): Table<Row> {
  const [first = null] = key;
  const { subjects = [], entry = null } = proved;
  return { name, columns, key, owner: first !== null && OWNERS.has(first) ? first : null, proved: { subjects, entry } };
}

// biome-ignore lint/suspicious/noExplicitAny: a change list mixes tables of every row type
type AnyTable = Table<any>;
type AnyRow = Readonly<Record<string, unknown>>;

export type Change =
  | { readonly op: 'insert'; readonly table: AnyTable; readonly row: AnyRow }
  | { readonly op: 'update'; readonly table: AnyTable; readonly row: AnyRow }
  | { readonly op: 'remove'; readonly table: AnyTable; readonly row: AnyRow }
  | { readonly op: 'add'; readonly table: AnyTable; readonly row: AnyRow };

/** A new row; all columns. */
export const insert = <Row extends object>(of: Table<Row>, row: Row): Change => ({
  op: 'insert',
  table: of,
  row: row as AnyRow,
});
/**
 * The whole row as it shall be, found by its key; one that isn't there would be made, so a command updates only what it has loaded. Several
 * updates of one row in a group: the last one is written.
 */
export const update = <Row extends object>(of: Table<Row>, row: Row): Change => ({
  op: 'update',
  table: of,
  row: row as AnyRow,
});
/** The row with this key goes; no error when it is not there. */
export const remove = <Row extends object>(of: Table<Row>, key: Partial<Row>): Change => ({
  op: 'remove',
  table: of,
  row: key,
});
/**
 * Adds to the int8 columns outside the key; the row is made when missing. Additions to one key are summed over the whole group,
 * so that a hot balance costs one row update however many commands touch it.
 */
export const add = <Row extends object>(of: Table<Row>, row: Row): Change => ({
  op: 'add',
  table: of,
  row: row as AnyRow,
});

export interface Statement {
  readonly text: string;
  /** It finds rows by the primary key or makes them: there is one way to run it, and its plan can be kept. */
  readonly plain: boolean;
  readonly values: readonly (string | null)[];
}

const columnsOf = (of: AnyTable): string[] => Object.keys(of.columns);
const arrays = (of: AnyTable, names: readonly string[], rows: readonly AnyRow[]): (string | null)[] =>
  names.map((name) => columnLiteral(rows, name, of.columns[name] as ColumnType));
const parameters = (of: AnyTable, names: readonly string[]): string =>
  names.map((name, i) => `$${i + 1}::${of.columns[name]}[]`).join(', ');
/** What rows that are found again travel with: the owner, who is one for all of them, comes once and last. */
const listed = (of: AnyTable, names: readonly string[]): string[] => names.filter((name) => name !== of.owner);

function keyOf(of: AnyTable, row: AnyRow): string {
  let key = '';
  for (const name of of.key) key += `/${String(row[name])}`;
  return key;
}

const texts = new Map<string, string>();
function textOf(op: Change['op'], of: AnyTable): string {
  const known = texts.get(`${op} ${of.name}`);
  if (known) return known;
  const text = TEXT[op](of);
  texts.set(`${op} ${of.name}`, text);
  return text;
}

/** `names`: what the parameters before the owner are. */
const matches = (of: AnyTable, names: readonly string[]): string =>
  of.key
    .map((name) => (name === of.owner ? `t.${name} = $${names.length + 1}` : `t.${name} = v.${name}`))
    .join(' and ');
const free = (of: AnyTable): string[] => columnsOf(of).filter((name) => !of.key.includes(name));

/**
 * Rows that are there already are found through the primary key, whatever Postgres believes of the table: a join to the rows that come in may
 * read a whole owner, once a group, while the table has no statistics of him. So an update is an insert that meets its row.
 */
const TEXT: Readonly<Record<Change['op'], (of: AnyTable) => string>> = {
  insert: (of) => {
    const names = columnsOf(of);
    return `insert into ${of.name} (${names.join(', ')}) select * from unnest(${parameters(of, names)})`;
  },
  update: (of) => {
    const sets = free(of).map((name) => `${name} = excluded.${name}`);
    return `${TEXT.insert(of)} on conflict (${of.key.join(', ')}) do update set ${sets.join(', ')}`;
  },
  remove: (of) => {
    const names = listed(of, of.key);
    const [first] = names;
    const among = first === undefined ? '' : ` and t.${first} = any($1::${of.columns[first]}[])`;
    return `delete from ${of.name} t using unnest(${parameters(of, names)}) as v(${names.join(', ')}) where ${matches(of, names)}${among}`;
  },
  add: (of) => {
    const names = columnsOf(of);
    const sums = free(of).map((name) => `${name} = t.${name} + excluded.${name}`);
    return `insert into ${of.name} as t (${names.join(', ')}) select * from unnest(${parameters(of, names)}) on conflict (${of.key.join(', ')}) do update set ${sums.join(', ')}`;
  },
};

/** Additions to one key become one, in key order, so that two groups lock balances in the same order. */
function summed(of: AnyTable, rows: readonly AnyRow[]): AnyRow[] {
  const sums = new Map<string, Record<string, unknown>>();
  for (const row of rows) {
    const key = keyOf(of, row);
    const sum = sums.get(key);
    if (!sum) {
      sums.set(key, { ...row });
      continue;
    }
    for (const name of free(of)) sum[name] = (sum[name] as bigint) + (row[name] as bigint);
  }
  return [...sums].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, row]) => row);
}

/** Several versions of one row: the last. A row inserted and updated in one group is inserted as it ends; removed after: not at all. */
interface Pending {
  readonly table: AnyTable;
  readonly inserts: Map<string, AnyRow>;
  readonly updates: Map<string, AnyRow>;
  readonly removes: Map<string, AnyRow>;
  readonly adds: AnyRow[];
}

/**
 * Folds the changes of a group, in their order, into at most four statements a table: remove, insert, update, add. What looks for rows
 * comes first (ONE_PLAN in lane.ts). Additions come last of all, and in one order, from the last name of a table to the first: a balance that
 * every group touches is held for the commit alone, and nobody who holds one waits for a count that others have loaded.
 */
export function statementsFor(changes: readonly Change[]): Statement[] {
  const tables = new Map<string, Pending>();
  for (const change of changes) {
    let pending = tables.get(change.table.name);
    if (!pending) {
      pending = { table: change.table, inserts: new Map(), updates: new Map(), removes: new Map(), adds: [] };
      tables.set(change.table.name, pending);
    }
    fold(pending, change);
  }
  const statements: Statement[] = [];
  for (const { table: of, removes } of tables.values())
    if (removes.size > 0) statements.push(...removals(of, [...removes.values()]));
  const write = (op: Change['op'], of: AnyTable, rows: readonly AnyRow[]): void => {
    if (rows.length === 0) return;
    statements.push({ text: textOf(op, of), plain: true, values: arrays(of, columnsOf(of), rows) });
  };
  for (const { table: of, inserts, updates } of tables.values()) {
    write('insert', of, [...inserts.values()]);
    write('update', of, [...updates.values()]);
  }
  const balancesLast = [...tables].sort(([a], [b]) => (a > b ? -1 : 1));
  for (const [, { table: of, adds }] of balancesLast) write('add', of, summed(of, adds));
  return statements;
}

/** One statement an owner, who comes last. */
function removals(of: AnyTable, rows: readonly AnyRow[]): Statement[] {
  const { owner } = of;
  const text = textOf('remove', of);
  if (owner === null) return [{ text, plain: false, values: arrays(of, of.key, rows) }];
  return [...Map.groupBy(rows, (row) => row[owner] as bigint)].map(([whose, theirs]) => ({
    text,
    plain: false,
    values: [...arrays(of, listed(of, of.key), theirs), String(whose)],
  }));
}

function fold(pending: Pending, change: Change): void {
  if (change.op === 'add') {
    pending.adds.push(change.row);
    return;
  }
  const key = keyOf(pending.table, change.row);
  if (change.op === 'insert') {
    assert(!pending.inserts.has(key), `two inserts of one row in ${pending.table.name}`);
    pending.inserts.set(key, change.row);
  } else if (change.op === 'update') {
    (pending.inserts.has(key) ? pending.inserts : pending.updates).set(key, change.row);
  } else {
    pending.updates.delete(key);
    if (!pending.inserts.delete(key)) pending.removes.set(key, change.row);
  }
}
