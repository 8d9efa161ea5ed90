// Every statement on card_challenges. Rule: a challenge moves by one conditional update, so that of two answers one wins.
import { type Db, insert, statementsFor, table } from '../../store/index.ts';
import { type AuthChannel, tenantOf } from '../tenants/index.ts';

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
  readonly events: number;
  readonly sent_at: Date;
  readonly expires_at: Date;
  readonly created_at: Date;
  readonly updated_at: Date;
}

const challenges = table<ChallengeRow>(
  'card_challenges',
  {
    tenant_id: 'int8',
    id: 'int8',
    card_id: 'int8',
    channel: 'text',
    state: 'text',
    mobile: 'text',
    amount: 'int8',
    currency: 'text',
    merchant: 'text',
    code_hash: 'text',
    tries: 'int4',
    sends: 'int4',
    events: 'int4',
    sent_at: 'timestamptz',
    expires_at: 'timestamptz',
    created_at: 'timestamptz',
    updated_at: 'timestamptz',
  },
  ['tenant_id', 'id'],
  { subjects: ['id'] },
);

export async function challengeInsert(db: Db, row: ChallengeRow): Promise<void> {
  for (const { text, values } of statementsFor([insert(challenges, row)])) await db.query(text, values);
}

export interface ChallengeKey {
  readonly tenantId: bigint;
  readonly id: bigint;
}

export async function challengeGet(db: Db, { tenantId, id }: ChallengeKey): Promise<ChallengeRow | null> {
  const rows = await db.query<ChallengeRow>('select * from card_challenges where tenant_id = $1 and id = $2', [
    tenantId,
    id,
  ]);
  return rows[0] ?? null;
}

/** The tenant of a challenge, for the simulator's device; null: no such challenge. */
export const challengeOwner = (db: Db, id: bigint): Promise<bigint | null> => tenantOf(db, challenges, id);

/** The newest first. */
export const challengesOfCard = (db: Db, tenantId: bigint, cardId: bigint, limit: number): Promise<ChallengeRow[]> =>
  db.query<ChallengeRow>(
    'select * from card_challenges where tenant_id = $1 and card_id = $2 order by id desc limit $3',
    [tenantId, cardId, limit],
  );

/**
 * Ends a challenge that is pending: the row as it is then, its event counted (write.ts tells it); null when it was not. `overdue`: only if its
 * time is over.
 */
export async function challengeEnd(
  db: Db,
  row: ChallengeRow,
  {
    state,
    at,
    overdue,
  }: { readonly state: Exclude<ChallengeRow['state'], 'PENDING'>; readonly at: Date; readonly overdue: boolean },
): Promise<ChallengeRow | null> {
  const rows = await db.query<ChallengeRow>(
    `update card_challenges set state = $3, code_hash = null, events = events + 1, updated_at = $4
     where tenant_id = $1 and id = $2 and state = 'PENDING' and (not $5 or expires_at <= $4) returning *`,
    [row.tenant_id, row.id, state, at, overdue],
  );
  return rows[0] ?? null;
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
    `update card_challenges set channel = 'OTP_SMS', code_hash = $4, sends = sends + 1, events = events + 1, sent_at = $5, expires_at = $6,
       updated_at = $5
     where tenant_id = $1 and id = $2 and state = 'PENDING' and sends = $3 returning *`,
    [row.tenant_id, row.id, row.sends, codeHash, sentAt, expiresAt],
  );
  return rows[0] ?? null;
}

/** Those that nobody has answered in time, whosever they are, the earliest first. */
export const challengesOverdue = (db: Db, now: Date, limit: number): Promise<ChallengeRow[]> =>
  db.query<ChallengeRow>(
    `select * from card_challenges where state = 'PENDING' and expires_at <= $1 order by expires_at limit $2`,
    [now, limit],
  );

export async function challengesPurge(db: Db, before: Date): Promise<void> {
  await db.query('delete from card_challenges where created_at < $1', [before]);
}
