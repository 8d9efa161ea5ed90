// How identities and users change: each change with the event that tells of it, in the transaction that makes it.
// Rule: the only way in which they reach their tables. What changes nothing, and what is refused, is told by nothing.
import { isDeepStrictEqual } from 'node:util';
import { assert, type Clock, type IdMaker, type Permutation } from '../../base/index.ts';
import type { EventMaker, EventType, ToldOfEvents } from '../../events/index.ts';
import { type Change, type Db, presentCause, type Told, type Transaction } from '../../store/index.ts';
import type { AuthChannel } from '../tenants/index.ts';
import { loginClear, loginTry, passwordPut, type Try } from './login-queries.ts';
import type { Identity, User } from './model.ts';
import type { Password } from './passwords.ts';
import { identityView, userView } from './present.ts';
import {
  factorPut,
  identityToChange,
  identityUpsert,
  type PersonKey,
  userCounted,
  userInsert,
  userToChange,
  userUpsert,
} from './queries.ts';

/** What telling of people takes. */
export interface PeopleDeps {
  readonly clock: Pick<Clock, 'now'>;
  readonly ids: IdMaker;
  readonly events: EventMaker;
  readonly permutation: Pick<Permutation, 'outward'>;
}

const toldOf = ({ clock, ids }: PeopleDeps): ToldOfEvents => ({ now: clock.now(), ids, cause: presentCause() });

/** `before`: null where there was none, or where nothing that is shown has changed. */
async function identityTold(
  inside: Db,
  deps: PeopleDeps,
  type: EventType<'identity'>,
  before: Identity | null,
  after: Identity,
): Promise<void> {
  await deps.events.write(inside, toldOf(deps), {
    owner: after.tenant_id,
    type,
    resource: { type: 'identity', id: after.id, sequence: after.events },
    object: identityView(deps.permutation, after),
    before: before && identityView(deps.permutation, before),
  });
}

const userDraft = (
  { permutation }: Pick<PeopleDeps, 'permutation'>,
  type: EventType<'user'>,
  before: User | null,
  after: User,
  operation?: object,
) => ({
  owner: after.tenant_id,
  type,
  resource: { type: 'user' as const, id: after.id, sequence: after.events },
  object: userView(permutation, after),
  before: before && userView(permutation, before),
  operation,
});

const userTold = (
  inside: Db,
  deps: PeopleDeps,
  ...[type, before, after, operation]: [EventType<'user'>, User | null, User, object?]
): Promise<void> => deps.events.write(inside, toldOf(deps), userDraft(deps, type, before, after, operation));

/** A new identity. */
export async function identityMade(inside: Db, deps: PeopleDeps, row: Omit<Identity, 'events'>): Promise<Identity> {
  const made = await identityUpsert(inside, row);
  await identityTold(inside, deps, 'identity.created', null, made);
  return made;
}

/** What a change of an identity is called, the weightiest first: one change is one event. null: nothing changes. */
export function identityEvent(before: Identity, after: Identity): EventType<'identity'> | null {
  if (before.kyc_state !== after.kyc_state) return 'identity.verification_changed';
  if (before.kyc_level !== after.kyc_level) return 'identity.level_changed';
  return isDeepStrictEqual(before, after) ? null : 'identity.updated';
}

/** The identity as it is then; null: there is none. */
export async function identityChanged(
  inside: Transaction,
  deps: PeopleDeps,
  { tenantId, id }: PersonKey,
  change: (row: Identity) => Identity,
): Promise<Identity | null> {
  const before = await identityToChange(inside, tenantId, id);
  if (!before) return null;
  const wanted = change(before);
  const type = identityEvent(before, wanted);
  if (type === null) return before;
  const after = await identityUpsert(inside, { ...wanted, updated_at: deps.clock.now() });
  await identityTold(inside, deps, type, before, after);
  return after;
}

/** A new user; null: the e-mail address is another one's. */
export async function userMade(
  inside: Db,
  deps: PeopleDeps,
  row: Omit<User, 'events'>,
  password: Password | null,
): Promise<User | null> {
  const made = await userUpsert(inside, row, password);
  if (made) await userTold(inside, deps, 'user.created', null, made);
  return made;
}

/** The same as changes of a command, which has seen that the address is free. */
export function userWritten(
  deps: Pick<PeopleDeps, 'events' | 'permutation'>,
  told: Told,
  row: Omit<User, 'events'>,
  password: Password | null,
): Change[] {
  const user = { ...row, events: 1 };
  return [userInsert(user, password), ...deps.events.of(told, userDraft(deps, 'user.created', null, user))];
}

/** null: nothing changes. */
export function userEvent(before: User, after: User): EventType<'user'> | null {
  if (before.active !== after.active) return after.active ? 'user.activated' : 'user.deactivated';
  return isDeepStrictEqual(before, after) ? null : 'user.updated';
}

/** The user as he is then: changed as he is now, so that what others have changed meanwhile stays. */
export async function userChanged(
  inside: Transaction,
  deps: PeopleDeps,
  { tenantId, id }: PersonKey,
  change: (row: User) => User,
): Promise<User | 'unknown' | 'email_taken'> {
  const before = await userToChange(inside, tenantId, id);
  if (!before) return 'unknown';
  const wanted = change(before);
  const type = userEvent(before, wanted);
  if (type === null) return before;
  const after = await userUpsert(inside, { ...wanted, updated_at: deps.clock.now() });
  if (!after) return 'email_taken';
  await userTold(inside, deps, type, before, after);
  return after;
}

/** Enrols a user for a factor, or takes it away. */
export async function factorSet(
  inside: Transaction,
  deps: PeopleDeps,
  { tenantId, id }: PersonKey,
  kind: AuthChannel,
  active: boolean,
): Promise<void> {
  const row = { tenant_id: tenantId, user_id: id, kind, active, created_at: deps.clock.now() };
  if (!(await factorPut(inside, row))) return;
  const user = await userCounted(inside, tenantId, id);
  assert(user, 'a factor of nobody');
  await userTold(inside, deps, active ? 'user.factor_enrolled' : 'user.factor_removed', null, user, { kind });
}

/** What a try does to the login; false: it counts for nothing (`loginTry`). */
export async function loginTried(inside: Transaction, deps: PeopleDeps, key: PersonKey, of: Try): Promise<boolean> {
  const tried = await loginTry(inside, key, of);
  if (tried?.locks) await userTold(inside, deps, 'user.locked', null, tried);
  return tried !== null;
}

/** No lock, and no wrong try that counts. */
export async function loginReset(inside: Transaction, deps: PeopleDeps, key: PersonKey): Promise<void> {
  const unlocked = await loginClear(inside, key, deps.clock.now());
  if (unlocked) await userTold(inside, deps, 'user.updated', null, unlocked);
}

/** Another password (`passwordPut`); false: another one was set since it was compared. */
export async function passwordSet(
  inside: Transaction,
  deps: PeopleDeps,
  key: PersonKey,
  of: { readonly next: Password; readonly against: Password | null; readonly at: Date },
): Promise<boolean> {
  const user = await passwordPut(inside, key, of);
  if (user) await userTold(inside, deps, 'user.updated', null, user);
  return user !== null;
}
