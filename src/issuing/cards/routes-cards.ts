// /cards: request, list, show, change; limits; reveal.
import type { Static } from 'typebox';
import { type AnyEndpoint, endpointOf } from '../../http/index.ts';
import type { Once } from '../../store/index.ts';
import type { Session } from '../access/index.ts';
import { StatementQuery, statementAnswer, statementPage } from '../accounts/index.ts';
import { shape, text } from '../fields/index.ts';
import { type CommittedAnswer, conflict, type Issuer, Refusal } from '../issuer/index.ts';
import { type Interval, type Level, rulesView, type SpendRules } from '../rules/index.ts';
import { aliasesOf, type Tenant } from '../tenants/index.ts';
import { cardAsked, profileOf, viewFor, viewsFor } from './asked.ts';
import { CHANGE_CODES, CREATION_CODES, type ThreeDs } from './conflicts.ts';
import { type CardOwner, createCard } from './create.ts';
import { changeLimits } from './limits.ts';
import { cardsList } from './list-queries.ts';
import { type Card, instrumentOf } from './model.ts';
import { patchCard } from './patch.ts';
import { reveal } from './reveal.ts';
import { cardsPage, createdCard, limitsOfLevels, revealedValue, card as shownCard } from './routes-answers.ts';
import { CardPatch, CardPath, CardRequest, CardsQuery, LimitsBody } from './schemas.ts';

const endpoint = endpointOf<Session>();
const TAG = 'Cards';

export const unknownCard = { 404: { description: 'No such card of this identity' } } as const;

export const answered = ({ status, body, replayed }: CommittedAnswer) => ({ status, body, replayed });
const dateOf = (ms: number | undefined): Date | null => (ms === undefined ? null : new Date(ms));

/** The channel that an alias stands for; the word itself is echoed. */
function channelMeant<Config extends Pick<ThreeDs, 'primaryChannel'>>(
  tenant: Tenant,
  config: Config | undefined,
): (Config & Pick<ThreeDs, 'primaryAlias'>) | undefined {
  const meant = config && aliasesOf(tenant).get(config.primaryChannel);
  return config && meant ? { ...config, primaryChannel: meant, primaryAlias: config.primaryChannel } : config;
}

/** Makes a card as the request's body asks for it. */
export function requestCard(
  issuer: Issuer,
  owner: CardOwner,
  { type, data }: Static<typeof CardRequest>,
  once: Once | null,
): Promise<CommittedAnswer> {
  const threeDs = channelMeant(owner.tenant, data.threeDSecureAuthConfig);
  return createCard(issuer, owner, { type, data: { ...data, threeDSecureAuthConfig: threeDs } }, once);
}

/** Port: the rules above the card's own, and what is left of its spend limits now. */
export interface LimitsPort {
  readonly rulesAbove: (card: Card) => Promise<Readonly<Record<Exclude<Level, 'CARD'>, SpendRules>>>;
  readonly availableToSpend: (
    card: Card,
  ) => Promise<readonly { readonly interval: Interval; readonly currency: string; readonly amount: number }[]>;
}

export function cardEndpoints(issuer: Issuer, limits: LimitsPort): AnyEndpoint<Session>[] {
  const { db, permutation } = issuer;
  const idOf = (text_: string): bigint => {
    const id = permutation.inward(text_);
    if (id === null) throw new Refusal('RESOURCE_NOT_FOUND');
    return id;
  };
  const inwardOr = (given: string | undefined): bigint | null =>
    given === undefined ? null : (permutation.inward(given) ?? 0n);

  return [
    endpoint({
      method: 'POST',
      path: '/cards/request',
      operation: 'requestCard',
      summary: 'Create a card',
      description:
        'Amounts are in minor units. `idempotency-ref` makes the request safe to repeat for 24 hours. The two statements of the document about parentManagedAccountId conflict: it is required for DEBIT_MODE, and ignored with PREPAID_MODE unless the tenant is strict.',
      tag: TAG,
      right: null,
      body: CardRequest,
      example: {
        type: 'consumer',
        data: {
          profileId: '1001',
          friendlyName: 'Travel',
          nameOnCard: 'Ada Example',
          billingAddress: { addressLine1: '1 Example Street', city: 'Valletta', postCode: 'VLT 1000', country: 'MT' },
          mode: 'PREPAID_MODE',
          currency: 'EUR',
          cardholderMobileNumber: '+35699000001',
        },
      },
      answers: {
        200: { description: 'The card; id besides the echo of the request', schema: createdCard },
        ...conflict(...CREATION_CODES),
      },
      handler: async ({ principal, body, once }) => answered(await requestCard(issuer, principal, body, once)),
    }),
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
        const shown = await viewsFor(issuer, principal, cards);
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
        const card = await cardAsked(issuer, principal, params.cardId);
        return { status: 200, body: (await viewFor(issuer, principal, card))(card) };
      },
    }),
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
        const card = await cardAsked(issuer, principal, params.cardId);
        const [profile, view] = await Promise.all([profileOf(issuer, card), viewFor(issuer, principal, card, once)]);
        const threeDs = channelMeant(principal.tenant, body.threeDSecureAuthConfig);
        const change = { ...body, threeDSecureAuthConfig: threeDs };
        return answered(await patchCard(issuer, principal, card, profile, change, view, once));
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
        const card = await cardAsked(issuer, principal, params.cardId);
        const of = {
          tenantId: card.tenant_id,
          instrumentId: instrumentOf(card),
          currency: card.currency,
          cardId: card.mode === 'DEBIT_MODE' ? permutation.outward(card.id) : null,
        };
        return statementAnswer(issuer, of, query, csv);
      },
    }),
    endpoint({
      method: 'POST',
      path: '/cards/reveal',
      operation: 'revealCardData',
      summary: 'Turn a reveal token into what it stands for, once',
      tag: TAG,
      right: null,
      body: shape({ token: text({ required: true, max: 255, blank: 'HAS_TEXT', exact: true }) }),
      answers: {
        200: { description: 'The value', schema: revealedValue },
        404: { description: 'Not a token of this user, used, or over' },
      },
      async handler({ principal, body }) {
        return { status: 200, body: { value: await reveal(issuer, principal, body.token) } };
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
        const card = await cardAsked(issuer, principal, params.cardId);
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
          return answered(await changeLimits(issuer, principal, idOf(params.cardId), change, once));
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
        return answered(await changeLimits(issuer, principal, idOf(params.cardId), () => ({}), once));
      },
    }),
  ];
}
