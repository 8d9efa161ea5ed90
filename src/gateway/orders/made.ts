// The order that a request makes: its id is told with an unknown outcome, so that one look tells what became of it.
import { OutcomeUnknown, presentCaller } from '../../store/index.ts';
import type { Gateway } from './gateway.ts';

/** Commits what makes the order. Rejects as the commit does; then there is no order, unless the outcome is unknown. */
export async function making<Value>(
  { permutation }: Pick<Gateway, 'permutation'>,
  orderId: bigint,
  commit: () => Promise<Value>,
): Promise<Value> {
  const caller = presentCaller();
  if (caller) caller.made = permutation.outward(orderId);
  try {
    return await commit();
  } catch (error) {
    if (caller && !(error instanceof OutcomeUnknown)) caller.made = null;
    throw error;
  }
}
