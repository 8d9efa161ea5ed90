// What is answered of identities and users, as schemas.
import Type from 'typebox';
import { Choice, Matching, Optional, Shape } from '../../http/index.ts';
import { milliseconds, shownId, shownText } from '../requests/index.ts';
import { CHANNELS_3DS } from '../tenants/index.ts';

export const shownIdentity = Shape(
  {
    id: shownId,
    type: Choice(['consumer', 'corporate']),
    programmeId: shownId,
    name: shownText,
    verification: Shape({
      state: Choice(['NOT_STARTED', 'INITIATED', 'PENDING_REVIEW', 'APPROVED', 'REJECTED']),
      level: Choice(['KYC_LEVEL_1', 'KYC_LEVEL_2']),
    }),
    active: Type.Boolean(),
    creationTimestamp: milliseconds,
  },
  { title: 'Identity' },
);

export const shownUser = Shape(
  {
    id: shownId,
    identityId: shownId,
    type: Choice(['ROOT', 'USER']),
    name: shownText,
    surname: shownText,
    email: shownText,
    mobileNumber: Optional(Matching('^\\+\\d+$')),
    active: Type.Boolean(),
    creationTimestamp: milliseconds,
  },
  { title: 'User' },
);

export const shownFactors = Shape({
  factors: Type.Array(Shape({ kind: Choice(CHANNELS_3DS), enrolled: Type.Boolean() })),
});
