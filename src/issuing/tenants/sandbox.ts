// The sandbox's issuing data (docs/contract/sandbox.md#credentials-and-data): fixed points that other programs rely on, and further ones by
// which every conflict of card creation can be provoked with one request. Data only. Rule: published ids and passwords stay as they are.
import type { KycLevel, KycState, OwnerType, ProfileSettings, ProgrammeSettings, TenantSettings } from './model.ts';

export const SANDBOX_PASSWORD = 'Sandbox-12345';

const KYC: ProgrammeSettings['kyc'] = {
  KYC_LEVEL_1: {
    cards: 1,
    debitCards: false,
    rules: {
      maxTransactionAmount: 15_000,
      spendLimit: [{ value: { currency: 'EUR', amount: 50_000 }, interval: 'MONTHLY' }],
    },
  },
  KYC_LEVEL_2: { cards: null, debitCards: true, rules: {} },
};

interface SandboxTenant {
  readonly name: string;
  readonly secret: string;
  readonly settings: Partial<TenantSettings>;
}

/** The first two are published; the next answer 503, 500 and 429 to every request; the last has as many endpoints as it may. */
export const sandboxTenants: readonly SandboxTenant[] = [
  { name: 'sandbox', secret: 'sandbox-secret', settings: { cardLimits: { total: null, currencies: { PLN: 0 } } } },
  { name: 'sandbox-two', secret: 'sandbox-two-secret', settings: {} },
  { name: 'sandbox-maintenance', secret: 'sandbox-maintenance-secret', settings: { availability: 'maintenance' } },
  { name: 'sandbox-failing', secret: 'sandbox-failing-secret', settings: { availability: 'failing' } },
  {
    name: 'sandbox-limited',
    secret: 'sandbox-limited-secret',
    settings: { rateLimit: { perSecond: 0.01, burst: 0 } },
  },
  { name: 'sandbox-full', secret: 'sandbox-full-secret', settings: {} },
];

/** No ruble card, whoever asks: SYSTEM_LIMITS_EXCEEDED. */
export const sandboxInstallation = { cardLimits: { total: null, currencies: { RUB: 0 } }, rules: {} };

interface SandboxProgramme {
  readonly tenant: string;
  readonly id: string;
  readonly name: string;
  readonly settings: Partial<ProgrammeSettings>;
}

export const sandboxProgrammes: readonly SandboxProgramme[] = [
  {
    tenant: 'sandbox',
    id: '5001',
    name: 'Florin Cards',
    settings: {
      authForwarding: true,
      biometrics: true,
      externalAuthy: true,
      countries: { allowed: null, excluded: ['KP'] },
      kyc: KYC,
    },
  },
  {
    tenant: 'sandbox',
    id: '5002',
    name: 'Florin Small',
    settings: { uniqueMobile: true, cardLimits: { total: null, currencies: { GBP: 0 } }, kyc: KYC },
  },
  {
    tenant: 'sandbox-two',
    id: '5101',
    name: 'Florin Two',
    settings: { authForwarding: true, biometrics: true, externalAuthy: true, kyc: KYC },
  },
];

interface SandboxProfile {
  readonly tenant: string;
  readonly programme: string;
  readonly id: string;
  readonly name: string;
  readonly kind?: 'account';
  readonly active?: false;
  readonly settings: Partial<ProfileSettings>;
}

const PLASTIC: ProfileSettings['physical'] = {
  products: ['FLORIN-STANDARD', 'FLORIN-METAL'],
  carriers: ['FLORIN-CARRIER'],
  deliveryMethods: ['STANDARD_DELIVERY', 'REGISTERED_MAIL', 'COURIER', 'FIRST_CLASS_MAIL'],
};

const FULL: Partial<ProfileSettings> = {
  currencies: ['EUR', 'USD', 'GBP'],
  providers: ['MASTERCARD', 'VISA'],
  routing: [{ currency: 'USD', provider: 'VISA' }],
  ranges: { MASTERCARD: 'mastercard', VISA: 'visa' },
  wallets: {
    enabled: true,
    pushProvisioning: true,
    artworks: ['florin-blue', 'florin-black'],
    defaultArtwork: 'florin-blue',
  },
  threeDs: {
    required: false,
    primaryChannels: ['OTP_SMS', 'BIOMETRICS', 'EXTERNAL_AUTHY'],
    fallbackChannels: ['OTP_SMS'],
    frictionlessBelow: 0,
  },
  authForwarding: true,
  physical: PLASTIC,
};

const consumer = { ownerType: 'consumer' } as const;
const corporate = { ownerType: 'corporate' } as const;
const prepaid = { mode: 'PREPAID_MODE' } as const;
const debit = { mode: 'DEBIT_MODE' } as const;

