// Every statement on threeds_transactions, threeds_closed and threeds_cavvs.
// Rule: rows begin and close as changes of the order's own commit; between, only the access control server moves a row, each time by
// one conditional update, so that of two browsers (or two clicks) one wins and the other sees what it did.
import { createHash } from 'node:crypto';
import { type Change, type Db, insert, type Kind, rowKind, table } from '../store/index.ts';
import type { CardholderChallenge } from './cardholders.ts';
import { type BrowserDetails, decodeCavv, type Letter, type Report } from './protocol/index.ts';

export interface Transaction {
  readonly project_id: bigint;
  readonly id: bigint;
  readonly order_id: bigint;
  readonly md_hash: string;
  readonly step: 'method' | 'challenge';
  readonly state: 'open' | 'done';
  readonly letter: Letter | null;
  readonly reason_code: string | null;
  readonly cancel_code: string | null;
  readonly version: string;
  readonly server_trans_id: string;
  readonly acs_trans_id: string;
  readonly ds_trans_id: string;
  readonly stalled: boolean;
  readonly tries: number;
  readonly resends: number;
  readonly sent_at: Date;
  readonly amount: bigint;
  readonly currency: string;
  readonly merchant_name: string;
  readonly masked_pan: string;
  readonly brand: string;
  readonly cavv_seed: Buffer;
  readonly browser: BrowserDetails | null;
  /** Of a card that is issued here; null: the sandbox's codes decide. */
  readonly challenge: CardholderChallenge | null;
  readonly created_at: Date;
  readonly expires_at: Date;
}

/** How a transaction ended for its order. */
export type Closing = 'used' | 'expired';

/** A transaction as found: with its end, if it has one. */
export type Found = Transaction & { readonly closed: Closing | null };

const transactions = table<Transaction>(
  'threeds_transactions',
  {
    project_id: 'int8',
    id: 'int8',
    order_id: 'int8',
    md_hash: 'text',
    step: 'text',
    state: 'text',
    letter: 'text',
    reason_code: 'text',
    cancel_code: 'text',
    version: 'text',
    server_trans_id: 'text',
    acs_trans_id: 'text',
    ds_trans_id: 'text',
    stalled: 'bool',
    tries: 'int4',
    resends: 'int4',
    sent_at: 'timestamptz',
    amount: 'int8',
    currency: 'text',
    merchant_name: 'text',
    masked_pan: 'text',
    brand: 'text',
    cavv_seed: 'bytea',
    browser: 'jsonb',
    challenge: 'jsonb',
    created_at: 'timestamptz',
    expires_at: 'timestamptz',
  },
  ['project_id', 'id'],
);

interface Closed {
  readonly project_id: bigint;
  readonly id: bigint;
  readonly how: Closing;
  readonly closed_at: Date;
}
const closed = table<Closed>(
  'threeds_closed',
  { project_id: 'int8', id: 'int8', how: 'text', closed_at: 'timestamptz' },
  ['project_id', 'id'],
);

export const transactionInsert = (row: Transaction): Change => insert(transactions, row);
export const closedInsert = (row: Closed): Change => insert(closed, row);

const SELECT = `select t.*, c.how as closed from threeds_transactions t
  left join threeds_closed c on c.project_id = t.project_id and c.id = t.id`;

export async function transactionByMd(db: Db, owner: bigint, orderId: bigint, mdHash: string): Promise<Found | null> {
  const rows = await db.query<Found>(`${SELECT} where t.project_id = $1 and t.order_id = $2 and t.md_hash = $3`, [
    owner,
    orderId,
    mdHash,
  ]);
  return rows[0] ?? null;
}

/** The newest of an order: a device-data step is followed by a transaction of its own. */
export async function transactionOfOrder(db: Db, owner: bigint, orderId: bigint): Promise<Found | null> {
  const rows = await db.query<Found>(
    `${SELECT} where t.project_id = $1 and t.order_id = $2 order by t.id desc limit 1`,
    [owner, orderId],
  );
  return rows[0] ?? null;
}

export async function transactionGet(db: Db, owner: bigint, id: bigint): Promise<Found | null> {
  const rows = await db.query<Found>(`${SELECT} where t.project_id = $1 and t.id = $2`, [owner, id]);
  return rows[0] ?? null;
}

const RETURNING =
  'returning *, (select how from threeds_closed c where c.project_id = threeds_transactions.project_id and c.id = threeds_transactions.id) as closed';

