// POST /cards/upgrade: a virtual card gets plastic. Rule: one order a card; what comes after it is a replacement.

import type { Once } from '../../store/index.ts';
import {
  type Asker,
  type Card,
  cardWritten,
  commitOnCard,
  type DeliveryAddress,
  dueAtOf,
  fundsLoaded,
} from '../cards/index.ts';
import { type RefusalCode, refuse } from '../fields/index.ts';
import type { CardViewer } from '../reading/index.ts';
import type { CommittedAnswer, IssuingDeps } from '../requests/index.ts';
import type { DeliveryMethod, Profile } from '../tenants/index.ts';
import { activationHash, orderedPlastic } from './order.ts';

export interface UpgradeRequest {
  readonly activationCode: string;
  readonly productReference: string;
  readonly carrierType: string;
  readonly deliveryMethod: DeliveryMethod;
  readonly deliveryAddress: DeliveryAddress;
  readonly bulkDelivery?: boolean | undefined;
  readonly nameOnCardLine2?: string | undefined;
}

const UPGRADE: readonly (readonly [RefusalCode, (card: Card, request: UpgradeRequest, profile: Profile) => boolean])[] =
  [
    ['INSTRUMENT_DESTROYED', (card) => card.state === 'DESTROYED'],
    ['INSTRUMENT_BLOCKED', (card) => card.state === 'BLOCKED'],
    ['INSTRUMENT_ALREADY_UPGRADED_TO_PHYSICAL', (card) => card.details.physical !== null],
    [
      'PRODUCT_REFERENCE_INVALID',
      (_, request, { settings }) => !settings.physical.products.includes(request.productReference),
    ],
    ['CARRIER_TYPE_INVALID', (_, request, { settings }) => !settings.physical.carriers.includes(request.carrierType)],
    [
      'DELIVERY_METHOD_INVALID',
      (_, request, { settings }) => !settings.physical.deliveryMethods.includes(request.deliveryMethod),
    ],
  ];

/** 200 with the card. */
export function upgradeCard(
  deps: Pick<IssuingDeps, 'committer' | 'events' | 'permutation' | 'sandbox' | 'vault'>,
  asker: Asker,
  id: bigint,
  profile: Profile,
  request: UpgradeRequest,
  view: CardViewer,
  once: Once | null,
): Promise<CommittedAnswer> {
  return commitOnCard(deps, once, {
    name: 'card.upgrade',
    asker,
    id,
    decide(card, loaded, told) {
      const refused = UPGRADE.find(([, applies]) => applies(card, request, profile));
      if (refused) throw refuse(refused[0]);
      const physical = orderedPlastic(
        deps,
        {
          productReference: request.productReference,
          carrierType: request.carrierType,
          bulkDelivery: request.bulkDelivery ?? false,
          deliveryAddress: request.deliveryAddress,
          deliveryMethod: request.deliveryMethod,
          nameOnCardLine2: request.nameOnCardLine2 ?? card.details.nameOnCardLine2 ?? null,
          activationHash: activationHash(deps, card, request.activationCode),
        },
        told.now,
      );
      const changed: Card = { ...card, details: { ...card.details, physical }, updated_at: told.now };
      const after: Card = { ...changed, due_at: dueAtOf(changed) };
      const funds = fundsLoaded(loaded, card);
      const changes = cardWritten(deps, told, { before: card, after, event: 'card.plastic_requested', funds });
      return { status: 200, body: view(after, told), changes };
    },
  });
}
