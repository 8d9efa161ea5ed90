// POST /cards/activate: plastic is taken into use with its code.
// Rule: codes are compared in constant time; five wrong ones block the card.

import { timingSafeEqual } from 'node:crypto';
import type { Once } from '../../store/index.ts';
import { blocked } from '../accounts/index.ts';
import { type Asker, type Card, cardWritten, commitOnCard, dueAtOf, fundsLoaded } from '../cards/index.ts';
import { type RefusalCode, refuse } from '../fields/index.ts';
import { needsOfChange, type OpenHolds, restand } from '../life/index.ts';
import type { CardViewer } from '../reading/index.ts';
import { type CommittedAnswer, type IssuingDeps, rejectedEnding } from '../requests/index.ts';
import { activationHash } from './order.ts';

const MOST_WRONG_CODES = 5;

const ACTIVATION: readonly (readonly [RefusalCode, (card: Card) => boolean])[] = [
  ['INSTRUMENT_DESTROYED', (card) => card.state === 'DESTROYED'],
  ['INSTRUMENT_BLOCKED', (card) => card.state === 'BLOCKED'],
  ['INSTRUMENT_NOT_PHYSICAL', (card) => card.details.physical === null],
  ['INSTRUMENT_ALREADY_ACTIVATED', (card) => card.details.physical?.pendingActivation === false],
];

const NO_HASH = '0'.repeat(64);

/** 200 with the card: PHYSICAL and DELIVERED. */
export function activateCard(
  deps: Pick<IssuingDeps, 'committer' | 'events' | 'permutation' | 'vault'>,
  asker: Asker,
  id: bigint,
  code: string,
  view: CardViewer,
  openHolds: OpenHolds,
  once: Once | null,
): Promise<CommittedAnswer> {
  return commitOnCard(deps, once, {
    name: 'card.activate',
    asker,
    id,
    needs: needsOfChange(asker.tenantId, id, openHolds),
    decide(card, loaded, told) {
      const refused = ACTIVATION.find(([, applies]) => applies(card));
      const { physical } = card.details;
      if (refused || !physical) throw refuse(refused?.[0] ?? 'INSTRUMENT_NOT_PHYSICAL');
      const hashed = { tenant_id: card.tenant_id, id: BigInt(physical.activationOf ?? card.id) };
      const kept = Buffer.from(physical.activationHash ?? NO_HASH, 'hex');
      if (!timingSafeEqual(Buffer.from(activationHash(deps, hashed, code), 'hex'), kept)) {
        const wrongActivationCodes = physical.wrongActivationCodes + 1;
        const standing = wrongActivationCodes >= MOST_WRONG_CODES ? blocked(card, 'SYSTEM') : card;
        if (typeof standing === 'string') throw refuse(standing);
        const { state, blocks, destroyed_reason } = standing;
        const { changes } = restand(deps, told, loaded, card, { state, blocks, destroyed_reason }, 'card.blocked', {
          details: { physical: { ...physical, wrongActivationCodes } },
        });
        return rejectedEnding('ACTIVATION_CODE_INVALID', changes);
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
            wrongActivationCodes: 0,
          },
        },
        updated_at: told.now,
      };
      const after: Card = { ...changed, due_at: dueAtOf(changed) };
      const funds = fundsLoaded(loaded, card);
      const changes = cardWritten(deps, told, { before: card, after, event: 'card.activated', funds });
      return { status: 200, body: view(after, told), changes };
    },
  });
}
