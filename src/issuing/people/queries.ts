// Statements on identities, users and factors. Rule: every row is found under its tenant, never by its id alone.
import { assert } from '../../base/index.ts';
import {
  type Change,
  type Db,
  follow,
  insert,
  type Kind,
  type Need,
  type ReadRow,
  rowBy,
  table,
} from '../../store/index.ts';
import { filled } from '../fields/index.ts';
import { type AuthChannel, tenantHold } from '../tenants/index.ts';
import { defaultIdentity, type Identity, type User } from './model.ts';
import type { Password } from './passwords.ts';

const USER_COLUMNS = [
  'tenant_id',
  'id',
  'identity_id',
  'kind',
  'name',
  'surname',
  'email',
  'mobile',
  'active',
  'roles',
  'events',
  'created_at',
  'updated_at',
] as const;
/** What of a user's row his readers see. */
export const USER = USER_COLUMNS.join(', ');

const identities = table<Identity>(
  'identities',
  {
    tenant_id: 'int8',
    id: 'int8',
    programme_id: 'int8',
    type: 'text',
    name: 'text',
    kyc_state: 'text',
    kyc_level: 'text',
    active: 'bool',
    settings: 'jsonb',
    events: 'int4',
    created_at: 'timestamptz',
    updated_at: 'timestamptz',
  },
  ['tenant_id', 'id'],
  { subjects: ['id'] },
);

const whole = (row: Identity): Identity => ({ ...row, settings: filled(defaultIdentity, row.settings) });

export async function identityGet(db: Db, tenantId: bigint, id: bigint, lock = ''): Promise<Identity | null> {
  const rows = await db.query<Identity>(`select * from identities where tenant_id = $1 and id = $2 ${lock}`, [
    tenantId,
    id,
  ]);
  return rows[0] ? whole(rows[0]) : null;
}

const IDENTITY_BY_ID = rowBy(identities, 'id');
export async function identityRead(read: ReadRow, tenantId: bigint, id: bigint): Promise<Identity | null> {
  const row = await read(IDENTITY_BY_ID, tenantId, id);
  return row && whole(row);
}

/** As it is now, and stays until the transaction ends. */
export const identityHeld = (db: Db, tenantId: bigint, id: bigint): Promise<Identity | null> =>
  identityGet(db, tenantId, id, 'for share');

/** The same for who changes it. */
export const identityToChange = (db: Db, tenantId: bigint, id: bigint): Promise<Identity | null> =>
  identityGet(db, tenantId, id, 'for update');

export interface PersonKey {
  readonly tenantId: bigint;
  readonly id: bigint;
}
const keyText = ({ tenantId, id }: PersonKey): string => `${tenantId}/${id}`;

/** Identities as last committed, not locked: what a decision reads of them may change a moment later. */
export const identityKind: Kind<PersonKey, Identity> = {
  name: 'identity',
  keyText,
  follows: [
    follow(
      identities,
      ({ tenant_id, id }) => keyText({ tenantId: tenant_id, id }),
      (_before, row) => whole(row),
    ),
  ],
  async load(db, keys) {
    const rows = await db.query<Identity>(
      `select i.* from unnest($1::int8[], $2::int8[]) as k(tenant_id, id) join identities i using (tenant_id, id)`,
      [keys.map(({ tenantId }) => tenantId), keys.map(({ id }) => id)],
    );
    return new Map(rows.map((row) => [keyText({ tenantId: row.tenant_id, id: row.id }), whole(row)]));
  },
};
export const needIdentity = (tenantId: bigint, id: bigint): Need => ({ kind: identityKind, key: { tenantId, id } });

export const identitiesOf = (db: Db, tenantId: bigint, after: bigint, limit: number): Promise<Identity[]> =>
  db.query<Identity>('select * from identities where tenant_id = $1 and id > $2 order by id limit $3', [
    tenantId,
    after,
    limit,
  ]);

