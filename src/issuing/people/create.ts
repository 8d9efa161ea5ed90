// Makes identities and users; the operator API and the seed come here.
import type { Db } from '../../store/index.ts';
import { defaultIdentity, type Identity, type IdentitySettings, type User } from './model.ts';
import type { Password } from './passwords.ts';
import { identityMade, type PeopleDeps, userMade } from './write.ts';

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

export function identityCreate(db: Db, deps: PeopleDeps, input: IdentityInput): Promise<Identity> {
  const now = deps.clock.now();
  return identityMade(db, deps, {
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
  });
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
export function userCreate(db: Db, deps: PeopleDeps, input: UserInput): Promise<User | null> {
  const now = deps.clock.now();
  const user = {
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
  return userMade(db, deps, user, input.password);
}
