// Operations that the acquirer was asked for in vain, or whose answer can't be booked: an operator's task from the sixth try on. What the
// acquirer tells by telephone is settled on the one way there is, with the same postings, event and kept answer as if it had come by the link.
// Rule: nothing is settled by hand while the acquirer is being asked, so that no answer can contradict it.
import { addMs, formatAmount, maskPansIn, refuserOf, unfit } from '../../base/index.ts';
import { postingsOf } from '../../ledger/index.ts';
import { isoCode, type NetworkAnswer } from '../../network/index.ts';
import {
  type GatewayDeps,
  type Operation,
  type OrderState,
  operationInFlight,
  operationsStuck,
  orderKind,
} from '../orders/index.ts';
import { SENT_LIMIT_MS } from './intent.ts';
import { type NeverArrived, type Settled, settle } from './result.ts';

/** The try from which on an operation is an operator's task. */
const STUCK_TRIES = 6;

export type StuckReason = 'not_bookable' | 'given_up' | 'no_answer';

export interface StuckOperation {
  /** Our own reference, by which the acquirer knows it. */
  readonly id: string;
  readonly order_id: string;
  readonly project: string | null;
  readonly type: string;
  /** A reversal that is owed because an authorization got no answer. */
  readonly owed: boolean;
  readonly amount: string;
  readonly currency: string;
  readonly since: string;
  readonly tries: number;
  readonly why: StuckReason;
  /** What the acquirer answered, and what is in the way of booking it. */
  readonly answer: { readonly response_code: string; readonly auth_code: string; readonly problem: string } | null;
  readonly next_try: string | null;
}

/** Why it waits for an operator; null: it is still asked for by itself. */
function reasonOf({ tries, details }: Operation, recover: string | null): StuckReason | null {
  if (details.unbooked) return 'not_bookable';
  if (recover === null) return 'given_up';
  return tries >= STUCK_TRIES ? 'no_answer' : null;
}

/** Those behind `after`, in the order in which they began. */
export async function stuckOperations(
  deps: Pick<GatewayDeps, 'db' | 'permutation' | 'project'>,
  after: bigint,
  limit: number,
): Promise<StuckOperation[]> {
  const rows = await operationsStuck(deps.db, STUCK_TRIES, after, limit);
  return Promise.all(
    rows.map(async ({ recover, ...operation }) => ({
      id: operation.reference,
      order_id: deps.permutation.outward(operation.order_id),
      project: (await deps.project(operation.project_id))?.login ?? null,
      type: operation.type,
      owed: operation.system,
      amount: formatAmount(operation.amount, operation.currency),
      currency: operation.currency,
      since: operation.created_at.toISOString(),
      tries: operation.tries,
      why: reasonOf(operation, recover) ?? 'no_answer',
      answer: operation.details.unbooked ?? null,
      next_try: recover,
    })),
  );
}

/** What the acquirer said by telephone. */
export interface Heard {
  readonly outcome: 'approved' | 'declined' | 'never_arrived';
  /** Absent: 00 for approved, 05 for declined. */
  readonly response_code?: string | undefined;
  readonly auth_code?: string | undefined;
  /** Who said so, when, and to whom: kept with the operation. */
  readonly reason: string;
}

const refuse = refuserOf({
  operation_not_in_flight: ['conflict', 'No operation in flight has this id: it is settled already, or never was'],
  operation_not_stuck: ['conflict', 'The operation is still asked for by itself'],
  operation_being_asked: ['conflict', 'The acquirer is asked for it within this minute: try again after that'],
  operation_owed: [
    'conflict',
    'A reversal that never arrived is still owed: it is sent until the acquirer knows of it',
  ],
});

export interface Resolved {
  readonly operation: Operation;
  readonly login: string;
}

const DEFAULT_CODES = { approved: '00', declined: '05' } as const;

const codeOf = ({ outcome, response_code }: Heard): string =>
  response_code ?? (outcome === 'never_arrived' ? '' : DEFAULT_CODES[outcome]);

/** Whether the code may stand for what was heard. */
function fits(heard: Heard): boolean {
  if (heard.outcome === 'never_arrived') return heard.response_code === undefined && heard.auth_code === undefined;
  const approves = isoCode(codeOf(heard)).class === 'approved';
  return approves === (heard.outcome === 'approved') && (approves || heard.auth_code === undefined);
}

const answerOf = (heard: Heard, { amount, details }: Operation): NetworkAnswer | NeverArrived =>
  heard.outcome === 'never_arrived'
    ? 'never arrived'
    : {
        responseCode: codeOf(heard),
        authCode: heard.auth_code ?? null,
        rrn: details.rrn ?? '',
        networkTransactionId: details.network_transaction_id ?? null,
        cvvResult: null,
        avsResult: null,
        approvedMinor: heard.outcome === 'approved' ? amount : null,
      };

/** Settles an operation as the acquirer told; what it is then, and whose. An authorization never waits here: it is not revived, its reversal is. */
export async function resolveOperation(deps: GatewayDeps, reference: string, heard: Heard): Promise<Resolved> {
  if (!fits(heard)) {
    const details = ['fits the outcome; never_arrived has no code'];
    throw unfit([{ path: ['response_code'], message: 'Contradicts the outcome', details }]);
  }
  const operation = /^\d{1,18}$/.test(reference) ? await operationInFlight(deps.db, BigInt(reference)) : null;
  const project = operation && (await deps.project(operation.project_id));
  if (!operation || !project) throw refuse('operation_not_in_flight');
  const postings = operation.details.void ? await postingsOf(deps.db, project.id, [operation.order_id]) : [];
  const { outcome } = heard;
  const settling = settle(deps, {
    project,
    operation,
    answer: answerOf(heard, operation),
    resolution: { outcome, reason: maskPansIn(heard.reason), at: deps.clock.now().toISOString() },
    postings,
  });
  const settled = await deps.committer.submit<Settled>({
    ...settling,
    decide(loaded, told) {
      const key = { owner: project.id, id: operation.order_id };
      checkStuck(loaded.get(orderKind, key), operation.id, outcome, told.now);
      return settling.decide(loaded, told);
    },
  });
  return {
    operation: settled.state.operations.find(({ id }) => id === operation.id) ?? operation,
    login: project.login,
  };
}

/** Refuses what can't be settled by hand, as it stands under the order's lock. */
function checkStuck(state: OrderState | undefined, id: bigint, outcome: Heard['outcome'], now: Date): void {
  const operation = state?.operations.find((known) => known.id === id);
  if (!state || operation?.status !== 'sent') throw refuse('operation_not_in_flight');
  const { recover = null } = state.order.due;
  if (reasonOf(operation, recover) === null) throw refuse('operation_not_stuck');
  if (recover !== null && new Date(recover) <= addMs(now, SENT_LIMIT_MS)) throw refuse('operation_being_asked');
  if (operation.system && outcome === 'never_arrived') throw refuse('operation_owed');
}