/** Counts its event: the row as it is from then on. For who tells it (write.ts). */
export async function identityUpsert(db: Db, row: Omit<Identity, 'events'>): Promise<Identity> {
  const [after] = await db.query<Identity>(
    `insert into identities (tenant_id, id, programme_id, type, name, kyc_state, kyc_level, active, settings, events, created_at, updated_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, 1, $10, $11)
     on conflict (tenant_id, id) do update set name = excluded.name, kyc_state = excluded.kyc_state, kyc_level = excluded.kyc_level,
       active = excluded.active, settings = excluded.settings, events = identities.events + 1, updated_at = excluded.updated_at
     returning *`,
    [
      row.tenant_id,
      row.id,
      row.programme_id,
      row.type,
      row.name,
      row.kyc_state,
      row.kyc_level,
      row.active,
      JSON.stringify(row.settings),
      row.created_at,
      row.updated_at,
    ],
  );
  assert(after, 'an identity that was written is there');
  return whole(after);
}

export async function userGet(db: Db, tenantId: bigint, id: bigint): Promise<User | null> {
  const rows = await db.query<User>(`select ${USER} from users where tenant_id = $1 and id = $2`, [tenantId, id]);
  return rows[0] ?? null;
}

/**
 * The user as he is now, for who changes him. Inside a transaction: the tenant's row is locked, as `userUpsert` locks it, so that what
 * others change meanwhile is not written back.
 */
export async function userToChange(db: Db, tenantId: bigint, id: bigint): Promise<User | null> {
  await tenantHold(db, tenantId);
  return userGet(db, tenantId, id);
}

type UserRow = User & { readonly password: Password | null; readonly failed_logins: number };

const users = table<UserRow>(
  'users',
  {
    tenant_id: 'int8',
    id: 'int8',
    identity_id: 'int8',
    kind: 'text',
    name: 'text',
    surname: 'text',
    email: 'text',
    mobile: 'text',
    active: 'bool',
    roles: 'jsonb',
    password: 'jsonb',
    failed_logins: 'int4',
    events: 'int4',
    created_at: 'timestamptz',
    updated_at: 'timestamptz',
  },
  ['tenant_id', 'id'],
  { subjects: ['id'] },
);

const USER_BY_ID = rowBy(users, 'id', USER_COLUMNS);
export const userRead = (read: ReadRow, tenantId: bigint, id: bigint): Promise<User | null> =>
  read(USER_BY_ID, tenantId, id);

export const userInsert = (user: User, password: Password | null): Change =>
  insert(users, { ...user, password, failed_logins: 0 });

interface EmailKey {
  readonly tenantId: bigint;
  /** In lower case. */
  readonly email: string;
}

/** Whose an e-mail address is. Not locked: of two processes at once the unique index lets one in. */
export const userEmailKind: Kind<EmailKey, { readonly id: bigint }> = {
  name: 'user_email',
  keyText: ({ tenantId, email }) => `${tenantId}/${email}`,
  follows: [
    follow(
      users,
      ({ tenant_id, email }) => `${tenant_id}/${email}`,
      (_before, { id }) => ({ id }),
    ),
  ],
  async load(db, keys) {
    const rows = await db.query<{ tenant_id: bigint; email: string; id: bigint }>(
      'select u.tenant_id, u.email, u.id from unnest($1::int8[], $2::text[]) as k(tenant_id, email) join users u using (tenant_id, email)',
      [keys.map(({ tenantId }) => tenantId), keys.map(({ email }) => email)],
    );
    return new Map(rows.map(({ tenant_id, email, id }) => [`${tenant_id}/${email}`, { id }]));
  },
};
export const needEmail = (tenantId: bigint, email: string): Need => ({ kind: userEmailKind, key: { tenantId, email } });

