// Tenant, programme, profile: what an operator sets up, and what cards are made and judged by. Rows keep only what differs from the
// defaults here. Rule: a setting that is not listed here does not exist.
import type { Db } from '../../store/index.ts';
import { filled } from '../fields/index.ts';
import { type CardLimits, type SpendRules, UNLIMITED } from '../rules/index.ts';

export interface InstallationSettings {
  readonly cardLimits: CardLimits;
  /** The platform's spend rules. */
  readonly rules: SpendRules;
}
/** Its limits of cards, and the version of the settings that they stand in. */
export interface InstallationLimits extends Pick<InstallationSettings, 'cardLimits'> {
  readonly version: bigint;
}
export const defaultInstallation: InstallationSettings = { cardLimits: UNLIMITED, rules: {} };

export interface TenantSettings {
  readonly cardLimits: CardLimits;
  /** Card numbers may be shown as they are to sessions that are stepped up. */
  readonly pciScoped: boolean;
  /** A parentManagedAccountId with PREPAID_MODE is PAYMENT_MODEL_CONSTRAINTS_VIOLATED instead of being ignored. */
  readonly strictParentAccount: boolean;
  /** Spend limits on prepaid cards are allowed. */
  readonly prepaidSpendLimits: boolean;
  /** The wire value of EXTERNAL_AUTHY besides its own name; null: none. */
  readonly authenticatorAlias: string | null;
  /** Where authorizations are forwarded to, and the secret that signs them (whsec_…). */
  readonly forwarding: { readonly url: string; readonly secret: string } | null;
  readonly webhookUrl: string | null;
  /** `maintenance` answers 503; `failing` fails with 500 (sandbox only). */
  readonly availability: 'up' | 'maintenance' | 'failing';
  readonly rateLimit: { readonly perSecond: number; readonly burst: number } | null;
}
export const defaultTenant: TenantSettings = {
  cardLimits: UNLIMITED,
  pciScoped: false,
  strictParentAccount: false,
  prepaidSpendLimits: false,
  authenticatorAlias: null,
  forwarding: null,
  webhookUrl: null,
  availability: 'up',
  rateLimit: null,
};

export const OWNER_TYPES = ['consumer', 'corporate'] as const;
export type OwnerType = (typeof OWNER_TYPES)[number];

export const KYC_LEVELS = ['KYC_LEVEL_1', 'KYC_LEVEL_2'] as const;
export type KycLevel = (typeof KYC_LEVELS)[number];
export const KYC_STATES = ['NOT_STARTED', 'INITIATED', 'PENDING_REVIEW', 'APPROVED', 'REJECTED'] as const;
export type KycState = (typeof KYC_STATES)[number];
/** How a cardholder may be asked: also the kinds of factors that a user enrols for. */
export const CHANNELS_3DS = ['OTP_SMS', 'BIOMETRICS', 'EXTERNAL_AUTHY'] as const;
export type AuthChannel = (typeof CHANNELS_3DS)[number];

/** What an identity of a KYC level may do; null: no limit. */
export interface KycLimits {
  readonly cards: number | null;
  readonly debitCards: boolean;
  readonly rules: SpendRules;
}

/** Countries by alpha-2; both null: every country. */
export interface Countries {
  readonly allowed: readonly string[] | null;
  readonly excluded: readonly string[] | null;
}

export interface ProgrammeSettings {
  readonly cardLimits: CardLimits;
  readonly countries: Countries;
  readonly authForwarding: boolean;
  readonly biometrics: boolean;
  readonly externalAuthy: boolean;
  readonly uniqueMobile: boolean;
  readonly kyc: Readonly<Record<KycLevel, KycLimits>>;
}
export const defaultProgramme: ProgrammeSettings = {
  cardLimits: UNLIMITED,
  countries: { allowed: null, excluded: null },
  authForwarding: false,
  biometrics: false,
  externalAuthy: false,
  uniqueMobile: false,
  kyc: {
    KYC_LEVEL_1: { cards: 1, debitCards: false, rules: { spendLimit: [] } },
    KYC_LEVEL_2: { cards: null, debitCards: true, rules: {} },
  },
};

export const MODES = ['PREPAID_MODE', 'DEBIT_MODE'] as const;
export type Mode = (typeof MODES)[number];
export const BRANDS = ['MASTERCARD', 'VISA'] as const;
export type Brand = (typeof BRANDS)[number];
export const DELIVERY_METHODS = ['STANDARD_DELIVERY', 'REGISTERED_MAIL', 'COURIER', 'FIRST_CLASS_MAIL'] as const;
export type DeliveryMethod = (typeof DELIVERY_METHODS)[number];
/** Decimal percentages as text (`1.5`), fixed fees in minor units of the card's currency. */
export interface Fees {
  readonly purchasePercent: string;
  readonly atmFixed: number;
  /** Of purchases in another currency. */
  readonly fxPercent: string;
  /** Held besides, for the rate may move until the clearing; never taken. */
  readonly paddingPercent: string;
}

