// What is due on orders, by kind: the recovery of operations without an answer, expiry, automatic charge, hold expiry, clearing,
// chargebacks of the simulator, reserve release. Each handler is safe to run twice: it decides on the locked order.
import { addDays, addMs, assert, dayOf, luhnDigit } from '../../base/index.ts';
import { eventInsert } from '../../events/index.ts';
import { postClearing, postingsOfOrders, postReserveRelease } from '../../ledger/index.ts';
import { lookupBin, NoAnswer } from '../../network/index.ts';
import type { Change, Decision } from '../../store/index.ts';
import type { Project } from '../projects/index.ts';
import { approved, isPage, recoveryAt } from './effects.ts';
import { type Gateway, terminalOf } from './gateway.ts';
import { type DueKind, type Operation, type Order, type OrderState, refundable, withDue } from './model.ts';
import { cardOf, carry, closedOrder, lapsedOrder, startOperation } from './operate.ts';
import { newOperation } from './operation.ts';
import { postingsFor } from './postings.ts';
import {
  arnItems,
  needOrder,
  operationInsert,
  operationUpdate,
  orderGet,
  orderKind,
  orderOwner,
  orderUpdate,
  settlementAdd,
} from './queries.ts';
import { CLOSED_WAIT_MS, eventOf, replace, SENT_LIMIT_MS, settle } from './settle.ts';

type Handler = (gateway: Gateway, project: Project, state: OrderState) => Promise<void>;

/** Does one kind of thing that is due on an order; each handler decides again whether it is. */
export async function runDue(gateway: Gateway, owner: bigint, id: bigint, kind: DueKind): Promise<void> {
  const state = await orderGet(gateway.db, owner, id);
  const project = await gateway.project(owner);
  if (state && project && state.order.due[kind] !== undefined) await handlers[kind](gateway, project, state);
}

/** One commit on the order, if `kind` is still due there. */
function decideDue(
  gateway: Gateway,
  { order }: OrderState,
  kind: DueKind,
  decide: (state: OrderState, now: Date) => Omit<Decision<null>, 'value'>,
): Promise<null> {
  const need = needOrder(order.project_id, order.id);
  return gateway.committer.submit({
    name: `due.${kind}`,
    needs: [need],
    decide(loaded) {
      const now = gateway.clock.now();
      const state = loaded.get(orderKind, need.key);
      const still = state && state.order.due[kind] === order.due[kind] && state.order.in_flight === null;
      return still ? { value: null, ...decide(state, now) } : { value: null, changes: [] };
    },
  });
}

/** Asks the acquirer by our own reference; sends again what never arrived. An authorization is not revived: it is reversed. */
const recover: Handler = async (gateway, project, { order }) => {
  const need = needOrder(order.project_id, order.id);
  // The claim: one process at a time goes out for this operation.
  const claimed = await gateway.committer.submit<{ state: OrderState; operation: Operation } | null>({
    name: 'recover.claim',
    needs: [need],
    decide(loaded) {
      const now = gateway.clock.now();
      const state = loaded.get(orderKind, need.key);
      const operation = state?.operations.find(({ id }) => id === state.order.in_flight);
      if (!state || !operation || state.order.due.recover !== order.due.recover) return { value: null, changes: [] };
      if (recoveryAt(operation, now) === null) {
        // An operator's task alone.
        gateway.log.error({ operation: operation.reference }, 'the acquirer is not asked any more');
        return { value: null, changes: [orderUpdate(withDue(state.order, { recover: null }))] };
      }
      const mine = { ...operation, process: gateway.lease.process() };
      const waiting = withDue(state.order, { recover: addMs(now, SENT_LIMIT_MS) });
      const after = replace(state, waiting, mine);
      return {
        value: { state: after, operation: mine },
        changes: [orderUpdate(waiting), operationUpdate(mine)],
      };
    },
  });
  if (!claimed) return;
  const { state, operation } = claimed;
  if (operation.type === 'authorize') {
    const settled = await gateway.committer.submit(settle(gateway, { project, operation, answer: null }));
    if (settled.next) await carry(gateway, project, settled.state, settled.next);
    return;
  }
  const found = await inquire(gateway, project, operation, state.order);
  if (found === 'ask later') {
    await gateway.committer.submit(settle(gateway, { project, operation, answer: null }));
  } else if (found) {
    const postings = operation.details.void ? await postingsOfOrders(gateway.db, project.id, [order.id]) : [];
    const settled = await gateway.committer.submit(settle(gateway, { project, operation, answer: found, postings }));
    if (settled.next) await carry(gateway, project, settled.state, settled.next);
  } else {
    const repeat = { ...operation, tries: Math.max(2, operation.tries) };
    await carry(gateway, project, state, repeat, (await cardOf(gateway, state.order)) ?? undefined);
  }
};

