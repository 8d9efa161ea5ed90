// An order of plastic, and the code that takes it into use. Rule: an activation code is kept as a keyed hash only.
import type { Card, PhysicalCard } from '../cards/index.ts';
import type { IssuingDeps } from '../requests/index.ts';
import { stepAfter } from './bureau.ts';

export const activationHash = (
  deps: Pick<IssuingDeps, 'vault'>,
  card: Pick<Card, 'tenant_id' | 'id'>,
  code: string,
): string => deps.vault.keyed('card.activation', `${card.tenant_id}/${card.id}/${code}`).toString('hex');

/** A physical card that was ordered just now. */
export const orderedPlastic = (
  deps: Pick<IssuingDeps, 'sandbox'>,
  order: Pick<
    PhysicalCard,
    | 'productReference'
    | 'carrierType'
    | 'bulkDelivery'
    | 'deliveryAddress'
    | 'deliveryMethod'
    | 'nameOnCardLine2'
    | 'activationHash'
  > &
    Partial<PhysicalCard>,
  at: Date,
): PhysicalCard => ({
  deliveryTrackingCode: null,
  deliveryTrackingMethod: null,
  pendingActivation: true,
  manufacturingState: 'REQUESTED',
  nextStepAt: stepAfter(deps, 'REQUESTED', at),
  replacement: null,
  wrongActivationCodes: 0,
  pinBlocked: false,
  wrongPins: 0,
  pinOffset: '0000',
  ...order,
});
