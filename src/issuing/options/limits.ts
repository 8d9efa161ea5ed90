// Spend rules of a card: put (replaces them), patch, delete. Refusals in the order of RULES (docs/contract/issuing.md#card-limit).

import { isDeepStrictEqual } from 'node:util';
import type { Once } from '../../store/index.ts';
import type { Session } from '../access/index.ts';
import { askerOf, type Card, cardWritten, commitOnCard, fundsLoaded } from '../cards/index.ts';
import { failureOfFields, type RefusalCode, refuse } from '../fields/index.ts';
import type { CommittedAnswer, IssuingDeps } from '../requests/index.ts';
import { rulesView, type SpendRules } from '../rules/index.ts';

/** The greatest amount that the network can carry (DE 4, twelve digits). */
const MOST = 999_999_999_999;

type Rule = readonly [RefusalCode, (rules: SpendRules, card: Card, prepaidLimits: boolean) => boolean];

const RULES: readonly Rule[] = [
  ['INSTRUMENT_DESTROYED', (_, card) => card.state === 'DESTROYED'],
  [
    'SPEND_LIMIT_NOT_SUPPORTED_FOR_PREPAID_MODE_CARD',
    ({ spendLimit = [] }, card, prepaidLimits) =>
      spendLimit.length > 0 && card.mode === 'PREPAID_MODE' && !prepaidLimits,
  ],
  [
    'SPEND_LIMIT_CURRENCY_DIFFERENT_FROM_CARD_CURRENCY',
    ({ spendLimit = [] }, card) => spendLimit.some(({ value }) => value.currency !== card.currency),
  ],
  [
    'SPEND_LIMIT_DUPLICATE_INTERVAL',
    ({ spendLimit = [] }) => new Set(spendLimit.map(({ interval }) => interval)).size < spendLimit.length,
  ],
  ['SPEND_LIMIT_AMOUNT_INVALID', ({ spendLimit = [] }) => spendLimit.some(({ value }) => value.amount > MOST)],
];

/** No amount could be spent. 0 is no maximum. */
export const minAboveMax = ({ minTransactionAmount: least, maxTransactionAmount: most }: SpendRules): boolean =>
  least !== undefined && most !== undefined && most !== 0 && least > most;

export const limitsRefusal = (rules: SpendRules, card: Card, prepaidLimits: boolean): RefusalCode | null =>
  RULES.find(([, applies]) => applies(rules, card, prepaidLimits))?.[0] ?? null;

/** 204. `change`: from the rules as they stand to what they shall be. */
export function changeLimits(
  deps: Pick<IssuingDeps, 'committer' | 'events' | 'permutation'>,
  session: Session,
  id: bigint,
  change: (rules: SpendRules) => SpendRules,
  once: Once | null,
): Promise<CommittedAnswer> {
  return commitOnCard(deps, once, {
    name: 'card.limits',
    asker: askerOf(session),
    id,
    decide(card, loaded, told) {
      const rules = change(card.details.rules);
      const refused = limitsRefusal(rules, card, session.tenant.settings.prepaidSpendLimits);
      if (refused) throw refuse(refused);
      // Of two rules that are changed one after the other only the card knows both.
      if (minAboveMax(rules)) throw failureOfFields([{ path: ['data', 'minTransactionAmount'], error: 'RANGE' }]);
      // As `GET /cards/limits` shows them: the same ones again change nothing.
      if (isDeepStrictEqual(rulesView(rules), rulesView(card.details.rules)))
        return { status: 204, body: null, changes: [] };
      const after: Card = { ...card, details: { ...card.details, rules }, updated_at: told.now };
      // No GET of a card shows its limits: they are told beside it.
      const shown = { limits: rulesView(rules) };
      const funds = fundsLoaded(loaded, card);
      const what = {
        before: card,
        after,
        event: 'card.limits_changed',
        funds,
        operation: shown,
        always: true,
      } as const;
      return { status: 204, body: null, changes: cardWritten(deps, told, what) };
    },
  });
}
