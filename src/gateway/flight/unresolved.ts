// A request that is repeated while its outcome is still being found out: it joins the recovery and never executes again.
import type { Once, StoredAnswer, Subject } from '../../store/index.ts';
import { type GatewayDeps, isBusy, stateAnswer, unknownAnswer, viewOf } from '../orders/index.ts';
import type { Project } from '../projects/index.ts';

interface Repeat {
  /** The request made the order. */
  readonly isNew: boolean;
  readonly once: Once | null;
}

/**
 * The same 500 while something is in flight; then what was kept for the key by whoever found it out. A state of the order says nothing of
 * an operation that it has survived; it is the answer only of a request about the order as a whole, which a crash left without one.
 */
export async function unresolvedAnswer(
  deps: Pick<GatewayDeps, 'committer' | 'orderOf' | 'permutation'>,
  project: Project,
  subject: Subject | null,
  { isNew, once }: Repeat,
): Promise<StoredAnswer> {
  const state = subject && (await deps.orderOf(project.id, subject.id));
  if (!state) return unknownAnswer(null);
  const view = viewOf(deps, project);
  if (isBusy(state.order) || state.order.status === 'new')
    return unknownAnswer(isNew ? view.outward(state.order.id) : null);
  // It may have ended since the key was looked at, and failed.
  const kept = once && (await keptFor(deps, once));
  return kept ?? stateAnswer(view, state, { isNew });
}

const keptFor = (deps: Pick<GatewayDeps, 'committer'>, once: Once): Promise<StoredAnswer | null> =>
  deps.committer.submit({
    name: 'key.look',
    owner: once.owner,
    needs: [once.need],
    decide: (loaded, told) => ({ value: once.replay(loaded, told.now), changes: [] }),
  });
