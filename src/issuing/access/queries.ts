// Every statement on user_sessions and messages.
import { type Change, type Db, insert, type ReadRow, rowBy, statementsFor, table } from '../../store/index.ts';
import type { Challenge, Message, SessionRow } from './model.ts';

const sessions = table<SessionRow>(
  'user_sessions',
  {
    tenant_id: 'int8',
    token_hash: 'text',
    user_id: 'int8',
    identity_id: 'int8',
    created_at: 'timestamptz',
    used_at: 'timestamptz',
    stepped_up_at: 'timestamptz',
    ended_at: 'timestamptz',
    challenge: 'jsonb',
  },
  ['tenant_id', 'token_hash'],
);

export const sessionInsert = (db: Db, row: SessionRow): Promise<void> => write(db, insert(sessions, row));

const SESSION_BY_TOKEN = rowBy(sessions, 'token_hash');
export const sessionRead = (read: ReadRow, tenantId: bigint, tokenHash: string): Promise<SessionRow | null> =>
  read(SESSION_BY_TOKEN, tenantId, tokenHash);

/** Locked until the transaction ends. */
export async function sessionLock(db: Db, tenantId: bigint, tokenHash: string): Promise<SessionRow | null> {
  const rows = await db.query<SessionRow>(
    'select * from user_sessions where tenant_id = $1 and token_hash = $2 for update',
    [tenantId, tokenHash],
  );
  return rows[0] ?? null;
}

/** Never back, and never for a session that has ended. */
export async function sessionUsed(db: Db, tenantId: bigint, tokenHash: string, at: Date): Promise<void> {
  await db.query(
    'update user_sessions set used_at = $3 where tenant_id = $1 and token_hash = $2 and used_at < $3 and ended_at is null',
    [tenantId, tokenHash, at],
  );
}

export async function sessionEnd(db: Db, tenantId: bigint, tokenHash: string, at: Date): Promise<void> {
  await db.query(
    'update user_sessions set ended_at = coalesce(ended_at, $3), challenge = null where tenant_id = $1 and token_hash = $2',
    [tenantId, tokenHash, at],
  );
}

interface Whose {
  readonly tenantId: bigint;
  /** Of all users of the tenant when neither is named. */
  readonly identityId?: bigint;
  readonly userId?: bigint;
}

/**
 * Every session of theirs, for good, but for the one of this token. Together with what ends them: whoever is let in again later logs in
 * again.
 */
export async function sessionsEnd(
  db: Db,
  { tenantId, identityId, userId }: Whose,
  at: Date,
  keep: string | null = null,
): Promise<void> {
  const [column, id] =
    userId !== undefined
      ? ['user_id', userId]
      : identityId !== undefined
        ? ['identity_id', identityId]
        : ['tenant_id', tenantId];
  await db.query(
    `update user_sessions set ended_at = $3, challenge = null where tenant_id = $1 and ${column} = $2 and ended_at is null
       and ($4::text is null or token_hash <> $4)`,
    [tenantId, id, at, keep],
  );
}

export async function challengePut(
  db: Db,
  tenantId: bigint,
  tokenHash: string,
  challenge: Challenge | null,
): Promise<void> {
  await db.query('update user_sessions set challenge = $3 where tenant_id = $1 and token_hash = $2', [
    tenantId,
    tokenHash,
    challenge && JSON.stringify(challenge),
  ]);
}

export async function sessionSteppedUp(db: Db, tenantId: bigint, tokenHash: string, at: Date): Promise<void> {
  await db.query(
    'update user_sessions set stepped_up_at = $3, used_at = greatest(used_at, $3), challenge = null where tenant_id = $1 and token_hash = $2',
    [tenantId, tokenHash, at],
  );
}

/** Sessions that nobody can use any more. */
export async function sessionsPurge(db: Db, createdBefore: Date): Promise<void> {
  await db.query('delete from user_sessions where created_at < $1', [createdBefore]);
}

const messages = table<Message>(
  'messages',
  { tenant_id: 'int8', id: 'int8', channel: 'text', recipient: 'text', text: 'text', created_at: 'timestamptz' },
  ['tenant_id', 'id'],
);

/** To be committed with what the message is about. */
export const messageInsert = (row: Message): Change => insert(messages, row);

export async function write(db: Db, ...changes: readonly Change[]): Promise<void> {
  for (const { text, values } of statementsFor(changes)) await db.query(text, values);
}

/** The newest first; null: to whomever. */
export const messagesTo = (db: Db, recipient: string | null, limit: number): Promise<Message[]> =>
  db.query<Message>('select * from messages where $1::text is null or recipient = $1 order by id desc limit $2', [
    recipient,
    limit,
  ]);

export async function messagesPurge(db: Db, before: Date): Promise<void> {
  await db.query('delete from messages where created_at < $1', [before]);
}