export const usersOf = (db: Db, tenantId: bigint, identityId: bigint): Promise<User[]> =>
  db.query<User>(
    `select ${USER} from users where tenant_id = $1 and identity_id = $2 order by kind <> 'root', created_at, id`,
    [tenantId, identityId],
  );

/**
 * The row as it is from then on, its event counted (write.ts tells it); null: the e-mail address is another user's. `password`: of a user who is new; that of others stays (`passwordSet`). Inside a
 * transaction: the tenant's row stands for its addresses, so that of two who take the same one the second finds it taken.
 */
export async function userUpsert(
  db: Db,
  row: Omit<User, 'events'>,
  password: Password | null = null,
): Promise<User | null> {
  await tenantHold(db, row.tenant_id);
  const taken = await db.query('select id from users where tenant_id = $1 and email = $2 and id <> $3', [
    row.tenant_id,
    row.email,
    row.id,
  ]);
  if (taken.length > 0) return null;
  const [after] = await db.query<User>(
    `insert into users (tenant_id, id, identity_id, kind, name, surname, email, mobile, active, roles, password, failed_logins, locked_until, events, created_at, updated_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, 0, null, 1, $12, $13)
     on conflict (tenant_id, id) do update set name = excluded.name, surname = excluded.surname, email = excluded.email,
       mobile = excluded.mobile, active = excluded.active, roles = excluded.roles, events = users.events + 1, updated_at = excluded.updated_at
     returning ${USER}`,
    [
      row.tenant_id,
      row.id,
      row.identity_id,
      row.kind,
      row.name,
      row.surname,
      row.email,
      row.mobile,
      row.active,
      JSON.stringify(row.roles),
      password && JSON.stringify(password),
      row.created_at,
      row.updated_at,
    ],
  );
  return after ?? null;
}

/** Counts an event of a user of whom nothing else is written. */
export async function userCounted(db: Db, tenantId: bigint, id: bigint): Promise<User | null> {
  const rows = await db.query<User>(
    `update users set events = events + 1 where tenant_id = $1 and id = $2 returning ${USER}`,
    [tenantId, id],
  );
  return rows[0] ?? null;
}

export async function factorsOf(db: Db, tenantId: bigint, userId: bigint): Promise<AuthChannel[]> {
  const rows = await db.query<{ kind: AuthChannel }>(
    'select kind from factors where tenant_id = $1 and user_id = $2 and active order by kind',
    [tenantId, userId],
  );
  return rows.map(({ kind }) => kind);
}

/** Whether anything changed by it. */
export async function factorPut(
  db: Db,
  row: {
    readonly tenant_id: bigint;
    readonly user_id: bigint;
    readonly kind: AuthChannel;
    readonly active: boolean;
    readonly created_at: Date;
  },
): Promise<boolean> {
  const { tenant_id, user_id, kind, active, created_at } = row;
  const rows = active
    ? await db.query(
        `insert into factors (tenant_id, user_id, kind, active, created_at) values ($1, $2, $3, true, $4)
         on conflict (tenant_id, user_id, kind) do update set active = true where not factors.active returning kind`,
        [tenant_id, user_id, kind, created_at],
      )
    : await db.query(
        'update factors set active = false where tenant_id = $1 and user_id = $2 and kind = $3 and active returning kind',
        [tenant_id, user_id, kind],
      );
  return rows.length > 0;
}

/** Is the number a user's of another identity in the programme? */
export async function mobileOfOther(
  db: Db,
  of: { readonly tenantId: bigint; readonly programmeId: bigint; readonly identityId: bigint },
  mobile: string,
): Promise<boolean> {
  const rows = await db.query(
    `select u.id from users u join identities i on i.tenant_id = u.tenant_id and i.id = u.identity_id
     where u.tenant_id = $1 and i.programme_id = $2 and u.identity_id <> $3 and u.mobile = $4 limit 1`,
    [of.tenantId, of.programmeId, of.identityId, mobile],
  );
  return rows.length > 0;
}
