// Statements that read events for those who ask: places in an owner's log, and the texts that stand there.
// Rule: the order is that of positions, which no commit that comes later goes before.
import type { Db } from '../../store/index.ts';

/** What is asked for; null: all. */
export interface EventFilter {
  readonly types: readonly string[] | null;
  /** What they are about. */
  readonly resource: bigint | null;
  readonly from: Date | null;
  readonly to: Date | null;
}

export interface EventPlace {
  readonly position: bigint;
  readonly event_id: bigint;
  /** Of its text, bytes. */
  readonly size: number;
}

interface Page {
  readonly position: bigint | null;
  readonly newer: boolean;
  /** No further than here. */
  readonly upTo?: bigint;
  readonly limit: number;
}

/** Places on one side of a position, away from it, at most `limit`. */
export async function eventPlaces(
  db: Db,
  owner: bigint,
  filter: EventFilter,
  { position, newer, upTo, limit }: Page,
): Promise<EventPlace[]> {
  const { types, resource, from, to } = filter;
  const values: unknown[] = [owner, limit];
  const conditions: string[] = [];
  const where = (condition: (parameter: string) => string, value: unknown): void => {
    if (value !== null) conditions.push(` and ${condition(`$${values.push(value)}`)}`);
  };
  where((p) => `l.position ${newer ? '>' : '<'} ${p}`, position);
  where((p) => `l.position <= ${p}`, upTo ?? null);
  where((p) => `l.type = any(${p}::text[])`, types);
  // Of the event, not of the log: there is an index of it.
  where((p) => `e.subject_id = ${p}`, resource);
  where((p) => `l.created_at >= ${p}`, from);
  where((p) => `l.created_at <= ${p}`, to);
  const about = resource === null ? '' : 'join events e on e.owner_id = l.owner_id and e.id = l.event_id';
  const rows = await db.query<Omit<EventPlace, 'size'>>(
    `select l.position, l.event_id from event_log l ${about}
     where l.owner_id = $1${conditions.join('')} order by l.position ${newer ? 'asc' : 'desc'} limit $2`,
    values,
  );
  return sized(db, owner, rows);
}

/** By ids: so only the days are looked at that they lie in. What is gone meanwhile has no size. */
async function sized(db: Db, owner: bigint, rows: readonly Omit<EventPlace, 'size'>[]): Promise<EventPlace[]> {
  if (rows.length === 0) return [];
  const sizes = await db.query<{ id: bigint; size: number }>(
    'select id, octet_length(body) as size from events where owner_id = $1 and id = any($2::int8[])',
    [owner, rows.map(({ event_id }) => event_id)],
  );
  const by = new Map(sizes.map(({ id, size }) => [id, size]));
  return rows.map((row) => ({ ...row, size: by.get(row.event_id) ?? 0 }));
}
