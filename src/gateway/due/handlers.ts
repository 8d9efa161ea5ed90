// Each kind of thing that becomes due on an order, and who does it.
// Rule: a handler decides again, on the locked order, whether its work is still due: it may be run twice.
import { ask, lapse } from '../authorization/index.ts';
import { recover } from '../flight/index.ts';
import { capture, release, warn } from '../operations/index.ts';
import type { DueHandler, DueKind, GatewayDeps } from '../orders/index.ts';
import { chargeback, clear, reserve } from '../settlement/index.ts';

const handlers: Readonly<Record<DueKind, DueHandler>> = {
  recover,
  ask,
  expire: lapse,
  capture,
  warn,
  release,
  clear,
  chargeback,
  reserve,
};

/** Does one kind of thing that is due on an order; each handler decides again whether it is. */
export async function runDue(deps: GatewayDeps, owner: bigint, id: bigint, kind: DueKind): Promise<void> {
  const state = await deps.orderOf(owner, id);
  const project = await deps.project(owner);
  if (state && project && state.order.due[kind] !== undefined) await handlers[kind](deps, project, state);
}
