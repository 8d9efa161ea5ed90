// What tests of issuing are made of: a card, its plastic, and later a whole issuer on a real database.
import type { Card, PhysicalCard } from '../../../src/issuing/cards/index.ts';

const ADDRESS = { addressLine1: 'Street 1', city: 'Vilnius', postCode: '01100', country: 'LT' };

export const PLASTIC: PhysicalCard = {
  productReference: 'p',
  carrierType: 'c',
  bulkDelivery: false,
  deliveryAddress: { ...ADDRESS, name: 'Ada', surname: 'Example' },
  deliveryMethod: 'STANDARD_DELIVERY',
  deliveryTrackingCode: null,
  deliveryTrackingMethod: null,
  nameOnCardLine2: null,
  pendingActivation: false,
  manufacturingState: 'DELIVERED',
  nextStepAt: null,
  replacement: null,
  activationHash: null,
  wrongActivationCodes: 0,
  pinBlocked: false,
  wrongPins: 0,
  pinOffset: '0000',
};

/** Fields of a card whose plastic is in use. */
export const withPlastic = (): Pick<Card, 'details' | 'type'> => ({
  details: { ...aCard({ tenantId: 1n, id: 1n }).details, physical: PLASTIC },
  type: 'PHYSICAL',
});

export function aCard({ tenantId, id, ...fields }: { tenantId: bigint; id: bigint } & Partial<Card>): Card {
  const at = new Date('2026-01-01T00:00:00Z');
  return {
    tenant_id: tenantId,
    id,
    identity_id: 5n,
    programme_id: 6n,
    profile_id: 7n,
    mode: fields.parent_account_id ? 'DEBIT_MODE' : 'PREPAID_MODE',
    currency: 'EUR',
    parent_account_id: null,
    state: 'ACTIVE',
    blocks: [],
    destroyed_reason: null,
    type: 'VIRTUAL',
    brand: 'MASTERCARD',
    classification: 'CONSUMER',
    first_six: '559999',
    last_four: '0000',
    starts: '2601',
    expires: '3012',
    renewal: 'NO_RENEW',
    friendly_name: 'card',
    name_on_card: 'ADA EXAMPLE',
    tag: null,
    mobile: null,
    details: {
      billingAddress: ADDRESS,
      digitalWallets: { pushProvisioningEnabled: false, walletsEnabled: false, artworkReference: null },
      timeoutDecision: null,
      threeDs: null,
      externalData: [],
      externalHandle: null,
      rules: {},
      physical: null,
      wrongCvvs: 0,
      replacedBy: null,
      replaces: null,
      lostStolen: null,
      expiryPeriodMonths: 60,
    },
    due_at: null,
    events: 0,
    created_at: at,
    updated_at: at,
    ...fields,
  };
}
