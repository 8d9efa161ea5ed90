// Spreads the schema over Citus: what an owner has lies together on one node, found by the owner; what all read is copied to every node;
// the rest stays at the coordinator. docs/scaling.md says when and how.
// Rule: a table is placed by its primary key, as the catalogue has it: no list here could forget one of an owner's.
import pg from 'pg';
import { type Connection, StartError } from '../embedded/index.ts';
import { anyLives } from '../lease.ts';
import { migrated } from './migrate.ts';

/** The columns that say whose a row is, first in the key of every table that has an owner. */
const OWNERS: readonly string[] = ['owner_id', 'project_id', 'tenant_id'];

/** Small, and read whole or beside any owner's rows: a copy on every node. */
export const REFERENCE: readonly string[] = [
  'bin_ranges',
  'project_credentials',
  'projects',
  'rates',
  'tenants',
  'terminals',
];

export interface Placement {
  readonly table: string;
  readonly as: 'distributed' | 'reference' | 'local';
  /** The owner's column, of what is distributed. */
  readonly by: string | null;
  /** It lies so already. */
  readonly done: boolean;
}

/** A table of the catalogue, the first column of its primary key, and how Citus keeps it; null: it doesn't. */
export interface TableAsItIs {
  readonly name: string;
  readonly first: string | null;
  readonly now: string | null;
}

/** Where a table belongs. Pure. */
export function placementOf({ name, first, now }: TableAsItIs): Placement {
  const done = now === 'distributed' || now === 'reference';
  if (REFERENCE.includes(name)) return { table: name, as: 'reference', by: null, done };
  if (first !== null && OWNERS.includes(first)) return { table: name, as: 'distributed', by: first, done };
  return { table: name, as: 'local', by: null, done: true };
}

const TABLES = `select c.relname as name, a.attname as first, p.citus_table_type as now
  from pg_class c
  left join pg_index x on x.indrelid = c.oid and x.indisprimary
  left join pg_attribute a on a.attrelid = c.oid and a.attnum = x.indkey[0]
  left join citus_tables p on p.table_name = c.oid
  where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition order by 1`;

/**
 * Places every table that is not placed yet, one after another: what was interrupted goes on when it is asked for again. `dry`: only says
 * what it would do. Throws StartError, and changes nothing, where the database has no Citus, hasn't this version's schema, or is in use.
 */
export async function distribute(
  connection: Connection,
  { dry }: { readonly dry: boolean },
): Promise<readonly Placement[]> {
  const client = new pg.Client(connection);
  await client.connect();
  try {
    await mayBegin(client);
    const { rows } = await client.query<TableAsItIs>(TABLES);
    const placements = rows.map(placementOf);
    if (!dry) await placeAll(client, placements);
    return placements;
  } finally {
    await client.end();
  }
}

async function mayBegin(client: pg.Client): Promise<void> {
  const citus = await client.query(`select from pg_extension where extname = 'citus'`);
  if (citus.rowCount === 0)
    throw new StartError(
      "There is nothing to spread this database over: it has no Citus (create extension citus). Nothing was changed, and Florin doesn't need it.",
    );
  const known = await client.query<{ name: string | null }>(`select to_regclass('florin_migrations') as name`);
  const query = async <Row>(text: string): Promise<Row[]> => (await client.query(text)).rows as Row[];
  if (!known.rows[0]?.name || !(await migrated({ query })))
    throw new StartError("The database hasn't this version's schema: run florin migrate first.");
  if (await anyLives({ query }))
    throw new StartError('A server is using this database: stop it first, for its rows move. Nothing was changed.');
}

/** Tables of owners lie together: the rows that one owner has in all of them are on one node. */
async function placeAll(client: pg.Client, placements: readonly Placement[]): Promise<void> {
  // The triggers only refuse: on the node that has the rows they do so as well.
  await client.query('set citus.enable_unsafe_triggers = on');
  const first = placements.find(({ as, done }) => as === 'distributed' && done)?.table;
  let beside = first ?? 'none';
  for (const { table, as, by, done } of placements) {
    if (done) continue;
    if (as === 'reference') await client.query('select create_reference_table($1::text::regclass)', [table]);
    if (as !== 'distributed') continue;
    const text = 'select create_distributed_table($1::text::regclass, $2::text, colocate_with => $3::text)';
    await client.query(text, [table, by, beside]);
    if (beside === 'none') beside = table;
  }
}
