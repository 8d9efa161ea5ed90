// The conflicts of card creation, as a table in the documented order (docs/contract/issuing.md#conflicts-on-creation).
// Pure. Rule: the first row that applies is the answer; what only the commit can know (limits, numbers) comes behind all of them.

import { countryOf } from '../../base/index.ts';
import type { ManagedAccount } from '../accounts/index.ts';
import { providerFor } from '../cards/index.ts';
import type { RefusalCode } from '../fields/index.ts';
import type { Identity, User } from '../people/index.ts';
import type { AuthChannel, Countries, Profile, Programme, TenantSettings } from '../tenants/index.ts';

export interface ThreeDs {
  readonly linkedUserId: string;
  readonly primaryChannel: AuthChannel;
  /** What the asker called it, where that was an alias. */
  readonly primaryAlias?: string | undefined;
  readonly fallbackChannel?: 'OTP_SMS' | undefined;
}

export interface Wanted {
  readonly type: 'consumer' | 'corporate';
  readonly mode: 'PREPAID_MODE' | 'DEBIT_MODE';
  readonly currency: string;
  readonly country: string;
  readonly timeoutDecision: 'APPROVE' | 'DECLINE' | null;
  readonly wallets: { readonly enabled: boolean; readonly push: boolean; readonly artwork: string | null };
  readonly threeDs: ThreeDs | null;
  readonly mobile: string | null;
  /** Sent with PREPAID_MODE too. */
  readonly parentGiven: boolean;
}

export interface Facts {
  readonly wanted: Wanted;
  readonly tenant: TenantSettings;
  readonly programme: Programme;
  /** null: none of that id in the programme. */
  readonly profile: Profile | null;
  readonly identity: Identity;
  /** Live cards of the identity. */
  readonly liveCards: bigint;
  /** DEBIT_MODE: the identity's own account of that id. */
  readonly parent: ManagedAccount | null;
  /** The identity's own user of that id. */
  readonly linked: User | null;
  readonly factors: readonly AuthChannel[];
  /** The mobile number is another identity's in a programme that wants them unique. */
  readonly mobileTaken: boolean;
}

export const countryAllowed = ({ allowed, excluded }: Countries, country: string): boolean =>
  (allowed === null || allowed.includes(country)) && !excluded?.includes(country);

export const isCountry = (code: string): boolean => code.length === 2 && countryOf(code) !== null;

/** The artwork that a card gets: the one asked for, else the only or default one. */
export const artworkFor = ({ settings: { wallets } }: Profile, asked: string | null): string | null =>
  asked ?? wallets.defaultArtwork ?? (wallets.artworks.length === 1 ? (wallets.artworks[0] ?? null) : null);

const smsNeeded = ({ threeDs }: Wanted): boolean =>
  threeDs?.primaryChannel === 'OTP_SMS' || threeDs?.fallbackChannel === 'OTP_SMS';

export type WithProfile = Facts & { readonly profile: Profile };
type Row = readonly [RefusalCode, (facts: WithProfile) => boolean];

const FORWARDING: readonly Row[] = [
  [
    'AUTH_FORWARDING_NOT_ENABLED',
    ({ wanted, programme, profile }) =>
      wanted.timeoutDecision !== null && !(programme.settings.authForwarding && profile.settings.authForwarding),
  ],
];
const WALLETS: readonly Row[] = [
  ['WALLETS_NOT_ENABLED', ({ wanted, profile }) => wanted.wallets.enabled && !profile.settings.wallets.enabled],
  [
    'PUSHPROVISIONING_NOT_ENABLED',
    ({ wanted, profile }) =>
      wanted.wallets.push && (!profile.settings.wallets.pushProvisioning || !wanted.wallets.enabled),
  ],
  [
    'WALLET_ARTWORK_NOT_SPECIFIED',
    ({ wanted, profile }) => wanted.wallets.enabled && artworkFor(profile, wanted.wallets.artwork) === null,
  ],
  [
    'WALLET_ARTWORK_INVALID',
    ({ wanted: { wallets }, profile }) =>
      wallets.enabled && wallets.artwork !== null && !profile.settings.wallets.artworks.includes(wallets.artwork),
  ],
];
const THREE_DS: readonly Row[] = [
  [
    'THREEDS_DETAILS_NOT_PROVIDED',
    ({ wanted, profile }) => profile.settings.threeDs.required && wanted.mobile === null && wanted.threeDs === null,
  ],
  ['MORE_THAN_ONE_MOBILE_NUMBER_PROVIDED', ({ wanted }) => wanted.mobile !== null && wanted.threeDs !== null],
  [
    'INVALID_PRIMARY_CHANNEL_SELECTED',
    ({ wanted: { threeDs }, profile }) =>
      threeDs !== null && !profile.settings.threeDs.primaryChannels.includes(threeDs.primaryChannel),
  ],
  [
    'INVALID_CHANNELS_SELECTED',
    ({ wanted: { threeDs }, profile }) =>
      threeDs?.fallbackChannel !== undefined &&
      (threeDs.fallbackChannel === threeDs.primaryChannel ||
        !profile.settings.threeDs.fallbackChannels.includes(threeDs.fallbackChannel)),
  ],
  [
    'BIOMETRIC_AUTHENTICATION_NOT_SUPPORTED',
    ({ wanted, programme }) => wanted.threeDs?.primaryChannel === 'BIOMETRICS' && !programme.settings.biometrics,
  ],
  [
    'EXTERNAL_AUTHY_AUTHENTICATION_NOT_SUPPORTED',
    ({ wanted, programme }) => wanted.threeDs?.primaryChannel === 'EXTERNAL_AUTHY' && !programme.settings.externalAuthy,
  ],
  ['LINKED_USER_NOT_FOUND', ({ wanted, linked }) => wanted.threeDs !== null && linked === null],
  ['USER_INACTIVE', ({ linked }) => linked?.active === false],
  ['USER_MOBILE_NUMBER_DOES_NOT_EXIST', ({ wanted, linked }) => smsNeeded(wanted) && linked?.mobile === null],
  [
    'USER_NOT_ENROLLED_FOR_BIOMETRICS',
    ({ wanted, factors }) => wanted.threeDs?.primaryChannel === 'BIOMETRICS' && !factors.includes('BIOMETRICS'),
  ],
  [
    'USER_NOT_ENROLLED_FOR_EXTERNAL_AUTHY',
    ({ wanted, factors }) => wanted.threeDs?.primaryChannel === 'EXTERNAL_AUTHY' && !factors.includes('EXTERNAL_AUTHY'),
  ],
  ['MOBILE_NUMBER_ALREADY_EXISTS', ({ mobileTaken }) => mobileTaken],
];

