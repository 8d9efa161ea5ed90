// /operator: identities, their users and the users' factors.
import {
  Choice,
  Digits,
  Email,
  Failure,
  Flag,
  Integer,
  listOf,
  type OperatorEndpoint,
  Optional,
  operatorEndpoint,
  Shape,
  Text,
} from '../../http/index.ts';
import type { Db } from '../../store/index.ts';
import { sessionsEnd } from '../access/index.ts';
import { filled } from '../fields/index.ts';
import {
  defaultIdentity,
  factorSet,
  factorsOf,
  type Identity,
  identitiesOf,
  identityChanged,
  identityCreate,
  identityGet,
  type User,
  userChanged,
  userCreate,
  userGet,
  usersOf,
} from '../people/index.ts';
import type { IssuingDeps } from '../requests/index.ts';
import { CHANNELS_3DS, KYC_LEVELS, KYC_STATES, OWNER_TYPES, programmeRows } from '../tenants/index.ts';
import { factors, ownedIdentity, ownedUser, userWithFactors } from './answer-schemas.ts';
import type { Change } from './changes.ts';
import {
  Name,
  notFound,
  Password,
  refuseMobile,
  refusePassword,
  refuseSettings,
  settingsGiven,
  TAG,
  TenantPath,
  tenantNamed,
  unknown,
  WithId,
  wrong,
} from './schemas.ts';
import { settingsAfter } from './settings.ts';

const Mobile = Text({ min: 5, max: 15, description: 'Plus sign and digits.' });

