// What arrives from an issuer: a chargeback, and a representment that is won. Nothing is sent: it is booked as it comes.
import { lookupBin } from '../../network/index.ts';
import { causedBy, type Decision, type Told } from '../../store/index.ts';
import { approved, cardOf, newOperation, postingsFor } from '../flight/index.ts';
import {
  type DueHandler,
  decideDue,
  eventOf,
  type GatewayDeps,
  needOrder,
  type Operation,
  type OrderState,
  operationInsert,
  orderKind,
  orderOwner,
  orderUpdate,
  refundable,
  terminalOf,
  withDue,
  withEvent,
} from '../orders/index.ts';
import type { Project } from '../projects/index.ts';

/** An operation that arrives from the issuer: nothing is sent, it is booked as it comes. */
function arrives(
  deps: Pick<GatewayDeps, 'events' | 'permutation'>,
  project: Project,
  state: OrderState,
  type: 'chargeback' | 'representment',
  amount: bigint,
  stan: string,
  told: Told,
): Omit<Decision<null>, 'value'> {
  const { now } = told;
  const arrived = newOperation(state, { type, amount }, { original: null, onceKey: null, stan }, told);
  const operation: Operation = {
    ...arrived,
    status: 'success',
    iso_response_code: '00',
    iso_message: 'Approved',
    resolved_at: now,
  };
  const order = withEvent({ ...state.order, updated_at: now });
  const after = approved(order, operation, { project, terminal: terminalOf(project, order.terminal), now });
  const posted = postingsFor(project, {
    before: state.order,
    after,
    operation,
    operations: state.operations,
    postings: [],
    // It is converted at the rates of the charges that it takes back.
    rate: null,
  });
  const booked = { ...operation, rate: posted.rate };
  return {
    changes: [
      operationInsert(booked),
      orderUpdate(after),
      ...posted.changes,
      ...eventOf(
        deps,
        project,
        { before: state, after: { order: after, operations: [...state.operations, booked] }, operation: booked },
        told,
      ),
    ],
  };
}

export const chargeback: DueHandler = async (deps, project, state) => {
  const stan = deps.stans.next();
  await causedBy('network', () =>
    decideDue(deps, state, 'chargeback', (current, told) =>
      current.order.status === 'charged' && refundable(current.order) > 0n
        ? arrives(deps, project, current, 'chargeback', refundable(current.order), stan, told)
        : { changes: [orderUpdate(withDue(current.order, { chargeback: null }))] },
    ),
  );
};

/** Something arrives from an issuer now; null: no such order; false: its state does not take it, or our own issuer, who gives nothing back. */
export async function arrive(
  deps: GatewayDeps,
  id: bigint,
  type: 'chargeback' | 'representment',
): Promise<boolean | null> {
  const owner = await orderOwner(deps.db, id);
  const project = owner === null ? null : await deps.project(owner);
  const known = owner === null ? null : await deps.orderOf(owner, id);
  if (owner === null || !project || !known) return null;
  const card = await cardOf(deps, known.order);
  if (card && lookupBin(card.pan).own) return false;
  const need = needOrder(owner, id);
  const stan = deps.stans.next();
  return deps.committer.submit<boolean>({
    name: `arrive.${type}`,
    owner,
    needs: [need],
    decide(loaded, told) {
      const state = loaded.get(orderKind, need.key);
      if (!state || state.order.in_flight !== null) return { value: false, changes: [] };
      const { order } = state;
      const amount = type === 'chargeback' ? refundable(order) : order.amount_charged_back;
      const fits = order.status === (type === 'chargeback' ? 'charged' : 'chargedback') && amount > 0n;
      return fits
        ? { value: true, ...arrives(deps, project, state, type, amount, stan, told) }
        : { value: false, changes: [] };
    },
  });
}
