// 0024: of a token that was written once for each card that it has stood for, the row of its newest card is left.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { testDatabase } from '../../support/database.ts';

const UP = readFileSync(path.resolve(import.meta.dirname, '../../../migrations/0024_wallet_tokens.sql'), 'utf8');
/** The table as it was. */
const BEFORE = `alter table wallet_tokens drop column events;
  drop index wallet_tokens_card;
  alter table wallet_tokens drop constraint wallet_tokens_pkey;
  alter table wallet_tokens add primary key (tenant_id, card_id, id)`;

const CARD = {
  identity_id: 1,
  programme_id: 1,
  profile_id: 1,
  mode: 'PREPAID_MODE',
  currency: 'EUR',
  state: 'ACTIVE',
  blocks: [],
  type: 'VIRTUAL',
  brand: 'VISA',
  classification: 'CONSUMER',
  first_six: '400000',
  last_four: '0000',
  starts: '2601',
  expires: '2901',
  renewal: 'NO_RENEW',
  friendly_name: 'Travel',
  name_on_card: 'Ada Example',
  details: {},
  events: 1,
};

test('one id is one row, of the newest card; what stands alone stays', async () => {
  const database = await testDatabase();
  for (const statement of BEFORE.split(';')) await database.query(statement);
  const [at, later, last] = ['2026-01-01', '2026-02-01', '2026-03-01'];
  /** Its id, the tenant's, and when it was made: 7 was replaced by 9, that by 8. */
  for (const [tenant_id, id, created_at] of [
    [1, 7, at],
    [1, 9, later],
    [1, 8, last],
    [2, 7, last],
  ] as const)
    await database.query('insert into cards select (jsonb_populate_record(null::cards, $1)).*', [
      JSON.stringify({ ...CARD, tenant_id, id, created_at, updated_at: created_at }),
    ]);
  for (const [tenant, card, id, state] of [
    [1, 7, 20, 'DELETED'],
    [1, 9, 20, 'DELETED'],
    [1, 8, 20, 'ACTIVE'],
    // Given up before the first replacement, before the second, and asked for on the last card.
    [1, 7, 21, 'DELETED'],
    [1, 7, 22, 'DELETED'],
    [1, 9, 22, 'DELETED'],
    [1, 8, 23, 'REQUESTED'],
    // Another tenant's.
    [2, 7, 20, 'SUSPENDED'],
  ] as const)
    await database.query(`insert into wallet_tokens values ($1, $2, $3, 'phone', 'APPLE', $4, $5, $5)`, [
      tenant,
      card,
      id,
      state,
      at,
    ]);
  for (const statement of UP.split(';')) if (statement.trim()) await database.query(statement);
  const rows = await database.query<{ row: string }>(
    `select concat_ws(' ', tenant_id, card_id, id, state, events) as row from wallet_tokens order by tenant_id, id`,
  );
  assert.deepEqual(
    rows.map(({ row }) => row),
    ['1 8 20 ACTIVE 0', '1 7 21 DELETED 0', '1 9 22 DELETED 0', '1 8 23 REQUESTED 0', '2 7 20 SUSPENDED 0'],
  );
});
