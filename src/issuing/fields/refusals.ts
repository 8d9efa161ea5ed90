// Every refusal of issuing in one table, and every rejection in another: what it is to the client, and what it says. The codes are the
// contract's. Rule: a refusal is thrown and leaves nothing behind, a rejection is returned and commits what it counts; nothing of either
// depends on what another identity or tenant has.
import { type Refusals, refuserOf } from '../../base/index.ts';

const conflict = 'conflict';

export const refusals = {
  // Creation of cards, in the order of their checks.
  PROFILE_NOT_FOUND: [conflict, 'The profile does not exist'],
  PROFILE_INACTIVE: [conflict, 'The profile is switched off'],
  PAYMENT_MODEL_CONSTRAINTS_VIOLATED: [
    conflict,
    "Mode, owner type or currency don't fit the profile, the identity or the account",
  ],
  CURRENCY_NOT_SUPPORTED_BY_PROFILE: [conflict, 'The profile does not have this currency'],
  PROVIDER_NOT_SUPPORTED_BY_PROFILE: [conflict, 'No provider of the profile serves this currency and country'],
  OWNER_IDENTITY_NOT_VERIFIED: [conflict, 'The identity is not verified'],
  IDENTITY_KYC_LEVEL_STEPUP_REQUIRED: [conflict, "The identity's KYC level does not allow this card"],
  COUNTRY_INVALID: [conflict, 'The country is unknown or excluded'],
  PARENT_MANAGED_ACCOUNT_NOT_FOUND: [conflict, 'The parent managed account does not exist'],
  PARENT_MANAGED_ACCOUNT_NOT_ACTIVE: [conflict, 'The parent managed account is not active'],
  AUTH_FORWARDING_NOT_ENABLED: [conflict, 'Authorization forwarding is off'],
  WALLETS_NOT_ENABLED: [conflict, 'Wallets are off for the card or its profile'],
  PUSHPROVISIONING_NOT_ENABLED: [conflict, 'Push provisioning or wallets are off for the card or its profile'],
  WALLET_ARTWORK_NOT_SPECIFIED: [conflict, 'An artwork has to be named'],
  WALLET_ARTWORK_INVALID: [conflict, 'The artwork is unknown'],
  THREEDS_DETAILS_NOT_PROVIDED: [conflict, 'The profile requires cardholderMobileNumber or threeDSecureAuthConfig'],
  MORE_THAN_ONE_MOBILE_NUMBER_PROVIDED: [conflict, 'Only one of cardholderMobileNumber and threeDSecureAuthConfig'],
  INVALID_PRIMARY_CHANNEL_SELECTED: [conflict, 'The profile does not have this primary channel'],
  INVALID_CHANNELS_SELECTED: [conflict, "The channels don't go together"],
  BIOMETRIC_AUTHENTICATION_NOT_SUPPORTED: [conflict, 'Biometrics are off'],
  EXTERNAL_AUTHY_AUTHENTICATION_NOT_SUPPORTED: [conflict, 'The authenticator app is off'],
  LINKED_USER_NOT_FOUND: [conflict, 'The linked user does not exist'],
  USER_INACTIVE: [conflict, 'The linked user is deactivated'],
  USER_MOBILE_NUMBER_DOES_NOT_EXIST: [conflict, 'The linked user has no mobile number'],
  USER_NOT_ENROLLED_FOR_BIOMETRICS: [conflict, 'The linked user is not enrolled for biometrics'],
  USER_NOT_ENROLLED_FOR_EXTERNAL_AUTHY: [conflict, 'The linked user is not enrolled for the authenticator app'],
  MOBILE_NUMBER_ALREADY_EXISTS: [conflict, 'The mobile number belongs to somebody else'],
  IDENTITY_LIMITS_EXCEEDED: [conflict, 'The identity has all the cards it may have'],
  PROGRAMME_LIMITS_EXCEEDED: [conflict, 'The programme has all the cards it may have'],
  INNOVATOR_LIMITS_EXCEEDED: [conflict, 'The tenant has all the cards it may have'],
  SYSTEM_LIMITS_EXCEEDED: [conflict, 'The installation has all the cards it may have'],
  INSTRUMENT_NOT_FOUND: [conflict, 'The card range does not exist or has no free number'],
  // The life of a card.
  INSTRUMENT_NOT_PHYSICAL: [conflict, 'No physical card was ordered'],
  INSTRUMENT_ALREADY_ACTIVATED: [conflict, 'The card is activated already'],
  INSTRUMENT_BLOCKED: [conflict, 'The card is blocked'],
  INSTRUMENT_DESTROYED: [conflict, 'The card or account is destroyed'],
  INSTRUMENT_ALREADY_BLOCKED: [conflict, 'Already blocked'],
  INSTRUMENT_NOT_BLOCKED: [conflict, 'Not blocked, or not by you'],
  INSTRUMENT_MARKED_LOST_STOLEN: [conflict, 'The card was reported lost or stolen'],
  INSTRUMENT_NOT_MARKED_LOST_STOLEN: [conflict, 'The card was not reported lost or stolen'],
  INSTRUMENT_ALREADY_REPLACED: [conflict, 'The card is replaced already'],
  INSTRUMENT_ALREADY_UPGRADED_TO_PHYSICAL: [conflict, 'A physical card was ordered already'],
  PRODUCT_REFERENCE_INVALID: [conflict, 'The profile does not have this product'],
  CARRIER_TYPE_INVALID: [conflict, 'The profile does not have this carrier'],
  DELIVERY_METHOD_INVALID: [conflict, 'The profile does not have this delivery method'],
  BALANCE_NOT_ZERO: [conflict, 'The balance is not zero or a hold is open'],
  INSTRUMENTS_ATTACHED: [conflict, 'Live cards spend this account'],
  PIN_NOT_BLOCKED: [conflict, 'The PIN is not blocked'],
  PIN_BLOCKED: [conflict, 'The PIN is blocked'],
  // Spend rules.
  SPEND_LIMIT_CURRENCY_DIFFERENT_FROM_CARD_CURRENCY: [conflict, "A spend limit is in another currency than the card's"],
  SPEND_LIMIT_NOT_SUPPORTED_FOR_PREPAID_MODE_CARD: [
    conflict,
    'A prepaid card spends its balance and has no spend limit',
  ],
  SPEND_LIMIT_DUPLICATE_INTERVAL: [conflict, 'Two spend limits have one interval'],
  SPEND_LIMIT_AMOUNT_INVALID: [conflict, 'A spend limit is out of bounds'],
  // Endpoints.
  WEBHOOKS_LIMIT_EXCEEDED: [conflict, 'The tenant has all the endpoints it may have'],
  // Transfers.
  AMOUNT_INVALID: [conflict, 'The amount is not above zero'],
  FUNDS_INSUFFICIENT: [conflict, 'The available balance is too small'],
  CURRENCY_MISMATCH: [conflict, 'Source, destination and amount are not of one currency'],
  SOURCE_NOT_FOUND: [conflict, 'The source does not exist'],
  DESTINATION_NOT_FOUND: [conflict, 'The destination does not exist'],
  SOURCE_CANNOT_BE_DEBIT_MODE_CARD: [conflict, 'A debit card has no balance of its own'],
  DESTINATION_CANNOT_BE_DEBIT_MODE_CARD: [conflict, 'A debit card has no balance of its own'],
  SOURCE_AND_DESTINATION_MUST_DIFFER: [conflict, 'Source and destination are the same'],
  SOURCE_BLOCKED: [conflict, 'The source is blocked'],
  DESTINATION_BLOCKED: [conflict, 'The destination is blocked'],
  DESTINATION_DESTROYED: [conflict, 'The destination is destroyed'],
  // Authentication.
  CHANNEL_NOT_SUPPORTED: [conflict, 'This channel is not supported'],
  CHANNEL_NOT_REGISTERED: [conflict, 'The user has no mobile number'],
  RETRY_IN_15SEC: [conflict, 'A code was sent just now'],
  CHALLENGE_LIMIT_EXCEEDED: [conflict, 'Too many codes, or wrong tries of one'],
  VERIFICATION_CODE_EXPIRED: [conflict, 'The code has expired'],
  STATE_INVALID: [conflict, 'The state does not allow this'],
  ALREADY_VERIFIED: [conflict, 'The session is stepped up already'],
  EMAIL_NOT_UNIQUE: [conflict, 'The e-mail address is in use'],
  PASSWORD_INVALID: [conflict, 'The old password is wrong'],
  PASSWORD_ALREADY_USED: [conflict, 'The password is one of the last four'],
  ROOT_USER_ALWAYS_ACTIVE: [conflict, 'The root user is always active'],
  ROOT_USER_REQUIRED: ['forbidden', 'Only the root user may do this'],
  STEP_UP_REQUIRED: ['forbidden', 'A step-up is required to go on'],
  ACCESS_TOKEN_REQUIRED: ['forbidden', 'The access token is invalid or has expired'],
  USER_DEACTIVATED: ['gone', 'The user is deactivated'],
  LOGIN_LOCKED: ['locked', 'Too many wrong passwords: try again later'],
  UNAUTHORIZED: ['unauthenticated', 'Credentials or access token invalid'],
  MAINTENANCE: ['unavailable', 'Temporarily offline for maintenance; try later'],
  RESOURCE_NOT_FOUND: ['not_found', 'Resource not found'],
  // Any request.
  BAD_REQUEST: ['bad_request', 'Invalid request'],
  INVALID_REQUEST: ['validation', 'Invalid request'],
  IDEMPOTENCY_REF_REUSED: [conflict, 'The idempotency-ref was used for another request'],
  METHOD_NOT_ALLOWED: ['method_not_allowed', 'Method not allowed'],
  NOT_ACCEPTABLE: ['not_acceptable', 'Only application/json can be answered'],
  REQUEST_TIMEOUT: ['timeout', 'The request took too long to arrive'],
  REQUEST_TOO_LARGE: ['too_large', 'Request body is too large'],
  REQUEST_HEADER_TOO_LARGE: ['headers_too_large', 'Request header is too large'],
  UNSUPPORTED_MEDIA_TYPE: ['unsupported_media_type', 'Content type must be application/json'],
  TOO_MANY_REQUESTS: ['rate_limited', 'Too many requests'],
  UNAVAILABLE: ['unavailable', 'Temporarily offline for maintenance; try later'],
  LOOP_DETECTED: ['loop', 'This server has sent the request itself'],
} as const satisfies Refusals;

export type RefusalCode = keyof typeof refusals;

export const refuse = refuserOf(refusals);

/** A wrong try: it is counted by the commit that finds it wrong. */
export const rejections = {
  ACTIVATION_CODE_INVALID: [conflict, 'The activation code is wrong'],
  VERIFICATION_CODE_INVALID: [conflict, 'The code is wrong'],
} as const satisfies Refusals;

export type RejectionCode = keyof typeof rejections;

/** Every code by which an endpoint says no. */
export const failures = { ...refusals, ...rejections } as const;

export type FailureCode = keyof typeof failures;
