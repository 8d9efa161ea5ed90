// Statements on users as those who log in: passwords, wrong tries, locks. Rule: one statement each, so that what comes at once is counted.
import type { Db } from '../../store/index.ts';
import type { User } from './model.ts';
import type { Password } from './passwords.ts';
import { type PersonKey, USER } from './queries.ts';

interface Passwords {
  readonly password: Password | null;
  /** Those before it, the latest first. */
  readonly former_passwords: readonly Password[];
}

export interface Login extends Passwords {
  readonly id: bigint;
  readonly identity_id: bigint;
  readonly locked_until: Date | null;
}

/** What a new password must not be: the one in force and those before it. */
export const passwordsOf = ({ password, former_passwords }: Passwords): Password[] =>
  password === null ? [...former_passwords] : [password, ...former_passwords];

/** By e-mail address in lower case. */
export async function loginOf(db: Db, tenantId: bigint, email: string): Promise<Login | null> {
  const rows = await db.query<Login>(
    'select id, identity_id, password, former_passwords, locked_until from users where tenant_id = $1 and email = $2',
    [tenantId, email],
  );
  return rows[0] ?? null;
}

/** A try to log in. */
export interface Try {
  readonly right: boolean;
  readonly now: Date;
  /** Wrong ones that are allowed. */
  readonly most: number;
  /** Until when the last of them locks. */
  readonly until: Date;
  readonly against?: Password | null;
}

/** The user after a try that counts, and whether it locks. */
type Tried = User & { readonly locks: boolean };

/**
 * What a try with this password does to the login: a right one clears the count, a wrong one counts, and the last that is allowed locks.
 * null: it is locked, or `against` is not the password any more; the try counts for nothing. One statement, so that tries side by side are
 * counted too, and one that locks counts the event that `loginTried` (write.ts) tells.
 */
export async function loginTry(
  db: Db,
  { tenantId, id }: PersonKey,
  { right, now, most, until, against = null }: Try,
): Promise<Tried | null> {
  const rows = await db.query<Tried>(
    `update users set
       failed_logins = case when $6 then 0 when locked_until is not null then 1 else failed_logins + 1 end,
       locked_until = case when $6 or locked_until is not null then null when failed_logins + 1 >= $4 then $5::timestamptz else null end,
       events = events + case when not $6 and locked_until is null and failed_logins + 1 >= $4 then 1 else 0 end
     where tenant_id = $1 and id = $2 and (locked_until is null or locked_until <= $3)
       and ($7::jsonb is null or password = $7::jsonb)
     returning ${USER}, locked_until is not null as locks`,
    [tenantId, id, now, most, until, right, against && JSON.stringify(against)],
  );
  return rows[0] ?? null;
}

/** No lock, and no wrong try that counts: the user, where one was locked, its event counted; null: none was. */
export async function loginClear(db: Db, { tenantId, id }: PersonKey, at: Date): Promise<User | null> {
  await db.query(
    'update users set failed_logins = 0 where tenant_id = $1 and id = $2 and locked_until is null and failed_logins <> 0',
    [tenantId, id],
  );
  const rows = await db.query<User>(
    `update users set failed_logins = 0, locked_until = null, events = events + 1, updated_at = $3
     where tenant_id = $1 and id = $2 and locked_until is not null returning ${USER}`,
    [tenantId, id, at],
  );
  return rows[0] ?? null;
}

/** With the one in force: none of the last four (PCI DSS 8.3.7). */
const MOST_FORMER = 3;

/**
 * Another password, no lock, no wrong try that counts, its event counted; the one of before is remembered. null: `against`, which the new one
 * was compared with, is not in force any more, and nothing was changed. One statement: of two changes at once one is made.
 */
export async function passwordPut(
  db: Db,
  { tenantId, id }: PersonKey,
  { next, against, at }: { readonly next: Password; readonly against: Password | null; readonly at: Date },
): Promise<User | null> {
  const rows = await db.query<User>(
    `update users set failed_logins = 0, locked_until = null, password = $3::jsonb, events = events + 1, updated_at = $4,
       former_passwords = case when password is null then former_passwords
         else jsonb_path_query_array(jsonb_insert(former_passwords, '{0}', password), '$[0 to ${MOST_FORMER - 1}]') end
     where tenant_id = $1 and id = $2 and password is not distinct from $5::jsonb returning ${USER}`,
    [tenantId, id, JSON.stringify(next), at, against && JSON.stringify(against)],
  );
  return rows[0] ?? null;
}
