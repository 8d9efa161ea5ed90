// Makes tenants, secrets, programmes, profiles, identities and users; the operator API and the seed come here.
// Rule: settings arrive checked (routes-*.ts); a secret is told once, by the call that makes it.
import type { Clock, IdMaker, Random } from '../../base/index.ts';
import type { Db } from '../../store/index.ts';
import type { TenantSettings } from './model.ts';
import { defaultIdentity, type Identity, type IdentitySettings, type User } from './model.ts';
import type { Password } from './passwords.ts';
import { identityUpsert, userUpsert } from './people-queries.ts';
import { secretInsert, tenantUpsert } from './queries.ts';
import { type Keyed, secretHash } from './tenants.ts';

export interface Tools {
  readonly clock: Clock;
  readonly ids: IdMaker;
  readonly random: Random;
  readonly keyed: Keyed;
}

export async function tenantCreate(
  db: Db,
  { clock }: Tools,
  { id, name, settings }: { readonly id: bigint; readonly name: string; readonly settings: Partial<TenantSettings> },
): Promise<void> {
  await tenantUpsert(db, { id, name, active: true, settings, created_at: clock.now() });
}

/** 256 random bits unless a secret is given (the sandbox's are published). */
export async function secretCreate(
  db: Db,
  { clock, ids, random, keyed }: Tools,
  tenantId: bigint,
  { label, certificates = [] }: { readonly label: string; readonly certificates?: readonly string[] },
  given: string | null = null,
): Promise<{ readonly id: bigint; readonly secret: string }> {
  const secret = given ?? `fl_${random.bytes(32).toString('base64url')}`;
  const id = ids.next();
  await secretInsert(db, {
    tenant_id: tenantId,
    id,
    label,
    secret_hash: secretHash(keyed, secret),
    created_at: clock.now(),
    expires_at: null,
    revoked_at: null,
    certificates,
  });
  return { id, secret };
}

export interface IdentityInput {
  readonly id: bigint;
  readonly tenantId: bigint;
  readonly programmeId: bigint;
  readonly type: Identity['type'];
  readonly name: string;
  readonly kycState: Identity['kyc_state'];
  readonly kycLevel: Identity['kyc_level'];
  readonly settings?: Partial<IdentitySettings>;
}

export async function identityCreate(db: Db, { clock }: Tools, input: IdentityInput): Promise<Identity> {
  const now = clock.now();
  const identity: Identity = {
    tenant_id: input.tenantId,
    id: input.id,
    programme_id: input.programmeId,
    type: input.type,
    name: input.name,
    kyc_state: input.kycState,
    kyc_level: input.kycLevel,
    active: true,
    settings: { ...defaultIdentity, ...input.settings },
    created_at: now,
    updated_at: now,
  };
  await identityUpsert(db, identity);
  return identity;
}

export interface UserInput {
  readonly id: bigint;
  readonly tenantId: bigint;
  readonly identityId: bigint;
  readonly kind: User['kind'];
  readonly name: string;
  readonly surname: string;
  readonly email: string;
  readonly mobile: string | null;
  readonly active?: boolean;
  readonly password: Password | null;
}

/** null: the e-mail address is another user's. */
export async function userCreate(db: Db, { clock }: Tools, input: UserInput): Promise<User | null> {
  const now = clock.now();
  const user: User = {
    tenant_id: input.tenantId,
    id: input.id,
    identity_id: input.identityId,
    kind: input.kind,
    name: input.name,
    surname: input.surname,
    email: input.email.trim().toLowerCase(),
    mobile: input.mobile,
    active: input.active ?? true,
    roles: [],
    created_at: now,
    updated_at: now,
  };
  return (await userUpsert(db, user, input.password)) ? user : null;
}