async function inquire(gateway: Gateway, project: Project, operation: Operation, order: Order) {
  const link = gateway.links.get(terminalOf(project, order.terminal)?.link ?? '');
  if (!link) return 'ask later';
  try {
    return await link.inquire(project.id, operation.reference);
  } catch (error) {
    if (!(error instanceof NoAnswer)) gateway.log.error({ err: error }, 'inquiry failed');
    return 'ask later';
  }
}

/** An operation that the gateway itself begins: committed as sent, then carried like any other. */
async function begin(
  gateway: Gateway,
  project: Project,
  state: OrderState,
  kind: DueKind,
  plan: (state: OrderState) => Parameters<typeof startOperation>[2] | null,
): Promise<void> {
  const need = needOrder(project.id, state.order.id);
  const begun = await gateway.committer.submit<{ state: OrderState; operation: Operation } | null>({
    name: `due.${kind}`,
    needs: [need],
    decide(loaded) {
      const current = loaded.get(orderKind, need.key);
      const still = current && current.order.due[kind] === state.order.due[kind] && current.order.in_flight === null;
      const wanted = still ? plan(current) : null;
      if (!current || !wanted)
        return {
          value: null,
          changes: still && current ? [orderUpdate(withDue(current.order, { [kind]: null }))] : [],
        };
      const cleared = { ...current, order: withDue(current.order, { [kind]: null }) };
      const started = startOperation(gateway, cleared, wanted, { onceKey: null, now: gateway.clock.now() });
      return { value: started, changes: started.changes };
    },
  });
  if (begun) await carry(gateway, project, begun.state, begun.operation);
}

const capture: Handler = async (gateway, project, state) => {
  if (!project.active) {
    await decideDue(gateway, state, 'capture', (current, now) => {
      const order = withDue(current.order, { capture: addMs(now, CLOSED_WAIT_MS) });
      return { changes: [orderUpdate(order)] };
    });
    return;
  }
  await begin(gateway, project, state, 'capture', ({ order }) =>
    order.status === 'authorized' && order.held > 0n
      ? {
          type: 'charge',
          amount: order.held,
          details: { by: order.options.auto_charge ? 'auto_charge' : 'capture_delay' },
        }
      : null,
  );
};

const release: Handler = (gateway, project, state) =>
  begin(gateway, project, state, 'release', ({ order }) =>
    order.status === 'authorized' || order.held > 0n
      ? {
          type: 'reverse',
          amount: order.held,
          details: { by: order.options.capture_tries ? 'retries_used_up' : 'expiry' },
        }
      : null,
  );

/** Who asked the directory is gone. Nothing was sent: a payer or merchant may go on, an order that waits for nobody ends. */
const ask: Handler = async (gateway, project, state) => {
  await decideDue(gateway, state, 'ask', (current, now) => {
    const order = withDue(current.order, { ask: null });
    const free = { ...current, order };
    if (order.status !== 'new' || isPage(order)) return { changes: [orderUpdate(order)] };
    const closed = lapsedOrder(gateway, project, free, 'authentication_unavailable', now);
    return { changes: closed.changes };
  });
};

const expire: Handler = async (gateway, project, state) => {
  await decideDue(gateway, state, 'expire', (current, now) => {
    const open = current.order.status === 'new' || current.order.status === 'prepared';
    if (!open) return { changes: [orderUpdate(withDue(current.order, { expire: null }))] };
    const closed =
      current.order.status === 'prepared'
        ? closedOrder(gateway, project, current, 'authentication_timeout', now)
        : lapsedOrder(gateway, project, current, 'session_expired', now);
    const transaction = current.order.status === 'prepared' ? current.order.secure3d?.transaction_id : undefined;
    return {
      changes: [
        ...closed.changes,
        ...(transaction ? gateway.threeds.close(project.id, BigInt(transaction), 'expired', now) : []),
      ],
    };
  });
};

