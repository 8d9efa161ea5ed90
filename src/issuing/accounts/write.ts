// How a managed account becomes changes of one commit: its row and the event that tells of it.
// Rule: the only way in which an account reaches its table, so that none changes untold. Its money is told by what moved it.
import type { EventType } from '../../events/index.ts';
import type { Change, Told } from '../../store/index.ts';
import type { IssuingDeps } from '../requests/index.ts';
import type { Funds, ManagedAccount } from './model.ts';
import { accountView } from './present.ts';
import { accountInsert, accountUpdate } from './queries.ts';

/** An account with what stands on it. */
interface Standing {
  readonly account: ManagedAccount;
  readonly funds: Funds;
}

interface Writing {
  /** null: the account is new. */
  readonly before: Standing | null;
  /** Its event is not counted yet. */
  readonly after: { readonly account: Omit<ManagedAccount, 'events'>; readonly funds: Funds };
  readonly event: EventType<'account'>;
}

export function accountWritten(
  { events, permutation }: Pick<IssuingDeps, 'events' | 'permutation'>,
  told: Pick<Told, 'now' | 'ids' | 'cause'>,
  { before, after, event }: Writing,
): Change[] {
  const account: ManagedAccount = { ...after.account, events: (before?.account.events ?? 0) + 1 };
  const shown = (of: Standing): object => accountView(permutation, of.account, of.funds);
  return [
    before ? accountUpdate(account) : accountInsert(account),
    ...events.of(told, {
      owner: account.tenant_id,
      type: event,
      resource: { type: 'account', id: account.id, sequence: account.events },
      object: shown({ account, funds: after.funds }),
      before: before && shown(before),
    }),
  ];
}
