// The second phase of every operation: the network's answer (or its absence) becomes the order's new state, the postings,
// the event and the stored answer, in one commit.
// Rule: only the operation that is in flight can be settled, so a doubled or late answer changes nothing.
import { addMs, type Pan } from '../../base/index.ts';
import type { Posting, Rate } from '../../ledger/index.ts';
import type { NetworkAnswer } from '../../network/index.ts';
import type { Change, Command, Loaded, StoredAnswer, Told } from '../../store/index.ts';
import {
  asking,
  asSubject,
  type Cashflows,
  eventOf,
  failureAnswer,
  failureText,
  type GatewayDeps,
  needOrder,
  type Operation,
  type Order,
  type OrderState,
  OUTCOME_UNKNOWN,
  operationInsert,
  operationUpdate,
  orderAnswer,
  orderKind,
  orderStates,
  orderUpdate,
  stateAnswer,
  terminalOf,
  unknownAnswer,
  viewOf,
  withDue,
  withEvent,
} from '../orders/index.ts';
import { payoutEnds, payoutNeeds } from '../payout-bounds/index.ts';
import type { Project } from '../projects/index.ts';
import { outcomeChanges } from './assess.ts';
import { postingsFor, rateFor } from './books.ts';
import { approved, declined, recoveryAt } from './effects.ts';
import { newOperation, SENT_LIMIT_MS } from './intent.ts';
import { answered, unanswered } from './message.ts';

export interface Settled {
  readonly state: OrderState;
  readonly answer: StoredAnswer;
  /** The operation that follows by itself (auto_charge, a reversal that is owed): already committed as sent. */
  readonly next: Operation | null;
  /** False when somebody else had settled the operation before. */
  readonly fresh: boolean;
  /** A soft decline that the project answers with 3-D Secure: the order is still new and the request goes on. */
  readonly stepUp?: boolean;
}

/** The acquirer told that there was no such message: nothing was done. */
export type NeverArrived = 'never arrived';

export interface ToSettle {
  readonly project: Project;
  readonly operation: Operation;
  /** null: no answer came. */
  readonly answer: NetworkAnswer | NeverArrived | null;
  /** Told by telephone, not by the link. */
  readonly resolution?: Operation['details']['resolution'];
  /** The card, for what its answer tells the risk counters. */
  readonly pan?: Pan | null;
  /** The order's postings, for a void of its charge. */
  readonly postings?: readonly Posting[];
}

export const replace = (state: OrderState, order: Order, operation: Operation): OrderState => ({
  order,
  operations: state.operations.map((known) => (known.id === operation.id ? operation : known)),
});

/** What a result is made with: neither clock nor database, for it is decided, and told what it needs. */
type ResultDeps = Pick<GatewayDeps, 'events' | 'log' | 'once' | 'permutation' | 'risk' | 'vault'>;

export function settle(deps: ResultDeps & Pick<GatewayDeps, 'rates' | 'stans'>, toSettle: ToSettle): Command<Settled> {
  const { project, operation } = toSettle;
  const need = needOrder(operation.project_id, operation.order_id);
  const stan = deps.stans.next();
  const rate = rateFor(deps, project, operation.currency);
  return {
    name: `${operation.type}.result`,
    owner: operation.project_id,
    finishes: true,
    // A retry finds the record, so the record is locked with the order.
    needs: [
      need,
      ...(operation.once_key === null ? [] : [deps.once.need(operation.project_id, operation.once_key)]),
      ...(operation.details.counted ? payoutNeeds(operation.project_id, operation.details.counted) : []),
    ],
    decide(loaded, told) {
      const state = loaded.get(orderKind, need.key) as OrderState;
      const current = state.operations.find(({ id }) => id === operation.id) as Operation;
      if (current.status !== 'sent') {
        // Whoever settled it has kept the answer with the request's key: there is one answer, to the byte.
        const kept = current.once_key && deps.once.answer(loaded, current.project_id, current.once_key);
        const answer = kept || answerFor(deps, project, state, current, new Map());
        return { value: { state, answer, next: null, fresh: false }, changes: [] };
      }
      const context = { deps, toSettle, state, loaded, told, stan, rate };
      const { answer, resolution } = toSettle;
      const details = { ...without(current.details, 'unbooked'), ...(resolution ? { resolution } : {}) };
      if (answer === null) return withoutAnswer(context, { ...current, details });
      try {
        return withAnswer(context, { ...current, details }, answer);
      } catch (error) {
        return unbooked(context, current, answer, error);
      }
    },
  };
}