/** An event a day before the issuer lets the hold go. */
const warn: Handler = async (gateway, project, state) => {
  await decideDue(gateway, state, 'warn', ({ order }, now) => {
    const warned = withDue({ ...order, events: order.events + 1 }, { warn: null });
    return {
      changes: [
        orderUpdate(warned),
        eventInsert({
          project_id: order.project_id,
          id: gateway.ids.next(),
          order_id: order.id,
          sequence: warned.events,
          type: 'order.authorization_expires',
          data: {
            project: project.login,
            order_id: gateway.permutation.outward(order.id),
            expires_at: order.due.release ?? null,
          },
          created_at: now,
        }),
      ],
    };
  });
};

/** DE 31: use code, acquirer BIN, year digit and day of year, item number, Luhn digit; 23 digits. */
export function arnOf(at: Date, item: bigint): string {
  const start = Date.UTC(at.getUTCFullYear(), 0, 0);
  const day = Math.floor((Date.UTC(at.getUTCFullYear(), at.getUTCMonth(), at.getUTCDate()) - start) / 86_400_000);
  const payload = `7${ACQUIRER_BIN}${at.getUTCFullYear() % 10}${String(day).padStart(3, '0')}${item.toString().padStart(11, '0')}`;
  return payload + luhnDigit(payload);
}
const ACQUIRER_BIN = '499990';

const isClearable = (operation: Operation, { order }: OrderState): boolean =>
  operation.status === 'success' &&
  operation.cleared_at === null &&
  (operation.type === 'refund' ||
    operation.type === 'credit' ||
    (operation.type === 'charge' && order.status !== 'reversed'));

/** Settlement of a day: the day's charges, refunds and payouts are cleared and get their acquirer reference numbers. */
const clear: Handler = async (gateway, project, state) => {
  const items = await arnItems(gateway.db, state.operations.length + 1);
  const card = await cardOf(gateway, state.order);
  const link = terminalOf(project, state.order.terminal)?.link ?? 'unknown';
  await decideDue(gateway, state, 'clear', (current, now) => {
    const cleared = current.operations.map((operation, i): Operation => {
      const item = items[i];
      return item !== undefined && isClearable(operation, current)
        ? { ...operation, cleared_at: now, arn: arnOf(addDays(now, -1), item) }
        : operation;
    });
    const fresh = cleared.filter((operation, i) => operation !== current.operations[i]);
    const charged = fresh.some(({ type }) => type === 'charge');
    const dispute =
      charged && card && link === 'simulator'
        ? gateway.simulatedIssuer?.chargebackAfterSettlement(card.pan, card.holder)
        : null;
    const order = withDue(current.order, {
      // What came between the reading and the lock has no number yet: it stays due.
      ...(cleared.some((operation) => isClearable(operation, current)) ? {} : { clear: null }),
      chargeback: dispute && refundable(current.order) > 0n ? now : null,
    });
    const changes: Change[] = fresh.flatMap((operation) => clearing(gateway, project, operation, link, now));
    return { changes: [orderUpdate(order), ...changes] };
  });
};

function clearing(gateway: Gateway, project: Project, operation: Operation, link: string, now: Date): Change[] {
  const isCharge = operation.type === 'charge';
  const money = { minor: operation.amount, currency: operation.currency };
  const origin = { projectId: project.id, orderId: operation.order_id, operationId: operation.id, at: now };
  return [
    operationUpdate(operation),
    ...postClearing(origin, gateway.ids.next(), isCharge ? 'charge' : 'refund', money, link).changes,
    settlementAdd({
      project_id: project.id,
      day: dayOf(addDays(now, -1)),
      link,
      currency: operation.currency,
      charges: isCharge ? 1n : 0n,
      charged: isCharge ? operation.amount : 0n,
      refunds: isCharge ? 0n : 1n,
      refunded: isCharge ? 0n : operation.amount,
    }),
  ];
}

