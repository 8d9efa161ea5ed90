// What a user may do to the users of his own identity, and to his own factors and password.
// Rule: what could open a way into an account (a new user, another mobile number, a factor) needs a session that is stepped up.

import type { Need, Once } from '../../store/index.ts';
import { type Session, sessionsEnd } from '../access/index.ts';
import { type RefusalCode, refuse } from '../fields/index.ts';
import {
  factorSet,
  loginOf,
  loginTried,
  mobileOfOther,
  needEmail,
  passwordSet,
  passwordsOf,
  type User,
  userChanged,
  userEmailKind,
  userGet,
  userView,
  userWritten,
} from '../people/index.ts';
import { type CommittedAnswer, commitAnswer, type IssuingDeps } from '../requests/index.ts';
import type { AuthChannel, Programme } from '../tenants/index.ts';

export interface UserRequest {
  readonly name: string;
  readonly surname: string;
  readonly email: string;
  readonly mobileNumber?: string | undefined;
  readonly password?: { readonly value: string } | undefined;
}

export function steppedUp({ steppedUp: done }: Session): void {
  if (!done) throw refuse('STEP_UP_REQUIRED');
}

function root({ user }: Session): void {
  if (user.kind !== 'root') throw refuse('ROOT_USER_REQUIRED');
}

async function freeMobile(
  deps: Pick<IssuingDeps, 'db' | 'tenants'>,
  { tenant, identity }: Session,
  mobile: string | null,
): Promise<void> {
  const programme = await deps.tenants.programme(tenant.id, identity.programme_id);
  if (mobile === null || !programme?.settings.uniqueMobile) return;
  const of = { tenantId: tenant.id, programmeId: identity.programme_id, identityId: identity.id };
  if (await mobileOfOther(deps.db, of, mobile)) throw refuse('MOBILE_NUMBER_ALREADY_EXISTS');
}

/** An authorised user of the root user's identity. */
export async function createUser(
  deps: IssuingDeps,
  session: Session,
  request: UserRequest,
  once: Once | null,
): Promise<CommittedAnswer> {
  root(session);
  steppedUp(session);
  await freeMobile(deps, session, request.mobileNumber ?? null);
  const { tenant, identity } = session;
  const email = request.email.toLowerCase();
  const password = request.password ? await deps.passwords.from(tenant.id, request.password.value) : null;
  const need: Need = needEmail(tenant.id, email);
  const now = deps.clock.now();
  const user: Omit<User, 'events'> = {
    tenant_id: tenant.id,
    id: deps.ids.next(),
    identity_id: identity.id,
    kind: 'authorised',
    name: request.name,
    surname: request.surname,
    email,
    mobile: request.mobileNumber ?? null,
    active: true,
    roles: [],
    created_at: now,
    updated_at: now,
  };
  return commitAnswer(deps, once, {
    name: 'user.create',
    owner: session.tenant.id,
    needs: [need],
    decide(loaded, told) {
      // A process that is faster makes the insert fail; the command then runs again and finds the address taken.
      if (loaded.get(userEmailKind, { tenantId: tenant.id, email })) throw refuse('EMAIL_NOT_UNIQUE');
      return {
        status: 200,
        body: userView(deps.permutation, user),
        changes: userWritten(deps, told, user, password),
      };
    },
  });
}

/** A user of the identity by its outward id; the root user sees all, others themselves. */
export async function userAsked(
  deps: Pick<IssuingDeps, 'db' | 'permutation'>,
  session: Session,
  text: string,
): Promise<User> {
  const id = deps.permutation.inward(text);
  const user = id === null ? null : await userGet(deps.db, session.tenant.id, id);
  const own =
    user?.identity_id === session.identity.id && (session.user.kind === 'root' || user.id === session.user.id);
  if (!user || !own) throw refuse('RESOURCE_NOT_FOUND');
  return user;
}

type ChangeDeps = Pick<IssuingDeps, 'clock' | 'db' | 'events' | 'ids' | 'permutation'>;

async function changed(deps: ChangeDeps, { tenant_id, id }: User, change: (user: User) => User): Promise<User> {
  return deps.db.transaction(async (db) => {
    const after = await userChanged(db, deps, { tenantId: tenant_id, id }, change);
    if (after === 'unknown') throw refuse('RESOURCE_NOT_FOUND');
    if (after === 'email_taken') throw refuse('EMAIL_NOT_UNIQUE');
    if (!after.active) await sessionsEnd(db, { tenantId: tenant_id, userId: id }, deps.clock.now());
    return after;
  });
}

