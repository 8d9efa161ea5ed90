// The plastic: POST /cards/upgrade orders it, the bureau makes it, POST /cards/activate takes it into use.
// Rule: an activation code is kept as a keyed hash and compared in constant time; five wrong ones block the card.
import { timingSafeEqual } from 'node:crypto';
import { addMs } from '../../base/index.ts';
import type { Once } from '../../store/index.ts';
import { blocked } from '../accounts/index.ts';
import {
  type CommittedAnswer,
  commitAnswer,
  type Ending,
  type Issuer,
  Refusal,
  type RefusalCode,
  refusedEnding,
} from '../issuer/index.ts';
import type { DeliveryMethod, Profile } from '../tenants/index.ts';
import { type Asker, askerIs, needsOfChange, type OpenHolds, restand } from './change.ts';
import { dueAtOf } from './dates.ts';
import type { Card, DeliveryAddress, ManufacturingState, PhysicalCard } from './model.ts';
import { cardKind, cardUpdate, needCard } from './queries.ts';

const MOST_WRONG_CODES = 5;

export const activationHash = (
  issuer: Pick<Issuer, 'vault'>,
  card: Pick<Card, 'tenant_id' | 'id'>,
  code: string,
): string => issuer.vault.keyed('card.activation', `${card.tenant_id}/${card.id}/${code}`).toString('hex');

/** The simulated bureau: how long each state lasts before the next. A real one is told of the order, and tells us. */
const BUREAU: Readonly<Partial<Record<ManufacturingState, readonly [next: ManufacturingState, afterMs: number]>>> = {
  REQUESTED: ['SENT_FOR_FULFILLMENT', 3_600_000],
  SENT_FOR_FULFILLMENT: ['DISPATCHED', 86_400_000],
};

const stepAfter = (issuer: Pick<Issuer, 'sandbox'>, state: ManufacturingState, at: Date): string | null => {
  const step = issuer.sandbox ? BUREAU[state] : undefined;
  return step ? addMs(at, step[1]).toISOString() : null;
};

/** A physical card that was ordered just now. */
export const orderedPlastic = (
  issuer: Pick<Issuer, 'sandbox'>,
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
  nextStepAt: stepAfter(issuer, 'REQUESTED', at),
  replacement: null,
  wrongActivationCodes: 0,
  pinBlocked: false,
  wrongPins: 0,
  pinOffset: '0000',
  ...order,
});

/** What the bureau has done with a card by now; the same card when nothing is due. */
export function bureauStep(issuer: Pick<Issuer, 'sandbox'>, physical: PhysicalCard, now: Date): PhysicalCard {
  const step = BUREAU[physical.manufacturingState];
  if (!step || physical.nextStepAt === null || new Date(physical.nextStepAt) > now) return physical;
  const [manufacturingState] = step;
  const at = new Date(physical.nextStepAt);
  const sent = manufacturingState === 'DISPATCHED';
  return bureauStep(
    issuer,
    {
      ...physical,
      manufacturingState,
      nextStepAt: stepAfter(issuer, manufacturingState, at),
      ...(sent
        ? { deliveryTrackingMethod: physical.deliveryMethod === 'STANDARD_DELIVERY' ? 'NO_TRACKING' : 'TRACKED' }
        : {}),
    },
    now,
  );
}

export interface UpgradeRequest {
  readonly activationCode: string;
  readonly productReference: string;
  readonly carrierType: string;
  readonly deliveryMethod: DeliveryMethod;
  readonly deliveryAddress: DeliveryAddress;
  readonly bulkDelivery?: boolean | undefined;
  readonly nameOnCardLine2?: string | undefined;
}

type View = (card: Card) => object;

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
  issuer: Issuer,
  asker: Asker,
  id: bigint,
  profileOf: (card: Card) => Profile | null,
  request: UpgradeRequest,
  view: View,
  once: Once | null,
): Promise<CommittedAnswer> {
  const need = needCard(asker.tenantId, id);
  return commitAnswer(issuer, once, {
    name: 'card.upgrade',
    needs: [need],
    decide(loaded): Ending {
      const card = loaded.get(cardKind, { tenantId: asker.tenantId, id });
      const profile = card && profileOf(card);
      if (!askerIs(card, asker) || !profile) throw new Refusal('RESOURCE_NOT_FOUND');
      const refused = UPGRADE.find(([, applies]) => applies(card, request, profile));
      if (refused) throw new Refusal(refused[0]);
      const now = issuer.clock.now();
      const physical = orderedPlastic(
        issuer,
        {
          productReference: request.productReference,
          carrierType: request.carrierType,
          bulkDelivery: request.bulkDelivery ?? false,
          deliveryAddress: request.deliveryAddress,
          deliveryMethod: request.deliveryMethod,
          nameOnCardLine2: request.nameOnCardLine2 ?? card.details.nameOnCardLine2 ?? null,
          activationHash: activationHash(issuer, card, request.activationCode),
        },
        now,
      );
      const changed: Card = { ...card, details: { ...card.details, physical }, updated_at: now };
      const after: Card = { ...changed, due_at: dueAtOf(changed) };
      return { status: 200, body: view(after), changes: [cardUpdate(after)] };
    },
  });
}

