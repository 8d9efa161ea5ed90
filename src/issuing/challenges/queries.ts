// Every statement on card_challenges. Rule: a challenge moves by one conditional update, so that of two answers one wins.
import type { Db } from '../../store/index.ts';
import type { AuthChannel } from '../tenants/index.ts';

export interface ChallengeRow {
  readonly tenant_id: bigint;
  readonly id: bigint;
  readonly card_id: bigint;
  readonly channel: AuthChannel;
  readonly state: 'PENDING' | 'PASSED' | 'FAILED' | 'EXPIRED';
  readonly mobile: string | null;
  readonly amount: bigint;
  readonly currency: string;
  readonly merchant: string;
  readonly code_hash: string | null;
  readonly tries: number;
  readonly sends: number;
  readonly sent_at: Date;
  readonly expires_at: Date;
  readonly created_at: Date;
  readonly updated_at: Date;
}

const COLUMNS = [
  'tenant_id',
  'id',
  'card_id',
  'channel',
  'state',
  'mobile',
  'amount',
  'currency',
  'merchant',
  'code_hash',
  'tries',
  'sends',
  'sent_at',
  'expires_at',
  'created_at',
  'updated_at',
] as const satisfies readonly (keyof ChallengeRow)[];

export async function challengeInsert(db: Db, row: ChallengeRow): Promise<void> {
  await db.query(
    `insert into card_challenges (${COLUMNS.join(', ')}) values (${COLUMNS.map((_, i) => `$${i + 1}`).join(', ')})`,
    COLUMNS.map((name) => row[name]),
  );
}

export async function challengeGet(db: Db, id: bigint): Promise<ChallengeRow | null> {
  const rows = await db.query<ChallengeRow>('select * from card_challenges where id = $1', [id]);
  return rows[0] ?? null;
}

/** The newest first. */
export const challengesOfCard = (db: Db, tenantId: bigint, cardId: bigint, limit: number): Promise<ChallengeRow[]> =>
  db.query<ChallengeRow>(
    'select * from card_challenges where tenant_id = $1 and card_id = $2 order by id desc limit $3',
    [tenantId, cardId, limit],
  );

/** Ends a challenge that is pending; false when it was not. */
export async function challengeEnd(
  db: Db,
  row: ChallengeRow,
  state: Exclude<ChallengeRow['state'], 'PENDING'>,
  at: Date,
): Promise<boolean> {
  const rows = await db.query(
    `update card_challenges set state = $3, code_hash = null, updated_at = $4
     where tenant_id = $1 and id = $2 and state = 'PENDING' returning id`,
    [row.tenant_id, row.id, state, at],
  );
  return rows.length > 0;
}

/** Counts a wrong code; the number of them so far, null when the challenge is over. */
export async function challengeTry(db: Db, row: ChallengeRow, at: Date): Promise<number | null> {
  const rows = await db.query<{ tries: number }>(
    `update card_challenges set tries = tries + 1, updated_at = $3
     where tenant_id = $1 and id = $2 and state = 'PENDING' returning tries`,
    [row.tenant_id, row.id, at],
  );
  return rows[0]?.tries ?? null;
}

/** Another code, or the first after a change to SMS; null when somebody else has sent one since. */
export async function challengeSend(
  db: Db,
  row: ChallengeRow,
  { codeHash, sentAt, expiresAt }: { readonly codeHash: string; readonly sentAt: Date; readonly expiresAt: Date },
): Promise<ChallengeRow | null> {
  const rows = await db.query<ChallengeRow>(
    `update card_challenges set channel = 'OTP_SMS', code_hash = $4, sends = sends + 1, sent_at = $5, expires_at = $6, updated_at = $5
     where tenant_id = $1 and id = $2 and state = 'PENDING' and sends = $3 returning *`,
    [row.tenant_id, row.id, row.sends, codeHash, sentAt, expiresAt],
  );
  return rows[0] ?? null;
}

export async function challengesPurge(db: Db, before: Date): Promise<void> {
  await db.query('delete from card_challenges where created_at < $1', [before]);
}
