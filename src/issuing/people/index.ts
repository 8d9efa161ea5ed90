// people: who holds cards: identities and their users, how they are authenticated, their passwords. Owns identities, users and factors.
// Rule: every row is found under its tenant, never by its id alone. What people see and change of themselves: the self-service room.
export { identityCreate, userCreate } from './create.ts';
export * from './model.ts';
export { isGuessable, SHORTEST_PASSWORD } from './password-rules.ts';
export { createPasswords, type Password, type Passwords, passwordFrom, passwordMatches } from './passwords.ts';
export {
  factorPut,
  factorsOf,
  identitiesOf,
  identityGet,
  identityHeld,
  identityKind,
  identityRead,
  identityUpsert,
  loginOf,
  loginReset,
  loginTried,
  mobileOfOther,
  needEmail,
  needIdentity,
  passwordSet,
  passwordsOf,
  userEmailKind,
  userGet,
  userInsert,
  userRead,
  usersOf,
  userToChange,
  userUpsert,
} from './queries.ts';
export { seedPeople } from './seed.ts';
