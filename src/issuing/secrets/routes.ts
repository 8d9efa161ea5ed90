// /cards/reveal and /cards/pin.
import { type AnyEndpoint, endpointOf } from '../../http/index.ts';
import type { Session } from '../access/index.ts';
import { CardPath, cardAsked, idGiven, unknownCard } from '../cards/index.ts';
import { shape, text } from '../fields/index.ts';
import { answered, conflict, type IssuingDeps } from '../requests/index.ts';
import { revealedValue, pin as shownPin } from './answer-schemas.ts';
import { pinFor, unblockPin } from './pin.ts';
import { reveal } from './reveal.ts';

const endpoint = endpointOf<Session>();
const TAG = 'Cards';

export const secretEndpoints = (deps: IssuingDeps): AnyEndpoint<Session>[] => [
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
      return { status: 200, body: { value: await reveal(deps, principal, body.token) } };
    },
  }),
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
      const card = await cardAsked(deps, principal, params.cardId);
      return { status: 200, body: { pin: { value: await pinFor(deps, principal, card) } } };
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
      answered(await unblockPin(deps, principal, idGiven(deps, params.cardId), once)),
  }),
];
