// Statements on due_failures: what was due, was tried and failed. A timeline's own query asks with `dueWaits` and `dueTries` beside its rows.
// Rule: written outside of any transaction of the work itself, which has just failed.
import { addMs } from '../../base/index.ts';
import type { Db } from '../commit/index.ts';

/** The columns or expressions by which a timeline's query names a piece of work. */
export interface DueColumns {
  readonly about: string;
  readonly owner: string;
  readonly id: string;
  readonly kind: string;
}

/** Of work that has several kinds at once. */
export type DueKinds = Omit<DueColumns, 'kind'>;

const rows = ({ about, owner, id }: DueKinds): string =>
  `from due_failures f where f.owner_id = ${owner} and f.about = '${about}' and f.id = ${id}`;
const row = ({ kind, ...columns }: DueColumns): string => `${rows(columns)} and f.kind = ${kind}`;

/** SQL: it failed and is to be left alone until later than `now`. */
export const dueWaits = (columns: DueColumns, now: string): string =>
  `exists (select ${row(columns)} and f.retry_at > ${now})`;

/** SQL: how often it has failed since it was last done. */
export const dueTries = (columns: DueColumns): string => `coalesce((select f.tries ${row(columns)}), 0)`;

/** SQL, text[]: the kinds that failed and are to be left alone until later than `now`. */
export const dueKindsWaiting = (columns: DueKinds, now: string): string =>
  `coalesce((select array_agg(f.kind) ${rows(columns)} and f.retry_at > ${now}), '{}')`;

/** SQL, jsonb: how often each kind has failed since it was last done; null: none has. */
export const dueTriesByKind = (columns: DueKinds): string =>
  `(select jsonb_object_agg(f.kind, f.tries) ${rows(columns)})`;

export interface DueFailure {
  readonly owner_id: bigint;
  readonly about: string;
  readonly id: bigint;
  readonly kind: string;
  readonly tries: number;
  readonly since: Date;
  readonly retry_at: Date;
  readonly code: string;
}

/** Nothing where another process has told of the same failure. */
export async function dueFailurePut(db: Db, failure: DueFailure): Promise<boolean> {
  const { owner_id, about, id, kind, tries, since, retry_at, code } = failure;
  const rows = await db.query(
    `insert into due_failures as f (owner_id, about, id, kind, tries, since, retry_at, code)
     values ($1, $2, $3, $4, $5, $6, $7, $8)
     on conflict (owner_id, about, id, kind) do update
     set tries = excluded.tries, retry_at = excluded.retry_at, code = excluded.code where f.retry_at <= $6 returning tries`,
    [owner_id, about, id, kind, tries, since, retry_at, code],
  );
  return rows.length > 0;
}

type DueKey = Pick<DueFailure, 'owner_id' | 'about' | 'id' | 'kind'>;

export async function dueFailureRemove(db: Db, { owner_id, about, id, kind }: DueKey): Promise<void> {
  await db.query('delete from due_failures where owner_id = $1 and about = $2 and id = $3 and kind = $4', [
    owner_id,
    about,
    id,
    kind,
  ]);
}

/** Its next try was due so long ago, and nobody made it: whatever it was, it is no longer due. */
const FORGOTTEN_MS = 2 * 3_600_000;
const live = (now: Date): Date => addMs(now, -FORGOTTEN_MS);

/** What fails now, longest first. */
export const dueFailures = (db: Db, now: Date, limit: number): Promise<DueFailure[]> =>
  db.query<DueFailure>('select * from due_failures where retry_at > $1 order by since, id limit $2', [
    live(now),
    limit,
  ]);

/** How much fails now, by what it is on. */
export const dueFailureCounts = (db: Db, now: Date): Promise<{ readonly about: string; readonly count: bigint }[]> =>
  db.query('select about, count(*) as count from due_failures where retry_at > $1 group by about', [live(now)]);

export async function dueFailuresPurge(db: Db, now: Date): Promise<void> {
  await db.query('delete from due_failures where retry_at <= $1', [live(now)]);
}
