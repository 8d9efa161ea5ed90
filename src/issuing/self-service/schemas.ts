// Shapes of requests about users and factors.
import { choice, object, pathId, queryInteger, shape, text } from '../fields/index.ts';
import { isGuessable, SHORTEST_PASSWORD } from '../people/index.ts';
import { CHANNELS_3DS } from '../tenants/index.ts';

const EMAIL = /^[^\s@]+@[^\s@]+\.[^\s@]+$/;
const MOBILE = /^\+\d+$/;

const name = { min: 1, max: 50, blank: 'HAS_TEXT' } as const;
const email = { min: 5, max: 255, pattern: EMAIL, blank: 'HAS_TEXT', exact: true } as const;
const mobileNumber = text({
  min: 5,
  max: 15,
  pattern: MOBILE,
  blank: 'REGEX',
  exact: true,
  description: 'Plus sign and digits (E.164).',
});
/** Any characters: what makes a password good is its length, and that nobody guesses it. The address is that of the user in the body. */
const password = text({
  required: true,
  min: SHORTEST_PASSWORD,
  max: 255,
  blank: 'HAS_TEXT',
  exact: true,
  description: 'IN: common, easy to guess, or with the name of the e-mail address in it.',
  also: (value, _siblings, whole) => (isGuessable(String(value), emailIn(whole)) ? 'IN' : null),
});

function emailIn(body: unknown): string | null {
  const { email } = body as { readonly email?: unknown };
  return typeof email === 'string' ? email : null;
}

export const UserBody = shape({
  name: text({ required: true, ...name }),
  surname: text({ required: true, ...name }),
  email: text({ required: true, ...email }),
  mobileNumber,
  password: object({ value: password }, {}),
});

export const UserPatch = shape({
  name: text(name),
  surname: text(name),
  email: text(email),
  mobileNumber,
});

export const PasswordBody = shape({
  oldPassword: object(
    { value: text({ required: true, max: 255, blank: 'HAS_TEXT', exact: true }) },
    { required: true },
  ),
  newPassword: object({ value: password }, { required: true }),
});

export const UsersQuery = shape({
  offset: queryInteger({ min: 0 }),
  limit: queryInteger({ min: 1, max: 100 }),
});

export const UserPath = shape({ userId: pathId('The user.') });
export const IdentityPath = shape({ identityId: pathId('The identity.') });
export const FactorPath = shape({ kind: choice(CHANNELS_3DS, { required: true }) });
