// The lifecycle of an order as data: from, trigger, to. "none" is an order that the same commit creates.
import { lifecycle } from '../../base/index.ts';
import type { OrderStatus } from './model.ts';

export type OrderTrigger =
  | 'approve'
  | 'challenge'
  | 'decline'
  | 'fraud'
  | 'reject'
  | 'lose'
  | 'charge'
  | 'reverse'
  | 'refund_rest'
  | 'void'
  | 'chargeback'
  | 'represent'
  | 'credit';

const open: readonly OrderStatus[] = ['new', 'prepared'];

export const orderStates = lifecycle<OrderStatus, OrderTrigger>([
  ...open.flatMap((from): [OrderStatus, OrderTrigger, OrderStatus][] => [
    [from, 'approve', 'authorized'],
    [from, 'decline', 'declined'],
    [from, 'fraud', 'fraud'],
    [from, 'reject', 'rejected'],
    [from, 'lose', 'error'],
  ]),
  ['new', 'challenge', 'prepared'],
  ['prepared', 'challenge', 'prepared'],
  ['new', 'credit', 'credited'],
  ['authorized', 'charge', 'charged'],
  ['authorized', 'reverse', 'reversed'],
  // Multicapture: more charges, and a reverse that releases what is left of the hold, whatever became of what was charged.
  ['charged', 'charge', 'charged'],
  ['charged', 'reverse', 'charged'],
  ['reversed', 'reverse', 'reversed'],
  ['refunded', 'reverse', 'refunded'],
  ['chargedback', 'reverse', 'chargedback'],
  ['charged', 'refund_rest', 'refunded'],
  ['charged', 'void', 'reversed'],
  ['charged', 'chargeback', 'chargedback'],
  ['chargedback', 'represent', 'charged'],
]);

/** It waits for who pays it. */
export const OPEN: ReadonlySet<OrderStatus> = new Set(open);

/** Nothing can be charged any more, nor will be: what is still held of it is of no use to anybody. */
export const isOver = (status: OrderStatus): boolean => status === 'refunded' || status === 'reversed';

/** An issuer approved the card of such an order, and nobody disputed it since. */
export const APPROVED: ReadonlySet<OrderStatus> = new Set(['authorized', 'charged', 'refunded', 'reversed']);
