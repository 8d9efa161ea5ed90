// The statements that may go over all owners, each with its reason.

export interface Exception {
  /** Whose statement it is. */
  readonly file: string;
  /** What stands in it. */
  readonly has: string;
  readonly why: (typeof REASONS)[number];
}

const REASONS = [
  // A worker looks for what is due, whosever it is; what it does then is a command of the owner.
  'due',
  // Nobody needs these rows any more, whosever they are.
  'purge',
  // Settings that every process keeps in memory whole.
  'memory',
  // A limit of the installation: nobody's transaction but its own.
  'limit',
  // The network knows a card by its number alone, and nobody's transaction is open yet.
  'network',
  // Operators look at the installation as a whole.
  'operators',
  // A proof looks for whom there is something to prove, and for what two owners must not share.
  'proof',
  // A vault's key is the installation's: its change and its end concern every card.
  'keys',
] as const;

const of = (file: string, why: Exception['why'], ...statements: readonly string[]): Exception[] =>
  statements.map((has) => ({ file, has, why }));

export const EXCEPTIONS: readonly Exception[] = [
  ...of('src/events/delivery/desk-queries.ts', 'due', `from webhook_replays where state = 'running' order by id`),
  ...of(
    'src/events/delivery/queries.ts',
    'due',
    'select distinct owner_id, webhook_id from webhook_deliveries',
    'from webhook_cursors where leased_by is null or leased_by <> all($1',
    'from webhook_cursors c left join webhook_deliveries d',
  ),
  ...of('src/events/endpoints/queries.ts', 'memory', 'from webhooks where enabled order by'),
  ...of('src/events/endpoints/inbox-queries.ts', 'operators', 'from webhooks where right(url'),
  ...of('src/events/log/keeping-queries.ts', 'purge', 'from event_heads where owner_id > $1'),
  ...of('src/events/log/figures-queries.ts', 'operators', 'from (select event_id from event_queue limit'),
  ...of('src/events/delivery/queries/figures.ts', 'operators', 'circuit_open from webhook_cursors'),
  ...of('src/events/endpoints/queries.ts', 'operators', 'from webhooks where not enabled'),
  ...of('src/events/log/queries.ts', 'due', 'select distinct owner_id from event_queue'),
  ...of('src/gateway/orders/queries/due.ts', 'due', 'from orders where next_at > $1', 'where o.next_at <= $1'),
  ...of('src/gateway/orders/queries/due.ts', 'operators', 'where o.in_flight > $2'),
  ...of('src/gateway/risk/queries.ts', 'memory', 'from risk_rules order by project_id'),
  ...of('src/gateway/risk/queries.ts', 'purge', 'delete from risk_counters where span = $1'),
  ...of('src/http/api/queries.ts', 'purge', 'from idempotency_records where expires_at <= $1'),
  ...of('src/issuing/access/queries.ts', 'operators', 'from messages where $1::text is null'),
  ...of(
    'src/issuing/access/queries.ts',
    'purge',
    'delete from user_sessions where created_at',
    'delete from messages where created_at',
  ),
  ...of('src/issuing/cards/due-queries.ts', 'due', 'where c.due_at <= $1', 'from cards where due_at > $1'),
  ...of('src/issuing/cards/queries.ts', 'network', 'from card_numbers where fingerprint = $1'),
  ...of('src/ledger/invariant.ts', 'network', 'where o.fingerprint in (select n.fingerprint from card_numbers n'),
  ...of('src/issuing/challenges/queries.ts', 'purge', 'delete from card_challenges where created_at'),
  ...of('src/issuing/challenges/queries.ts', 'due', `where state = 'PENDING' and expires_at <= $1`),
  ...of('src/issuing/lending/block-queries.ts', 'operators', 'from card_blocks group by range_name'),
  ...of('src/issuing/lending/counts-queries.ts', 'limit', `where level = 'TENANT' and currency = any($1::text[])`),
  ...of(
    'src/issuing/payments/queries.ts',
    'due',
    `where a.state = 'OPEN' and a.expires_at <= $1`,
    `where a.state = 'PENDING' and a.created_at <= $1`,
    `where state = 'OPEN' and expires_at > $1`,
  ),
  ...of('src/issuing/secrets/queries.ts', 'purge', 'delete from used_reveals where used_at'),
  ...of(
    'src/issuing/tenants/queries.ts',
    'memory',
    'from profiles order by',
    'from programmes order by',
    'from tenant_secrets where revoked_at is null order by',
  ),
  ...of(
    'src/ledger/invariant.ts',
    'proof',
    'select p.order_id as subject, p.id, p.arn from operations p',
    `where o.in_flight is not null and (o.due->'recover' is null`,
  ),
  ...of(
    'src/ledger/proof-queries.ts',
    'proof',
    'select least((select min(owner_id) from postings where owner_id > $1)',
    'from proofs where cursor is not null or proved_at is null',
  ),
  ...of(
    'src/ledger/proof-queries.ts',
    'operators',
    'from proof_reds order by found_at',
    'count(*) as count from proof_reds',
    'select count(*) as owners, count(proved_at) as proved',
  ),
  ...of(
    'src/store/commit/touched.ts',
    'proof',
    'select distinct owner_id from commit_groups where subjects is not null',
  ),
  ...of('src/store/commit/touched.ts', 'operators', 'count(*) as count from commit_groups where subjects is not null'),
  ...of('src/network/queries.ts', 'operators', 'from simulator_transactions where effect and ($1::int8 is null or'),
  ...of(
    'src/operator/queries.ts',
    'operators',
    'from audit_heads where sequence > 0 order by',
    'from operator_audit where id < $1 order by',
    'select distinct owner_id from operator_audit',
  ),
  ...of('src/store/commit/outcome.ts', 'purge', 'delete from commit_groups where made_at'),
  ...of(
    'src/store/due/due-queries.ts',
    'operators',
    'from due_failures where retry_at > $1 order by',
    'from due_failures where retry_at > $1 group by',
  ),
  ...of('src/store/due/due-queries.ts', 'purge', 'delete from due_failures where retry_at'),
  ...of('src/vault/queries.ts', 'purge', 'delete from vault_cvvs where until'),
  ...of('src/vault/queries.ts', 'operators', 'count from vault_cvvs where until'),
  ...of(
    'src/vault/queries.ts',
    'keys',
    'from vault_cards where key_id',
    'where (owner_id, id) > ($1, $2) and key_id <> $3',
  ),
];
