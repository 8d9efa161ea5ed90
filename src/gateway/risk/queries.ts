// Every statement on risk_rules, risk_counters and risk_events.
// Rule: keys of counters come in hashed; no address, e-mail or card fingerprint is ever written here.
import { add, arrayLiteral, type Change, type Db, insert, table } from '../../store/index.ts';

export type RiskAction = 'refuse' | 'force3d';

export interface RiskRule {
  readonly project_id: bigint;
  readonly id: string;
  /** 1, and one more after each change. */
  readonly version: number;
  readonly name: string;
  readonly class: string;
  readonly expression: string;
  readonly action: RiskAction;
  readonly dry_run: boolean;
  readonly active: boolean;
  readonly position: number;
  readonly created_at: Date;
}

export const rulesAll = (db: Db): Promise<RiskRule[]> =>
  db.query('select * from risk_rules order by project_id, position, id');

export const rulesOf = (db: Db, owner: bigint): Promise<RiskRule[]> =>
  db.query('select * from risk_rules where project_id = $1 order by position, id', [owner]);

/** Replaces a rule whole; the time of its making stays. Answers it as it is stored. */
export async function ruleUpsert(db: Db, rule: Omit<RiskRule, 'version'>): Promise<RiskRule> {
  const rows = await db.query<RiskRule>(
    `insert into risk_rules (project_id, id, version, name, class, expression, action, dry_run, active, position, created_at)
     values ($1, $2, 1, $3, $4, $5, $6, $7, $8, $9, $10)
     on conflict (project_id, id) do update set version = risk_rules.version + 1, name = excluded.name, class = excluded.class,
       expression = excluded.expression, action = excluded.action, dry_run = excluded.dry_run, active = excluded.active,
       position = excluded.position
     returning *`,
    [
      rule.project_id,
      rule.id,
      rule.name,
      rule.class,
      rule.expression,
      rule.action,
      rule.dry_run,
      rule.active,
      rule.position,
      rule.created_at,
    ],
  );
  return rows[0] as RiskRule;
}

export async function ruleDelete(db: Db, owner: bigint, id: string): Promise<boolean> {
  const rows = await db.query('delete from risk_rules where project_id = $1 and id = $2 returning id', [owner, id]);
  return rows.length > 0;
}

export interface CounterRow {
  readonly project_id: bigint;
  readonly dimension: string;
  readonly key_hash: string;
  readonly span: number;
  readonly bucket_at: Date;
  readonly count: bigint;
  readonly sum: bigint;
}

const riskCounters = table<CounterRow>(
  'risk_counters',
  {
    project_id: 'int8',
    dimension: 'text',
    key_hash: 'text',
    span: 'int4',
    bucket_at: 'timestamptz',
    count: 'int8',
    sum: 'int8',
  },
  ['project_id', 'dimension', 'key_hash', 'span', 'bucket_at'],
);

export const counterAdd = (row: CounterRow): Change => add(riskCounters, row);

export interface CounterWanted {
  readonly dimension: string;
  readonly keyHash: string;
  readonly span: number;
  /** The first bucket that counts, and the last. */
  readonly since: Date;
  readonly until: Date;
}

export interface Counted {
  readonly count: bigint;
  readonly sum: bigint;
}

/** Each wanted counter's total, in the order asked. */
export async function countersTotal(db: Db, owner: bigint, wanted: readonly CounterWanted[]): Promise<Counted[]> {
  return db.query(
    `select t.count, t.sum
     from unnest($2::text[], $3::text[], $4::int4[], $5::timestamptz[], $6::timestamptz[])
       with ordinality as w(dimension, key_hash, span, since, until, n)
     cross join lateral (
       select coalesce(sum(c.count), 0)::int8 as count, coalesce(sum(c.sum), 0)::int8 as sum from risk_counters c
       where c.project_id = $1 and c.dimension = w.dimension and c.key_hash = w.key_hash and c.span = w.span
         and c.bucket_at >= w.since and c.bucket_at <= w.until
     ) t
     order by w.n`,
    [
      owner,
      arrayLiteral(
        wanted.map((one) => one.dimension),
        'text',
      ),
      arrayLiteral(
        wanted.map((one) => one.keyHash),
        'text',
      ),
      arrayLiteral(
        wanted.map((one) => one.span),
        'int4',
      ),
      arrayLiteral(
        wanted.map((one) => one.since),
        'timestamptz',
      ),
      arrayLiteral(
        wanted.map((one) => one.until),
        'timestamptz',
      ),
    ],
  );
}

/** Of all owners: a job's statement. */
export async function countersDelete(db: Db, span: number, before: Date): Promise<void> {
  await db.query('delete from risk_counters where span = $1 and bucket_at < $2', [span, before]);
}

export interface RiskEvent {
  readonly project_id: bigint;
  readonly id: bigint;
  readonly order_id: bigint;
  readonly rule_id: string;
  readonly class: string;
  readonly action: RiskAction | 'error';
  readonly dry_run: boolean;
  readonly created_at: Date;
}

const riskEvents = table<RiskEvent>(
  'risk_events',
  {
    project_id: 'int8',
    id: 'int8',
    order_id: 'int8',
    rule_id: 'text',
    class: 'text',
    action: 'text',
    dry_run: 'bool',
    created_at: 'timestamptz',
  },
  ['project_id', 'id'],
);

export const riskEventInsert = (row: RiskEvent): Change => insert(riskEvents, row);

/** What was found on an order, in the order in which it was found. */
export const riskEventsOf = (db: Db, owner: bigint, orderId: bigint): Promise<RiskEvent[]> =>
  db.query('select * from risk_events where project_id = $1 and order_id = $2 order by id', [owner, orderId]);
