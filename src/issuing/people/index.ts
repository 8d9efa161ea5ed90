// people: who holds cards: identities and their users, how they are authenticated, their passwords. Owns identities, users and factors.
// Rule: every row is found under its tenant, never by its id alone, and none changes without its event. What people see and change of themselves: the self-service room.
export { identityCreate, userCreate } from './create.ts';
export { loginOf, passwordsOf } from './login-queries.ts';
export * from './model.ts';
export { isGuessable, SHORTEST_PASSWORD } from './password-rules.ts';
export { createPasswords, type Password, type Passwords, passwordFrom, passwordMatches } from './passwords.ts';
export { identityView, userView } from './present.ts';
export {
  factorsOf,
  identitiesOf,
  identityGet,
  identityHeld,
  identityKind,
  identityRead,
  mobileOfOther,
  needEmail,
  needIdentity,
  userEmailKind,
  userGet,
  userRead,
  usersOf,
} from './queries.ts';
export { seedPeople } from './seed.ts';
export {
  factorSet,
  identityChanged,
  loginReset,
  loginTried,
  type PeopleDeps,
  passwordSet,
  userChanged,
  userWritten,
} from './write.ts';
