// GET /cards: a list, one card, its statement.
import { type AnyEndpoint, endpointOf } from '../../http/index.ts';
import type { Session } from '../access/index.ts';
import { StatementQuery, statementAnswer, statementPage } from '../accounts/index.ts';
import {
  CardPath,
  cardAsked,
  cardsList,
  cardsPage,
  instrumentOf,
  card as shownCard,
  unknownCard,
} from '../cards/index.ts';
import { dateOf } from '../fields/index.ts';
import { type IssuingDeps, toldNow } from '../requests/index.ts';
import { CardsQuery } from './schemas.ts';
import { viewFor, viewsFor } from './view.ts';

const endpoint = endpointOf<Session>();
const TAG = 'Cards';

export function readingEndpoints(deps: IssuingDeps): AnyEndpoint<Session>[] {
  const { db, permutation } = deps;
  const inwardOr = (given: string | undefined): bigint | null =>
    given === undefined ? null : (permutation.inward(given) ?? 0n);

  return [
    endpoint({
      method: 'GET',
      path: '/cards',
      operation: 'listCards',
      cost: ({ offset = 0, limit = 100 }) => offset + limit,
      summary: 'List the cards of the identity, the newest first',
      tag: TAG,
      right: null,
      query: CardsQuery,
      answers: { 200: { description: 'A page of cards', schema: cardsPage } },
      async handler({ principal, query }) {
        const { cards, count } = await cardsList(
          db,
          principal.tenant.id,
          {
            identityId: principal.identity.id,
            profileId: inwardOr(query.profileId),
            parentId: inwardOr(query.parentManagedAccountId),
            state: query.state ?? null,
            mode: query.mode ?? null,
            type: query.type ?? null,
            currency: query.currency ?? null,
            tag: query.tag ?? null,
            friendlyName: query.friendlyName ?? null,
            externalHandle: query.externalHandle ?? null,
            firstSix: query.cardNumberFirstSix ?? null,
            lastFour: query.cardNumberLastFour ?? null,
            createdFrom: dateOf(query.createdFrom),
            createdTo: dateOf(query.createdTo),
          },
          { offset: query.offset ?? 0, limit: query.limit ?? 100 },
        );
        const shown = await viewsFor(deps, principal, cards);
        return { status: 200, body: { cards: shown, count, responseCount: shown.length } };
      },
    }),
    endpoint({
      method: 'GET',
      path: '/cards/:cardId',
      operation: 'readCard',
      summary: 'Show a card',
      tag: TAG,
      right: null,
      params: CardPath,
      answers: {
        200: { description: 'The card; number and CVV as one-time reveal tokens', schema: shownCard },
        ...unknownCard,
      },
      async handler({ principal, params }) {
        const card = await cardAsked(deps, principal, params.cardId);
        return { status: 200, body: (await viewFor(deps, principal, card))(card, toldNow(deps)) };
      },
    }),
    endpoint({
      method: 'GET',
      path: '/cards/transactions/:cardId',
      operation: 'listCardTransactions',
      cost: ({ offset = 0, limit = 100 }) => offset + limit,
      summary: 'Statement of the card with running balances, as JSON or CSV',
      description: "A debit card's is the part of its account's statement that is about the card.",
      tag: TAG,
      right: null,
      params: CardPath,
      query: StatementQuery,
      orCsv: true,
      answers: { 200: { description: 'A page of entries', schema: statementPage }, ...unknownCard },
      async handler({ principal, params, query, csv }) {
        const card = await cardAsked(deps, principal, params.cardId);
        const of = {
          tenantId: card.tenant_id,
          instrumentId: instrumentOf(card),
          currency: card.currency,
          cardId: card.mode === 'DEBIT_MODE' ? permutation.outward(card.id) : null,
        };
        return statementAnswer(deps, of, query, csv);
      },
    }),
  ];
}