const cardProfiles = (tenant: string, programme: string): SandboxProfile[] => [
  { tenant, programme, id: '1001', name: 'Consumer prepaid', settings: { ...FULL, ...consumer, ...prepaid } },
  { tenant, programme, id: '1002', name: 'Consumer debit', settings: { ...FULL, ...consumer, ...debit } },
  { tenant, programme, id: '1003', name: 'Corporate prepaid', settings: { ...FULL, ...corporate, ...prepaid } },
  { tenant, programme, id: '1004', name: 'Corporate debit', settings: { ...FULL, ...corporate, ...debit } },
  { tenant, programme, id: '1011', name: 'Consumer account', kind: 'account', settings: { ...FULL, ...consumer } },
  { tenant, programme, id: '1012', name: 'Corporate account', kind: 'account', settings: { ...FULL, ...corporate } },
];

const ONE = { tenant: 'sandbox', programme: '5001' } as const;
const PREPAID = { ...FULL, ...consumer, ...prepaid };

export const sandboxProfiles: readonly SandboxProfile[] = [
  ...cardProfiles('sandbox', '5001'),
  { ...ONE, id: '1005', name: 'Consumer prepaid, inactive', active: false, settings: PREPAID },
  {
    ...ONE,
    id: '1006',
    name: 'Consumer prepaid, plain',
    settings: {
      ...PREPAID,
      currencies: ['EUR'],
      wallets: { enabled: false, pushProvisioning: false, artworks: [], defaultArtwork: null },
      authForwarding: false,
    },
  },
  {
    ...ONE,
    id: '1007',
    name: 'Consumer prepaid, no numbers left',
    settings: { ...PREPAID, ranges: { MASTERCARD: 'exhausted', VISA: 'exhausted' } },
  },
  {
    ...ONE,
    id: '1008',
    name: 'Consumer prepaid, routed to a provider that it does not have',
    settings: { ...PREPAID, providers: ['VISA'], routing: [{ currency: 'EUR', provider: 'MASTERCARD' }] },
  },
  {
    ...ONE,
    id: '1009',
    name: 'Consumer prepaid, 3-D Secure required by SMS',
    settings: {
      ...PREPAID,
      threeDs: { required: true, primaryChannels: ['OTP_SMS'], fallbackChannels: [], frictionlessBelow: 0 },
    },
  },
  {
    ...ONE,
    id: '1010',
    name: 'Consumer prepaid, artwork to be named',
    settings: {
      ...PREPAID,
      wallets: {
        enabled: true,
        pushProvisioning: true,
        artworks: ['florin-blue', 'florin-black'],
        defaultArtwork: null,
      },
    },
  },
  { ...ONE, id: '1013', name: 'Consumer prepaid, physical', settings: { ...PREPAID, physicalByDefault: true } },
  {
    ...ONE,
    id: '1014',
    name: 'Consumer prepaid, any currency, plastic by post only',
    settings: {
      ...PREPAID,
      currencies: ['EUR', 'USD', 'GBP', 'PLN', 'RUB'],
      physical: { ...PLASTIC, deliveryMethods: ['STANDARD_DELIVERY', 'FIRST_CLASS_MAIL'] },
    },
  },
  {
    ...ONE,
    id: '1015',
    name: 'Consumer account, inactive',
    kind: 'account',
    active: false,
    settings: { ...FULL, ...consumer },
  },
  {
    ...ONE,
    id: '1016',
    name: 'Consumer prepaid, one number',
    settings: { ...PREPAID, ranges: { MASTERCARD: 'single', VISA: 'single' } },
  },
  {
    tenant: 'sandbox',
    programme: '5002',
    id: '1021',
    name: 'Small prepaid',
    settings: PREPAID,
  },
  ...cardProfiles('sandbox-two', '5101'),
];

interface SandboxIdentity {
  readonly tenant: string;
  readonly programme: string;
  readonly id: string;
  readonly type: OwnerType;
  readonly name: string;
  readonly kycState?: KycState;
  readonly kycLevel?: KycLevel;
  readonly mostCards?: number;
}

export const sandboxIdentities: readonly SandboxIdentity[] = [
  { ...ONE, id: '4001', type: 'consumer', name: 'Ada Example' },
  { ...ONE, id: '4002', type: 'corporate', name: 'Example Trading' },
  { ...ONE, id: '4003', type: 'consumer', name: 'Lev Example', kycLevel: 'KYC_LEVEL_1' },
  { ...ONE, id: '4004', type: 'consumer', name: 'Una Example', kycState: 'PENDING_REVIEW' },
  { ...ONE, id: '4006', type: 'consumer', name: 'Lim Example', mostCards: 0 },
  { tenant: 'sandbox', programme: '5002', id: '4005', type: 'consumer', name: 'Sam Example' },
  { tenant: 'sandbox', programme: '5002', id: '4007', type: 'consumer', name: 'Ola Example' },
  { tenant: 'sandbox-two', programme: '5101', id: '4101', type: 'consumer', name: 'Bea Example' },
  { tenant: 'sandbox-two', programme: '5101', id: '4102', type: 'corporate', name: 'Second Trading' },
];

