// An operation on its way: its message goes out with no transaction open, its answer is settled, and what follows by itself goes out too.
import { postingsOf } from '../../ledger/index.ts';
import { dueJob, type StoredAnswer } from '../../store/index.ts';
import {
  type GatewayDeps,
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
  deps: GatewayDeps,
  project: Project,
  state: OrderState,
  operation: Operation,
  card?: CardData,
): Promise<Settled> {
  const terminal = terminalOf(project, state.order.terminal);
  const data = card ?? (await cardOf(deps, state.order));
  const answer = terminal && data ? await send(deps, state.order, operation, terminal, data) : null;
  const postings = operation.details.void ? await postingsOf(deps.db, project.id, [state.order.id]) : [];
  // What was changed while the network was asked is in force for what follows.
  const current = (await deps.project(project.id)) ?? project;
  const settled = await deps.committer.submit(
    settle(deps, { project: current, operation, answer, postings, pan: data?.pan ?? null }),
  );
  const { next } = settled;
  if (!settled.fresh) return { ...settled, answer: await toldBefore(deps, current, settled, operation) };
  if (!next) return settled;
  const follow = () => carry(deps, current, settled.state, next, data ? { ...data, cvv: null } : undefined);
  if (!next.system) return follow();
  // A reversal that is owed goes out at once, but the merchant's answer does not wait for it; what comes to nothing is recovered.
  const { project_id: owner, id } = settled.state.order;
  const job = dueJob(OF_ORDERS, { owner, id, through: terminal?.link ?? null }, async () => void (await follow()));
  deps.queue.add(job).catch((error: unknown) => deps.log.error({ err: error }, 'a reversal that is owed was not sent'));
  return settled;
}

/** A worker has settled it. What it kept with a key is the answer; of a charge without one the financial details are read from the books. */
async function toldBefore(
  deps: Pick<GatewayDeps, 'db' | 'permutation'>,
  project: Project,
  { state, answer }: Settled,
  { id, type, once_key }: Operation,
): Promise<StoredAnswer> {
  const charges = state.operations.filter((known) => known.id === id && known.status === 'success');
  if (type !== 'charge' || once_key !== null || charges.length === 0) return answer;
  return orderAnswer(viewOf(deps, project), state, { cashflows: await cashflowsOf(deps, project, charges) });
}

/** The card of an order out of the vault, for messages that need its number. */
export async function cardOf(deps: Pick<GatewayDeps, 'vault'>, order: Order): Promise<CardData | null> {
  if (order.card_id === null) return null;
  const card = await deps.vault.open(order.project_id, order.card_id);
  return card && { pan: card.pan, expiry: card.expiry, cvv: null, holder: card.holder };
}
