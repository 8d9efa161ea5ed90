// Gathers what the conflicts look at. Read without locks; what may change meanwhile is loaded again by the commit.

import type { Session } from '../access/index.ts';
import { accountGet, type ManagedAccount } from '../accounts/index.ts';
import { refuse } from '../fields/index.ts';
import { factorsOf, mobileOfOther, type User, userGet } from '../people/index.ts';
import type { IssuingDeps } from '../requests/index.ts';
import type { AuthChannel } from '../tenants/index.ts';
import { aliasesOf, type Programme, type Tenant } from '../tenants/index.ts';
import type { ThreeDs, Wanted } from './conflicts.ts';

type Asking = Pick<Session, 'tenant' | 'identity'>;

export async function programmeOf(
  deps: Pick<IssuingDeps, 'tenants'>,
  { tenant, identity }: Asking,
): Promise<Programme> {
  const programme = await deps.tenants.programme(tenant.id, identity.programme_id);
  if (!programme) throw refuse('PROFILE_NOT_FOUND');
  return programme;
}

/** The identity's own account; null: not there, or somebody else's. */
export async function parentOf(
  deps: Pick<IssuingDeps, 'db' | 'permutation'>,
  { tenant, identity }: Asking,
  text: string | undefined,
): Promise<ManagedAccount | null> {
  const id = text === undefined ? null : deps.permutation.inward(text);
  const account = id === null ? null : await accountGet(deps.db, tenant.id, id);
  return account?.identity_id === identity.id ? account : null;
}

/** The identity's own user, and the factors he is enrolled for. */
export async function linkedOf(
  deps: Pick<IssuingDeps, 'db' | 'permutation'>,
  { tenant, identity }: Asking,
  threeDs: Pick<ThreeDs, 'linkedUserId'> | null,
): Promise<{ readonly linked: User | null; readonly factors: readonly AuthChannel[] }> {
  const id = threeDs && deps.permutation.inward(threeDs.linkedUserId);
  const user = id === null ? null : await userGet(deps.db, tenant.id, id);
  if (user?.identity_id !== identity.id) return { linked: null, factors: [] };
  return { linked: user, factors: await factorsOf(deps.db, tenant.id, user.id) };
}

export async function mobileOfUser(
  deps: Pick<IssuingDeps, 'db'>,
  { tenant, identity }: Asking,
  programme: Programme,
  wanted: Pick<Wanted, 'mobile'>,
): Promise<boolean> {
  if (wanted.mobile === null || !programme.settings.uniqueMobile) return false;
  const of = { tenantId: tenant.id, programmeId: programme.id, identityId: identity.id };
  return mobileOfOther(deps.db, of, wanted.mobile);
}

/** The channel that an alias stands for; the word itself is echoed. */
export function channelMeant<Config extends Pick<ThreeDs, 'primaryChannel'>>(
  tenant: Tenant,
  config: Config | undefined,
): (Config & Pick<ThreeDs, 'primaryAlias'>) | undefined {
  const meant = config && aliasesOf(tenant).get(config.primaryChannel);
  return config && meant ? { ...config, primaryChannel: meant, primaryAlias: config.primaryChannel } : config;
}