/**
 * The acquirer has answered and the books can't take it: a defect of ours, or data that somebody changed. What is true at the acquirer
 * stays true, so the operation stays in flight, is asked for again, and is shown to the operator.
 */
function unbooked(context: Context, sent: Operation, answer: NetworkAnswer | NeverArrived, error: unknown): Outcome {
  const { log } = context.deps;
  log.error({ err: error, operation: sent.reference, type: sent.type }, 'an answer could not be booked');
  const { responseCode, authCode } = answer === 'never arrived' ? { responseCode: '', authCode: null } : answer;
  const problem = error instanceof Error ? error.message : 'unknown';
  return withoutAnswer(context, {
    ...sent,
    details: { ...sent.details, unbooked: { response_code: responseCode, auth_code: authCode ?? '', problem } },
  });
}

type Outcome = ReturnType<Command<Settled>['decide']>;

interface Context {
  readonly deps: ResultDeps;
  readonly toSettle: ToSettle;
  readonly state: OrderState;
  readonly loaded: Loaded;
  readonly told: Told;
  /** Of the operation that follows by itself, if one does. */
  readonly stan: string;
  readonly rate: Rate | null;
}

function withAnswer(context: Context, sent: Operation, answer: NetworkAnswer | NeverArrived): Outcome {
  const { deps, toSettle, state, told, stan } = context;
  const { now } = told;
  const { project } = toSettle;
  const { order } = state;
  const operation = answer === 'never arrived' ? unanswered(sent, now) : answered(sent, answer, order, now);
  const terminal = terminalOf(project, order.terminal);
  const circumstances = { project, terminal, now };
  const landed: Order = { ...order, in_flight: null, due: without(order.due, 'recover') };
  if (operation.system) return ended(context, withDue(landed, {}), operation);
  const free = withEvent({ ...landed, updated_at: now });
  if (operation.status !== 'success') {
    const stepUp = stepsUp(project, order, operation);
    const failed = stepUp ? asking(free, now) : declined(free, operation, circumstances, failureText(operation));
    return ended(context, failed, operation, { stepUp, changes: finalCvv(deps, failed, operation) });
  }
  const after = approved(free, operation, circumstances);
  const posted = postingsFor(project, {
    before: order,
    after,
    operation,
    operations: state.operations,
    postings: toSettle.postings ?? [],
    rate: context.rate,
  });
  const auto = operation.type === 'authorize' && order.options.auto_charge === true && after.amount > 0n;
  const next =
    auto && project.active
      ? newOperation(
          { ...state, order: after },
          { type: 'charge', amount: after.held, details: { by: 'auto_charge' } },
          { original: operation.reference, onceKey: operation.once_key, stan },
          told,
        )
      : null;
  const details =
    operation.type === 'authorize'
      ? { ...operation.details, authorization_expires: after.due.release ?? null }
      : operation.details;
  return ended(
    context,
    auto && !next ? withDue(after, { capture: addMs(now, CLOSED_WAIT_MS) }) : after,
    { ...operation, details, rate: posted.rate },
    { next, changes: [...posted.changes, ...finalCvv(deps, after, operation)], cashflows: posted.cashflows },
  );
}

/** Only once, and only where there is a cardholder to ask. */
const stepsUp = (project: Project, order: Order, operation: Operation): boolean =>
  project.settings.step_up_automatically &&
  operation.type === 'authorize' &&
  operation.iso_response_code === 'A1' &&
  order.status === 'new' &&
  order.initiator === 'customer' &&
  order.secure3d === null;

