// POST /simulator/accounts/{id}/deposit: money arrives on a managed account.
import Type from 'typebox';
import { Refusal } from '../../base/index.ts';
import { type AnyEndpoint, Digits, endpointOf, Failure, MinorUnits, Shape } from '../../http/index.ts';
import { currencyCode, type IssuingDeps, minorUnits, shownId } from '../requests/index.ts';
import { deposit } from './change.ts';
import { accountOwner } from './queries.ts';

const endpoint = endpointOf<unknown>();
const deposited = Shape(
  {
    depositId: shownId,
    currency: currencyCode,
    amount: minorUnits,
    actualBalance: minorUnits,
    availableBalance: minorUnits,
  },
  { title: 'Deposit' },
);

export const depositEndpoints = (deps: IssuingDeps): AnyEndpoint<unknown>[] => [
  endpoint({
    method: 'POST',
    path: '/accounts/:id/deposit',
    operation: 'depositOnAccount',
    summary: 'Money arrives on a managed account',
    description: 'The amount is in minor units of the account.',
    right: null,
    params: Type.Object({ id: Digits() }),
    body: Shape({ amount: MinorUnits(1) }),
    answers: {
      200: { description: 'Booked', schema: deposited },
      404: { description: 'No such account' },
      409: { description: 'The account is closed' },
    },
    async handler({ params, body }) {
      const id = deps.permutation.inward(params.id);
      const tenantId = id === null ? null : await accountOwner(deps.db, id);
      if (id === null || tenantId === null) throw new Failure('not_found');
      try {
        const { status, body: answer } = await deposit(deps, tenantId, id, body.amount);
        return { status, body: answer };
      } catch (error) {
        if (error instanceof Refusal) throw new Failure('conflict', { message: error.message });
        throw error;
      }
    },
  }),
];
