// Shapes of card requests (card-issuing-api.md, "Endpoints"; issuing-decisions.md, "Field errors").
import { currency, friendlyName, PAGE, tag } from '../accounts/index.ts';
import { amount, choice, digits, flag, list, object, pathId, shape, text } from '../fields/index.ts';
import { INTERVALS } from '../rules/index.ts';

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

export const CardRequest = shape(
  {
    type: choice(['consumer', 'corporate'], { required: true }),
    data: object(
      {
        profileId: digits({ required: true, max: ANY_LENGTH }),
        tag,
        friendlyName,
        nameOnCard: text({ required: true, min: 1, max: 27, blank: 'HAS_TEXT', ...NAME }),
        nameOnCardLine2: text({ max: 27, ...NAME }),
        billingAddress: object(addressFields, { ...billingAddress, required: true }),
        digitalWallets: object(walletFields, {}),
        authForwardingDefaultTimeoutDecision: timeoutDecision,
        threeDSecureAuthConfig: object(threeDsFields, {}),
        mode: choice(['PREPAID_MODE', 'DEBIT_MODE'], { required: true }),
        currency,
        parentManagedAccountId: digits({
          max: ANY_LENGTH,
          requiredWhen: ({ mode }) => mode === 'DEBIT_MODE',
          description:
            'Required for DEBIT_MODE, whose card spends the account. The two statements of the document conflict; with PREPAID_MODE it is checked for form and otherwise ignored, unless the tenant is strict.',
        }),
        cardholderMobileNumber: mobile,
        externalHandle: text({ max: 50, exact: true }),
        externalData: list(
          object(
            { name: text({ required: true, max: 50, blank: 'HAS_TEXT' }), value: text({ required: true, max: 255 }) },
            {},
          ),
          { max: 10 },
        ),
      },
      { required: true, title: 'CardRequestData' },
    ),
  },
  { title: 'CardRequest' },
);

/** What may be changed of a card; what is absent stays. */
export const CardPatch = shape({
  tag,
  friendlyName: text({ min: 1, max: 50, blank: 'HAS_TEXT' }),
  nameOnCardLine2: text({ max: 27, ...NAME }),
  billingAddress: object(addressFields, billingAddress),
  digitalWallets: object(walletFields, {}),
  authForwardingDefaultTimeoutDecision: timeoutDecision,
  threeDSecureAuthConfig: object(threeDsFields, {}),
  cardholderMobileNumber: mobile,
  externalHandle: text({ max: 50, exact: true }),
  externalData: list(
    object(
      { name: text({ required: true, max: 50, blank: 'HAS_TEXT' }), value: text({ required: true, max: 255 }) },
      {},
    ),
    { max: 10 },
  ),
  renewalType: choice(['AUTO_RENEW', 'NO_RENEW'], {}),
});

export const CardPath = shape({ cardId: pathId('The card.') });

export const CardsQuery = shape({
  ...PAGE,
  profileId: digits({}),
  state: choice(['ACTIVE', 'BLOCKED', 'DESTROYED'], {}),
  mode: choice(['PREPAID_MODE', 'DEBIT_MODE'], {}),
  type: choice(['VIRTUAL', 'PHYSICAL'], {}),
  currency: text({ min: 3, max: 3, pattern: /^[A-Z]{3}$/, exact: true }),
  tag: text({ max: 50, exact: true }),
  friendlyName: text({ max: 50 }),
  externalHandle: text({ max: 50, exact: true }),
  cardNumberFirstSix: text({ min: 6, max: 6, pattern: /^\d+$/, exact: true }),
  cardNumberLastFour: text({ min: 4, max: 4, pattern: /^\d+$/, exact: true }),
  parentManagedAccountId: digits({}),
});

export const ActivateBody = shape({
  activationCode: text({ required: true, max: 6, blank: 'REGEX', pattern: /^\d+$/, exact: true }),
});

export const UpgradeBody = shape({
  activationCode: text({ required: true, max: 6, blank: 'REGEX', pattern: /^\d+$/, exact: true }),
  productReference: text({ required: true, max: 50, blank: 'HAS_TEXT' }),
  carrierType: text({ required: true, max: 50, blank: 'HAS_TEXT' }),
  deliveryMethod: choice(['STANDARD_DELIVERY', 'REGISTERED_MAIL', 'COURIER', 'FIRST_CLASS_MAIL'], { required: true }),
  deliveryAddress: object(
    {
      name: text({ required: true, max: 50, blank: 'HAS_TEXT' }),
      surname: text({ required: true, max: 50, blank: 'HAS_TEXT' }),
      ...addressFields,
      contactNumber: mobile,
    },
    { required: true },
  ),
  bulkDelivery: flag({}),
  nameOnCardLine2: text({ max: 27, ...NAME }),
});

export const ReplaceBody = shape({
  activationCode: text({ max: 6, blank: 'REGEX', pattern: /^\d+$/, exact: true }),
});

const CODE = { pattern: /^[^\p{Cc}]{1,50}$/u, description: '1 to 50 characters, no control characters.' };
const categories = (description: string) =>
  list(text({ required: true, max: ANY_LENGTH, blank: 'REGEX', pattern: /^\d{4}$/, exact: true }), {
    max: 200,
    description,
  });
const merchants = (description: string) =>
  list(text({ required: true, max: ANY_LENGTH, blank: 'REGEX', ...CODE, exact: true }), {
    max: 200,
    description,
  });

const minAboveMax = (value: unknown, { maxTransactionAmount: most }: Readonly<Record<string, unknown>>) =>
  typeof value === 'number' && typeof most === 'number' && most !== 0 && value > most ? ('RANGE' as const) : null;

export const limitFields = {
  allowedMerchantCategories: categories('ISO 18245.'),
  blockedMerchantCategories: categories('ISO 18245.'),
  allowedMerchantIds: merchants('As the network names them.'),
  blockedMerchantIds: merchants('As the network names them.'),
  allowContactless: flag({}),
  allowAtm: flag({}),
  allowECommerce: flag({}),
  allowCashback: flag({}),
  allowCreditAuthorisations: flag({}),
  spendLimit: list(
    object(
      {
        value: object(
          {
            currency: text({ required: true, max: ANY_LENGTH, blank: 'REGEX', pattern: /^[A-Z]{3}$/, exact: true }),
            amount: amount({ required: true, min: 0 }),
          },
          { required: true },
        ),
        interval: choice(INTERVALS, { required: true }),
      },
      {},
    ),
    { max: 200 },
  ),
  minTransactionAmount: amount({ min: 0, also: minAboveMax }),
  maxTransactionAmount: amount({ min: 0 }),
};

export const LimitsBody = shape({ data: object(limitFields, { required: true, title: 'CardLimitRequest' }) });
