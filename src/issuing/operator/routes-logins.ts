// /operator: how a user gets in again: another password, no lock. Rule: what was got with the old password ends with it, and a password
// stands in no answer, no audit row and no log.

import { Failure, type OperatorEndpoint, operatorEndpoint, Shape } from '../../http/index.ts';
import type { Db, Transaction } from '../../store/index.ts';
import { sessionsEnd } from '../access/index.ts';
import { refuse } from '../fields/index.ts';
import { loginOf, loginReset, passwordSet, passwordsOf, userGet } from '../people/index.ts';
import type { IssuingDeps } from '../requests/index.ts';
import type { Change } from './changes.ts';
import { notFound, Password, refusePassword, refusing, TAG, tenantNamed, unknown, WithId, wrong } from './schemas.ts';

const done = { 204: { description: 'Done' } } as const;

interface Path {
  readonly tenant: string;
  readonly id: string;
}

export function loginEndpoints(
  deps: Pick<IssuingDeps, 'db' | 'permutation' | 'clock' | 'passwords' | 'events' | 'ids'>,
  change: Change,
): OperatorEndpoint[] {
  const { db, permutation, clock, passwords } = deps;
  async function userOf(
    from: Db,
    { tenant, id: text }: Path,
  ): Promise<{ tenantId: bigint; id: bigint; email: string }> {
    const { id: tenantId } = await tenantNamed(from, tenant);
    const id = permutation.inward(text);
    const user = id === null ? null : await userGet(from, tenantId, id);
    if (!user) throw notFound('No such user');
    return { tenantId, id: user.id, email: user.email };
  }
  const targetOf = ({ tenant, id }: Path): string => `${tenant}/${id}`;

  return [
    operatorEndpoint({
      method: 'POST',
      path: '/tenants/:tenant/users/:id/password',
      operation: 'userPassword',
      summary: 'Sets another password; ends the sessions of the user and lifts the lock',
      tag: TAG,
      right: null,
      params: WithId,
      body: Shape({ value: Password }),
      answers: {
        ...done,
        ...unknown,
        409: { description: 'PASSWORD_ALREADY_USED: it is one of the last four; or another was set at the same time' },
        ...wrong,
      },
      async handler(input) {
        const { tenantId, email } = await userOf(db, input.params);
        refusePassword(input.body.value, email, '#/value');
        const login = await loginOf(db, tenantId, email);
        if (!login) throw notFound('No such user');
        // Made before the change begins: it takes long on purpose, and nobody should wait for it holding a lock.
        const next = await passwords.another(tenantId, passwordsOf(login), input.body.value);
        const set = async (inside: Transaction): Promise<void> => {
          if (!next) throw refuse('PASSWORD_ALREADY_USED');
          const user = await userOf(inside, input.params);
          const at = clock.now();
          if (!(await passwordSet(inside, deps, user, { next, against: login.password, at })))
            throw new Failure('conflict', { message: 'Another password was set at the same time' });
          await sessionsEnd(inside, { tenantId: user.tenantId, userId: user.id }, at);
        };
        await refusing(change(input, tenantId, 'user.password', targetOf(input.params), set));
        return { status: 204, body: null };
      },
    }),
    operatorEndpoint({
      method: 'POST',
      path: '/tenants/:tenant/users/:id/unlock',
      operation: 'userUnlock',
      summary: 'Lifts the lock after too many wrong passwords',
      tag: TAG,
      right: null,
      params: WithId,
      answers: { ...done, ...unknown },
      async handler(input) {
        const owner = async (): Promise<bigint> => (await tenantNamed(db, input.params.tenant)).id;
        await change(input, owner, 'user.unlock', targetOf(input.params), async (inside) =>
          loginReset(inside, deps, await userOf(inside, input.params)),
        );
        return { status: 204, body: null };
      },
    }),
  ];
}
