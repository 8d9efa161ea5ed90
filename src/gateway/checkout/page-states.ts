// What a payer sees of an order, and what he may do there: status → stage, action → stages. The back button, a reload, a second tab, a
// double click and a stale form are the same case: an action in a stage that doesn't allow it changes nothing, and shows the stage.
import type { OrderStatus } from '../orders/index.ts';

/**
 * form: waits for a card · closed: would wait for one, or for the bank, but nothing is taken here any more · bank: waits for the
 * cardholder's confirmation · answered: the bank has answered and nobody came back yet · working: something is on its way · paid, failed,
 * undone, finished: over.
 */
export type Stage = 'form' | 'closed' | 'bank' | 'answered' | 'working' | 'paid' | 'failed' | 'undone' | 'finished';

const STAGES: Readonly<Record<OrderStatus, Stage>> = {
  new: 'form',
  prepared: 'bank',
  authorized: 'paid',
  charged: 'paid',
  reversed: 'undone',
  refunded: 'undone',
  rejected: 'failed',
  fraud: 'failed',
  declined: 'failed',
  error: 'failed',
  chargedback: 'finished',
  credited: 'finished',
};

export type PageAction = 'pay' | 'cancel' | 'finish';

const ALLOWED: Readonly<Record<PageAction, readonly Stage[]>> = {
  pay: ['form'],
  cancel: ['form', 'closed', 'bank'],
  finish: ['answered'],
};

export const mayDo = (action: PageAction, stage: Stage): boolean => ALLOWED[action].includes(stage);

/** Stages that a payer leaves only by himself: the story is over. */
export const isOver = (stage: Stage): boolean => ['paid', 'failed', 'undone', 'finished'].includes(stage);

export interface Standing {
  readonly status: OrderStatus;
  readonly inFlight: boolean;
  /** Of a challenge: it waits for the cardholder, it was answered, or there is none. */
  readonly challenge: 'form' | 'answered' | null;
  /** The merchant takes no new money. */
  readonly closed: boolean;
}

export function stageOf({ status, inFlight, challenge, closed }: Standing): Stage {
  const stage = STAGES[status];
  if (isOver(stage)) return stage;
  if (inFlight) return 'working';
  if (closed && challenge !== 'answered') return 'closed';
  if (stage !== 'bank') return stage;
  return challenge === 'form' ? 'bank' : challenge === 'answered' ? 'answered' : 'working';
}
