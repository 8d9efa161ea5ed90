// A request that changes one card: one commit, decided on the locked row.
// Rule: a card that isn't the asker's is as unknown as one that isn't there.

import type { Loaded, Need, Once, Told } from '../../store/index.ts';
import { needFunds } from '../accounts/index.ts';
import { refuse } from '../fields/index.ts';
import { type CommittedAnswer, commitAnswer, type Ending, type IssuingDeps } from '../requests/index.ts';
import { type Asker, askerIs } from './asker.ts';
import type { Card } from './model.ts';
import { cardKind, needCard } from './queries.ts';

export interface CardCommand {
  readonly name: string;
  readonly asker: Asker;
  readonly id: bigint;
  /** Besides the card's row and its funds. */
  readonly needs?: readonly Need[];
  /** Pure. Refuses by throwing a Refusal. */
  decide(card: Card, loaded: Loaded, told: Told): Ending;
}

/** RESOURCE_NOT_FOUND for a card that isn't there or isn't the asker's. */
export const commitOnCard = (
  deps: Pick<IssuingDeps, 'committer'>,
  once: Once | null,
  { name, asker, id, needs = [], decide }: CardCommand,
): Promise<CommittedAnswer> =>
  commitAnswer(deps, once, {
    name,
    owner: asker.tenantId,
    needs: [needCard(asker.tenantId, id), needFunds(asker.tenantId, id), ...needs],
    decide(loaded, told): Ending {
      const card = loaded.get(cardKind, { tenantId: asker.tenantId, id });
      if (!askerIs(card, asker)) throw refuse('RESOURCE_NOT_FOUND');
      return decide(card, loaded, told);
    },
  });
