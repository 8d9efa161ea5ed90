// POST /managed-accounts. Checks in the order of the cards' table: profile, model, currency, identity.

import type { Once } from '../../store/index.ts';
import { type RefusalCode, refuse } from '../fields/index.ts';
import type { Identity } from '../people/index.ts';
import { type CommittedAnswer, commitAnswer, type IssuingDeps } from '../requests/index.ts';
import type { Profile, Tenant } from '../tenants/index.ts';
import { emptyFunds } from './funds.ts';
import { accountView } from './present.ts';
import { fundsInsert } from './queries.ts';
import { ACTIVE } from './states.ts';
import { accountWritten } from './write.ts';

export interface AccountRequest {
  readonly profileId: string;
  readonly friendlyName: string;
  readonly tag?: string | undefined;
  readonly currency: string;
}

/** Why an identity can't have an account of this profile and currency; null: it can. */
export function accountRefusal(profile: Profile | null, identity: Identity, currency: string): RefusalCode | null {
  if (profile?.kind !== 'account' || profile.programmeId !== identity.programme_id) return 'PROFILE_NOT_FOUND';
  if (!profile.active) return 'PROFILE_INACTIVE';
  if (profile.settings.ownerType !== identity.type) return 'PAYMENT_MODEL_CONSTRAINTS_VIOLATED';
  if (!profile.settings.currencies.includes(currency)) return 'CURRENCY_NOT_SUPPORTED_BY_PROFILE';
  return identity.kyc_state === 'APPROVED' ? null : 'OWNER_IDENTITY_NOT_VERIFIED';
}

export async function createAccount(
  deps: Pick<IssuingDeps, 'committer' | 'events' | 'ids' | 'permutation' | 'tenants'>,
  { tenant, identity }: { readonly tenant: Tenant; readonly identity: Identity },
  request: AccountRequest,
  once: Once | null,
): Promise<CommittedAnswer> {
  const profileId = deps.permutation.inward(request.profileId);
  const profile = profileId === null ? null : await deps.tenants.profile(tenant.id, profileId);
  const id = deps.ids.next();
  return commitAnswer(deps, once, {
    name: 'account.create',
    owner: tenant.id,
    needs: [],
    decide(_, told) {
      const refused = accountRefusal(profile, identity, request.currency);
      if (refused || !profile) throw refuse(refused ?? 'PROFILE_NOT_FOUND');
      const account = {
        tenant_id: tenant.id,
        id,
        identity_id: identity.id,
        profile_id: profile.id,
        friendly_name: request.friendlyName,
        tag: request.tag ?? null,
        currency: request.currency,
        ...ACTIVE,
        created_at: told.now,
        updated_at: told.now,
      };
      const funds = emptyFunds(tenant.id, id, request.currency);
      return {
        status: 200,
        body: accountView(deps.permutation, account, funds),
        changes: [
          ...accountWritten(deps, told, { before: null, after: { account, funds }, event: 'account.created' }),
          fundsInsert(funds),
        ],
      };
    },
  });
}
