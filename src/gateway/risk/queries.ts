// Every statement on risk_rules, risk_counters and risk_events.
import { add, type Change, type Db, insert, table } from '../../store/index.ts';

export interface RiskRule {
  readonly project_id: bigint;
  readonly id: string;
  readonly class: string;
  readonly expression: string;
  readonly action: 'refuse' | 'force3d';
  readonly dry_run: boolean;
  readonly active: boolean;
  readonly created_at: Date;
}

interface Counter {
  readonly project_id: bigint;
  readonly dimension: string;
  readonly key_hash: string;
  readonly bucket_at: Date;
  readonly count: bigint;
  readonly sum: bigint;
}
const counters = table<Counter>(
  'risk_counters',
  { project_id: 'int8', dimension: 'text', key_hash: 'text', bucket_at: 'timestamptz', count: 'int8', sum: 'int8' },
  ['project_id', 'dimension', 'key_hash', 'bucket_at'],
);

interface RiskEvent {
  readonly project_id: bigint;
  readonly id: bigint;
  readonly order_id: bigint;
  readonly rule_id: string;
  readonly action: string;
  readonly dry_run: boolean;
  readonly created_at: Date;
}
const events = table<RiskEvent>(
  'risk_events',
  { project_id: 'int8', id: 'int8', order_id: 'int8', rule_id: 'text', action: 'text', dry_run: 'bool', created_at: 'timestamptz' },
  ['project_id', 'id'],
);

export const counterAdd = (row: Counter): Change => add(counters, row);
export const riskEventInsert = (row: RiskEvent): Change => insert(events, row);

export const rulesAll = (db: Db): Promise<RiskRule[]> => db.query('select * from risk_rules order by project_id, id');
export const rulesOf = (db: Db, owner: bigint): Promise<RiskRule[]> => db.query('select * from risk_rules where project_id = $1 order by id', [owner]);

export async function ruleUpsert(db: Db, rule: RiskRule): Promise<void> {
  await db.query(
    `insert into risk_rules (project_id, id, class, expression, action, dry_run, active, created_at) values ($1, $2, $3, $4, $5, $6, $7, $8)
     on conflict (project_id, id) do update set class = excluded.class, expression = excluded.expression, action = excluded.action,
       dry_run = excluded.dry_run, active = excluded.active`,
    [rule.project_id, rule.id, rule.class, rule.expression, rule.action, rule.dry_run, rule.active, rule.created_at],
  );
}

export async function ruleDelete(db: Db, owner: bigint, id: string): Promise<boolean> {
  return (await db.query('delete from risk_rules where project_id = $1 and id = $2 returning id', [owner, id])).length > 0;
}

/** Counts and sums of each wanted key since its moment. */
export async function countersSince(db: Db, owner: bigint, wanted: readonly { dimension: string; keyHash: string; since: Date }[]): Promise<{ count: bigint; sum: bigint }[]> {
  return db.query(
    `select coalesce(sum(c.count), 0)::int8 as count, coalesce(sum(c.sum), 0)::int8 as sum
     from unnest($2::text[], $3::text[], $4::timestamptz[]) with ordinality as w(dimension, key_hash, since, n)
     left join risk_counters c on c.project_id = $1 and c.dimension = w.dimension and c.key_hash = w.key_hash and c.bucket_at >= w.since
     group by w.n order by w.n`,
    [owner, wanted.map((w) => w.dimension), wanted.map((w) => w.keyHash), wanted.map((w) => w.since)],
  );
}

/** Counters older than any window. */
export async function countersPurge(db: Db, before: Date): Promise<void> {
  await db.query('delete from risk_counters where bucket_at < $1', [before]);
}
