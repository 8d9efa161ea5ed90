// What happens to cards by itself: the bureau's steps, renewal and expiry (docs/contract/issuing.md#state-machine).
// Rule: each is decided on the locked card, from its own due moment, so that a clock that jumps does the same as one that walks.
import type { Timeline } from '../../store/index.ts';
import { destroyed } from '../accounts/index.ts';
import {
  type Card,
  cardKind,
  cardsDue,
  cardWritten,
  dueAtOf,
  expiryMoment,
  fundsLoaded,
  monthAfter,
  nextCardDueAt,
  type PhysicalCard,
} from '../cards/index.ts';
import { needsOfChange, type OpenHolds, restand } from '../life/index.ts';
import type { IssuingDeps } from '../requests/index.ts';
import { bureauStep, MADE } from './bureau.ts';
import { orderedPlastic } from './order.ts';

/** The plastic of the new period: an order as the last one, for the bureau to begin with. */
function plasticRenewed(
  deps: Pick<IssuingDeps, 'permutation' | 'sandbox'>,
  card: Card,
  old: PhysicalCard,
  at: Date,
): PhysicalCard {
  const {
    manufacturingState: _made,
    nextStepAt: _step,
    deliveryTrackingCode: _code,
    deliveryTrackingMethod: _method,
    ...order
  } = old;
  const replacementId = deps.permutation.outward(card.id);
  return orderedPlastic(deps, { ...order, replacement: { replacementReason: 'EXPIRED', replacementId } }, at);
}

/** A card whose expiry has come and that renews: valid on, with another CVV, and new plastic where there was some that isn't lost. */
function renewed(deps: Pick<IssuingDeps, 'permutation' | 'sandbox'>, card: Card, at: Date): Card {
  const { physical, expiryPeriodMonths, lostStolen } = card.details;
  const expiry = expiryMoment(card.expires);
  // The month that has just ended is the last of the old period.
  const last = new Date(expiry.getTime() - 1);
  return {
    ...card,
    starts: monthAfter(expiry, 0),
    expires: monthAfter(last, expiryPeriodMonths),
    details: {
      ...card.details,
      // Another CVV: wrong ones of the old no longer count.
      wrongCvvs: 0,
      physical: physical && lostStolen === null ? plasticRenewed(deps, card, physical, at) : physical,
    },
    updated_at: at,
  };
}

export const cardTimeline = (deps: IssuingDeps, openHolds: OpenHolds): Timeline => ({
  about: 'card',
  owners: 'tenant',
  nextDueAt: nextCardDueAt,
  async due(db, now, limit, except) {
    return (await cardsDue(db, now, limit, except)).map((row) => ({ ...row, kind: 'card', through: null }));
  },
  run: ({ owner, id }) => runOne(deps, owner, id, openHolds),
});

function runOne(
  deps: Pick<IssuingDeps, 'committer' | 'events' | 'permutation' | 'sandbox'>,
  tenantId: bigint,
  id: bigint,
  openHolds: OpenHolds,
): Promise<void> {
  return deps.committer.submit<void>({
    name: 'card.due',
    owner: tenantId,
    needs: needsOfChange(tenantId, id, openHolds),
    decide(loaded, told) {
      const { now } = told;
      const card = loaded.get(cardKind, { tenantId, id });
      if (!card?.due_at || card.due_at > now) return { value: undefined, changes: [] };
      const funds = fundsLoaded(loaded, card);
      const { physical } = card.details;
      const made = physical ? bureauStep(deps, physical, now) : null;
      const stepped: Card = { ...card, details: { ...card.details, physical: made }, updated_at: now };
      if (expiryMoment(card.expires) > now || card.renewal === 'AUTO_RENEW') {
        const over = expiryMoment(card.expires) <= now;
        const changed = over ? renewed(deps, stepped, expiryMoment(card.expires)) : stepped;
        const after: Card = { ...changed, due_at: dueAtOf(changed) };
        const event = over ? 'card.renewed' : made ? MADE[made.manufacturingState] : 'card.updated';
        return { value: undefined, changes: cardWritten(deps, told, { before: card, after, event, funds }) };
      }
      const standing = destroyed(card, 'EXPIRED');
      if (typeof standing === 'string') {
        // Destroyed already: it has no timers.
        const after: Card = { ...card, due_at: null };
        return {
          value: undefined,
          changes: cardWritten(deps, told, { before: card, after, event: 'card.expired', funds }),
        };
      }
      const { changes } = restand(deps, told, loaded, card, standing, 'card.expired');
      return { value: undefined, changes };
    },
  });
}
