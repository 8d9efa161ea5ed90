// /cards: what happens to a card in its life: activate, upgrade, block, report, replace, PIN.
import { type AnyEndpoint, endpointOf } from '../../http/index.ts';
import type { Session } from '../access/index.ts';
import { conflict, type Issuer, Refusal, type RefusalCode } from '../issuer/index.ts';
import { cardAsked, profileOf, viewFor } from './asked.ts';
import { type Asker, type CardMove, changeCard, MOVES, type OpenHolds } from './change.ts';
import { pinFor, unblockPin } from './pin.ts';
import { activateCard, upgradeCard } from './plastic.ts';
import { type Replacement, replaceCard } from './replace.ts';
import { card as shownCard, pin as shownPin } from './routes-answers.ts';
import { answered, unknownCard } from './routes-cards.ts';
import { ActivateBody, CardPath, ReplaceBody, UpgradeBody } from './schemas.ts';

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

const REPLACEMENTS: Readonly<Record<Replacement, readonly [summary: string, codes: readonly RefusalCode[]]>> = {
  'replace-damaged': [
    'Order new plastic for a damaged card; its number stays',
    ['INSTRUMENT_NOT_PHYSICAL', 'INSTRUMENT_BLOCKED', 'INSTRUMENT_DESTROYED', 'INSTRUMENT_MARKED_LOST_STOLEN'],
  ],
  'replace-lost-stolen': [
    'A new card in place of one that was reported lost or stolen; its money moves',
    ['INSTRUMENT_NOT_MARKED_LOST_STOLEN', 'INSTRUMENT_ALREADY_REPLACED', 'INSTRUMENT_NOT_FOUND'],
  ],
};

const camel = (name: string): string => name.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase());

export function lifeEndpoints(issuer: Issuer, openHolds: OpenHolds): AnyEndpoint<Session>[] {
  const idOf = (text: string): bigint => {
    const id = issuer.permutation.inward(text);
    if (id === null) throw new Refusal('RESOURCE_NOT_FOUND');
    return id;
  };
  const askerOf = ({ tenant, identity }: Session): Asker => ({ tenantId: tenant.id, identityId: identity.id });

  return [
    endpoint({
      method: 'POST',
      path: '/cards/activate/:cardId',
      operation: 'activateCard',
      summary: 'Take a physical card into use with its activation code',
      tag: TAG,
      right: null,
      params: CardPath,
      body: ActivateBody,
      example: { activationCode: '004711' },
      answers: {
        200: { description: 'The card', schema: shownCard },
        ...unknownCard,
        ...conflict(
          'INSTRUMENT_DESTROYED',
          'INSTRUMENT_BLOCKED',
          'INSTRUMENT_NOT_PHYSICAL',
          'INSTRUMENT_ALREADY_ACTIVATED',
          'ACTIVATION_CODE_INVALID',
        ),
      },
      async handler({ principal, params, body, once }) {
        const card = await cardAsked(issuer, principal, params.cardId);
        const view = await viewFor(issuer, principal, card, once);
        return answered(
          await activateCard(issuer, askerOf(principal), card.id, body.activationCode, view, openHolds, once),
        );
      },
    }),
    endpoint({
      method: 'POST',
      path: '/cards/upgrade/:cardId',
      operation: 'upgradeCard',
      summary: 'Order a physical card and set its activation code',
      tag: TAG,
      right: null,
      params: CardPath,
      body: UpgradeBody,
      answers: {
        200: { description: 'The card', schema: shownCard },
        ...unknownCard,
        ...conflict(
          'INSTRUMENT_DESTROYED',
          'INSTRUMENT_BLOCKED',
          'INSTRUMENT_ALREADY_UPGRADED_TO_PHYSICAL',
          'PRODUCT_REFERENCE_INVALID',
          'CARRIER_TYPE_INVALID',
          'DELIVERY_METHOD_INVALID',
        ),
      },
      async handler({ principal, params, body, once }) {
        const card = await cardAsked(issuer, principal, params.cardId);
        const [profile, view] = await Promise.all([profileOf(issuer, card), viewFor(issuer, principal, card, once)]);
        return answered(await upgradeCard(issuer, askerOf(principal), card.id, () => profile, body, view, once));
      },
    }),
    ...(Object.keys(MOVES) as CardMove[]).map((move) =>
      endpoint({
        method: 'POST',
        path: `/cards/${move}/:cardId`,
        operation: `${camel(move)}Card`,
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
          answered(await changeCard(issuer, askerOf(principal), idOf(params.cardId), move, openHolds, once)),
      }),
    ),
    ...(Object.keys(REPLACEMENTS) as Replacement[]).map((kind) =>
      endpoint({
        method: 'POST',
        path: `/cards/${kind}/:cardId`,
        operation: `${camel(kind)}Card`,
        summary: REPLACEMENTS[kind][0],
        tag: TAG,
        right: null,
        params: CardPath,
        body: ReplaceBody,
        answers: {
          200: { description: 'The card that is used from now on', schema: shownCard },
          ...unknownCard,
          ...conflict(...REPLACEMENTS[kind][1]),
        },
        async handler({ principal, params, body, once }) {
          const card = await cardAsked(issuer, principal, params.cardId);
          const [profile, view] = await Promise.all([profileOf(issuer, card), viewFor(issuer, principal, card, once)]);
          const request = { kind, activationCode: body.activationCode ?? null };
          return answered(await replaceCard(issuer, askerOf(principal), card, profile, request, view, openHolds, once));
        },
      }),
    ),
    endpoint({
      method: 'GET',
      path: '/cards/pin/:cardId',
      operation: 'readCardPin',
      summary: 'The PIN of a physical card, as a one-time reveal token',
      tag: TAG,
      right: null,
      params: CardPath,
      answers: {
        200: { description: 'The PIN', schema: shownPin },
        ...unknownCard,
        ...conflict('INSTRUMENT_NOT_PHYSICAL', 'INSTRUMENT_BLOCKED', 'INSTRUMENT_DESTROYED', 'PIN_BLOCKED'),
      },
      async handler({ principal, params }) {
        const card = await cardAsked(issuer, principal, params.cardId);
        return { status: 200, body: { pin: { value: await pinFor(issuer, principal, card) } } };
      },
    }),
    endpoint({
      method: 'POST',
      path: '/cards/pin/unblock/:cardId',
      operation: 'unblockCardPin',
      summary: 'Unblock the PIN',
      tag: TAG,
      right: null,
      params: CardPath,
      answers: {
        204: { description: 'Unblocked' },
        ...unknownCard,
        ...conflict('PIN_NOT_BLOCKED', 'INSTRUMENT_NOT_PHYSICAL', 'INSTRUMENT_DESTROYED'),
      },
      handler: async ({ principal, params, once }) =>
        answered(await unblockPin(issuer, principal, idOf(params.cardId), once)),
    }),
  ];
}
