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

/** Places on one side of a position, away from it, at most `limit`. */
export async function eventPlaces(
  db: Db,
  owner: bigint,
  { types, resource, from, to }: EventFilter,
  { position, newer, limit }: { readonly position: bigint | null; readonly newer: boolean; readonly limit: number },
): Promise<EventPlace[]> {
  const values: unknown[] = [owner, limit];
  const conditions: string[] = [];
  const where = (condition: (parameter: string) => string, value: unknown): void => {
    if (value !== null) conditions.push(` and ${condition(`$${values.push(value)}`)}`);
  };
  where((p) => `l.position ${newer ? '>' : '<'} ${p}`, position);
  where((p) => `l.type = any(${p}::text[])`, types);
  // Of the event, not of the log: there is an index of it.
  where((p) => `e.subject_id = ${p}`, resource);
  where((p) => `l.created_at >= ${p}`, from);
  where((p) => `l.created_at <= ${p}`, to);
  return db.query<EventPlace>(
    `select l.position, l.event_id, octet_length(e.body) as size
     from event_log l join events e on e.owner_id = l.owner_id and e.id = l.event_id
     where l.owner_id = $1${conditions.join('')} order by l.position ${newer ? 'asc' : 'desc'} limit $2`,
    values,
  );
}
