// Fields that requests about cards are made of (docs/contract/issuing.md#endpoints, #field-errors).
import { choice, digits, flag, list, object, pathId, shape, text } from '../fields/index.ts';

const NAME = {
  pattern: /^[\p{Script=Latin}\p{Mn}\d .'^-]+$/u,
  description: 'Letters of the Latin script, accented ones too, digits, space, period, hyphen, apostrophe, caret.',
};
const POST_CODE = /^[A-Za-z0-9 -]+$/;
const COUNTRY = /^[A-Z]{2}$/;
/** Fields whose length is no fault of its own. */
const ANY_LENGTH = 65_536;
const MOBILE = /^\+\d+$/;

const addressFields = {
  addressLine1: text({ required: true, max: 150, blank: 'HAS_TEXT' }),
  addressLine2: text({ max: 150 }),
  city: text({ required: true, max: 50, blank: 'HAS_TEXT' }),
  postCode: text({ required: true, max: 10, blank: 'HAS_TEXT', pattern: POST_CODE, exact: true }),
  state: text({ max: 50 }),
  country: text({
    required: true,
    min: 2,
    max: 2,
    blank: 'HAS_TEXT',
    pattern: COUNTRY,
    exact: true,
    description: 'ISO 3166 alpha-2.',
  }),
};

const billingAddress = {
  title: 'AddressRequest',
  description: 'Where the cardholder is billed.',
  otherIs: 'REQUIRED',
} as const;

const walletFields = {
  pushProvisioningEnabled: flag({}),
  walletsEnabled: flag({}),
  artworkReference: text({ max: 255, blank: 'REGEX' }),
};

const threeDsFields = {
  linkedUserId: digits({ required: true, max: 19 }),
  primaryChannel: choice(['OTP_SMS', 'BIOMETRICS', 'EXTERNAL_AUTHY'], {
    required: true,
    aliased: true,
    description: 'OTP_SMS, BIOMETRICS, EXTERNAL_AUTHY or the alias of the tenant for it.',
  }),
  fallbackChannel: choice(['OTP_SMS'], {}),
};

const timeoutDecision = choice(['APPROVE', 'DECLINE'], {});
const mobile = text({ min: 5, max: 15, pattern: MOBILE, blank: 'REGEX', exact: true });

const externalData = list(
  object({ name: text({ required: true, max: 50, blank: 'HAS_TEXT' }), value: text({ required: true, max: 255 }) }, {}),
  { max: 10 },
);

/** What several requests have in common. */
export const cardFields = {
  name: NAME,
  anyLength: ANY_LENGTH,
  address: addressFields,
  billingAddress,
  wallets: walletFields,
  threeDs: threeDsFields,
  timeoutDecision,
  mobile,
  externalData,
};

export const CardPath = shape({ cardId: pathId('The card.') });
