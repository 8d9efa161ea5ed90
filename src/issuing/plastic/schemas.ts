// Shapes of requests about plastic.
import { cardFields } from '../cards/index.ts';
import { choice, flag, object, shape, text } from '../fields/index.ts';

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
      ...cardFields.address,
      contactNumber: cardFields.mobile,
    },
    { required: true },
  ),
  bulkDelivery: flag({}),
  nameOnCardLine2: text({ max: 27, ...cardFields.name }),
});

export const ReplaceBody = shape({
  activationCode: text({ max: 6, blank: 'REGEX', pattern: /^\d+$/, exact: true }),
});
