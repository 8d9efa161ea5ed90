// Shapes of changes: a card's options, its spend rules. Rule: what is absent stays.
import { tag } from '../accounts/index.ts';
import { cardFields } from '../cards/index.ts';
import { amount, choice, flag, list, object, shape, text } from '../fields/index.ts';
import { INTERVALS } from '../rules/index.ts';

/** What may be changed of a card; what is absent stays. */
export const CardPatch = shape({
  tag,
  friendlyName: text({ min: 1, max: 50, blank: 'HAS_TEXT' }),
  nameOnCardLine2: text({ max: 27, ...cardFields.name }),
  billingAddress: object(cardFields.address, cardFields.billingAddress),
  digitalWallets: object(cardFields.wallets, {}),
  authForwardingDefaultTimeoutDecision: cardFields.timeoutDecision,
  threeDSecureAuthConfig: object(cardFields.threeDs, {}),
  cardholderMobileNumber: cardFields.mobile,
  externalHandle: text({ max: 50, exact: true }),
  externalData: cardFields.externalData,
  renewalType: choice(['AUTO_RENEW', 'NO_RENEW'], {}),
});

const CODE = { pattern: /^[^\p{Cc}]{1,50}$/u, description: '1 to 50 characters, no control characters.' };
const categories = (description: string) =>
  list(text({ required: true, max: cardFields.anyLength, blank: 'REGEX', pattern: /^\d{4}$/, exact: true }), {
    max: 200,
    description,
  });
const merchants = (description: string) =>
  list(text({ required: true, max: cardFields.anyLength, blank: 'REGEX', ...CODE, exact: true }), {
    max: 200,
    description,
  });

const minAboveMax = (value: unknown, { maxTransactionAmount: most }: Readonly<Record<string, unknown>>) =>
  typeof value === 'number' && typeof most === 'number' && most !== 0 && value > most ? ('RANGE' as const) : null;

const limitFields = {
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
            currency: text({
              required: true,
              max: cardFields.anyLength,
              blank: 'REGEX',
              pattern: /^[A-Z]{3}$/,
              exact: true,
            }),
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
