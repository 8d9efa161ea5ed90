// Operations on an order that exists: charge, reverse, refund, cancel. One way for all: the rule decides on the locked order and
// commits the intent, the message goes out with no transaction open, the answer is settled in a second commit.
import { postingsOfOrders } from '../../ledger/index.ts';
import { type Change, type Command, dueJob, type Once, type StoredAnswer } from '../../store/index.ts';
import type { Project } from '../projects/index.ts';
import { orderAnswer, refusalAnswer } from './answers.ts';
import { OrderNotFound, type RefusalCode, refusals } from './errors.ts';
import { type Gateway, terminalOf, viewOf } from './gateway.ts';
import type { FailureType, Operation, Order, OrderState } from './model.ts';
import { withDue } from './model.ts';
import { type Intent, newOperation } from './operation.ts';
import { needOrder, operationInsert, orderKind, orderRefusalInsert, orderUpdate } from './queries.ts';
import { cashflowsOf } from './read.ts';
import * as rules from './rules.ts';
import { eventOf, failureText, SENT_LIMIT_MS, type Settled, settle } from './settle.ts';
import { type OrderTrigger, orderStates } from './states.ts';
import { unresolvedAnswer } from './unresolved.ts';
import { type CardData, send } from './wire.ts';

export interface OrderRequest {
  readonly project: Project;
  readonly orderId: bigint;
  /** Minor units of the order's currency, or its decimal text still to be read against that currency. */
  readonly amount: ((order: Order) => bigint) | null;
  readonly once: Once | null;
}

/** What an intent's commit led to: an answer at once, or an operation to send. */
export type Begun = { readonly answer: StoredAnswer } | { readonly state: OrderState; readonly operation: Operation };
type Waiting = { readonly unresolved: bigint | null };

type Action = 'charge' | 'reverse' | 'refund' | 'cancel' | 'abandon';

export const charge = (gateway: Gateway, request: OrderRequest): Promise<StoredAnswer> =>
  operate(gateway, 'charge', request);
export const reverse = (gateway: Gateway, request: OrderRequest): Promise<StoredAnswer> =>
  operate(gateway, 'reverse', request);
export const refund = (gateway: Gateway, request: OrderRequest): Promise<StoredAnswer> =>
  operate(gateway, 'refund', request);
export const cancel = (gateway: Gateway, request: OrderRequest): Promise<StoredAnswer> =>
  operate(gateway, 'cancel', request);
/** By the payer: only before anything was sent. What is paid, he can't undo. */
export const abandon = (gateway: Gateway, request: OrderRequest): Promise<StoredAnswer> =>
  operate(gateway, 'abandon', request);

async function operate(gateway: Gateway, action: Action, request: OrderRequest): Promise<StoredAnswer> {
  const begun = await gateway.committer.submit(intent(gateway, action, request));
  if ('unresolved' in begun)
    return unresolvedAnswer(gateway, request.project, begun.unresolved, { isNew: false, once: request.once });
  return 'answer' in begun
    ? begun.answer
    : (await carry(gateway, request.project, begun.state, begun.operation)).answer;
}

/** The first phase. Throws OrderNotFound for an order that is not the project's. */
function intent(
  gateway: Gateway,
  action: Action,
  { project, orderId, amount, once }: OrderRequest,
): Command<Begun | Waiting> {
  const need = needOrder(project.id, orderId);
  return {
    name: `${action}.intent`,
    needs: once ? [need, once.need] : [need],
    decide(loaded) {
      const now = gateway.clock.now();
      const begun = once?.begin(loaded, now, orderId);
      if (begun && 'replay' in begun) return { value: { answer: begun.replay }, changes: [] };
      if (begun && 'unresolved' in begun) return { value: begun, changes: [] };
      const state = loaded.get(orderKind, need.key);
      if (!state) throw new OrderNotFound();
      const terminal = terminalOf(project, state.order.terminal);
      const plan = rules[action](state, amount ? amount(state.order) : null, terminal, now);
      const ending = (answer: StoredAnswer): Change[] => [
        ...(begun?.changes ?? []),
        ...(once?.finish(answer, now) ?? []),
      ];
      if ('refuse' in plan) {
        const answer = refusalAnswer(plan.refuse, null);
        return {
          value: { answer },
          changes: [refusalRecord(gateway, project, orderId, action, plan.refuse), ...ending(answer)],
        };
      }
      if ('close' in plan) {
        // A payer who goes after a refusal leaves the refusal behind.
        const closed =
          action === 'abandon'
            ? lapsedOrder(gateway, project, state, plan.close, now)
            : closedOrder(gateway, project, state, plan.close, now);
        const answer = orderAnswer(viewOf(gateway, project), closed.state);
        return {
          value: { answer },
          changes: [...closed.changes, ...ending(answer)],
        };
      }
      const started = startOperation(gateway, state, plan, { onceKey: once?.key ?? null, now });
      return {
        value: started,
        changes: [...started.changes, ...(begun?.changes ?? [])],
      };
    },
  };
}

export const refusalRecord = (
  gateway: Gateway,
  project: Project,
  orderId: bigint | null,
  action: string,
  code: RefusalCode,
): Change =>
  orderRefusalInsert({
    project_id: project.id,
    id: gateway.ids.next(),
    order_id: orderId,
    action,
    code,
    created_at: gateway.clock.now(),
  });

