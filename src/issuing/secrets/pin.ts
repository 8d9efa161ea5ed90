// The PIN of a physical card: shown through a one-time token, unblocked by its cardholder. Where it is checked: the authorization room.

import type { Once } from '../../store/index.ts';
import type { Session } from '../access/index.ts';
import { askerOf, type Card, cardWritten, commitOnCard, fundsLoaded } from '../cards/index.ts';
import { type RefusalCode, refuse } from '../fields/index.ts';
import { type CommittedAnswer, type IssuingDeps, toldNow } from '../requests/index.ts';
import { clearValues, revealToken } from './reveal.ts';

const SHOWN: readonly (readonly [RefusalCode, (card: Card) => boolean])[] = [
  ['INSTRUMENT_DESTROYED', (card) => card.state === 'DESTROYED'],
  ['INSTRUMENT_BLOCKED', (card) => card.state === 'BLOCKED'],
  ['INSTRUMENT_NOT_PHYSICAL', (card) => card.details.physical === null],
  ['PIN_BLOCKED', (card) => card.details.physical?.pinBlocked === true],
];

/** The PIN as a one-time token, or itself for a stepped-up session of a tenant in PCI scope. */
export async function pinFor(
  deps: Pick<IssuingDeps, 'clock' | 'ids' | 'permutation' | 'random' | 'vault'>,
  session: Session,
  card: Card,
): Promise<string> {
  const refused = SHOWN.find(([, applies]) => applies(card));
  if (refused) throw refuse(refused[0]);
  if (session.steppedUp && session.tenant.settings.pciScoped) return (await clearValues(deps, card)).pin;
  return revealToken(deps, toldNow(deps), session, card, 'pin');
}

/** 204. */
export function unblockPin(
  deps: Pick<IssuingDeps, 'committer' | 'events' | 'permutation'>,
  session: Session,
  id: bigint,
  once: Once | null,
): Promise<CommittedAnswer> {
  return commitOnCard(deps, once, {
    name: 'card.pin.unblock',
    asker: askerOf(session),
    id,
    decide(card, loaded, told) {
      const { physical } = card.details;
      if (card.state === 'DESTROYED') throw refuse('INSTRUMENT_DESTROYED');
      if (!physical) throw refuse('INSTRUMENT_NOT_PHYSICAL');
      if (!physical.pinBlocked) throw refuse('PIN_NOT_BLOCKED');
      const after: Card = {
        ...card,
        details: { ...card.details, physical: { ...physical, pinBlocked: false, wrongPins: 0 } },
        updated_at: told.now,
      };
      const funds = fundsLoaded(loaded, card);
      const changes = cardWritten(deps, told, { before: card, after, event: 'card.pin_unblocked', funds });
      return { status: 204, body: null, changes };
    },
  });
}
