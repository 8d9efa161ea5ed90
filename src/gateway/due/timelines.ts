// What orders have due by themselves, as timelines. Any number of processes may run them; what two of them pick up is decided once on the
// locked order.
import { addMs } from '../../base/index.ts';
import type { Db, DueItem, Timeline } from '../../store/index.ts';
import {
  type DueKind,
  type GatewayDeps,
  nextDueAt,
  OF_ORDERS,
  type OrderDue,
  ordersDue,
  ordersSentByOthers,
  terminalOf,
} from '../orders/index.ts';
import { runDue } from './handlers.ts';

/** Kinds that send something. */
const SENDS: ReadonlySet<DueKind> = new Set(['recover', 'capture', 'release']);

export function orderTimelines(deps: GatewayDeps): { readonly due: Timeline; readonly orphans: Timeline } {
  const itemsOf = (rows: readonly OrderDue[]): Promise<DueItem[]> =>
    Promise.all(
      rows.map(async ({ project_id: owner, id, kind, at, tries, terminal }) => {
        const project = SENDS.has(kind) ? await deps.project(owner) : null;
        return { owner, id, kind, at, tries, through: project && (terminalOf(project, terminal)?.link ?? null) };
      }),
    );
  return {
    due: {
      ...OF_ORDERS,
      nextDueAt,
      due: async (db, now, limit, except) => itemsOf(await ordersDue(db, now, limit, except)),
      run: ({ owner, id, kind }) => runDue(deps, owner, id, kind as DueKind),
    },
    /** Operations of processes that are gone: finished before anything else touches their orders. */
    orphans: {
      ...OF_ORDERS,
      everyMs: deps.lease.renewMs,
      nextDueAt: () => Promise.resolve(null),
      async due(db: Db, now, limit, except) {
        const before = addMs(now, 3 * 60_000);
        const processes = [...(await deps.lease.living())];
        const found = await ordersSentByOthers(db, { now, before, processes }, limit, except);
        // Looked at again behind them: a process has its lease before it sends anything.
        const living = found.length > 0 ? await deps.lease.living() : new Set<bigint>();
        return itemsOf(found.filter(({ process }) => !living.has(process)));
      },
      run: ({ owner, id }) => runDue(deps, owner, id, 'recover'),
    },
  };
}
