// What happens to cards by itself: the bureau's steps, renewal and expiry (docs/contract/issuing.md#state-machine).
// Rule: each is decided on the locked card, from its own due moment, so that a clock that jumps does the same as one that walks.
import type { EventType } from '../../events/index.ts';
import type { Change, Loaded, Timeline, Told } from '../../store/index.ts';
import { destroyed } from '../accounts/index.ts';
import {
  type Card,
  type ChangedCard,
  cardChanged,
  cardKind,
  cardsDue,
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

type DueDeps = Pick<IssuingDeps, 'events' | 'permutation' | 'sandbox'>;

/** The first of what is due to a card that has a timer: a step of the bureau, before an expiry at the same moment, or the expiry. */
function happened(deps: DueDeps, told: Told, loaded: Loaded, card: Card, dueAt: Date): ChangedCard {
  const funds = fundsLoaded(loaded, card);
  const changed = (after: Card, event: EventType<'card'>): ChangedCard =>
    cardChanged(deps, told, { before: card, after: { ...after, due_at: dueAtOf(after) }, event, funds });
  const { physical } = card.details;
  const made = physical && bureauStep(deps, physical, dueAt);
  if (made && card.state !== 'DESTROYED')
    return changed(
      { ...card, details: { ...card.details, physical: made }, updated_at: told.now },
      MADE[made.manufacturingState],
    );
  const expiry = expiryMoment(card.expires);
  // Nothing: its timer is set anew.
  if (expiry > dueAt) return changed(card, 'card.updated');
  if (card.renewal === 'AUTO_RENEW' && card.state !== 'DESTROYED')
    return changed(renewed(deps, card, expiry), 'card.renewed');
  const standing = destroyed(card, 'EXPIRED');
  // Destroyed already: it has no timers.
  if (typeof standing === 'string') return changed(card, 'card.expired');
  return restand(deps, told, loaded, card, standing, 'card.expired');
}

function runOne(
  deps: DueDeps & Pick<IssuingDeps, 'committer'>,
  tenantId: bigint,
  id: bigint,
  openHolds: OpenHolds,
): Promise<void> {
  return deps.committer.submit<void>({
    name: 'card.due',
    owner: tenantId,
    needs: needsOfChange(tenantId, id, openHolds),
    decide(loaded, told) {
      let card = loaded.get(cardKind, { tenantId, id });
      const changes: Change[] = [];
      // What fell due together happens in its order, each with its own event. Each round moves the timer on.
      while (card?.due_at && card.due_at <= told.now) {
        const next = happened(deps, told, loaded, card, card.due_at);
        changes.push(...next.changes);
        card = next.card;
      }
      return { value: undefined, changes };
    },
  });
}
