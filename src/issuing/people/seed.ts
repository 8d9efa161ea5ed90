// The sandbox's people: identities, their users and factors. Rule: live mode knows none of their passwords.
import type { Permutation } from '../../base/index.ts';
import type { EventDraft, EventMaker } from '../../events/index.ts';
import { presentCause, type Transaction } from '../../store/index.ts';
import { UNLIMITED } from '../rules/index.ts';
import {
  CHANNELS_3DS,
  fixedId,
  SANDBOX_PASSWORD,
  type SeedMore,
  sandboxIdentities,
  sandboxTenantId,
  sandboxUsers,
} from '../tenants/index.ts';
import { identityCreate, userCreate } from './create.ts';
import { type Password, passwordFrom } from './passwords.ts';
import { factorSet, type PeopleDeps } from './write.ts';

export const seedPeople =
  (events: EventMaker): SeedMore =>
  async (tools, permutation) => {
    // One hash for all: they have one password, and each costs a twentieth of a second.
    const password = await passwordFrom(tools.random, SANDBOX_PASSWORD);
    return async (db) => {
      // Many events, and others wait for this transaction: they are written at once.
      const drafts: EventDraft[] = [];
      const kept: EventMaker = { ...events, write: async (_inside, _told, ...some) => void drafts.push(...some) };
      await peopleInserted(db, { ...tools, events: kept, permutation }, password);
      await events.write(db, { now: tools.clock.now(), ids: tools.ids, cause: presentCause() }, ...drafts);
    };
  };

async function peopleInserted(
  db: Transaction,
  deps: PeopleDeps & { readonly permutation: Permutation },
  password: Password,
): Promise<void> {
  const { permutation } = deps;
  const id = (outward: string): bigint => fixedId(permutation, outward);
  for (const { tenant, programme, id: outward, type, name, kycState, kycLevel, mostCards } of sandboxIdentities) {
    await identityCreate(db, deps, {
      id: id(outward),
      tenantId: sandboxTenantId(permutation, tenant),
      programmeId: id(programme),
      type,
      name,
      kycState: kycState ?? 'APPROVED',
      kycLevel: kycLevel ?? 'KYC_LEVEL_2',
      ...(mostCards === undefined ? {} : { settings: { cardLimits: { ...UNLIMITED, total: mostCards } } }),
    });
  }
  for (const user of sandboxUsers) {
    const tenantId = sandboxTenantId(permutation, user.tenant);
    await userCreate(db, deps, {
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
      await factorSet(db, deps, { tenantId, id: id(user.id) }, kind, true);
  }
}