/** The intent as rows: the operation as sent, the order with it in flight. */
export function startOperation(
  gateway: Gateway,
  state: OrderState,
  plan: Intent,
  origin: { onceKey: string | null; now: Date },
): { state: OrderState; operation: Operation; changes: Change[] } {
  const original = originalOf(state, plan.details?.void === true);
  const operation = newOperation(gateway, state.order, plan, { ...origin, original });
  const order = withDue(
    { ...state.order, in_flight: operation.id },
    { recover: new Date(origin.now.getTime() + SENT_LIMIT_MS) },
  );
  return {
    state: { order, operations: [...state.operations, operation] },
    operation,
    changes: [operationInsert(operation), orderUpdate(order)],
  };
}

/** The reference that an operation belongs to: the approved authorization; for a void the charge. */
function originalOf({ operations }: OrderState, isVoid: boolean): string | null {
  const type = isVoid ? 'charge' : 'authorize';
  return operations.find((operation) => operation.type === type && operation.status === 'success')?.reference ?? null;
}

const TRIGGERS: Readonly<Partial<Record<FailureType, OrderTrigger>>> = { fraud: 'fraud', declined: 'decline' };

/** A page that nobody pays by any more, because he went or its time is over: it ends as its last card was refused, if one was. */
export function lapsedOrder(
  gateway: Gateway,
  project: Project,
  state: OrderState,
  code: RefusalCode,
  now: Date,
): ReturnType<typeof closedOrder> {
  const last = state.operations.findLast(({ type, status }) => type === 'authorize' && status === 'failure');
  return closedOrder(gateway, project, state, code, now, last ? ['declined', failureText(last)] : refusals[code]);
}

/** An order that ends before anything was sent for it. */
export function closedOrder(
  gateway: Gateway,
  project: Project,
  state: OrderState,
  code: RefusalCode,
  now: Date,
  as: readonly [type: FailureType, message: string] = refusals[code],
): { state: OrderState; changes: Change[] } {
  const [type, message] = as;
  const order: Order = withDue(
    {
      ...state.order,
      status: orderStates.move(state.order.status, TRIGGERS[type] ?? 'reject'),
      failure_type: type,
      failure_message: message,
      updated_at: now,
      events: state.order.events + 1,
    },
    { expire: null, ask: null },
  );
  const sealed = state.order.secure3d?.transaction_id !== undefined;
  return {
    state: { ...state, order },
    changes: [
      orderUpdate(order),
      eventOf(gateway, project, state.order, order, null),
      refusalRecord(gateway, project, order.id, 'close', code),
      ...(sealed ? [gateway.vault.dropCvv(order.project_id, order.id)] : []),
    ],
  };
}

/** How orders take their turns. */
export const OF_ORDERS = { about: 'order', owners: 'project' } as const;

/** Sends an operation whose intent is committed, settles it, and goes on with what follows by itself. */
export async function carry(
  gateway: Gateway,
  project: Project,
  state: OrderState,
  operation: Operation,
  card?: CardData,
): Promise<Settled> {
  const terminal = terminalOf(project, state.order.terminal);
  const data = card ?? (await cardOf(gateway, state.order));
  const answer = terminal && data ? await send(gateway, state.order, operation, terminal, data) : null;
  const postings = operation.details.void ? await postingsOfOrders(gateway.db, project.id, [state.order.id]) : [];
  // What was changed while the network was asked is in force for what follows.
  const current = (await gateway.project(project.id)) ?? project;
  const settled = await gateway.committer.submit(
    settle(gateway, { project: current, operation, answer, postings, pan: data?.pan ?? null }),
  );
  const { next } = settled;
  if (!settled.fresh) return { ...settled, answer: await toldBefore(gateway, current, settled, operation) };
  if (!next) return settled;
  const follow = () => carry(gateway, current, settled.state, next, data ? { ...data, cvv: null } : undefined);
  if (!next.system) return follow();
  // A reversal that is owed goes out at once, but the merchant's answer does not wait for it; what comes to nothing is recovered.
  const { project_id: owner, id } = settled.state.order;
  const job = dueJob(OF_ORDERS, { owner, id, through: terminal?.link ?? null }, async () => void (await follow()));
  gateway.queue
    .add(job)
    .catch((error: unknown) => gateway.log.error({ err: error }, 'a reversal that is owed was not sent'));
  return settled;
}

/** A worker has settled it. What it kept with a key is the answer; of a charge without one the financial details are read from the books. */
async function toldBefore(
  gateway: Gateway,
  project: Project,
  { state, answer }: Settled,
  { id, type, once_key }: Operation,
): Promise<StoredAnswer> {
  const charges = state.operations.filter((known) => known.id === id && known.status === 'success');
  if (type !== 'charge' || once_key !== null || charges.length === 0) return answer;
  return orderAnswer(viewOf(gateway, project), state, { cashflows: await cashflowsOf(gateway, project, charges) });
}

/** The card of an order out of the vault, for messages that need its number. */
export async function cardOf(gateway: Gateway, order: Order): Promise<CardData | null> {
  if (order.card_id === null) return null;
  const card = await gateway.vault.open(order.project_id, order.card_id);
  return card && { pan: card.pan, expiry: card.expiry, cvv: null, holder: card.holder };
}
