// Fills the tables of cards with copies of one that was made over HTTP: each with its number, its sealed data, its funds and its place in
// the counts, so that the invariants hold.
import type { Database } from '../src/store/index.ts';

/** What differs from card to card; the rest is the template's. */
const COPIED = `identity_id, programme_id, profile_id, mode, currency, parent_account_id, state, blocks, destroyed_reason, type, brand,
  classification, first_six, last_four, starts, expires, renewal, friendly_name, name_on_card, tag, mobile, details, due_at, events`;

const BATCH = 50_000;

/** The n-th id, counted from 0: below every id that is made now. */
export const filledId = (n: number): bigint => (1_000_000n + BigInt(n)) * 4096n;

/** `count` more cards like the prepaid card of this id. */
export async function fillCards(database: Database, template: bigint, count: number): Promise<void> {
  const ID = `(1000000 + n)::int8 * 4096`;
  const AT = `timestamptz '2026-01-01' + n * interval '10 seconds'`;
  for (let from = 0; from < count; from += BATCH) {
    const values = [template, from, Math.min(count, from + BATCH) - 1];
    const N = 'generate_series($2::int, $3::int) n';
    await Promise.all([
      database.query(
        `insert into cards (tenant_id, id, ${COPIED}, created_at, updated_at)
         select tenant_id, ${ID}, ${COPIED}, ${AT}, ${AT} from cards, ${N} where id = $1`,
        values,
      ),
      database.query(
        `insert into card_numbers (fingerprint, tenant_id, card_id)
         select encode(sha256(n::text::bytea), 'hex'), tenant_id, ${ID} from cards, ${N} where id = $1`,
        values,
      ),
      // A copy doesn't open under another id: these cards are listed, read and counted, but nobody pays with them.
      database.query(
        `insert into vault_cards (owner_id, id, key_id, wrapped_key, sealed, fingerprint, created_at)
         select owner_id, ${ID}, key_id, wrapped_key, sealed, encode(sha256(n::text::bytea), 'hex'), ${AT} from vault_cards, ${N} where id = $1`,
        values,
      ),
      database.query(
        `insert into funds (tenant_id, instrument_id, currency, actual, held, entries)
         select tenant_id, ${ID}, currency, 0, 0, 0 from funds, ${N} where instrument_id = $1`,
        values,
      ),
    ]);
  }
  await database.query(
    `update card_counts c set live = c.live + $2::int8 from cards t where t.id = $1 and c.currency in ('', t.currency)
       and (c.tenant_id, c.level, c.level_id) in ((t.tenant_id, 'IDENTITY', t.identity_id), (t.tenant_id, 'PROGRAMME', t.programme_id),
         (t.tenant_id, 'TENANT', 0), (0, 'INSTALLATION', 0))`,
    [template, count],
  );
  for (const table of ['cards', 'card_numbers', 'vault_cards', 'funds', 'card_counts'])
    await database.query(`vacuum analyze ${table}`);
  // What the filling left to be written is not the measured requests' burden.
  await database.query('checkpoint');
}
