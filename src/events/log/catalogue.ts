// Every type of event (docs/contract/events.md#catalogue): what it is about, and what happened to it.
// Rule: a name tells what happened, not the status that followed. A type that isn't here can't be written.

/** Whose events: a project's, a tenant's, or the operator's own. */
export type OwnerType = 'project' | 'tenant' | 'operator';

const ORDER_VERBS = [
  'created',
  'prepared',
  'attempt_failed',
  'authorized',
  'charged',
  'reversed',
  'refunded',
  'partially_refunded',
  'credited',
  'declined',
  'rejected',
  'fraud_refused',
  'failed',
  'expired',
  'authorization_expiring',
  'authorization_expired',
  'charge_failed',
  'reverse_failed',
  'refund_failed',
  'credit_failed',
  'chargedback',
  'represented',
  'settled',
] as const;

const CARD_VERBS = [
  'created',
  'updated',
  'activated',
  'blocked',
  'unblocked',
  'destroyed',
  'replaced',
  'renewed',
  'expired',
  'limits_changed',
  'revealed',
  'pin_blocked',
  'pin_unblocked',
  'plastic_requested',
  'plastic_sent_for_fulfilment',
  'plastic_dispatched',
  'plastic_delivered',
] as const;

const AUTHORIZATION_VERBS = [
  'pending',
  'approved',
  'declined',
  'incremented',
  'reversed',
  'cleared',
  'voided',
  'expired',
  'refunded',
  'refund_reversed',
] as const;

const USER_VERBS = [
  'created',
  'updated',
  'activated',
  'deactivated',
  'locked',
  'factor_enrolled',
  'factor_removed',
] as const;

const WEBHOOK_VERBS = ['created', 'updated', 'failing', 'recovered', 'disabled', 'delivery_given_up'] as const;

/** noun → its verbs, and whose they are. */
export const CATALOGUE = {
  order: { owners: ['project'], verbs: ORDER_VERBS },
  settlement: { owners: ['project'], verbs: ['created', 'paid'] },
  payout: { owners: ['project'], verbs: ['created', 'sent', 'paid', 'failed', 'returned'] },
  reserve: { owners: ['project'], verbs: ['released'] },
  dispute: { owners: ['project'], verbs: ['opened', 'evidence_submitted', 'won', 'lost', 'expired'] },
  card: { owners: ['tenant'], verbs: CARD_VERBS },
  wallet_token: {
    owners: ['tenant'],
    verbs: ['requested', 'activated', 'suspended', 'resumed', 'repointed', 'deleted'],
  },
  account: { owners: ['tenant'], verbs: ['created', 'updated', 'blocked', 'unblocked', 'destroyed', 'credited'] },
  transfer: { owners: ['tenant'], verbs: ['completed'] },
  authorization: { owners: ['tenant'], verbs: AUTHORIZATION_VERBS },
  challenge: { owners: ['tenant'], verbs: ['created', 'resent', 'fell_back', 'passed', 'failed', 'expired'] },
  user: { owners: ['tenant'], verbs: USER_VERBS },
  identity: { owners: ['tenant'], verbs: ['created', 'updated', 'verification_changed', 'level_changed'] },
  webhook: { owners: ['project', 'tenant', 'operator'], verbs: WEBHOOK_VERBS },
  link: { owners: ['operator'], verbs: ['up', 'degraded', 'down'] },
  advice: { owners: ['operator'], verbs: ['unacknowledged'] },
  carrier: { owners: ['operator'], verbs: ['failing'] },
  operation: { owners: ['operator'], verbs: ['unresolved'] },
  invariant: { owners: ['operator'], verbs: ['violated'] },
  range: { owners: ['operator'], verbs: ['exhausting'] },
  rates: { owners: ['operator'], verbs: ['stale'] },
  key: { owners: ['operator'], verbs: ['rotated'] },
  page: { owners: ['operator'], verbs: ['changed'] },
  setup: { owners: ['operator'], verbs: ['created', 'updated', 'closed'] },
} as const satisfies Readonly<Record<string, { owners: readonly OwnerType[]; verbs: readonly string[] }>>;

export type Noun = keyof typeof CATALOGUE;
export type EventType<Of extends Noun = Noun> = {
  [Name in Of]: `${Name}.${(typeof CATALOGUE)[Name]['verbs'][number]}`;
}[Of];

/** The types that an owner of this kind may be told, in the order of the catalogue. */
export const typesFor = (owner: OwnerType): EventType[] =>
  Object.entries(CATALOGUE).flatMap(([noun, { owners, verbs }]) =>
    (owners as readonly OwnerType[]).includes(owner) ? verbs.map((verb) => `${noun}.${verb}` as EventType) : [],
  );

/** The version of what an event looks like: a date. New members need none. */
export const EVENTS_VERSION = '2026-12-01';