function withoutAnswer(context: Context, sent: Operation): Outcome {
  const { deps, toSettle, state, loaded, told, stan } = context;
  const { now } = told;
  const { project } = toSettle;
  const { order } = state;
  if (sent.type !== 'authorize') {
    // In flight it stays: the order keeps its status and a worker asks until it knows.
    const waiting: Operation = { ...sent, tries: sent.tries + 1 };
    const after = withDue(order, { recover: recoveryAt(sent, now) });
    const answer =
      sent.details.by === 'auto_charge'
        ? stateAnswer(viewOf(deps, project), state, { isNew: isNew(order) })
        : unknownAnswer(sent.type === 'credit' ? deps.permutation.outward(order.id) : null);
    const once =
      sent.once_key === null
        ? []
        : deps.once.leaveUnresolved(loaded, order.project_id, sent.once_key, asSubject(order.id));
    const next = replace(state, after, waiting);
    return {
      value: { state: next, answer, next: null, fresh: true },
      changes: [orderUpdate(after), operationUpdate(waiting), ...once],
    };
  }
  // Whether the issuer holds the amount is unknown: the order ends, and a reversal is owed until it is acknowledged.
  const operation = unanswered(sent, now);
  const lost = withEvent(
    withDue(
      {
        ...order,
        in_flight: null,
        status: orderStates.move(order.status, 'lose'),
        failure_type: 'error',
        failure_message: OUTCOME_UNKNOWN,
        updated_at: now,
      },
      { expire: null, recover: null },
    ),
  );
  const reversal = newOperation(
    { ...state, order: lost },
    { type: 'reverse', amount: operation.amount },
    { original: operation.reference, onceKey: null, system: true, stan },
    told,
  );
  return ended(context, lost, operation, { next: reversal, changes: finalCvv(deps, lost, operation) });
}

interface Ending {
  readonly next?: Operation | null;
  readonly changes?: readonly Change[];
  readonly cashflows?: Cashflows;
  readonly stepUp?: boolean;
}

function ended(
  { deps, toSettle, state: before, loaded, told, rate }: Context,
  after: Order,
  operation: Operation,
  ending: Ending = {},
): Outcome {
  const { project } = toSettle;
  const { next = null, changes = [], cashflows = new Map(), stepUp = false } = ending;
  const order = next
    ? withDue({ ...after, in_flight: next.id }, { recover: addMs(next.created_at, SENT_LIMIT_MS) })
    : after;
  const replaced = replace(before, order, operation);
  const state = next ? { order, operations: [...replaced.operations, next] } : replaced;
  const answer = answerFor(deps, project, state, operation, cashflows);
  // The request goes on with an automatic charge; a reversal that is owed concerns only us.
  const last = !stepUp && (next === null || next.system);
  const once =
    last && operation.once_key !== null ? deps.once.finish(loaded, order.project_id, operation.once_key, answer) : [];
  return {
    value: { state, answer, next, fresh: true, stepUp },
    changes: [
      orderUpdate(order),
      operationUpdate(operation),
      ...(next ? [operationInsert(next)] : []),
      ...changes,
      ...(toSettle.pan ? outcomeChanges(deps, project, order, operation, toSettle.pan, rate, told.now) : []),
      ...(operation.system ? [] : eventOf(deps, project, { before, after: state, operation }, told)),
      ...payoutEnds(operation),
      ...once,
    ],
  };
}

/** A project that was closed captures nothing; until its holds are over this is how often it is looked whether it is open again. */
export const CLOSED_WAIT_MS = 3_600_000;

function answerFor(
  deps: Pick<GatewayDeps, 'permutation'>,
  project: Project,
  state: OrderState,
  operation: Operation,
  cashflows: Cashflows,
): StoredAnswer {
  const view = viewOf(deps, project);
  if (operation.type === 'authorize' || operation.type === 'credit' || operation.details.by)
    return stateAnswer(view, state, { isNew: isNew(state.order) });
  // Of all answers that of charge alone has the financial details; others show them to who asks by expand.
  if (operation.status === 'success') return orderAnswer(view, state, operation.type === 'charge' ? { cashflows } : {});
  return operation.status === 'failure' ? failureAnswer('declined', failureText(operation), null) : unknownAnswer(null);
}

/** What authorizes or pays out made its order, unless a cardholder was asked in between: then it was a request before. */
const isNew = ({ secure3d }: Order): boolean => secure3d?.transaction_id === undefined;

/** The CVV of a challenged order goes in the commit that decides its authorization. */
function finalCvv(deps: Pick<GatewayDeps, 'vault'>, order: Order, operation: Operation): Change[] {
  const sealed = operation.type === 'authorize' && order.secure3d?.transaction_id !== undefined;
  return sealed ? [deps.vault.dropCvv(order.project_id, order.id)] : [];
}

function without<T extends object, K extends keyof T>(object: T, key: K): Omit<T, K> {
  const { [key]: _, ...rest } = object;
  return rest;
}
