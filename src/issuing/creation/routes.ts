// POST /cards/request.
import type { Static } from 'typebox';
import { type AnyEndpoint, endpointOf } from '../../http/index.ts';
import type { Once } from '../../store/index.ts';
import type { Session } from '../access/index.ts';
import { createdCard } from '../cards/index.ts';
import { answered, type CommittedAnswer, conflict, type IssuingDeps } from '../requests/index.ts';
import { CREATION_CODES } from './conflicts.ts';
import { type CardOwner, createCard } from './create.ts';
import { channelMeant } from './facts.ts';
import { CardRequest } from './schemas.ts';

const endpoint = endpointOf<Session>();
const TAG = 'Cards';

/** Makes a card as the request's body asks for it. */
export function requestCard(
  deps: IssuingDeps,
  owner: CardOwner,
  { type, data }: Static<typeof CardRequest>,
  once: Once | null,
): Promise<CommittedAnswer> {
  const threeDs = channelMeant(owner.tenant, data.threeDSecureAuthConfig);
  return createCard(deps, owner, { type, data: { ...data, threeDSecureAuthConfig: threeDs } }, once);
}

export const creationEndpoints = (deps: IssuingDeps): AnyEndpoint<Session>[] => [
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
    handler: async ({ principal, body, once }) => answered(await requestCard(deps, principal, body, once)),
  }),
];
