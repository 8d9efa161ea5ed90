// /cards: block, unblock, remove, report lost or stolen.

import { type AnyEndpoint, endpointOf } from '../../http/index.ts';
import type { Session } from '../access/index.ts';
import { askerOf, CardPath, idGiven, operationOf, unknownCard } from '../cards/index.ts';
import type { RefusalCode } from '../fields/index.ts';
import { answered, conflict, type IssuingDeps } from '../requests/index.ts';
import { type CardMove, changeCard, MOVES, type OpenHolds } from './change.ts';

const endpoint = endpointOf<Session>();
const TAG = 'Cards';

const SUMMARIES: Readonly<Record<CardMove, readonly [summary: string, codes: readonly RefusalCode[]]>> = {
  block: ['Block a card', ['INSTRUMENT_ALREADY_BLOCKED', 'INSTRUMENT_DESTROYED']],
  unblock: ['Unblock a card', ['INSTRUMENT_NOT_BLOCKED', 'INSTRUMENT_DESTROYED', 'INSTRUMENT_MARKED_LOST_STOLEN']],
  remove: ['Destroy a card', ['BALANCE_NOT_ZERO', 'INSTRUMENT_DESTROYED']],
  'report-lost': [
    'Report a physical card lost',
    ['INSTRUMENT_NOT_PHYSICAL', 'INSTRUMENT_DESTROYED', 'INSTRUMENT_MARKED_LOST_STOLEN'],
  ],
  'report-stolen': ['Report a physical card stolen', ['INSTRUMENT_NOT_PHYSICAL', 'INSTRUMENT_DESTROYED']],
};

export const lifeEndpoints = (deps: IssuingDeps, openHolds: OpenHolds): AnyEndpoint<Session>[] =>
  (Object.keys(MOVES) as CardMove[]).map((move) =>
    endpoint({
      method: 'POST',
      path: `/cards/${move}/:cardId`,
      operation: operationOf(move),
      summary: SUMMARIES[move][0],
      tag: TAG,
      right: null,
      params: CardPath,
      answers: {
        204: { description: 'Done' },
        ...unknownCard,
        ...conflict(...SUMMARIES[move][1]),
      },
      handler: async ({ principal, params, once }) =>
        answered(await changeCard(deps, askerOf(principal), idGiven(deps, params.cardId), move, openHolds, once)),
    }),
  );
