// Fills the order tables with past payments, as rows of the shape that real ones leave behind.
import type { Database } from '../src/store/index.ts';

export async function fillOrders(database: Database, projectId: bigint, count: number): Promise<void> {
  const BATCH = 100_000;
  for (let from = 0; from < count; from += BATCH) {
    const values = [projectId, from, Math.min(count, from + BATCH) - 1];
    const id = `(1000000 + n)::int8 * 4096`;
    const at = `timestamptz '2026-01-01' + n * interval '10 seconds'`;
    await database.query(
      `insert into orders (project_id, id, merchant_order_id, status, amount, currency, amount_charged, amount_refunded, amount_charged_back, held,
         description, segment, terminal, descriptor, auth_code, pan, card, issuer, client, location, custom_fields, secure3d, options, card_id, parent_order_id,
         initiator, network_transaction_id, in_flight, due, next_at, failure_type, failure_message, attempts, events, created_at, updated_at)
       select $1, ${id}, 'old-' || n, 'reversed', 1250, 'EUR', 0, 0, 0, 0, null, '', '1', 'FLORIN*SANDBOX', '123456', '411111******1111',
         '{"holder":"Ada Example","type":"visa","subtype":"classic","expiry":"3012"}', '{"bin":"411111","country":"GBR","title":"Harbour Lane Bank"}', null,
         '{"ip":"192.0.2.1"}', null, null, '{}', ${id}, null, 'customer', '067294534318210', null, '{}', null, null, null, 0, 0, ${at}, ${at}
       from generate_series($2::int, $3::int) n`,
      values,
    );
    await database.query(
      `insert into operations (project_id, id, order_id, type, status, system, amount, currency, reference, original, auth_code, iso_response_code, iso_message,
         details, arn, rate, tries, process, once_key, created_at, resolved_at, cleared_at)
       select $1, ${id} + o, ${id}, case o when 1 then 'authorize' else 'reverse' end, 'success', false, 1250, 'EUR', (${id} + o)::text, null, '123456', '00', 'Approved',
         '{"rrn":"632503130366","stan":"130369","network":"visa"}', null, null, 1, 1, null, ${at}, ${at}, null
       from generate_series($2::int, $3::int) n, generate_series(1, 2) o`,
      values,
    );
    // Held, and given back.
    await database.query(
      `insert into postings (owner_id, entry_id, subject_id, operation_id, amount, created_at, line, subject_type, kind, account, currency)
       select $1, ${id} + o, ${id}, ${id} + o, case when (o + l) % 2 = 0 then 1250 else -1250 end, ${at}, l, 'order', case o when 1 then 'authorize' else 'reverse' end,
         case l when 1 then 'hold' else 'hold_contra' end, 'EUR'
       from generate_series($2::int, $3::int) n, generate_series(1, 2) o, generate_series(1, 2) l`,
      values,
    );
  }
  for (const table of ['orders', 'operations', 'postings']) await database.query(`vacuum analyze ${table}`);
  // What the filling left to be written is not the measured payments' burden.
  await database.query('checkpoint');
}