export interface ProfileSettings {
  readonly mode: Mode;
  readonly ownerType: OwnerType;
  readonly currencies: readonly string[];
  readonly providers: readonly Brand[];
  /** Which provider serves a currency or country; the first that fits, else the first of `providers`. */
  readonly routing: readonly { readonly currency?: string; readonly country?: string; readonly provider: Brand }[];
  /** Name of the card range of each provider. */
  readonly ranges: Readonly<Partial<Record<Brand, string>>>;
  readonly countries: Countries;
  readonly wallets: {
    readonly enabled: boolean;
    readonly pushProvisioning: boolean;
    readonly artworks: readonly string[];
    readonly defaultArtwork: string | null;
  };
  readonly threeDs: {
    readonly required: boolean;
    readonly primaryChannels: readonly AuthChannel[];
    readonly fallbackChannels: readonly AuthChannel[];
    /** Payments in the card's currency below it are authenticated without asking, minor units; 0: none. */
    readonly frictionlessBelow: number;
  };
  readonly authForwarding: boolean;
  readonly forwardingDefault: 'APPROVE' | 'DECLINE';
  readonly physical: {
    readonly products: readonly string[];
    readonly carriers: readonly string[];
    readonly deliveryMethods: readonly DeliveryMethod[];
  };
  readonly physicalByDefault: boolean;
  readonly expiryPeriodMonths: number;
  readonly renewal: 'AUTO_RENEW' | 'NO_RENEW';
  /** Days that a hold lives: final and pre-authorization, and by merchant category. */
  readonly holdDays: {
    readonly final: number;
    readonly preAuthorization: number;
    readonly categories: Readonly<Record<string, number>>;
  };
  readonly fees: Fees;
  readonly rules: SpendRules;
  /** Most that may be drawn at cash machines a day, minor units; null: no limit of its own. */
  readonly atmDailyLimit: number | null;
}
export const defaultProfile: ProfileSettings = {
  mode: 'PREPAID_MODE',
  ownerType: 'consumer',
  currencies: ['EUR'],
  providers: ['MASTERCARD'],
  routing: [],
  ranges: {},
  countries: { allowed: null, excluded: null },
  wallets: { enabled: false, pushProvisioning: false, artworks: [], defaultArtwork: null },
  threeDs: { required: false, primaryChannels: ['OTP_SMS'], fallbackChannels: [], frictionlessBelow: 0 },
  authForwarding: false,
  forwardingDefault: 'DECLINE',
  physical: { products: [], carriers: [], deliveryMethods: ['STANDARD_DELIVERY'] },
  physicalByDefault: false,
  expiryPeriodMonths: 36,
  renewal: 'AUTO_RENEW',
  holdDays: { final: 7, preAuthorization: 30, categories: {} },
  fees: { purchasePercent: '0', atmFixed: 0, fxPercent: '0', paddingPercent: '0' },
  rules: {},
  atmDailyLimit: null,
};

export interface Tenant {
  readonly id: bigint;
  readonly name: string;
  readonly active: boolean;
  readonly settings: TenantSettings;
}

/** What the tenant's customers may say for a channel: the alias of EXTERNAL_AUTHY is the tenant's own. */
export const aliasesOf = ({ settings: { authenticatorAlias } }: Tenant): ReadonlyMap<string, AuthChannel> =>
  new Map(authenticatorAlias === null ? [] : [[authenticatorAlias, 'EXTERNAL_AUTHY']]);

export interface Programme {
  readonly tenantId: bigint;
  readonly id: bigint;
  readonly name: string;
  readonly settings: ProgrammeSettings;
}

export interface Profile {
  readonly tenantId: bigint;
  readonly id: bigint;
  readonly programmeId: bigint;
  readonly name: string;
  readonly kind: 'card' | 'account';
  readonly active: boolean;
  readonly settings: ProfileSettings;
}

/** What a secret opens: the API for cardholders and their apps, or the tenant's events and endpoints. Neither opens the other. */
export const SECRET_KINDS = ['api', 'events'] as const;
export type SecretKind = (typeof SECRET_KINDS)[number];

/** Tenants, programmes and profiles stand in memory, at most two seconds old. */
export interface Tenants {
  /**
   * The tenant of a secret of this kind; null: unknown, expired or revoked secret, one of another kind, inactive tenant, a secret that is
   * bound to other certificates than the one that was shown. The same work for any secret.
   */
  authenticate(secret: string, certificate?: string | null, kind?: SecretKind): Promise<Tenant | null>;
  /** Of a tenant that was asked for before, from memory as it stands. */
  nameOf(id: bigint): string;
  /** Of any tenant that a transaction sees, its own too. */
  nameIn(inside: Db, id: bigint): Promise<string>;
  tenant(id: bigint): Promise<Tenant | null>;
  programme(tenantId: bigint, id: bigint): Promise<Programme | null>;
  profile(tenantId: bigint, id: bigint): Promise<Profile | null>;
  installation(): Promise<InstallationSettings>;
  limits(): Promise<InstallationLimits>;
  all(): Promise<readonly Tenant[]>;
}

/** A programme's settings as they apply. The one null that is not a default: a KYC level without limit of cards. */
export function filledProgramme(given: Partial<ProgrammeSettings>): ProgrammeSettings {
  const settings = filled(defaultProgramme, given);
  const levels = KYC_LEVELS.map((level) => {
    const unlimited = given.kyc?.[level]?.cards === null;
    return [level, unlimited ? { ...settings.kyc[level], cards: null } : settings.kyc[level]];
  });
  return { ...settings, kyc: Object.fromEntries(levels) };
}