const CREATION_CONFLICTS: readonly Row[] = [
  ['PROFILE_INACTIVE', ({ profile }) => !profile.active],
  [
    'PAYMENT_MODEL_CONSTRAINTS_VIOLATED',
    ({ wanted, tenant, profile, identity, parent }) =>
      profile.settings.mode !== wanted.mode ||
      profile.settings.ownerType !== wanted.type ||
      identity.type !== wanted.type ||
      (wanted.mode === 'PREPAID_MODE' && wanted.parentGiven && tenant.strictParentAccount) ||
      (wanted.mode === 'DEBIT_MODE' && parent !== null && parent.currency !== wanted.currency),
  ],
  [
    'CURRENCY_NOT_SUPPORTED_BY_PROFILE',
    ({ wanted, profile }) => !profile.settings.currencies.includes(wanted.currency),
  ],
  [
    'PROVIDER_NOT_SUPPORTED_BY_PROFILE',
    ({ wanted, profile }) => providerFor(profile, wanted.currency, wanted.country) === null,
  ],
  ['OWNER_IDENTITY_NOT_VERIFIED', ({ identity }) => identity.kyc_state !== 'APPROVED'],
  [
    'IDENTITY_KYC_LEVEL_STEPUP_REQUIRED',
    ({ wanted, programme, identity, liveCards }) => {
      const { cards, debitCards } = programme.settings.kyc[identity.kyc_level];
      return (wanted.mode === 'DEBIT_MODE' && !debitCards) || (cards !== null && liveCards >= BigInt(cards));
    },
  ],
  [
    'COUNTRY_INVALID',
    ({ wanted: { country }, programme, profile }) =>
      !isCountry(country) ||
      !countryAllowed(programme.settings.countries, country) ||
      !countryAllowed(profile.settings.countries, country),
  ],
  ['PARENT_MANAGED_ACCOUNT_NOT_FOUND', ({ wanted, parent }) => wanted.mode === 'DEBIT_MODE' && parent === null],
  ['PARENT_MANAGED_ACCOUNT_NOT_ACTIVE', ({ parent }) => parent !== null && parent.state !== 'ACTIVE'],
  ...FORWARDING,
  ...WALLETS,
  ...THREE_DS,
];

/** The first conflict of a new card; null: none so far, the limits and the number come next. */
export function creationConflict(facts: Facts): RefusalCode | null {
  const { profile, programme } = facts;
  if (profile?.kind !== 'card' || profile.programmeId !== programme.id) return 'PROFILE_NOT_FOUND';
  const known: WithProfile = { ...facts, profile };
  return CREATION_CONFLICTS.find(([, applies]) => applies(known))?.[0] ?? null;
}

/** Options that a change names: only those are judged, so that what others have done to the rest stands in nobody's way. */
export interface GivenOptions {
  readonly forwarding: boolean;
  readonly wallets: boolean;
  readonly threeDs: boolean;
}

/** The first conflict of a change of a card's options. */
export const optionConflict = (facts: WithProfile, given: GivenOptions): RefusalCode | null =>
  [...(given.forwarding ? FORWARDING : []), ...(given.wallets ? WALLETS : []), ...(given.threeDs ? THREE_DS : [])].find(
    ([, applies]) => applies(facts),
  )?.[0] ?? null;

const codesOf = (rows: readonly Row[]): readonly RefusalCode[] => rows.map(([code]) => code);

/** By which a card's creation and a change of its options may be refused, in the order of the checks. */
export const CREATION_CODES: readonly RefusalCode[] = [
  'PROFILE_NOT_FOUND',
  ...codesOf(CREATION_CONFLICTS),
  'IDENTITY_LIMITS_EXCEEDED',
  'PROGRAMME_LIMITS_EXCEEDED',
  'INNOVATOR_LIMITS_EXCEEDED',
  'SYSTEM_LIMITS_EXCEEDED',
  'INSTRUMENT_NOT_FOUND',
];
export const CHANGE_CODES: readonly RefusalCode[] = [
  'INSTRUMENT_DESTROYED',
  'COUNTRY_INVALID',
  ...codesOf([...FORWARDING, ...WALLETS, ...THREE_DS]).filter((code) => code !== 'THREEDS_DETAILS_NOT_PROVIDED'),
];
