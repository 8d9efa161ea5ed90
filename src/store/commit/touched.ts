// What a group touched: with its mark lie the ids of what it changed, until somebody has proved that and says so.
// Rule: made from the changes themselves and committed with them, so that nothing is changed and left out, and nothing is looked for by
// time: what is committed late is there, unproved, when it is committed.
import type { Db } from './command.ts';
import type { Change } from './table.ts';

/** Postgres arrays as text; null: nothing that has to be proved. */
export interface Touched {
  readonly subjects: string | null;
  readonly entries: string | null;
}

export function touchedBy(changes: readonly Change[]): Touched {
  const subjects = new Set<unknown>();
  const entries = new Set<unknown>();
  for (const { table, row } of changes) {
    for (const column of table.proved.subjects) {
      const id = row[column];
      // Of a removed row only the key is known.
      if (id !== null && id !== undefined) subjects.add(id);
    }
    if (table.proved.entry !== null) entries.add(row[table.proved.entry]);
  }
  return { subjects: arrayText(subjects), entries: arrayText(entries) };
}

const arrayText = (ids: ReadonlySet<unknown>): string | null => (ids.size === 0 ? null : `{${[...ids].join(',')}}`);

export interface UnprovedGroup {
  readonly id: bigint;
  readonly subjects: readonly bigint[];
  readonly entries: readonly bigint[];
}

/** SQL: the posting groups, as `entry_id`, of an owner's groups that are committed and not proved. */
export const unprovedEntries = (owner: string): string =>
  `select unnest(g.entries::int8[]) as entry_id from commit_groups g where g.owner_id = ${owner} and g.subjects is not null`;

/** Whose groups are committed and not proved. */
export async function unprovedOwners(db: Db): Promise<bigint[]> {
  const rows = await db.query<{ owner_id: bigint }>(
    'select distinct owner_id from commit_groups where subjects is not null order by owner_id',
  );
  return rows.map(({ owner_id }) => owner_id);
}

/** How many of all owners' groups wait. */
export async function unprovedCount(db: Db): Promise<bigint> {
  const [row] = await db.query<{ count: bigint }>(
    'select count(*) as count from commit_groups where subjects is not null',
  );
  return row?.count ?? 0n;
}

/** The first of an owner's that are committed and not proved. */
export async function unprovedGroups(db: Db, owner: bigint, limit: number): Promise<UnprovedGroup[]> {
  const rows = await db.query<{ id: bigint; subjects: string; entries: string | null }>(
    'select id, subjects, entries from commit_groups where owner_id = $1 and subjects is not null order by id limit $2',
    [owner, limit],
  );
  return rows.map(({ id, subjects, entries }) => ({ id, subjects: idsOf(subjects), entries: idsOf(entries) }));
}

/** They are proved; answers which of them were not before. */
export async function groupsProved(db: Db, owner: bigint, ids: readonly bigint[]): Promise<ReadonlySet<bigint>> {
  const rows = await db.query<{ id: bigint }>(
    `update commit_groups set subjects = null, entries = null
     where owner_id = $1 and id = any($2::int8[]) and subjects is not null returning id`,
    [owner, ids],
  );
  return new Set(rows.map(({ id }) => id));
}

const idsOf = (text: string | null): bigint[] => (text === null ? [] : text.slice(1, -1).split(',').map(BigInt));
