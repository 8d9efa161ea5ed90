// Accounts with a fixed id and money on them: the sandbox's.
import type { IssuingDeps } from '../requests/index.ts';
import { emptyFunds, moveFunds } from './funds.ts';
import { accountKind, fundsInsert, needAccount } from './queries.ts';
import { ACTIVE, blocked } from './states.ts';
import { accountWritten } from './write.ts';

export interface SeededAccount {
  readonly tenantId: bigint;
  readonly id: bigint;
  readonly identityId: bigint;
  readonly profileId: bigint;
  readonly friendlyName: string;
  readonly currency: string;
  readonly amount: bigint;
  readonly blocked: boolean;
}

/** Makes the account unless it is there; what is there stays as it is. */
export async function seedAccount(
  deps: Pick<IssuingDeps, 'committer' | 'events' | 'permutation'>,
  seeded: SeededAccount,
): Promise<void> {
  const need = needAccount(seeded.tenantId, seeded.id);
  await deps.committer.submit<null>({
    name: 'account.seed',
    owner: seeded.tenantId,
    needs: [need],
    decide(loaded, told) {
      if (loaded.get(accountKind, { tenantId: seeded.tenantId, id: seeded.id })) return { value: null, changes: [] };
      const standing = seeded.blocked ? blocked(ACTIVE, 'USER') : ACTIVE;
      const account = {
        tenant_id: seeded.tenantId,
        id: seeded.id,
        identity_id: seeded.identityId,
        profile_id: seeded.profileId,
        friendly_name: seeded.friendlyName,
        tag: null,
        currency: seeded.currency,
        ...(typeof standing === 'string' ? ACTIVE : standing),
        created_at: told.now,
        updated_at: told.now,
      };
      const funds = emptyFunds(seeded.tenantId, seeded.id, seeded.currency);
      const subject = { type: 'deposit', id: told.ids.next() } as const;
      const deposit = { type: 'DEPOSIT', held: 0n, counter: 'issuer_bank', subject } as const;
      const moved = seeded.amount > 0n ? moveFunds(told, funds, { ...deposit, actual: seeded.amount }) : null;
      const after = { account, funds: moved?.funds ?? funds };
      return {
        value: null,
        changes: [
          ...accountWritten(deps, told, { before: null, after, event: 'account.created' }),
          fundsInsert(funds),
          ...(moved?.changes ?? []),
        ],
      };
    },
  });
}
