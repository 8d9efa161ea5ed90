// /simulator/challenges: what a cardholder's device would answer, and which challenges of a card there are.
import Type from 'typebox';
import { type AnyEndpoint, Choice, Digits, endpointOf, Failure, Instant, Shape } from '../../http/index.ts';
import { cardAnywhere } from '../cards/index.ts';
import { currencyCode, type IssuingDeps, minorUnits, shownId, shownText } from '../requests/index.ts';
import { CHANNELS_3DS } from '../tenants/index.ts';
import { answerFromDevice } from './challenge.ts';
import { challengesOfCard } from './queries.ts';
import { challengeView } from './write.ts';

const endpoint = endpointOf<unknown>();
const TAG = 'Issued cards';

const challenges = Shape({
  challenges: Type.Array(
    Shape(
      {
        id: shownId,
        cardId: shownId,
        channel: Choice(CHANNELS_3DS),
        state: Choice(['PENDING', 'PASSED', 'FAILED', 'EXPIRED']),
        amount: minorUnits,
        currency: currencyCode,
        merchant: shownText,
        expiresAt: Instant(),
      },
      { title: 'Challenge' },
    ),
  ),
});

export const challengeEndpoints = (deps: IssuingDeps): AnyEndpoint<unknown>[] => [
  endpoint({
    method: 'GET',
    path: '/challenges',
    operation: 'listChallenges',
    summary: "A card's 3-D Secure challenges, the newest first",
    tag: TAG,
    right: null,
    query: Shape({ cardId: Digits({ max: 20 }) }),
    answers: { 200: { description: 'Challenges', schema: challenges }, 404: { description: 'No such card' } },
    async handler({ query }) {
      const id = deps.permutation.inward(query.cardId);
      const card = id === null ? null : await cardAnywhere(deps.db, id);
      if (!card) throw new Failure('not_found');
      const challenges = (await challengesOfCard(deps.db, card.tenant_id, card.id, 100)).map((row) =>
        challengeView(deps.permutation, row),
      );
      return { status: 200, body: { challenges } };
    },
  }),
  endpoint({
    method: 'POST',
    path: '/challenges/:id',
    operation: 'answerChallenge',
    summary: 'Answers an out-of-band authentication',
    tag: TAG,
    right: null,
    params: Shape({ id: Digits({ max: 20 }) }),
    body: Shape({ result: Choice(['success', 'invalid', 'expired']) }),
    answers: {
      204: { description: 'Answered' },
      404: { description: 'No such challenge' },
      409: { description: 'It waits for no device' },
    },
    async handler({ params, body }) {
      const answered = await answerFromDevice(deps, params.id, body.result);
      if (answered === null) throw new Failure('not_found');
      if (!answered) throw new Failure('conflict', { message: 'The challenge does not wait for a device' });
      return { status: 204, body: null };
    },
  }),
];
