// PATCH /cards/{cardId}: what is given is judged as on creation, what is absent stays.

import type { Once } from '../../store/index.ts';
import type { Session } from '../access/index.ts';
import {
  type Address,
  askerOf,
  type Card,
  type CardDetails,
  cardWritten,
  commitOnCard,
  fundsLoaded,
} from '../cards/index.ts';
import {
  artworkFor,
  type CardInput,
  countryAllowed,
  isCountry,
  linkedOf,
  mobileInsert,
  mobileKind,
  mobileOfUser,
  needMobile,
  optionConflict,
  programmeOf,
  type ThreeDs,
  type Wanted,
} from '../creation/index.ts';
import { refuse } from '../fields/index.ts';
import type { CardViewer } from '../reading/index.ts';
import type { CommittedAnswer, IssuingDeps } from '../requests/index.ts';
import type { Profile } from '../tenants/index.ts';

export interface CardChange {
  readonly tag?: string | undefined;
  readonly friendlyName?: string | undefined;
  readonly nameOnCardLine2?: string | undefined;
  readonly billingAddress?: Address | undefined;
  readonly digitalWallets?: CardInput['data']['digitalWallets'];
  readonly authForwardingDefaultTimeoutDecision?: 'APPROVE' | 'DECLINE' | undefined;
  readonly threeDSecureAuthConfig?: ThreeDs | undefined;
  readonly cardholderMobileNumber?: string | undefined;
  readonly externalHandle?: string | undefined;
  readonly externalData?: CardDetails['externalData'] | undefined;
  readonly renewalType?: 'AUTO_RENEW' | 'NO_RENEW' | undefined;
}

/** The card's options as they would be; one way of 3-D Secure replaces the other. */
function wantedAfter(card: Card, change: CardChange): Wanted {
  const { details } = card;
  const { digitalWallets: before, threeDs } = details;
  const wallets = {
    enabled: change.digitalWallets?.walletsEnabled ?? before.walletsEnabled,
    push: change.digitalWallets?.pushProvisioningEnabled ?? before.pushProvisioningEnabled,
    artwork: change.digitalWallets?.artworkReference ?? before.artworkReference,
  };
  const kept: ThreeDs | null = threeDs && {
    linkedUserId: threeDs.linkedUserId,
    primaryChannel: threeDs.primaryChannel,
    primaryAlias: threeDs.primaryAlias,
    fallbackChannel: threeDs.fallbackChannel === null ? undefined : 'OTP_SMS',
  };
  return {
    type: card.classification === 'CORPORATE' ? 'corporate' : 'consumer',
    mode: card.mode,
    currency: card.currency,
    country: (change.billingAddress ?? details.billingAddress).country,
    timeoutDecision: change.authForwardingDefaultTimeoutDecision ?? details.timeoutDecision,
    wallets,
    threeDs: change.threeDSecureAuthConfig ?? (change.cardholderMobileNumber === undefined ? kept : null),
    mobile: change.cardholderMobileNumber ?? (change.threeDSecureAuthConfig === undefined ? card.mobile : null),
    parentGiven: false,
  };
}

function changedCard(card: Card, change: CardChange, wanted: Wanted, profile: Profile, now: Date): Card {
  const { details } = card;
  return {
    ...card,
    tag: change.tag ?? card.tag,
    friendly_name: change.friendlyName ?? card.friendly_name,
    renewal: change.renewalType ?? card.renewal,
    mobile: wanted.mobile,
    details: {
      ...details,
      ...(change.nameOnCardLine2 === undefined ? {} : { nameOnCardLine2: change.nameOnCardLine2 }),
      billingAddress: change.billingAddress ?? details.billingAddress,
      digitalWallets: {
        pushProvisioningEnabled: wanted.wallets.push,
        walletsEnabled: wanted.wallets.enabled,
        artworkReference: wanted.wallets.enabled ? artworkFor(profile, wanted.wallets.artwork) : wanted.wallets.artwork,
      },
      timeoutDecision: wanted.timeoutDecision,
      threeDs: wanted.threeDs && { ...wanted.threeDs, fallbackChannel: wanted.threeDs.fallbackChannel ?? null },
      externalData: change.externalData ?? details.externalData,
      externalHandle: change.externalHandle ?? details.externalHandle,
    },
    updated_at: now,
  };
}

/** 200 with the card. `card`: as it was read; the change is decided on the locked one. */
export async function patchCard(
  deps: Pick<IssuingDeps, 'committer' | 'db' | 'events' | 'permutation' | 'tenants'>,
  session: Session,
  card: Card,
  profile: Profile,
  change: CardChange,
  view: CardViewer,
  once: Once | null,
): Promise<CommittedAnswer> {
  const programme = await programmeOf(deps, session);
  const foreseen = wantedAfter(card, change);
  const [{ linked, factors }, takenByUser] = await Promise.all([
    linkedOf(deps, session, foreseen.threeDs),
    change.cardholderMobileNumber === undefined ? false : mobileOfUser(deps, session, programme, foreseen),
  ]);
  const mobileKey =
    change.cardholderMobileNumber !== undefined && programme.settings.uniqueMobile
      ? { tenant_id: card.tenant_id, programme_id: programme.id, mobile: change.cardholderMobileNumber }
      : null;
  return commitOnCard(deps, once, {
    name: 'card.patch',
    asker: askerOf(session),
    id: card.id,
    needs: mobileKey ? [needMobile(mobileKey)] : [],
    decide(locked, loaded, told) {
      if (locked.state === 'DESTROYED') throw refuse('INSTRUMENT_DESTROYED');
      const wanted = wantedAfter(locked, change);
      const { country } = wanted;
      const goodCountry =
        isCountry(country) &&
        countryAllowed(programme.settings.countries, country) &&
        countryAllowed(profile.settings.countries, country);
      if (change.billingAddress && !goodCountry) throw refuse('COUNTRY_INVALID');
      const holder = mobileKey ? loaded.get(mobileKind, mobileKey) : undefined;
      const facts = {
        wanted,
        tenant: session.tenant.settings,
        programme,
        profile,
        identity: session.identity,
        liveCards: 0n,
        parent: null,
        linked,
        factors,
        mobileTaken: takenByUser || (holder !== undefined && holder !== session.identity.id),
      };
      const refused = optionConflict(facts, {
        forwarding: change.authForwardingDefaultTimeoutDecision !== undefined,
        wallets: change.digitalWallets !== undefined,
        threeDs: change.threeDSecureAuthConfig !== undefined || change.cardholderMobileNumber !== undefined,
      });
      if (refused) throw refuse(refused);
      const after = changedCard(locked, change, wanted, profile, told.now);
      return {
        status: 200,
        body: view(after, told),
        changes: [
          ...cardWritten(deps, told, {
            before: locked,
            after,
            event: 'card.updated',
            funds: fundsLoaded(loaded, locked),
          }),
          ...(mobileKey && holder === undefined ? [mobileInsert(mobileKey, session.identity.id)] : []),
        ],
      };
    },
  });
}
