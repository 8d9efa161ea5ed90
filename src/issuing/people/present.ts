// Identities and users as the issuing API shows them, to sessions and in events. Rule: nothing of a password, a lock or a factor's secret.
import type { Permutation } from '../../base/index.ts';
import type { Identity, User } from './model.ts';

type Outward = Pick<Permutation, 'outward'>;

export const identityView = ({ outward }: Outward, identity: Identity): object => ({
  id: outward(identity.id),
  type: identity.type,
  programmeId: outward(identity.programme_id),
  name: identity.name,
  verification: { state: identity.kyc_state, level: identity.kyc_level },
  active: identity.active,
  creationTimestamp: identity.created_at.getTime(),
});

export const userView = ({ outward }: Outward, user: Omit<User, 'events'>): object => ({
  id: outward(user.id),
  identityId: outward(user.identity_id),
  type: user.kind === 'root' ? 'ROOT' : 'USER',
  name: user.name,
  surname: user.surname,
  email: user.email,
  ...(user.mobile === null ? {} : { mobileNumber: user.mobile }),
  active: user.active,
  creationTimestamp: user.created_at.getTime(),
});
