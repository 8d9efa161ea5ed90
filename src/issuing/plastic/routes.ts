// /cards: activate, upgrade, replace.

import { type AnyEndpoint, endpointOf } from '../../http/index.ts';
import type { Session } from '../access/index.ts';
import {
  askerOf,
  CardPath,
  cardAsked,
  operationOf,
  profileOf,
  card as shownCard,
  unknownCard,
} from '../cards/index.ts';
import type { FailureCode } from '../fields/index.ts';
import type { OpenHolds } from '../life/index.ts';
import { viewFor } from '../reading/index.ts';
import { answered, conflict, type IssuingDeps } from '../requests/index.ts';
import { activateCard } from './activate.ts';
import { type Replacement, replaceCard } from './replace.ts';
import { ActivateBody, ReplaceBody, UpgradeBody } from './schemas.ts';
import { upgradeCard } from './upgrade.ts';

const endpoint = endpointOf<Session>();
const TAG = 'Cards';

const REPLACEMENTS: Readonly<Record<Replacement, readonly [summary: string, codes: readonly FailureCode[]]>> = {
  'replace-damaged': [
    'Order new plastic for a damaged card; its number stays',
    ['INSTRUMENT_NOT_PHYSICAL', 'INSTRUMENT_BLOCKED', 'INSTRUMENT_DESTROYED', 'INSTRUMENT_MARKED_LOST_STOLEN'],
  ],
  'replace-lost-stolen': [
    'A new card in place of one that was reported lost or stolen; its money moves',
    ['INSTRUMENT_NOT_MARKED_LOST_STOLEN', 'INSTRUMENT_ALREADY_REPLACED', 'INSTRUMENT_NOT_FOUND'],
  ],
};

export const plasticEndpoints = (deps: IssuingDeps, openHolds: OpenHolds): AnyEndpoint<Session>[] => [
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
      const card = await cardAsked(deps, principal, params.cardId);
      const view = await viewFor(deps, principal, card, once);
      return answered(
        await activateCard(deps, askerOf(principal), card.id, body.activationCode, view, openHolds, once),
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
      const card = await cardAsked(deps, principal, params.cardId);
      const [profile, view] = await Promise.all([profileOf(deps, card), viewFor(deps, principal, card, once)]);
      return answered(await upgradeCard(deps, askerOf(principal), card.id, profile, body, view, once));
    },
  }),
  ...(Object.keys(REPLACEMENTS) as Replacement[]).map((kind) =>
    endpoint({
      method: 'POST',
      path: `/cards/${kind}/:cardId`,
      operation: operationOf(kind),
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
        const card = await cardAsked(deps, principal, params.cardId);
        const [profile, view] = await Promise.all([profileOf(deps, card), viewFor(deps, principal, card, once)]);
        const request = { kind, activationCode: body.activationCode ?? null };
        return answered(await replaceCard(deps, askerOf(principal), card, profile, request, view, openHolds, once));
      },
    }),
  ),
];
