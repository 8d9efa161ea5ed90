// /cards/wallet-tokens: a card on its cardholder's devices; and the device's side of it, below /simulator.
import { Refusal } from '../../base/index.ts';
import { type AnyEndpoint, Choice, Digits, endpointOf, Failure, Shape } from '../../http/index.ts';
import type { Session } from '../access/index.ts';
import { askerOf, CardPath, cardAnywhere, cardAsked, idGiven, unknownCard } from '../cards/index.ts';
import { choice, pathId, shape, text } from '../fields/index.ts';
import { answered, conflict, type IssuingDeps } from '../requests/index.ts';
import { walletToken, walletTokens } from './answer-schemas.ts';
import { walletTokenView } from './present.ts';
import { walletTokensOf } from './queries.ts';
import { moveToken, requestToken } from './tokens.ts';

const endpoint = endpointOf<Session>();
const deviceEndpoint = endpointOf<unknown>();
const TAG = 'Wallet tokens';

const TokenPath = shape({ cardId: pathId('The card.'), tokenId: pathId('The token.') });
const TokenBody = shape({
  wallet: choice(['APPLE', 'GOOGLE'], { required: true }),
  device: text({
    required: true,
    min: 1,
    max: 64,
    blank: 'HAS_TEXT',
    exact: true,
    description: 'Any name, one a device.',
  }),
});

export const walletEndpoints = (deps: IssuingDeps): AnyEndpoint<Session>[] => [
  endpoint({
    method: 'POST',
    path: '/cards/wallet-tokens/:cardId',
    operation: 'requestWalletToken',
    summary: 'Put a card on a device; the device takes it into use',
    tag: TAG,
    right: null,
    params: CardPath,
    body: TokenBody,
    example: { wallet: 'APPLE', device: 'phone-1' },
    answers: {
      200: { description: 'The token, REQUESTED', schema: walletToken },
      ...unknownCard,
      ...conflict('INSTRUMENT_DESTROYED', 'INSTRUMENT_BLOCKED', 'WALLETS_NOT_ENABLED', 'PUSHPROVISIONING_NOT_ENABLED'),
    },
    handler: async ({ principal, params, body, once }) =>
      answered(await requestToken(deps, askerOf(principal), idGiven(deps, params.cardId), body, once)),
  }),
  endpoint({
    method: 'GET',
    path: '/cards/wallet-tokens/:cardId',
    operation: 'listWalletTokens',
    summary: "A card's tokens, the oldest first",
    tag: TAG,
    right: null,
    params: CardPath,
    answers: { 200: { description: 'Tokens', schema: walletTokens }, ...unknownCard },
    async handler({ principal, params }) {
      const card = await cardAsked(deps, principal, params.cardId);
      const rows = await walletTokensOf(deps.db, [{ tenantId: card.tenant_id, id: card.id }]);
      return { status: 200, body: { tokens: rows.map((row) => walletTokenView(deps.permutation, row)) } };
    },
  }),
  endpoint({
    method: 'DELETE',
    path: '/cards/wallet-tokens/:cardId/:tokenId',
    operation: 'removeWalletToken',
    summary: 'Take a card off a device',
    tag: TAG,
    right: null,
    params: TokenPath,
    answers: {
      204: { description: 'Deleted' },
      ...unknownCard,
      ...conflict('STATE_INVALID'),
    },
    handler: async ({ principal, params, once }) => {
      const [cardId, tokenId] = [idGiven(deps, params.cardId), idGiven(deps, params.tokenId)];
      return answered(await moveToken(deps, askerOf(principal), cardId, tokenId, 'remove', once));
    },
  }),
];

export const walletDeviceEndpoints = (deps: IssuingDeps): AnyEndpoint<unknown>[] => [
  deviceEndpoint({
    method: 'POST',
    path: '/wallet-tokens/:id',
    operation: 'answerWalletToken',
    summary: 'The device takes a card into use, or declines it',
    tag: 'Issued cards',
    right: null,
    params: Shape({ id: Digits({ max: 20 }) }),
    body: Shape({ cardId: Digits({ max: 20 }), result: Choice(['success', 'declined']) }),
    answers: {
      204: { description: 'Done' },
      404: { description: 'No such token' },
      409: { description: 'The token does not wait for its device, or the card is blocked' },
    },
    async handler({ params, body }) {
      const [cardId, tokenId] = [deps.permutation.inward(body.cardId), deps.permutation.inward(params.id)];
      const card = cardId === null ? null : await cardAnywhere(deps.db, cardId);
      if (!card || tokenId === null) throw new Failure('not_found');
      const asker = { tenantId: card.tenant_id, identityId: null };
      try {
        await moveToken(deps, asker, card.id, tokenId, body.result === 'success' ? 'activate' : 'decline', null);
      } catch (error) {
        if (!(error instanceof Refusal)) throw error;
        throw new Failure(error.code === 'RESOURCE_NOT_FOUND' ? 'not_found' : 'conflict', { message: error.message });
      }
      return { status: 204, body: null };
    },
  }),
];
