// /operator: how a user gets in again: another password, no lock. Rule: what was got with the old password ends with it, and a password
// stands in no answer, no audit row and no log.
import { type AnyEndpoint, endpointOf, Shape } from '../../http/index.ts';
import type { Db } from '../../store/index.ts';
import { sessionsEnd } from '../access/index.ts';
import { loginReset, userGet } from '../tenants/index.ts';
import type { IssuingOffice } from './office.ts';
import { notFound, Password, TAG, tenantNamed, unknown, WithId, wrong } from './schemas.ts';

const endpoint = endpointOf<{ readonly name: string }>();
const done = { 204: { description: 'Done' } } as const;

interface Path {
  readonly tenant: string;
  readonly id: string;
}

export function loginEndpoints({ issuer, change }: IssuingOffice): AnyEndpoint<{ readonly name: string }>[] {
  const { db, permutation, clock } = issuer;

  async function userOf(from: Db, { tenant, id: text }: Path): Promise<{ tenantId: bigint; id: bigint }> {
    const { id: tenantId } = await tenantNamed(from, tenant);
    const id = permutation.inward(text);
    if (id === null || !(await userGet(from, tenantId, id))) throw notFound('No such user');
    return { tenantId, id };
  }
  const targetOf = ({ tenant, id }: Path): string => `${tenant}/${id}`;

  return [
    endpoint({
      method: 'POST',
      path: '/tenants/:tenant/users/:id/password',
      operation: 'userPassword',
      summary: 'Sets another password; ends the sessions of the user and lifts the lock',
      tag: TAG,
      right: null,
      params: WithId,
      body: Shape({ value: Password }),
      answers: { ...done, ...unknown, ...wrong },
      async handler(input) {
        const { tenantId } = await userOf(db, input.params);
        // Made before the change begins: it takes long on purpose, and nobody should wait for it holding a lock.
        const password = await issuer.tenants.passwords.from(tenantId, input.body.value);
        await change(input, 'user.password', targetOf(input.params), async (inside) => {
          const user = await userOf(inside, input.params);
          const now = clock.now();
          await loginReset(inside, user, password, now);
          await sessionsEnd(inside, user.tenantId, user.id, now);
        });
        return { status: 204, body: null };
      },
    }),
    endpoint({
      method: 'POST',
      path: '/tenants/:tenant/users/:id/unlock',
      operation: 'userUnlock',
      summary: 'Lifts the lock after too many wrong passwords',
      tag: TAG,
      right: null,
      params: WithId,
      answers: { ...done, ...unknown },
      async handler(input) {
        await change(input, 'user.unlock', targetOf(input.params), async (inside) =>
          loginReset(inside, await userOf(inside, input.params), null, clock.now()),
        );
        return { status: 204, body: null };
      },
    }),
  ];
}
