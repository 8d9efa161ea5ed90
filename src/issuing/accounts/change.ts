// Blocking, unblocking and removing a managed account, and money that arrives on it.
// Rule: an account is changed under its own lock, its money under that of its funds.

import { assert } from '../../base/index.ts';
import type { EventType } from '../../events/index.ts';
import type { Kind, Once } from '../../store/index.ts';
import { type RefusalCode, refuse } from '../fields/index.ts';
import { type CommittedAnswer, commitAnswer, type Ending, type IssuingDeps } from '../requests/index.ts';
import { moveFunds } from './funds.ts';
import type { Funds, ManagedAccount } from './model.ts';
import { accountKind, fundsKind, type InstrumentKey, needAccount, needFunds } from './queries.ts';
import { blocked, destroyed, type Standing, unblocked } from './states.ts';
import { accountWritten } from './write.ts';

/** Live cards that spend an account; loaded behind the account's own lock, which every new card of it takes too. */
export type AttachedCards = Kind<InstrumentKey, number>;

/** Whose request it is: an identity changes its own accounts only; null is the operator. */
export interface Asker {
  readonly tenantId: bigint;
  readonly identityId: bigint | null;
}

const isHis = (account: ManagedAccount | undefined, { identityId }: Asker): account is ManagedAccount =>
  account !== undefined && (identityId === null || account.identity_id === identityId);

type Move = (account: ManagedAccount, funds: Funds, attached: number) => Standing | RefusalCode;

const by = ({ identityId }: Asker): 'USER' | 'SYSTEM' => (identityId === null ? 'SYSTEM' : 'USER');

const MOVES = {
  block:
    (asker: Asker): Move =>
    (account) =>
      blocked(account, by(asker)),
  unblock:
    (asker: Asker): Move =>
    (account) =>
      unblocked(account, by(asker)),
  /** Balance zero, no holds, and no card left that spends it. */
  remove:
    (asker: Asker): Move =>
    (account, funds, attached) => {
      if (account.state === 'DESTROYED') return 'INSTRUMENT_DESTROYED';
      if (funds.actual !== 0n || funds.held !== 0n) return 'BALANCE_NOT_ZERO';
      return attached > 0 ? 'INSTRUMENTS_ATTACHED' : destroyed(account, by(asker));
    },
} as const;

export type AccountMove = keyof typeof MOVES;

const EVENTS: Readonly<Record<AccountMove, EventType<'account'>>> = {
  block: 'account.blocked',
  unblock: 'account.unblocked',
  remove: 'account.destroyed',
};

/** 204, or a refusal: RESOURCE_NOT_FOUND for an account that isn't there or isn't the asker's. */
export function changeAccount(
  deps: Pick<IssuingDeps, 'committer' | 'events' | 'permutation'>,
  asker: Asker,
  id: bigint,
  move: AccountMove,
  attachedCards: AttachedCards,
  once: Once | null,
): Promise<CommittedAnswer> {
  const key = { tenantId: asker.tenantId, id };
  const need = needAccount(asker.tenantId, id);
  const needs = [need, needFunds(asker.tenantId, id), { kind: attachedCards, key }];
  return commitAnswer(deps, once, {
    name: `account.${move}`,
    owner: asker.tenantId,
    needs,
    decide(loaded, told): Ending {
      const account = loaded.get(accountKind, key);
      if (!isHis(account, asker)) throw refuse('RESOURCE_NOT_FOUND');
      const funds = loaded.get(fundsKind, key);
      assert(funds, 'an account without funds');
      const standing = MOVES[move](asker)(account, funds, loaded.get(attachedCards, key) ?? 0);
      if (typeof standing === 'string') throw refuse(standing);
      const after = { account: { ...account, ...standing, updated_at: told.now }, funds };
      return {
        status: 204,
        body: null,
        changes: accountWritten(deps, told, { before: { account, funds }, after, event: EVENTS[move] }),
      };
    },
  });
}

/** Money arrives on an account, whatever its state but destroyed: the bank has it already. */
export function deposit(
  deps: Pick<IssuingDeps, 'committer' | 'events' | 'ids' | 'permutation'>,
  tenantId: bigint,
  id: bigint,
  amount: bigint,
  once: Once | null = null,
): Promise<CommittedAnswer> {
  const key = { tenantId, id };
  const depositId = deps.ids.next();
  return commitAnswer(deps, once, {
    name: 'account.deposit',
    owner: tenantId,
    needs: [needAccount(tenantId, id), needFunds(tenantId, id)],
    decide(loaded, told): Ending {
      const account = loaded.get(accountKind, key);
      const funds = loaded.get(fundsKind, key);
      if (!account || !funds) throw refuse('RESOURCE_NOT_FOUND');
      if (account.state === 'DESTROYED') throw refuse('INSTRUMENT_DESTROYED');
      if (amount <= 0n) throw refuse('AMOUNT_INVALID');
      const movement = {
        type: 'DEPOSIT',
        actual: amount,
        held: 0n,
        counter: 'issuer_bank',
        subject: { type: 'deposit', id: depositId },
      } as const;
      const moved = moveFunds(told, funds, movement);
      return {
        status: 200,
        body: {
          depositId: deps.permutation.outward(depositId),
          currency: funds.currency,
          amount: Number(amount),
          actualBalance: Number(moved.funds.actual),
          availableBalance: Number(moved.funds.actual - moved.funds.held),
        },
        changes: [
          ...accountWritten(deps, told, {
            before: { account, funds },
            after: { account, funds: moved.funds },
            event: 'account.credited',
          }),
          ...moved.changes,
        ],
      };
    },
  });
}
