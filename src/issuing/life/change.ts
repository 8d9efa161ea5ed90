// What a cardholder or the operator does to a card: block, unblock, remove, report it lost or stolen.
// Rule: one commit under the card's lock, and under that of its funds where money has a say; counts follow what is destroyed.

import type { EventType } from '../../events/index.ts';
import type { Kind, Loaded, Need, Once, Told } from '../../store/index.ts';
import { blocked, destroyed, type Funds, fundsKind, needFunds, type Standing, unblocked } from '../accounts/index.ts';
import {
  type Asker,
  type Card,
  type CardEventDeps,
  type CardKey,
  type ChangedCard,
  cardChanged,
  commitOnCard,
  dueAtOf,
  fundsLoaded,
  isCvvBlocked,
  needCard,
} from '../cards/index.ts';
import { type RefusalCode, refuse } from '../fields/index.ts';
import { liveChanges } from '../lending/index.ts';
import type { CommittedAnswer, IssuingDeps } from '../requests/index.ts';
import { liveTokens, type WalletToken, walletTokenMoves, walletTokensKind } from '../tokens/index.ts';

/** Port: what is still held for a card, minor units; loaded behind the card's lock, which every authorization takes too. */
export type OpenHolds = Kind<CardKey, bigint>;

interface Facts {
  readonly card: Card;
  /** null: a debit card, which has none of its own. */
  readonly funds: Funds | null;
  /** Something is still held for the card, on its own funds or its parent's. */
  readonly holds: boolean;
  readonly by: 'USER' | 'SYSTEM';
}

interface Move {
  readonly event: EventType<'card'>;
  readonly stand: (facts: Facts) => Standing | RefusalCode;
  /** What is noted on the card besides. */
  readonly notes?: (facts: Facts) => Partial<Card['details']>;
}

const isPlastic = ({ details }: Card): boolean => details.physical !== null;

/** Wrong CVVs may come from any shop, so only the operator lets a CVV be tried again. */
const liftsCvv = ({ card, by }: Pick<Facts, 'card' | 'by'>): boolean => by === 'SYSTEM' && isCvvBlocked(card);

/** action → what it makes of a card, or why not. The whole lifecycle but for activation, upgrade, replacement and time. */
export const MOVES = {
  block: { event: 'card.blocked', stand: ({ card, by }) => blocked(card, by) },
  unblock: {
    event: 'card.unblocked',
    stand: ({ card, by }) => {
      const standing = unblocked(card, by);
      return standing === 'INSTRUMENT_NOT_BLOCKED' && liftsCvv({ card, by }) ? card : standing;
    },
    notes: (facts) => (liftsCvv(facts) ? { wrongCvvs: 0 } : {}),
  },
  remove: {
    event: 'card.destroyed',
    stand: ({ card, funds, holds, by }) => {
      if (card.state === 'DESTROYED') return 'INSTRUMENT_DESTROYED';
      return (funds && funds.actual !== 0n) || holds ? 'BALANCE_NOT_ZERO' : destroyed(card, by);
    },
  },
  'report-lost': {
    event: 'card.blocked',
    stand: ({ card }) => {
      if (card.state === 'DESTROYED') return 'INSTRUMENT_DESTROYED';
      if (!isPlastic(card)) return 'INSTRUMENT_NOT_PHYSICAL';
      return card.blocks.includes('LOST') ? 'INSTRUMENT_MARKED_LOST_STOLEN' : blocked(card, 'LOST');
    },
    notes: () => ({ lostStolen: 'LOST' }),
  },
  'report-stolen': {
    event: 'card.destroyed',
    stand: ({ card }) => {
      if (card.state === 'DESTROYED') return 'INSTRUMENT_DESTROYED';
      return isPlastic(card) ? destroyed(card, 'STOLEN') : 'INSTRUMENT_NOT_PHYSICAL';
    },
    notes: () => ({ lostStolen: 'STOLEN' }),
  },
} as const satisfies Readonly<Record<string, Move>>;

export type CardMove = keyof typeof MOVES;

/** What a new standing comes with. */
interface Beside {
  /** What is noted on the card. */
  readonly details?: Partial<Card['details']> | undefined;
  /** Its funds behind the commit, where that moves them. */
  readonly left?: Funds | null;
  /** Its wallet tokens, where the commit has taken some from it. */
  readonly tokens?: readonly WalletToken[];
}

/** The tokens of a card as its lock shows them. */
export const tokensLoaded = (loaded: Loaded, { tenant_id, id }: Card): readonly WalletToken[] =>
  loaded.get(walletTokensKind, { tenantId: tenant_id, id }) ?? [];

/** The card with its new standing, and all that follows from it: counts, wallet tokens, timers. */
export function restand(
  deps: CardEventDeps,
  told: Pick<Told, 'now' | 'ids' | 'cause'>,
  loaded: Loaded,
  card: Card,
  standing: Standing,
  event: EventType<'card'>,
  { details = {}, left = fundsLoaded(loaded, card), tokens: known = tokensLoaded(loaded, card) }: Beside = {},
): ChangedCard {
  const gone = card.state !== 'DESTROYED' && standing.state === 'DESTROYED';
  const ended = gone ? { endedTokens: liveTokens(known) } : {};
  const changed: Card = {
    ...card,
    ...standing,
    details: { ...card.details, ...details, ...ended },
    updated_at: told.now,
  };
  const after: Card = { ...changed, due_at: dueAtOf(changed) };
  const changedCard = cardChanged(deps, told, {
    before: card,
    after,
    event,
    funds: left,
    fundsBefore: fundsLoaded(loaded, card),
  });
  return {
    card: changedCard.card,
    changes: [
      ...changedCard.changes,
      ...(gone ? liveChanges(after, -1n) : []),
      ...walletTokenMoves(deps, told, known, standing.state),
    ],
  };
}

/** Everything that `restand` and the moves look at. */
export const needsOfChange = (tenantId: bigint, id: bigint, openHolds: OpenHolds): Need[] => [
  needCard(tenantId, id),
  needFunds(tenantId, id),
  { kind: openHolds, key: { tenantId, id } },
  { kind: walletTokensKind, key: { tenantId, id } },
];

/** 204, or a refusal: RESOURCE_NOT_FOUND for a card that isn't there or isn't the asker's. */
export function changeCard(
  deps: Pick<IssuingDeps, 'committer' | 'events' | 'permutation'>,
  asker: Asker,
  id: bigint,
  move: CardMove,
  openHolds: OpenHolds,
  once: Once | null,
): Promise<CommittedAnswer> {
  const key = { tenantId: asker.tenantId, id };
  const rule: Move = MOVES[move];
  return commitOnCard(deps, once, {
    name: `card.${move}`,
    asker,
    id,
    needs: needsOfChange(asker.tenantId, id, openHolds),
    decide(card, loaded, told) {
      const facts: Facts = {
        card,
        funds: loaded.get(fundsKind, key) ?? null,
        holds: (loaded.get(openHolds, key) ?? 0n) > 0n,
        by: asker.identityId === null ? 'SYSTEM' : 'USER',
      };
      const standing = rule.stand(facts);
      if (typeof standing === 'string') throw refuse(standing);
      const { changes } = restand(deps, told, loaded, card, standing, rule.event, {
        details: rule.notes?.(facts),
      });
      return { status: 204, body: null, changes };
    },
  });
}