interface SandboxUser {
  readonly tenant: string;
  readonly id: string;
  readonly identity: string;
  readonly kind: 'root' | 'authorised';
  readonly name: string;
  readonly email: string;
  readonly mobile: string | null;
  readonly active?: false;
  readonly factors?: true;
}

const root = { tenant: 'sandbox', kind: 'root' } as const;
const linked = { tenant: 'sandbox', kind: 'authorised' } as const;

export const sandboxUsers: readonly SandboxUser[] = [
  { ...root, id: '3100', identity: '4001', name: 'Ada', email: 'consumer@sandbox.test', mobile: '+35699003100' },
  { ...root, id: '3110', identity: '4002', name: 'Cor', email: 'corporate@sandbox.test', mobile: '+35699003110' },
  { ...root, id: '3120', identity: '4003', name: 'Lev', email: 'level1@sandbox.test', mobile: '+35699003120' },
  { ...root, id: '3130', identity: '4004', name: 'Una', email: 'unverified@sandbox.test', mobile: '+35699003130' },
  { ...root, id: '3140', identity: '4005', name: 'Sam', email: 'small@sandbox.test', mobile: '+35699003140' },
  { ...root, id: '3150', identity: '4006', name: 'Lim', email: 'limited@sandbox.test', mobile: '+35699003150' },
  { ...root, id: '3160', identity: '4007', name: 'Ola', email: 'other@sandbox.test', mobile: '+35699003160' },
  {
    ...linked,
    id: '3001',
    identity: '4001',
    name: 'Lia',
    email: 'linked@sandbox.test',
    mobile: '+35699003001',
    factors: true,
  },
  { ...linked, id: '3151', identity: '4006', name: 'Loc', email: 'locked@sandbox.test', mobile: '+35699003151' },
  { ...linked, id: '3002', identity: '4001', name: 'Nom', email: 'no-mobile@sandbox.test', mobile: null },
  {
    ...linked,
    id: '3003',
    identity: '4001',
    name: 'Ina',
    email: 'inactive@sandbox.test',
    mobile: '+35699003003',
    active: false,
  },
  { ...linked, id: '3004', identity: '4001', name: 'Nof', email: 'no-factors@sandbox.test', mobile: '+35699003004' },
  {
    ...linked,
    id: '3011',
    identity: '4002',
    name: 'Lou',
    email: 'corporate-linked@sandbox.test',
    mobile: '+35699003011',
    factors: true,
  },
  {
    ...linked,
    id: '3021',
    identity: '4005',
    name: 'Sia',
    email: 'small-linked@sandbox.test',
    mobile: '+35699003021',
    factors: true,
  },
  {
    ...root,
    tenant: 'sandbox-two',
    id: '3201',
    identity: '4101',
    name: 'Bea',
    email: 'consumer@sandbox-two.test',
    mobile: '+35699003201',
  },
  {
    ...root,
    tenant: 'sandbox-two',
    id: '3202',
    identity: '4102',
    name: 'Sec',
    email: 'corporate@sandbox-two.test',
    mobile: '+35699003202',
  },
];

interface SandboxAccount {
  readonly tenant: string;
  readonly id: string;
  readonly identity: string;
  readonly profile: string;
  readonly name: string;
  readonly currency: string;
  /** Minor units. */
  readonly amount: bigint;
  readonly blocked?: true;
}

export const sandboxAccounts: readonly SandboxAccount[] = [
  {
    tenant: 'sandbox',
    id: '2001',
    identity: '4001',
    profile: '1011',
    name: 'Main',
    currency: 'EUR',
    amount: 1_000_000n,
  },
  {
    tenant: 'sandbox',
    id: '2002',
    identity: '4002',
    profile: '1012',
    name: 'Company',
    currency: 'EUR',
    amount: 10_000_000n,
  },
  {
    tenant: 'sandbox',
    id: '2003',
    identity: '4001',
    profile: '1011',
    name: 'Blocked',
    currency: 'EUR',
    amount: 0n,
    blocked: true,
  },
  {
    tenant: 'sandbox',
    id: '2004',
    identity: '4001',
    profile: '1011',
    name: 'Dollars',
    currency: 'USD',
    amount: 1_000_000n,
  },
  {
    tenant: 'sandbox-two',
    id: '2101',
    identity: '4101',
    profile: '1011',
    name: 'Main',
    currency: 'EUR',
    amount: 1_000_000n,
  },
];

export const sandboxRanges = [
  { name: 'mastercard', brand: 'MASTERCARD', prefix: '559999', number_length: 16, size: 999_000_000n, used: 0n },
  { name: 'visa', brand: 'VISA', prefix: '459999', number_length: 16, size: 999_000_000n, used: 0n },
  { name: 'single', brand: 'MASTERCARD', prefix: '5599999998', number_length: 16, size: 1n, used: 0n },
  { name: 'exhausted', brand: 'MASTERCARD', prefix: '5599999999', number_length: 16, size: 1n, used: 1n },
] as const;
