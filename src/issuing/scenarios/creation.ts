// One request for each conflict of card creation, against the sandbox's data, in the order of the document's table. Data only.
import type { FailureCode } from '../fields/index.ts';

export interface CreationScenario {
  readonly code: FailureCode;
  /** Who asks; the first consumer unless told. */
  readonly email?: string;
  readonly type?: 'corporate';
  /** Fields of `data` on top of a good request. */
  readonly data: Readonly<Record<string, unknown>>;
}

export const address = {
  addressLine1: '1 Example Street',
  city: 'Valletta',
  postCode: 'VLT 1000',
  country: 'MT',
} as const;

export const goodCard: Readonly<Record<string, unknown>> = {
  profileId: '1001',
  friendlyName: 'Scenario',
  nameOnCard: 'Ada Example',
  billingAddress: address,
  mode: 'PREPAID_MODE',
  currency: 'EUR',
};

const debit = { profileId: '1002', mode: 'DEBIT_MODE', parentManagedAccountId: '2001' } as const;
const threeDs = (linkedUserId: string, primaryChannel: string, more: object = {}) => ({
  threeDSecureAuthConfig: { linkedUserId, primaryChannel, ...more },
});
const small = { email: 'small@sandbox.test' } as const;

export const creationScenarios: readonly CreationScenario[] = [
  { code: 'PROFILE_NOT_FOUND', data: { profileId: '999999' } },
  { code: 'PROFILE_INACTIVE', data: { profileId: '1005' } },
  { code: 'PAYMENT_MODEL_CONSTRAINTS_VIOLATED', data: { ...debit, profileId: '1001' } },
  { code: 'CURRENCY_NOT_SUPPORTED_BY_PROFILE', data: { currency: 'JPY' } },
  { code: 'PROVIDER_NOT_SUPPORTED_BY_PROFILE', data: { profileId: '1008' } },
  { code: 'OWNER_IDENTITY_NOT_VERIFIED', email: 'unverified@sandbox.test', data: {} },
  { code: 'IDENTITY_KYC_LEVEL_STEPUP_REQUIRED', email: 'level1@sandbox.test', data: debit },
  { code: 'COUNTRY_INVALID', data: { billingAddress: { ...address, country: 'ZZ' } } },
  { code: 'PARENT_MANAGED_ACCOUNT_NOT_FOUND', data: { ...debit, parentManagedAccountId: '2999' } },
  { code: 'PARENT_MANAGED_ACCOUNT_NOT_ACTIVE', data: { ...debit, parentManagedAccountId: '2003' } },
  { code: 'AUTH_FORWARDING_NOT_ENABLED', data: { profileId: '1006', authForwardingDefaultTimeoutDecision: 'APPROVE' } },
  { code: 'WALLETS_NOT_ENABLED', data: { profileId: '1006', digitalWallets: { walletsEnabled: true } } },
  {
    code: 'PUSHPROVISIONING_NOT_ENABLED',
    data: { digitalWallets: { walletsEnabled: false, pushProvisioningEnabled: true } },
  },
  { code: 'WALLET_ARTWORK_NOT_SPECIFIED', data: { profileId: '1010', digitalWallets: { walletsEnabled: true } } },
  {
    code: 'WALLET_ARTWORK_INVALID',
    data: { digitalWallets: { walletsEnabled: true, artworkReference: 'no-such-artwork' } },
  },
  { code: 'THREEDS_DETAILS_NOT_PROVIDED', data: { profileId: '1009' } },
  {
    code: 'MORE_THAN_ONE_MOBILE_NUMBER_PROVIDED',
    data: { ...threeDs('3001', 'OTP_SMS'), cardholderMobileNumber: '+35699000001' },
  },
  { code: 'INVALID_PRIMARY_CHANNEL_SELECTED', data: { profileId: '1009', ...threeDs('3001', 'BIOMETRICS') } },
  { code: 'INVALID_CHANNELS_SELECTED', data: threeDs('3001', 'OTP_SMS', { fallbackChannel: 'OTP_SMS' }) },
  {
    code: 'BIOMETRIC_AUTHENTICATION_NOT_SUPPORTED',
    ...small,
    data: { profileId: '1021', ...threeDs('3021', 'BIOMETRICS') },
  },
  {
    code: 'EXTERNAL_AUTHY_AUTHENTICATION_NOT_SUPPORTED',
    ...small,
    data: { profileId: '1021', ...threeDs('3021', 'EXTERNAL_AUTHY') },
  },
  { code: 'LINKED_USER_NOT_FOUND', data: threeDs('3011', 'OTP_SMS') },
  { code: 'USER_INACTIVE', data: threeDs('3003', 'OTP_SMS') },
  { code: 'USER_MOBILE_NUMBER_DOES_NOT_EXIST', data: threeDs('3002', 'OTP_SMS') },
  { code: 'USER_NOT_ENROLLED_FOR_BIOMETRICS', data: threeDs('3004', 'BIOMETRICS') },
  { code: 'USER_NOT_ENROLLED_FOR_EXTERNAL_AUTHY', data: threeDs('3004', 'EXTERNAL_AUTHY') },
  {
    code: 'MOBILE_NUMBER_ALREADY_EXISTS',
    ...small,
    data: { profileId: '1021', cardholderMobileNumber: '+35699003160' },
  },
  { code: 'IDENTITY_LIMITS_EXCEEDED', email: 'limited@sandbox.test', data: {} },
  { code: 'PROGRAMME_LIMITS_EXCEEDED', ...small, data: { profileId: '1021', currency: 'GBP' } },
  { code: 'INNOVATOR_LIMITS_EXCEEDED', data: { profileId: '1014', currency: 'PLN' } },
  { code: 'SYSTEM_LIMITS_EXCEEDED', data: { profileId: '1014', currency: 'RUB' } },
  { code: 'INSTRUMENT_NOT_FOUND', data: { profileId: '1007' } },
];
