// PATCH /cards/{cardId} and /cards/limits: a card's options and its spend rules.
import { type AnyEndpoint, endpointOf } from '../../http/index.ts';
import type { Session } from '../access/index.ts';
import { type Card, CardPath, cardAsked, idGiven, profileOf, card as shownCard, unknownCard } from '../cards/index.ts';
import { CHANGE_CODES, channelMeant } from '../creation/index.ts';
import { viewFor } from '../reading/index.ts';
import { answered, conflict, type IssuingDeps } from '../requests/index.ts';
import { type Interval, type Level, rulesView, type SpendRules } from '../rules/index.ts';
import { limitsOfLevels } from './answer-schemas.ts';
import { changeLimits } from './limits.ts';
import { patchCard } from './patch.ts';
import { CardPatch, LimitsBody } from './schemas.ts';

const endpoint = endpointOf<Session>();
const TAG = 'Cards';

/** Port: the rules above the card's own, and what is left of its spend limits now. */
export interface LimitsPort {
  readonly rulesAbove: (card: Card) => Promise<Readonly<Record<Exclude<Level, 'CARD'>, SpendRules>>>;
  readonly availableToSpend: (
    card: Card,
  ) => Promise<readonly { readonly interval: Interval; readonly currency: string; readonly amount: number }[]>;
}

export function optionEndpoints(deps: IssuingDeps, limits: LimitsPort): AnyEndpoint<Session>[] {
  return [
    endpoint({
      method: 'PATCH',
      path: '/cards/:cardId',
      operation: 'changeCard',
      summary: "Change a card's options",
      tag: TAG,
      right: null,
      params: CardPath,
      body: CardPatch,
      answers: {
        200: { description: 'The card', schema: shownCard },
        ...unknownCard,
        ...conflict(...CHANGE_CODES),
      },
      async handler({ principal, params, body, once }) {
        const card = await cardAsked(deps, principal, params.cardId);
        const [profile, view] = await Promise.all([profileOf(deps, card), viewFor(deps, principal, card, once)]);
        const threeDs = channelMeant(principal.tenant, body.threeDSecureAuthConfig);
        const change = { ...body, threeDSecureAuthConfig: threeDs };
        return answered(await patchCard(deps, principal, card, profile, change, view, once));
      },
    }),
    endpoint({
      method: 'GET',
      path: '/cards/limits/:cardId',
      operation: 'readCardLimits',
      summary: 'Show the spend rules of every level, and what may still be spent',
      tag: TAG,
      right: null,
      params: CardPath,
      answers: { 200: { description: 'Rules and availableToSpend', schema: limitsOfLevels }, ...unknownCard },
      async handler({ principal, params }) {
        const card = await cardAsked(deps, principal, params.cardId);
        const [above, left] = await Promise.all([limits.rulesAbove(card), limits.availableToSpend(card)]);
        const availableToSpend = left.map(({ interval, currency, amount }) => ({
          value: { currency, amount },
          interval,
        }));
        return {
          status: 200,
          body: {
            cardLevelSpendRules: rulesView(card.details.rules),
            profileLevelSpendRules: rulesView(above.PROFILE),
            identityLevelSpendRules: rulesView(above.IDENTITY),
            platformLevelSpendRules: rulesView(above.PLATFORM),
            availableToSpend,
          },
        };
      },
    }),
    ...(['PUT', 'PATCH'] as const).map((method) =>
      endpoint({
        method,
        path: '/cards/limits/:cardId',
        operation: method === 'PUT' ? 'putCardLimits' : 'patchCardLimits',
        summary: method === 'PUT' ? 'Replace the spend rules of a card' : 'Change single spend rules of a card',
        tag: TAG,
        right: null,
        params: CardPath,
        body: LimitsBody,
        example: {
          data: { spendLimit: [{ value: { currency: 'EUR', amount: 10000 }, interval: 'DAILY' }], allowAtm: false },
        },
        answers: {
          204: { description: 'Set' },
          ...unknownCard,
          ...conflict(
            'INSTRUMENT_DESTROYED',
            'SPEND_LIMIT_NOT_SUPPORTED_FOR_PREPAID_MODE_CARD',
            'SPEND_LIMIT_CURRENCY_DIFFERENT_FROM_CARD_CURRENCY',
            'SPEND_LIMIT_DUPLICATE_INTERVAL',
            'SPEND_LIMIT_AMOUNT_INVALID',
          ),
        },
        async handler({ principal, params, body, once }) {
          const given = body.data as SpendRules;
          const change = (rules: SpendRules): SpendRules => (method === 'PUT' ? given : { ...rules, ...given });
          return answered(await changeLimits(deps, principal, idGiven(deps, params.cardId), change, once));
        },
      }),
    ),
    endpoint({
      method: 'DELETE',
      path: '/cards/limits/:cardId',
      operation: 'deleteCardLimits',
      summary: 'Take the spend rules of a card away',
      tag: TAG,
      right: null,
      params: CardPath,
      answers: {
        204: { description: 'Gone' },
        ...unknownCard,
        ...conflict('INSTRUMENT_DESTROYED'),
      },
      async handler({ principal, params, once }) {
        return answered(await changeLimits(deps, principal, idGiven(deps, params.cardId), () => ({}), once));
      },
    }),
  ];
}
