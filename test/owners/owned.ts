// Whose rows a table holds: one line a table. What has an owner carries it first in its primary key and in every unique index.

/** Table → the column that says whose a row is. */
export const OWNED: Readonly<Record<string, 'owner_id' | 'project_id' | 'tenant_id'>> = {
  ...all('project_id', [
    'merchant_order_ids',
    'operations',
    'order_rejections',
    'orders',
    'page_templates',
    'pay_links',
    'payout_sums',
    'project_credentials',
    'risk_counters',
    'risk_events',
    'risk_rules',
    'settlements',
    'terminals',
    'threeds_cavvs',
    'threeds_closed',
    'threeds_transactions',
  ]),
  ...all('tenant_id', [
    'authorization_messages',
    'authorizations',
    'card_blocks',
    'card_challenges',
    'card_counts',
    'card_mobiles',
    'card_numbers',
    'card_places',
    'cards',
    'factors',
    'funds',
    'identities',
    'managed_accounts',
    'messages',
    'profiles',
    'programmes',
    'spend_counters',
    'statement_entries',
    'tenant_secrets',
    'transfers',
    'used_cavvs',
    'used_reveals',
    'user_sessions',
    'users',
    'wallet_tokens',
  ]),
  ...all('owner_id', [
    'audit_heads',
    'balances',
    'commit_groups',
    'due_failures',
    'event_heads',
    'event_log',
    'event_queue',
    'events',
    'idempotency_records',
    'operator_audit',
    'postings',
    'proof_reds',
    'proofs',
    'proved_sums',
    'simulator_transactions',
    'vault_cards',
    'vault_cvvs',
    'webhook_attempts',
    'webhook_cursors',
    'webhook_deliveries',
    'webhook_replays',
    'webhooks',
  ]),
};

/** Table → why its rows have no owner. */
export const NOBODYS: Readonly<Record<string, 'owner' | 'installation' | 'reference'>> = {
  // The owners themselves.
  ...all('owner', ['projects', 'tenants']),
  // Of the installation as a whole: its settings, its processes, its operators.
  ...all('installation', [
    'card_leases',
    'card_ranges',
    'florin_migrations',
    'installation_mode',
    'issuing_settings',
    'issuing_versions',
    'processes',
    'project_versions',
    'range_blocks',
    'rate_buckets',
    'shared_followers',
    'shared_state',
    'simulator_fault_counts',
    'vault_keys',
  ]),
  // The same for everybody.
  ...all('reference', ['bin_ranges', 'rates']),
};

function all<Value extends string>(value: Value, names: readonly string[]): Record<string, Value> {
  return Object.fromEntries(names.map((name) => [name, value]));
}
