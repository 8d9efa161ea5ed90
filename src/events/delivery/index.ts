// Delivery of events to the endpoints of their owners. Owns webhook_cursors, webhook_deliveries and webhook_attempts.
// Rule: at least once, in the order of each resource; no receiver holds up another, and no payment waits for any.

export { createDelivery, type Delivery, type DeliveryOptions } from './delivery.ts';
export {
  type DeliveryShown,
  deliveriesPage,
  deliveryOf,
  type ReplayAsked,
  replayRow,
  replaySpan,
  resend,
} from './desk.ts';
export {
  needReplays,
  REPLAY_STATES,
  type Replay,
  replayInsert,
  replayOf,
  replaysKind,
  replaysOf,
  replayUpdate,
} from './desk-queries.ts';
export { postBy, type Try } from './out.ts';
export { cursorsAll, cursorsOf } from './queries/figures.ts';
export { attemptsBesideForget, deliveriesForget, replaysForget } from './queries/keeping.ts';
export { needTests, testsKind } from './queries/tests.ts';
export {
  type AttemptRow,
  attemptPut,
  cursorPut,
  type DeliveryRow,
  type DeliveryState,
  deliveryPut,
  type Trigger,
} from './queries.ts';
export type { Figures, Post, Posted, PostOut, Receiver, Standings } from './receiver.ts';
export { verdictOf } from './schedule.ts';
export { createSlots, type Slots } from './slots.ts';
export { type Desks, deliverToEndpoints, type SendOnce, sendingOnce } from './to-endpoints.ts';
