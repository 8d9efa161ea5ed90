// An operation on its way: its message goes out with no transaction open, its answer is settled, and what follows by itself goes out too.
import { postingsOf } from '../../ledger/index.ts';
import { dueJob, type StoredAnswer } from '../../store/index.ts';
import {
  type Gateway,
  OF_ORDERS,
  type Operation,
  type Order,
  type OrderState,
  orderAnswer,
  terminalOf,
  viewOf,
} from '../orders/index.ts';
import type { Project } from '../projects/index.ts';
import { cashflowsOf } from './books.ts';
import { type CardData, send } from './message.ts';
import { type Settled, settle } from './result.ts';

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
  const postings = operation.details.void ? await postingsOf(gateway.db, project.id, [state.order.id]) : [];
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
export async function cardOf(gateway: Pick<Gateway, 'vault'>, order: Order): Promise<CardData | null> {
  if (order.card_id === null) return null;
  const card = await gateway.vault.open(order.project_id, order.card_id);
  return card && { pan: card.pan, expiry: card.expiry, cvv: null, holder: card.holder };
}