/**
 * RReq: the result, unless there is one. `answered`: it comes from a code, which costs the try that the caller saw and counts for nothing
 * when that one is spent; so guesses sent side by side are worth one. null when somebody was faster.
 */
export async function resultReport(db: Db, row: Transaction, report: Report, answered: boolean): Promise<Found | null> {
  const rows = await db.query<Found>(
    `update threeds_transactions set state = 'done', letter = $3, reason_code = $4, cancel_code = $5, tries = tries + $6::int4
     where project_id = $1 and id = $2 and step = 'challenge' and state = 'open' and ($6::int4 = 0 or tries = $7) ${RETURNING}`,
    [row.project_id, row.id, report.letter, report.reasonCode, report.cancelCode, answered ? 1 : 0, row.tries],
  );
  return rows[0] ?? null;
}

/** A wrong code costs the try that the caller saw; null when that one is spent already. */
export async function trySpend(db: Db, row: Transaction): Promise<Found | null> {
  const rows = await db.query<Found>(
    `update threeds_transactions set tries = tries + 1
     where project_id = $1 and id = $2 and state = 'open' and tries = $3 ${RETURNING}`,
    [row.project_id, row.id, row.tries],
  );
  return rows[0] ?? null;
}

/** Another code goes out, counted; null when one has gone out since. */
export async function codeResend(db: Db, row: Transaction, sentAt: Date): Promise<Found | null> {
  const rows = await db.query<Found>(
    `update threeds_transactions set resends = resends + 1, sent_at = $4
     where project_id = $1 and id = $2 and state = 'open' and resends = $3 ${RETURNING}`,
    [row.project_id, row.id, row.resends, sentAt],
  );
  return rows[0] ?? null;
}

/** The cardholder goes on by another channel; null when the challenge has ended meanwhile. */
export async function challengeStore(db: Db, row: Transaction, challenge: CardholderChallenge): Promise<Found | null> {
  const rows = await db.query<Found>(
    `update threeds_transactions set challenge = $3 where project_id = $1 and id = $2 and state = 'open' ${RETURNING}`,
    [row.project_id, row.id, JSON.stringify(challenge)],
  );
  return rows[0] ?? null;
}

/** Device data, the first time only. */
export async function browserStore(db: Db, row: Transaction, browser: BrowserDetails): Promise<void> {
  await db.query(
    `update threeds_transactions set state = 'done', browser = $3 where project_id = $1 and id = $2 and step = 'method' and state = 'open'`,
    [row.project_id, row.id, JSON.stringify(browser)],
  );
}

interface UsedCavv {
  readonly project_id: bigint;
  readonly cavv_hash: string;
  readonly order_id: bigint;
}
const cavvs = table<UsedCavv>('threeds_cavvs', { project_id: 'int8', cavv_hash: 'text', order_id: 'int8' }, [
  'project_id',
  'cavv_hash',
]);

interface CavvKey {
  readonly owner: bigint;
  readonly cavv: string;
}

/** Over the bytes, so that another spelling of a value is the same value. */
const cavvHash = (cavv: string): string =>
  createHash('sha256')
    .update(decodeCavv(cavv) ?? cavv)
    .digest('base64url');

/** Which order used a value that was made elsewhere. Two processes that use it at once: the key decides. */
export const cavvKind: Kind<CavvKey, UsedCavv> = rowKind(cavvs, {
  name: 'threeds_cavv',
  keyOf: ({ owner, cavv }) => ({ project_id: owner, cavv_hash: cavvHash(cavv) }),
  locked: false,
});

/** Was this value used by an order of the owner? As last committed: what decides is the commit of the order that uses it. */
export async function isUsed(db: Db, owner: bigint, cavv: string): Promise<boolean> {
  return (await cavvKind.load(db, [{ owner, cavv }])).size > 0;
}

export const needCavv = (owner: bigint, cavv: string) => ({ kind: cavvKind, key: { owner, cavv } });

/** The row that makes a value used, to be committed with the order that uses it. */
export const cavvRow = (owner: bigint, cavv: string, orderId: bigint): UsedCavv => ({
  project_id: owner,
  cavv_hash: cavvHash(cavv),
  order_id: orderId,
});
export const cavvInsert = (owner: bigint, cavv: string, orderId: bigint): Change =>
  insert(cavvs, cavvRow(owner, cavv, orderId));
