// The order that a request makes: its id is told with an unknown outcome, so that one look tells what became of it.
import { type Command, type Decision, OutcomeUnknown, presentCaller, type Subject } from '../../store/index.ts';
import type { GatewayDeps } from '../orders/index.ts';

/**
 * Commits what makes the order. Rejects as the commit does; then there is no order, unless the outcome is unknown. Until it is decided no
 * id is told: a repeat may find that the order of its key is another one, and who looked for the first would find nothing.
 */
export async function making<Value>(
  { permutation, committer }: Pick<GatewayDeps, 'permutation' | 'committer'>,
  orderId: bigint,
  command: Command<Value>,
): Promise<Value> {
  const caller = presentCaller();
  if (!caller) return committer.submit(command);
  try {
    return await committer.submit({
      ...command,
      decide(loaded, told) {
        const decision = command.decide(loaded, told);
        const id = idIn(decision, orderId);
        caller.made = id === null ? null : permutation.outward(id);
        return decision;
      },
    });
  } catch (error) {
    if (!(error instanceof OutcomeUnknown)) caller.made = null;
    throw error;
  }
}

/** The order that is made, or the one that an earlier request with the key or the merchant's id has made; null: neither. */
function idIn({ changes, value }: Decision<unknown>, orderId: bigint): bigint | null {
  const isMade = changes.some(({ table, row }) => table.name === 'orders' && (row as { id?: bigint }).id === orderId);
  if (isMade) return orderId;
  const { unresolved = null, existing = null } = value as { unresolved?: Subject | null; existing?: bigint };
  return unresolved?.id ?? existing;
}