/** An operation that arrives from the issuer: nothing is sent, it is booked as it comes. */
function arrives(
  gateway: Gateway,
  project: Project,
  state: OrderState,
  type: 'chargeback' | 'representment',
  amount: bigint,
  now: Date,
): Omit<Decision<null>, 'value'> {
  const arrived = newOperation(gateway, state.order, { type, amount }, { original: null, onceKey: null, now });
  const operation: Operation = {
    ...arrived,
    status: 'success',
    iso_response_code: '00',
    iso_message: 'Approved',
    resolved_at: now,
  };
  const order: Order = { ...state.order, updated_at: now, events: state.order.events + 1 };
  const after = approved(order, operation, { project, terminal: terminalOf(project, order.terminal), now });
  const posted = postingsFor(gateway, project, {
    before: state.order,
    after,
    operation,
    operations: state.operations,
    postings: [],
  });
  const booked = { ...operation, rate: posted.rate };
  return {
    changes: [
      operationInsert(booked),
      orderUpdate(after),
      ...posted.changes,
      eventOf(gateway, project, state.order, after, booked),
    ],
  };
}

const chargeback: Handler = async (gateway, project, state) => {
  await decideDue(gateway, state, 'chargeback', (current, now) =>
    current.order.status === 'charged' && refundable(current.order) > 0n
      ? arrives(gateway, project, current, 'chargeback', refundable(current.order), now)
      : { changes: [orderUpdate(withDue(current.order, { chargeback: null }))] },
  );
};

/** The rolling reserve of an order's charges goes to the merchant. */
const reserve: Handler = async (gateway, project, state) => {
  const postings = await postingsOfOrders(gateway.db, project.id, [state.order.id]);
  const sums = new Map<string, (typeof postings)[number]>();
  for (const posting of postings.filter(({ account }) => account.startsWith('merchant_reserve'))) {
    const key = `${posting.account} ${posting.currency}`;
    const known = sums.get(key);
    sums.set(key, known ? { ...known, amount: known.amount + posting.amount } : posting);
  }
  const reserved = [...sums.values()].filter(({ amount }) => amount !== 0n);
  await decideDue(gateway, state, 'reserve', ({ order, operations }, now) => {
    // Named by the last charge that it follows: the key of postings takes no second one.
    const charge = operations.findLast(({ type, status }) => type === 'charge' && status === 'success');
    assert(charge, 'a reserve of a charge');
    const origin = { projectId: project.id, orderId: order.id, operationId: charge.id, at: now };
    return {
      changes: [
        orderUpdate(withDue(order, { reserve: null })),
        ...postReserveRelease(origin, gateway.ids.next(), reserved).changes,
      ],
    };
  });
};

const handlers: Readonly<Record<DueKind, Handler>> = {
  recover,
  ask,
  expire,
  capture,
  warn,
  release,
  clear,
  chargeback,
  reserve,
};

/** Something arrives from an issuer now; null: no such order; false: its state does not take it, or our own issuer, who gives nothing back. */
export async function arrive(
  gateway: Gateway,
  id: bigint,
  type: 'chargeback' | 'representment',
): Promise<boolean | null> {
  const owner = await orderOwner(gateway.db, id);
  const project = owner === null ? null : await gateway.project(owner);
  const known = owner === null ? null : await orderGet(gateway.db, owner, id);
  if (owner === null || !project || !known) return null;
  const card = await cardOf(gateway, known.order);
  if (card && lookupBin(card.pan).own) return false;
  const need = needOrder(owner, id);
  return gateway.committer.submit<boolean>({
    name: `arrive.${type}`,
    needs: [need],
    decide(loaded) {
      const state = loaded.get(orderKind, need.key);
      if (!state || state.order.in_flight !== null) return { value: false, changes: [] };
      const { order } = state;
      const amount = type === 'chargeback' ? refundable(order) : order.amount_charged_back;
      const fits = order.status === (type === 'chargeback' ? 'charged' : 'chargedback') && amount > 0n;
      return fits
        ? { value: true, ...arrives(gateway, project, state, type, amount, gateway.clock.now()) }
        : { value: false, changes: [] };
    },
  });
}