const ACTIVATION: readonly (readonly [RefusalCode, (card: Card) => boolean])[] = [
  ['INSTRUMENT_DESTROYED', (card) => card.state === 'DESTROYED'],
  ['INSTRUMENT_BLOCKED', (card) => card.state === 'BLOCKED'],
  ['INSTRUMENT_NOT_PHYSICAL', (card) => card.details.physical === null],
  ['INSTRUMENT_ALREADY_ACTIVATED', (card) => card.details.physical?.pendingActivation === false],
];

const NO_HASH = '0'.repeat(64);

/** 200 with the card: PHYSICAL and DELIVERED. */
export function activateCard(
  issuer: Issuer,
  asker: Asker,
  id: bigint,
  code: string,
  view: View,
  openHolds: OpenHolds,
  once: Once | null,
): Promise<CommittedAnswer> {
  return commitAnswer(issuer, once, {
    name: 'card.activate',
    needs: needsOfChange(asker.tenantId, id, openHolds),
    decide(loaded): Ending {
      const card = loaded.get(cardKind, { tenantId: asker.tenantId, id });
      if (!askerIs(card, asker)) throw new Refusal('RESOURCE_NOT_FOUND');
      const refused = ACTIVATION.find(([, applies]) => applies(card));
      const { physical } = card.details;
      if (refused || !physical) throw new Refusal(refused?.[0] ?? 'INSTRUMENT_NOT_PHYSICAL');
      const kept = Buffer.from(physical.activationHash ?? NO_HASH, 'hex');
      if (!timingSafeEqual(Buffer.from(activationHash(issuer, card, code), 'hex'), kept)) {
        const wrongActivationCodes = physical.wrongActivationCodes + 1;
        const standing = wrongActivationCodes >= MOST_WRONG_CODES ? blocked(card, 'SYSTEM') : card;
        if (typeof standing === 'string') throw new Refusal(standing);
        const { state, blocks, destroyed_reason } = standing;
        const { changes } = restand(
          issuer,
          loaded,
          card,
          { state, blocks, destroyed_reason },
          {
            physical: { ...physical, wrongActivationCodes },
          },
        );
        return refusedEnding('ACTIVATION_CODE_INVALID', changes);
      }
      const changed: Card = {
        ...card,
        type: 'PHYSICAL',
        details: {
          ...card.details,
          physical: {
            ...physical,
            pendingActivation: false,
            manufacturingState: 'DELIVERED',
            nextStepAt: null,
            activationHash: null,
            wrongActivationCodes: 0,
          },
        },
        updated_at: issuer.clock.now(),
      };
      const after: Card = { ...changed, due_at: dueAtOf(changed) };
      return { status: 200, body: view(after), changes: [cardUpdate(after)] };
    },
  });
}

/** What a bureau reports: state and tracking. 204; refuses with INSTRUMENT_NOT_PHYSICAL. */
export function manufactured(
  issuer: Issuer,
  tenantId: bigint,
  id: bigint,
  report: {
    readonly state: ManufacturingState;
    readonly deliveryTrackingCode?: string | undefined;
    readonly deliveryTrackingMethod?: string | undefined;
  },
): Promise<CommittedAnswer> {
  const need = needCard(tenantId, id);
  return commitAnswer(issuer, null, {
    name: 'card.manufactured',
    needs: [need],
    decide(loaded): Ending {
      const card = loaded.get(cardKind, { tenantId, id });
      const physical = card?.details.physical;
      if (!card || !physical) throw new Refusal('INSTRUMENT_NOT_PHYSICAL');
      const made: PhysicalCard = {
        ...physical,
        manufacturingState: report.state,
        nextStepAt: null,
        deliveryTrackingCode: report.deliveryTrackingCode ?? physical.deliveryTrackingCode,
        deliveryTrackingMethod: report.deliveryTrackingMethod ?? physical.deliveryTrackingMethod,
      };
      const changed: Card = { ...card, details: { ...card.details, physical: made }, updated_at: issuer.clock.now() };
      const after: Card = { ...changed, due_at: dueAtOf(changed) };
      return { status: 204, body: null, changes: [cardUpdate(after)] };
    },
  });
}
