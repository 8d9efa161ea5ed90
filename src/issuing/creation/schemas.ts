// The shape of a request for a card (docs/contract/issuing.md#endpoints).
import { currency, friendlyName, tag } from '../accounts/index.ts';
import { cardFields } from '../cards/index.ts';
import { choice, digits, object, shape, text } from '../fields/index.ts';

export const CardRequest = shape(
  {
    type: choice(['consumer', 'corporate'], { required: true }),
    data: object(
      {
        profileId: digits({ required: true, max: cardFields.anyLength }),
        tag,
        friendlyName,
        nameOnCard: text({ required: true, min: 1, max: 27, blank: 'HAS_TEXT', ...cardFields.name }),
        nameOnCardLine2: text({ max: 27, ...cardFields.name }),
        billingAddress: object(cardFields.address, { ...cardFields.billingAddress, required: true }),
        digitalWallets: object(cardFields.wallets, {}),
        authForwardingDefaultTimeoutDecision: cardFields.timeoutDecision,
        threeDSecureAuthConfig: object(cardFields.threeDs, {}),
        mode: choice(['PREPAID_MODE', 'DEBIT_MODE'], { required: true }),
        currency,
        parentManagedAccountId: digits({
          max: cardFields.anyLength,
          requiredWhen: ({ mode }) => mode === 'DEBIT_MODE',
          description:
            'Required for DEBIT_MODE, whose card spends the account. The two statements of the document conflict; with PREPAID_MODE it is checked for form and otherwise ignored, unless the tenant is strict.',
        }),
        cardholderMobileNumber: cardFields.mobile,
        externalHandle: text({ max: 50, exact: true }),
        externalData: cardFields.externalData,
      },
      { required: true, title: 'CardRequestData' },
    ),
  },
  { title: 'CardRequest' },
);
