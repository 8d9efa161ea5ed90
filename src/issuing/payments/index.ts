// payments: a payment with an issued card: its row, the messages about it, what each does to the hold, the money and the spend counters.
// Owns authorizations, authorization_messages and used_cavvs.
// Rule: what is held is always what is still to be cleared, with its fee and padding; rows are written here and nowhere else.
export {
  type Booked,
  clear,
  clearedShare,
  giveMoney,
  hold,
  holdAdded,
  openShare,
  release,
  takeBack,
} from './book.ts';
export { authorizationAuditor, authorizationInvariants } from './invariants.ts';
export {
  type Authorization,
  type AuthorizationState,
  answerOf,
  type KeptAnswer,
  type Merchant,
  type Message,
  storedAnswer,
} from './model.ts';
export { paymentView, stepView } from './present.ts';
export {
  type AuthorizationDue,
  authorizationAnywhere,
  authorizationGet,
  authorizationKind,
  authorizationsExpired,
  authorizationsOfCard,
  authorizationsOfReferences,
  authorizationsPending,
  messageGet,
  messageKind,
  needAuthorization,
  needMessage,
  needUsedCavv,
  nextExpiryAt,
  usedCavvInsert,
  usedCavvKind,
} from './queries.ts';
export { messageWritten, written } from './write.ts';