export async function patchUser(
  deps: ChangeDeps & Pick<IssuingDeps, 'tenants'>,
  session: Session,
  user: User,
  patch: Partial<Omit<UserRequest, 'password'>>,
): Promise<User> {
  const { name, surname, mobileNumber } = patch;
  const email = patch.email?.toLowerCase();
  const changedOf = (of: User): User => {
    const mobile = mobileNumber ?? of.mobile;
    const after = { ...of, name: name ?? of.name, surname: surname ?? of.surname, email: email ?? of.email, mobile };
    if (after.mobile !== of.mobile || after.email !== of.email) steppedUp(session);
    return after;
  };
  const { mobile } = changedOf(user);
  if (mobile !== user.mobile) await freeMobile(deps, session, mobile);
  return changed(deps, user, changedOf);
}

/** Only the root user switches others off and on; he himself stays. */
export async function setActive(deps: ChangeDeps, session: Session, user: User, active: boolean): Promise<void> {
  root(session);
  steppedUp(session);
  if (user.kind === 'root') throw refuse('ROOT_USER_ALWAYS_ACTIVE');
  await changed(deps, user, (now) => ({ ...now, active }));
}

const MOST_FAILURES = 5;
const LOCKED_MS = 30 * 60_000;

/** Wrong old passwords count like wrong logins: a borrowed session is no place to guess. */
export async function changePassword(
  deps: ChangeDeps & Pick<IssuingDeps, 'passwords'>,
  session: Session,
  old: string,
  next: string,
): Promise<void> {
  const { tenant, user } = session;
  const login = await loginOf(deps.db, tenant.id, user.email);
  const right = await deps.passwords.matches(tenant.id, login?.password ?? null, old);
  const now = deps.clock.now();
  const until = new Date(now.getTime() + LOCKED_MS);
  const key = { tenantId: tenant.id, id: user.id };
  const trying = { right, now, most: MOST_FAILURES, until };
  const counted = await deps.db.transaction((db) => loginTried(db, deps, key, trying));
  if (!counted) throw refuse('LOGIN_LOCKED');
  if (!right || !login) throw refuse('PASSWORD_INVALID');
  const password = await deps.passwords.another(tenant.id, passwordsOf(login), next);
  if (!password) throw refuse('PASSWORD_ALREADY_USED');
  await deps.db.transaction(async (db) => {
    const set = await passwordSet(db, deps, key, { next: password, against: login.password, at: now });
    // Somebody was faster, and the old one is not the password any more.
    if (!set) throw refuse('PASSWORD_INVALID');
    // Whoever else is in with the old one is out.
    await sessionsEnd(db, { tenantId: tenant.id, userId: user.id }, now, session.tokenHash);
  });
}

/** kind → the programme's switch for it, and what is said while that is off. */
const SWITCHES: Readonly<Record<AuthChannel, readonly [(programme: Programme) => boolean, RefusalCode]>> = {
  OTP_SMS: [() => true, 'USER_MOBILE_NUMBER_DOES_NOT_EXIST'],
  BIOMETRICS: [({ settings }) => settings.biometrics, 'BIOMETRIC_AUTHENTICATION_NOT_SUPPORTED'],
  EXTERNAL_AUTHY: [({ settings }) => settings.externalAuthy, 'EXTERNAL_AUTHY_AUTHENTICATION_NOT_SUPPORTED'],
};

/** Enrols the user of the session for a factor, or takes it away. */
export async function setFactor(
  deps: ChangeDeps & Pick<IssuingDeps, 'tenants'>,
  session: Session,
  kind: AuthChannel,
  active: boolean,
): Promise<void> {
  steppedUp(session);
  const { tenant, identity, user } = session;
  if (active) {
    const programme = await deps.tenants.programme(tenant.id, identity.programme_id);
    const [isOn, refused] = SWITCHES[kind];
    if (!programme || !isOn(programme)) throw refuse(refused);
    if (kind === 'OTP_SMS' && user.mobile === null) throw refuse('USER_MOBILE_NUMBER_DOES_NOT_EXIST');
  }
  await deps.db.transaction((db) => factorSet(db, deps, { tenantId: tenant.id, id: user.id }, kind, active));
}
