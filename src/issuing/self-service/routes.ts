// /identities, /users, /factors: what a session sees and changes of its own identity.
import { type AnyEndpoint, endpointOf } from '../../http/index.ts';
import type { Session } from '../access/index.ts';
import { failureOfFields, refuse } from '../fields/index.ts';
import { factorsOf, identityView, isGuessable, usersOf, userView } from '../people/index.ts';
import { answeredOnce, conflict, done, forbidden, type IssuingDeps, page } from '../requests/index.ts';
import { CHANNELS_3DS } from '../tenants/index.ts';
import { shownFactors, shownIdentity, shownUser } from './answer-schemas.ts';
import { FactorPath, IdentityPath, PasswordBody, UserBody, UserPatch, UserPath, UsersQuery } from './schemas.ts';
import { changePassword, createUser, patchUser, setActive, setFactor, userAsked } from './users.ts';

const endpoint = endpointOf<Session>();
const TAG = 'Identities and users';

const unknown = { 404: { description: 'No such identity or user of this identity' } } as const;
const DONE = { status: 204, body: null } as const;

export function selfServiceEndpoints(deps: IssuingDeps): AnyEndpoint<Session>[] {
  const { db, permutation } = deps;

  return [
    endpoint({
      method: 'GET',
      path: '/identities/:identityId',
      operation: 'readIdentity',
      summary: 'The identity of the session',
      tag: TAG,
      right: null,
      params: IdentityPath,
      answers: { 200: { description: 'The identity', schema: shownIdentity }, ...unknown },
      async handler({ principal: { identity }, params }) {
        if (permutation.inward(params.identityId) !== identity.id) throw refuse('RESOURCE_NOT_FOUND');
        return { status: 200, body: identityView(permutation, identity) };
      },
    }),
    endpoint({
      method: 'GET',
      path: '/users',
      operation: 'listUsers',
      cost: ({ offset = 0, limit = 100 }) => offset + limit,
      summary: 'The users of the identity, the oldest first; others than the root user see themselves',
      tag: TAG,
      right: null,
      query: UsersQuery,
      answers: { 200: { description: 'Users', schema: page('users', shownUser) } },
      async handler({ principal: { tenant, identity, user }, query: { offset = 0, limit = 100 } }) {
        const all = user.kind === 'root' ? await usersOf(db, tenant.id, identity.id) : [user];
        const users = all.slice(offset, offset + limit).map((one) => userView(permutation, one));
        return { status: 200, body: { users, count: all.length, responseCount: users.length } };
      },
    }),
    endpoint({
      method: 'POST',
      path: '/users',
      operation: 'createUser',
      summary: 'An authorised user of the identity: by the root user, stepped up',
      tag: TAG,
      right: null,
      body: UserBody,
      example: { name: 'Grace', surname: 'Example', email: 'grace@shop.example', mobileNumber: '+35699000002' },
      answers: {
        200: { description: 'The user', schema: shownUser },
        ...forbidden('ROOT_USER_REQUIRED'),
        ...conflict('EMAIL_NOT_UNIQUE', 'MOBILE_NUMBER_ALREADY_EXISTS'),
      },
      handler: ({ principal, body, once }) => createUser(deps, principal, body, once),
    }),
    endpoint({
      method: 'GET',
      path: '/users/:userId',
      operation: 'readUser',
      summary: 'A user of the identity',
      tag: TAG,
      right: null,
      params: UserPath,
      answers: { 200: { description: 'The user', schema: shownUser }, ...unknown },
      handler: async ({ principal, params }) => ({
        status: 200,
        body: userView(permutation, await userAsked(deps, principal, params.userId)),
      }),
    }),
    endpoint({
      method: 'PATCH',
      path: '/users/:userId',
      operation: 'patchUser',
      summary: 'Change a user; another e-mail address or mobile number needs a step-up',
      tag: TAG,
      right: null,
      params: UserPath,
      body: UserPatch,
      answers: {
        200: { description: 'The user', schema: shownUser },
        ...unknown,
        ...conflict('EMAIL_NOT_UNIQUE', 'MOBILE_NUMBER_ALREADY_EXISTS'),
      },
      async handler({ principal, params, body, once }) {
        const user = await userAsked(deps, principal, params.userId);
        return answeredOnce(deps, once, 'user.patch', async () => ({
          status: 200,
          body: userView(permutation, await patchUser(deps, principal, user, body)),
        }));
      },
    }),
    ...(['activate', 'deactivate'] as const).map((move) =>
      endpoint({
        method: 'POST',
        path: `/users/${move}/:userId`,
        operation: `${move}User`,
        summary: move === 'activate' ? 'Let a user in again' : 'Lock a user out; his sessions end',
        tag: TAG,
        right: null,
        params: UserPath,
        answers: { ...done, ...unknown, ...forbidden('ROOT_USER_REQUIRED'), ...conflict('ROOT_USER_ALWAYS_ACTIVE') },
        async handler({ principal, params, once }) {
          const user = await userAsked(deps, principal, params.userId);
          return answeredOnce(deps, once, `user.${move}`, async () => {
            await setActive(deps, principal, user, move === 'activate');
            return DONE;
          });
        },
      }),
    ),
    endpoint({
      method: 'POST',
      path: '/users/password',
      operation: 'changePassword',
      summary: "Change one's own password",
      tag: TAG,
      right: null,
      body: PasswordBody,
      answers: {
        ...done,
        ...conflict('PASSWORD_INVALID', 'PASSWORD_ALREADY_USED'),
        423: { description: 'LOGIN_LOCKED: for 30 minutes after 5 wrong passwords' },
      },
      handler({ principal, body: { oldPassword, newPassword }, once }) {
        if (isGuessable(newPassword.value, principal.user.email))
          throw failureOfFields([{ path: ['newPassword', 'value'], error: 'IN' }]);
        return answeredOnce(deps, once, 'user.password', async () => {
          await changePassword(deps, principal, oldPassword.value, newPassword.value);
          return DONE;
        });
      },
    }),
    endpoint({
      method: 'GET',
      path: '/factors',
      operation: 'listFactors',
      summary: 'What the user of the session can be asked for',
      tag: TAG,
      right: null,
      answers: { 200: { description: 'Factors', schema: shownFactors } },
      async handler({ principal: { tenant, user } }) {
        const active = await factorsOf(db, tenant.id, user.id);
        return {
          status: 200,
          body: { factors: CHANNELS_3DS.map((kind) => ({ kind, enrolled: active.includes(kind) })) },
        };
      },
    }),
    ...(['PUT', 'DELETE'] as const).map((method) =>
      endpoint({
        method,
        path: '/factors/:kind',
        operation: method === 'PUT' ? 'enrolFactor' : 'removeFactor',
        summary: method === 'PUT' ? 'Enrol for a factor, stepped up' : 'Give a factor up, stepped up',
        tag: TAG,
        right: null,
        params: FactorPath,
        answers:
          method === 'DELETE'
            ? done
            : {
                ...done,
                ...conflict('BIOMETRIC_AUTHENTICATION_NOT_SUPPORTED', 'EXTERNAL_AUTHY_AUTHENTICATION_NOT_SUPPORTED'),
              },
        handler: ({ principal, params, once }) =>
          answeredOnce(deps, once, 'user.factor', async () => {
            await setFactor(deps, principal, params.kind, method === 'PUT');
            return DONE;
          }),
      }),
    ),
  ];
}
