// Statements that look at how far events have come: what has no position yet, and what is the first behind a place.
import type { Db } from '../../store/index.ts';

/** More of what waits is not counted: a scrape costs the same whatever waits. */
const MOST = 100_000;

/** What has no position yet, of all owners: how many, and the id of the first of them. */
export async function queueFigures(db: Db): Promise<{ readonly count: bigint; readonly first: bigint | null }> {
  const [row] = await db.query<{ count: bigint; first: bigint | null }>(
    `select count(*) as count, min(event_id) as first from (select event_id from event_queue limit ${MOST}) waiting`,
  );
  return row ?? { count: 0n, first: null };
}

/** A place in an owner's log. */
export interface LogPlace {
  readonly owner_id: bigint;
  readonly position: bigint;
}

export interface FirstBehind {
  readonly event_id: bigint;
  readonly position: bigint;
}

/** The first event behind each place, in their order; null: none is. */
export async function firstsBehind(db: Db, places: readonly LogPlace[]): Promise<(FirstBehind | null)[]> {
  if (places.length === 0) return [];
  const rows = await db.query<FirstBehind & { readonly n: bigint }>(
    `select k.n, l.event_id, l.position from unnest($1::int8[], $2::int8[]) with ordinality as k(owner_id, position, n) cross join lateral
       (select e.event_id, e.position from event_log e where e.owner_id = k.owner_id and e.position > k.position order by e.position limit 1) l`,
    [places.map(({ owner_id }) => owner_id), places.map(({ position }) => position)],
  );
  const found = new Map(rows.map(({ n, ...first }) => [n, first]));
  return places.map((_, i) => found.get(BigInt(i + 1)) ?? null);
}
