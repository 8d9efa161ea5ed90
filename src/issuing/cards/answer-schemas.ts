// What is answered of cards, as schemas: the contract's Card, the echo of its creation.
// Rule: number, CVV and PIN are here as one-time tokens, or as themselves where the session may see them.
import Type from 'typebox';
import { Choice, Matching, Optional, Shape } from '../../http/index.ts';
import { balances, instrumentState } from '../accounts/index.ts';
import { alpha2, currencyCode, milliseconds, page, shownId, shownText } from '../requests/index.ts';
import { MANUFACTURING_STATES, REPLACEMENT_REASONS } from './model.ts';

const flag = Type.Boolean();
const mobile = Matching('^\\+\\d+$');
const mmyy = Matching('^(0[1-9]|1[0-2])\\d{2}$', { description: 'MMYY.' });
const addressFields = {
  addressLine1: shownText,
  addressLine2: Optional(shownText),
  city: shownText,
  postCode: shownText,
  state: Optional(shownText),
  country: alpha2,
};
export const revealed = Shape(
  { value: Type.String({ description: 'A one-time reveal token; the value itself where the session may see it.' }) },
  { title: 'Revealed' },
);

const optionFields = {
  profileId: shownId,
  tag: Optional(shownText),
  friendlyName: shownText,
  nameOnCard: shownText,
  nameOnCardLine2: Optional(shownText),
  cardholderMobileNumber: Optional(mobile),
  billingAddress: Shape(addressFields, { title: 'Address' }),
  digitalWallets: Shape(
    { pushProvisioningEnabled: flag, walletsEnabled: flag, artworkReference: Optional(shownText) },
    { title: 'DigitalWallets' },
  ),
  authForwardingDefaultTimeoutDecision: Optional(Choice(['APPROVE', 'DECLINE'])),
  threeDSecureAuthConfig: Optional(
    Shape(
      {
        linkedUserId: shownId,
        primaryChannel: Matching('^[A-Z][A-Z_]{2,39}$', {
          description: 'OTP_SMS, BIOMETRICS, EXTERNAL_AUTHY or the alias of the tenant for it.',
        }),
        fallbackChannel: Optional(Choice(['OTP_SMS'])),
      },
      { title: 'ThreeDSecureAuthConfig' },
    ),
  ),
  mode: Choice(['PREPAID_MODE', 'DEBIT_MODE']),
  currency: currencyCode,
  externalData: Type.Array(Shape({ name: shownText, value: shownText }), { maxItems: 10 }),
  externalHandle: Optional(shownText),
  parentManagedAccountId: Optional(shownId),
};

export const createdCard = Shape(
  {
    id: shownId,
    type: Choice(['consumer', 'corporate']),
    data: Shape({ id: shownId, ...optionFields }, { title: 'CreatedCard' }),
  },
  { description: 'The echo of the request, and the id.' },
);

const physicalCardDetails = Shape(
  {
    productReference: shownText,
    carrierType: shownText,
    bulkDelivery: flag,
    deliveryAddress: Shape(
      { name: shownText, surname: shownText, ...addressFields, contactNumber: Optional(mobile) },
      { title: 'DeliveryAddress' },
    ),
    deliveryMethod: Choice(['STANDARD_DELIVERY', 'REGISTERED_MAIL', 'COURIER', 'FIRST_CLASS_MAIL']),
    deliveryTrackingCode: Optional(shownText),
    deliveryTrackingMethod: Optional(shownText),
    nameOnCardLine2: Optional(shownText),
    pendingActivation: flag,
    manufacturingState: Choice(MANUFACTURING_STATES),
    replacement: Optional(Shape({ replacementReason: Choice(REPLACEMENT_REASONS), replacementId: shownId })),
    pinBlocked: flag,
  },
  { title: 'PhysicalCardDetails' },
);

export const card = Shape(
  {
    id: shownId,
    ...optionFields,
    state: instrumentState,
    type: Choice(['VIRTUAL', 'PHYSICAL']),
    cardBrand: Choice(['MASTERCARD', 'VISA']),
    cardNumber: Optional(revealed),
    cvv: Optional(revealed),
    cardNumberFirstSix: Matching('^\\d{6}$'),
    cardNumberLastFour: Matching('^\\d{4}$'),
    startMmyy: mmyy,
    expiryMmyy: mmyy,
    cardLevelClassification: Choice(['CONSUMER', 'CORPORATE']),
    expiryPeriodMonths: Type.Integer({ minimum: 1, maximum: 120 }),
    renewalType: Choice(['AUTO_RENEW', 'NO_RENEW']),
    creationTimestamp: milliseconds,
    physicalCardDetails: Optional(physicalCardDetails),
    replaces: Optional(shownId),
    replacedBy: Optional(shownId),
    balances: Optional(balances),
  },
  { title: 'Card' },
);
export const cardsPage = page('cards', card);

/** The operation of an action, as OpenAPI names it: `report-lost` is reportLostCard. */
export const operationOf = (action: string): string =>
  `${action.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase())}Card`;

export const unknownCard = { 404: { description: 'No such card of this identity' } } as const;