export function peopleEndpoints(
  deps: Pick<IssuingDeps, 'db' | 'permutation' | 'ids' | 'clock' | 'passwords' | 'events'>,
  change: Change,
): OperatorEndpoint[] {
  const { db, permutation, ids, clock, passwords } = deps;
  const { outward, inward } = permutation;

  const identityJson = (row: Identity): object => ({
    id: outward(row.id),
    programmeId: outward(row.programme_id),
    type: row.type,
    name: row.name,
    kycState: row.kyc_state,
    kycLevel: row.kyc_level,
    active: row.active,
    settings: row.settings,
  });
  const userJson = (row: User): object => ({
    id: outward(row.id),
    identityId: outward(row.identity_id),
    kind: row.kind,
    name: row.name,
    surname: row.surname,
    email: row.email,
    mobile: row.mobile,
    active: row.active,
  });
  const identityOf = async (tenantId: bigint, text: string, from: Db = db): Promise<Identity> => {
    const id = inward(text);
    const row = id === null ? null : await identityGet(from, tenantId, id);
    if (!row) throw notFound('No such identity');
    return row;
  };
  const userOf = async (tenantId: bigint, text: string, from: Db = db): Promise<User> => {
    const id = inward(text);
    const row = id === null ? null : await userGet(from, tenantId, id);
    if (!row) throw notFound('No such user');
    return row;
  };
  const emailTaken = (): Failure => new Failure('conflict', { message: 'The e-mail address is in use' });

  return [
    operatorEndpoint({
      method: 'POST',
      path: '/tenants/:tenant/identities',
      operation: 'identityCreate',
      summary: 'Makes an identity',
      tag: TAG,
      right: null,
      params: TenantPath,
      body: Shape({
        programmeId: Digits({ max: 20 }),
        type: Choice(OWNER_TYPES),
        name: Name,
        kycState: Optional(Choice(KYC_STATES)),
        kycLevel: Optional(Choice(KYC_LEVELS)),
        settings: Optional(settingsGiven('identity')),
      }),
      answers: { 201: { description: 'The identity', schema: ownedIdentity }, ...unknown, ...wrong },
      async handler(input) {
        const { type, name, kycState = 'NOT_STARTED', kycLevel = 'KYC_LEVEL_1', settings = {} } = input.body;
        refuseSettings('identity', settings);
        const { id: tenantId } = await tenantNamed(db, input.params.tenant);
        const programmeId = inward(input.body.programmeId);
        const made = await change(
          input,
          tenantId,
          'identity.create',
          `${input.params.tenant}/${name}`,
          async (inside) => {
            const programme = (await programmeRows(inside)).find(
              (row) => row.tenant_id === tenantId && row.id === programmeId,
            );
            if (!programme) throw notFound('No such programme');
            return identityCreate(inside, deps, {
              id: ids.next(),
              tenantId,
              programmeId: programme.id,
              type,
              name,
              kycState,
              kycLevel,
              settings: settingsAfter({}, settings),
            });
          },
        );
        return { status: 201, body: identityJson(made) };
      },
    }),
    operatorEndpoint({
      method: 'GET',
      path: '/tenants/:tenant/identities',
      operation: 'identityList',
      cost: ({ per_page = 100 }) => per_page,
      summary: 'Lists identities',
      tag: TAG,
      right: null,
      params: TenantPath,
      query: Shape({ after: Optional(Digits({ max: 20 })), per_page: Optional(Integer(1, 1000)) }),
      answers: { 200: { description: 'Identities', schema: listOf('identities', ownedIdentity) }, ...unknown },
      async handler({ params, query }) {
        const { id: tenantId } = await tenantNamed(db, params.tenant);
        const after = query.after === undefined ? 0n : (inward(query.after) ?? 0n);
        const identities = (await identitiesOf(db, tenantId, after, query.per_page ?? 100)).map(identityJson);
        return { status: 200, body: { identities } };
      },
    }),
    operatorEndpoint({
      method: 'GET',
      path: '/tenants/:tenant/identities/:id',
      operation: 'identityGet',
      summary: 'Shows an identity',
      tag: TAG,
      right: null,
      params: WithId,
      answers: { 200: { description: 'The identity', schema: ownedIdentity }, ...unknown },
      async handler({ params }) {
        const { id: tenantId } = await tenantNamed(db, params.tenant);
        return { status: 200, body: identityJson(await identityOf(tenantId, params.id)) };
      },
    }),
    operatorEndpoint({
      method: 'PATCH',
      path: '/tenants/:tenant/identities/:id',
      operation: 'identityPatch',
      summary: 'Changes an identity: KYC, limits, or whether it is active; the sessions of one that is not end',
      tag: TAG,
      right: null,
      params: WithId,
      body: Shape({
        name: Optional(Name),
        kycState: Optional(Choice(KYC_STATES)),
        kycLevel: Optional(Choice(KYC_LEVELS)),
        active: Optional(Flag()),
        settings: Optional(settingsGiven('identity')),
      }),
      answers: { 200: { description: 'The identity', schema: ownedIdentity }, ...unknown, ...wrong },
      async handler(input) {
        const { name, kycState, kycLevel, active, settings = {} } = input.body;
        refuseSettings('identity', settings);
        const { id: tenantId } = await tenantNamed(db, input.params.tenant);
        await change(input, tenantId, 'identity.patch', input.params.id, async (inside) => {
          const { id } = await identityOf(tenantId, input.params.id, inside);
          const changed = await identityChanged(inside, deps, { tenantId, id }, (row) => ({
            ...row,
            name: name ?? row.name,
            kyc_state: kycState ?? row.kyc_state,
            kyc_level: kycLevel ?? row.kyc_level,
            active: active ?? row.active,
            settings: filled(defaultIdentity, settingsAfter(row.settings, settings)),
          }));
          if (changed?.active === false) await sessionsEnd(inside, { tenantId, identityId: id }, clock.now());
        });
        return { status: 200, body: identityJson(await identityOf(tenantId, input.params.id)) };
      },
    }),
    operatorEndpoint({
      method: 'POST',
      path: '/tenants/:tenant/identities/:id/users',
      operation: 'userCreate',
      summary: 'Makes a user of an identity',
      tag: TAG,
      right: null,
      params: WithId,
      body: Shape({
        kind: Optional(Choice(['root', 'authorised'])),
        name: Name,
        surname: Name,
        email: Email(),
        mobile: Optional(Mobile),
        password: Optional(Password),
      }),
      answers: {
        201: { description: 'The user', schema: ownedUser },
        ...unknown,
        409: { description: 'The e-mail address is in use' },
        ...wrong,
      },
      async handler(input) {
        const { kind = 'authorised', name, surname, email, mobile, password } = input.body;
        refuseMobile(mobile);
        if (password !== undefined) refusePassword(password, email, '#/password');
        const { id: tenantId } = await tenantNamed(db, input.params.tenant);
        const identity = await identityOf(tenantId, input.params.id);
        // Made before the change begins: it takes long on purpose, and nobody should wait for it holding a lock.
        const hashed = password === undefined ? null : await passwords.from(tenantId, password);
        const made = await change(input, tenantId, 'user.create', input.params.id, async (inside) => {
          const user = await userCreate(inside, deps, {
            id: ids.next(),
            tenantId,
            identityId: identity.id,
            kind,
            name,
            surname,
            email,
            mobile: mobile ?? null,
            password: hashed,
          });
          if (!user) throw emailTaken();
          return user;
        });
        return { status: 201, body: userJson(made) };
      },
    }),
    operatorEndpoint({
      method: 'GET',
      path: '/tenants/:tenant/identities/:id/users',
      operation: 'userList',
      summary: 'Lists the users of an identity with their factors',
      tag: TAG,
      right: null,
      params: WithId,
      answers: { 200: { description: 'Users', schema: listOf('users', userWithFactors) }, ...unknown },
      async handler({ params }) {
        const { id: tenantId } = await tenantNamed(db, params.tenant);
        const { id } = await identityOf(tenantId, params.id);
        const users = await usersOf(db, tenantId, id);
        const factors = await Promise.all(users.map((user) => factorsOf(db, tenantId, user.id)));
        return { status: 200, body: { users: users.map((user, i) => ({ ...userJson(user), factors: factors[i] })) } };
      },
    }),
    operatorEndpoint({
      method: 'PATCH',
      path: '/tenants/:tenant/users/:id',
      operation: 'userPatch',
      summary: 'Changes a user, or deactivates him, which ends his sessions',
      tag: TAG,
      right: null,
      params: WithId,
      body: Shape({
        name: Optional(Name),
        surname: Optional(Name),
        email: Optional(Email()),
        mobile: Optional(Mobile),
        active: Optional(Flag()),
      }),
      answers: {
        200: { description: 'The user', schema: ownedUser },
        ...unknown,
        409: { description: 'The e-mail address is in use' },
        ...wrong,
      },
      async handler(input) {
        const { id: tenantId } = await tenantNamed(db, input.params.tenant);
        const { name, surname, email, mobile, active } = input.body;
        refuseMobile(mobile);
        const after = await change(input, tenantId, 'user.patch', input.params.id, async (inside) => {
          const id = inward(input.params.id);
          const of = (row: User): User => ({
            ...row,
            name: name ?? row.name,
            surname: surname ?? row.surname,
            email: email?.toLowerCase() ?? row.email,
            mobile: mobile ?? row.mobile,
            active: active ?? row.active,
          });
          const changed = id === null ? 'unknown' : await userChanged(inside, deps, { tenantId, id }, of);
          if (changed === 'unknown') throw notFound('No such user');
          if (changed === 'email_taken') throw emailTaken();
          if (!changed.active) await sessionsEnd(inside, { tenantId, userId: changed.id }, clock.now());
          return changed;
        });
        return { status: 200, body: userJson(after) };
      },
    }),
    operatorEndpoint({
      method: 'PUT',
      path: '/tenants/:tenant/users/:id/factors/:kind',
      operation: 'factorPut',
      summary: 'Enrols a user for a factor, or takes it away',
      tag: TAG,
      right: null,
      params: Shape({ tenant: Text({ max: 64 }), id: Digits({ max: 20 }), kind: Choice(CHANNELS_3DS) }),
      body: Shape({ active: Flag() }),
      answers: { 200: { description: "The user's factors", schema: factors }, ...unknown, ...wrong },
      async handler(input) {
        const { id: tenantId } = await tenantNamed(db, input.params.tenant);
        const user = await userOf(tenantId, input.params.id);
        const { kind } = input.params;
        await change(input, tenantId, 'factor.put', `${input.params.id}/${kind}`, (inside) =>
          factorSet(inside, deps, { tenantId, id: user.id }, kind, input.body.active),
        );
        return { status: 200, body: { factors: await factorsOf(db, tenantId, user.id) } };
      },
    }),
  ];
}
