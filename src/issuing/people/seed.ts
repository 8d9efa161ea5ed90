// The sandbox's people: identities, their users and factors. Rule: live mode knows none of their passwords.
import type { Permutation } from '../../base/index.ts';
import type { Db } from '../../store/index.ts';
import { UNLIMITED } from '../rules/index.ts';
import {
  CHANNELS_3DS,
  fixedId,
  SANDBOX_PASSWORD,
  type SeedMore,
  sandboxIdentities,
  sandboxTenantId,
  sandboxUsers,
  type Tools,
} from '../tenants/index.ts';
import { identityCreate, userCreate } from './create.ts';
import { type Password, passwordFrom } from './passwords.ts';
import { factorPut, identityUpsert } from './queries.ts';

export const seedPeople: SeedMore = async (tools, permutation) => {
  // One hash for all: they have one password, and each costs a twentieth of a second.
  const password = await passwordFrom(tools.random, SANDBOX_PASSWORD);
  return (db) => peopleInserted(db, tools, permutation, password);
};

async function peopleInserted(db: Db, tools: Tools, permutation: Permutation, password: Password): Promise<void> {
  const now = tools.clock.now();
  const id = (outward: string): bigint => fixedId(permutation, outward);
  for (const { tenant, programme, id: outward, type, name, kycState, kycLevel, mostCards } of sandboxIdentities) {
    const identity = await identityCreate(db, tools, {
      id: id(outward),
      tenantId: sandboxTenantId(permutation, tenant),
      programmeId: id(programme),
      type,
      name,
      kycState: kycState ?? 'APPROVED',
      kycLevel: kycLevel ?? 'KYC_LEVEL_2',
    });
    if (mostCards !== undefined)
      await identityUpsert(db, {
        ...identity,
        settings: { ...identity.settings, cardLimits: { ...UNLIMITED, total: mostCards } },
      });
  }
  for (const user of sandboxUsers) {
    const tenantId = sandboxTenantId(permutation, user.tenant);
    await userCreate(db, tools, {
      id: id(user.id),
      tenantId,
      identityId: id(user.identity),
      kind: user.kind,
      name: user.name,
      surname: 'Example',
      email: user.email,
      mobile: user.mobile,
      active: user.active ?? true,
      password,
    });
    for (const kind of user.factors ? CHANNELS_3DS : [])
      await factorPut(db, { tenant_id: tenantId, user_id: id(user.id), kind, active: true, created_at: now });
  }
}
