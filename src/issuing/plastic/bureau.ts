// The bureau that makes the plastic: a real one reports, the sandbox's goes its steps by the clock.

import { addMs } from '../../base/index.ts';
import type { EventType } from '../../events/index.ts';
import { needFunds } from '../accounts/index.ts';
import {
  type Card,
  cardKind,
  cardWritten,
  dueAtOf,
  fundsLoaded,
  type ManufacturingState,
  needCard,
  type PhysicalCard,
} from '../cards/index.ts';
import { refuse } from '../fields/index.ts';
import { type CommittedAnswer, commitAnswer, type Ending, type IssuingDeps } from '../requests/index.ts';

/** The simulated bureau: how long each state lasts before the next. A real one is told of the order, and tells us. */
const BUREAU: Readonly<Partial<Record<ManufacturingState, readonly [next: ManufacturingState, afterMs: number]>>> = {
  REQUESTED: ['SENT_FOR_FULFILLMENT', 3_600_000],
  SENT_FOR_FULFILLMENT: ['DISPATCHED', 86_400_000],
};

/** What has happened to plastic that is in this state now. */
export const MADE: Readonly<Record<ManufacturingState, EventType<'card'>>> = {
  REQUESTED: 'card.plastic_requested',
  SENT_FOR_FULFILLMENT: 'card.plastic_sent_for_fulfilment',
  DISPATCHED: 'card.plastic_dispatched',
  DELIVERED: 'card.plastic_delivered',
};

export const stepAfter = (deps: Pick<IssuingDeps, 'sandbox'>, state: ManufacturingState, at: Date): string | null => {
  const step = deps.sandbox ? BUREAU[state] : undefined;
  return step ? addMs(at, step[1]).toISOString() : null;
};

/** The one step that the bureau takes next; null: none is due. */
export function bureauStep(deps: Pick<IssuingDeps, 'sandbox'>, physical: PhysicalCard, now: Date): PhysicalCard | null {
  const step = BUREAU[physical.manufacturingState];
  if (!step || physical.nextStepAt === null || new Date(physical.nextStepAt) > now) return null;
  const [manufacturingState] = step;
  const at = new Date(physical.nextStepAt);
  const sent = manufacturingState === 'DISPATCHED';
  return {
    ...physical,
    manufacturingState,
    nextStepAt: stepAfter(deps, manufacturingState, at),
    ...(sent
      ? { deliveryTrackingMethod: physical.deliveryMethod === 'STANDARD_DELIVERY' ? 'NO_TRACKING' : 'TRACKED' }
      : {}),
  };
}

/** What a bureau reports: state and tracking. 204; refuses with INSTRUMENT_NOT_PHYSICAL. */
export function manufactured(
  deps: Pick<IssuingDeps, 'committer' | 'events' | 'permutation'>,
  tenantId: bigint,
  id: bigint,
  report: {
    readonly state: ManufacturingState;
    readonly deliveryTrackingCode?: string | undefined;
    readonly deliveryTrackingMethod?: string | undefined;
  },
): Promise<CommittedAnswer> {
  const need = needCard(tenantId, id);
  return commitAnswer(deps, null, {
    name: 'card.manufactured',
    owner: tenantId,
    needs: [need, needFunds(tenantId, id)],
    decide(loaded, told): Ending {
      const card = loaded.get(cardKind, { tenantId, id });
      const physical = card?.details.physical;
      if (!card || !physical) throw refuse('INSTRUMENT_NOT_PHYSICAL');
      const made: PhysicalCard = {
        ...physical,
        manufacturingState: report.state,
        nextStepAt: null,
        deliveryTrackingCode: report.deliveryTrackingCode ?? physical.deliveryTrackingCode,
        deliveryTrackingMethod: report.deliveryTrackingMethod ?? physical.deliveryTrackingMethod,
      };
      const changed: Card = { ...card, details: { ...card.details, physical: made }, updated_at: told.now };
      const after: Card = { ...changed, due_at: dueAtOf(changed) };
      const funds = fundsLoaded(loaded, card);
      // The same state again brings a tracking code.
      const event = report.state === physical.manufacturingState ? 'card.updated' : MADE[report.state];
      const changes = cardWritten(deps, told, { before: card, after, event, funds });
      return { status: 204, body: null, changes };
    },
  });
}
