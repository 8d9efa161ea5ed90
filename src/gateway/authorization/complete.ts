// The cardholder is back from the access control server, or the merchant says so: a prepared order goes on.
// Rule: leaving `prepared` is one decision on the locked order, so TermUrl, complete, the expiry timer and a cancel can't all win.
import type { Decision, Loaded, Once, StoredAnswer, Subject, Told } from '../../store/index.ts';
import type { Finished, Returned } from '../../threeds/index.ts';
import { type CardData, cardOf, carry, type Intended, startOperation, unresolvedAnswer } from '../flight/index.ts';
import {
  asking,
  asSubject,
  closedOrder,
  closedTo,
  type GatewayDeps,
  isBusy,
  needOrder,
  type OrderState,
  orderKind,
  orderUpdate,
  quietly,
  type RejectionCode,
  refuse,
  rejectionAnswer,
  rejectionRecord,
  type Secure3d,
  stateAnswer,
  terminalOf,
  viewOf,
} from '../orders/index.ts';
import type { Project } from '../projects/index.ts';
import { allowedBy, proof, type Reason } from './authenticate.ts';
import { askDirectory, type Question } from './directory.ts';

export interface CompleteRequest {
  readonly project: Project;
  readonly orderId: bigint;
  readonly returned: Returned;
  readonly once: Once | null;
}

/** POST complete, complete3d20 and resume, and what TermUrl does. Refuses with not_found. */
export async function complete(deps: GatewayDeps, request: CompleteRequest): Promise<StoredAnswer> {
  const { project, orderId, once } = request;
  const state = await deps.orderOf(project.id, orderId);
  if (!state) throw refuse('not_found');
  const finished = await deps.threeds.finish(request.returned, { owner: project.id, orderId });
  const next = state.order.status === 'prepared' ? await stepAfter(deps, project, state, finished) : over(state);
  const need = needOrder(project.id, orderId);
  const stan = deps.stans.next();
  const intended = await deps.committer.submit<Intended | DirectoryAsked | { unresolved: Subject | null }>({
    name: 'complete.intent',
    owner: project.id,
    needs: once ? [need, once.need] : [need],
    decide(loaded: Loaded, told) {
      const { now } = told;
      const begin = once?.begin(loaded, now, asSubject(orderId));
      if (begin && 'replay' in begin) return { value: { answer: begin.replay }, changes: [] };
      if (begin && 'unresolved' in begin) return { value: begin, changes: [] };
      const current = loaded.get(orderKind, need.key);
      if (!current) throw refuse('not_found');
      const decision = decide(deps, project, current, next, { onceKey: once?.key ?? null, stan }, told);
      const ends = once && 'answer' in decision.value ? once.finish(decision.value.answer, now) : [];
      return {
        ...decision,
        changes: [...decision.changes, ...(begin?.changes ?? []), ...ends],
      };
    },
  });
  if ('unresolved' in intended) return unresolvedAnswer(deps, project, intended.unresolved, { isNew: false, once });
  if ('answer' in intended) return intended.answer;
  const card = 'card' in next && next.card ? next.card : undefined;
  if ('asked' in intended) return askDirectory(deps, { ...intended.question, project, once }, intended.asked);
  return (await carry(deps, project, intended.state, intended.operation, card)).answer;
}

/** The order says that the directory is asked again. */
interface DirectoryAsked {
  readonly asked: OrderState;
  readonly question: Omit<Question, 'project' | 'once'>;
}

/** An order that an authentication has finished already answers with its state, any other has nothing to complete. */
const over = ({ order }: OrderState): Step =>
  order.secure3d?.authorization_status ? { done: true } : { reject: 'not_prepared' };

/** What the result of the authentication leads to, found out before the commit. */
type Step =
  | { readonly done: true }
  | { readonly reject: RejectionCode }
  | { readonly close: RejectionCode; readonly secure3d: Secure3d; readonly transactionId: bigint }
  | { readonly send: true; readonly secure3d: Secure3d; readonly transactionId: bigint; readonly card: CardData | null }
  /** The device-data step is over: the directory is asked again, now with what the browser told. */
  | { readonly question: DirectoryAsked['question'] };

async function stepAfter(
  deps: Pick<GatewayDeps, 'vault'>,
  project: Project,
  { order }: OrderState,
  finished: Finished,
): Promise<Step> {
  if (finished.kind === 'pending') return { reject: 'authentication_pending' };
  if (finished.kind === 'unknown') return { reject: 'authentication_mismatch' };
  const { transactionId } = finished;
  const closed = closedTo(project, terminalOf(project, order.terminal), order.currency);
  if (closed && order.secure3d) return { close: closed, secure3d: order.secure3d, transactionId };
  const stored = await cardOf(deps, order);
  const card = stored && { ...stored, cvv: await deps.vault.openCvv(project.id, order.id) };
  const reason = order.secure3d?.reason ?? 'forced';
  if (finished.kind === 'finished')
    return verdict(project, reason, finished.authentication, transactionId, card, finished.cancelCode);
  if (!card) return { reject: 'card_unknown' };
  const { browser } = finished;
  return { question: { card, browser, reason: reason as Reason, closes: transactionId } };
}

function verdict(
  project: Project,
  reason: string,
  proven: Parameters<typeof allowedBy>[0],
  transactionId: bigint,
  card: CardData | null,
  cancelCode: string | null,
): Step {
  const secure3d = proof(reason, proven, transactionId);
  const reject = allowedBy(proven, project, reason === 'forced');
  if (reject) return { close: cancelCode === '04' ? 'authentication_timeout' : reject, secure3d, transactionId };
  return { send: true, secure3d, transactionId, card };
}

function decide(
  deps: Pick<GatewayDeps, 'events' | 'permutation' | 'threeds' | 'vault'>,
  project: Project,
  state: OrderState,
  next: Step,
  origin: { readonly onceKey: string | null; readonly stan: string },
  told: Told,
): Decision<Intended | DirectoryAsked> {
  const view = viewOf(deps, project);
  const { order } = state;
  // Somebody was faster: what became of the order is the answer.
  if ('done' in next || (order.status !== 'prepared' && !('reject' in next)))
    return { value: { answer: stateAnswer(view, state, { isNew: false }) }, changes: [] };
  if ('reject' in next || isBusy(order)) {
    const code = 'reject' in next ? next.reject : 'operation_in_progress';
    return {
      value: { answer: rejectionAnswer(code, null) },
      changes: [rejectionRecord(project, order.id, 'complete', code, told)],
    };
  }
  if ('close' in next) {
    const closed = closedOrder(
      deps,
      project,
      { ...state, order: quietly(order, { secure3d: next.secure3d }) },
      next.close,
      told,
    );
    return {
      value: { answer: stateAnswer(view, closed.state, { isNew: false }) },
      changes: [...closed.changes, ...deps.threeds.close(project.id, next.transactionId, 'used', told.now)],
    };
  }
  if ('question' in next) {
    const asked = { ...state, order: asking(order, told.now) };
    return {
      value: { asked, question: next.question },
      changes: [orderUpdate(asked.order)],
    };
  }
  const proven = { ...state, order: quietly(order, { secure3d: next.secure3d }) };
  const intended = startOperation(proven, { type: 'authorize', amount: order.amount }, origin, told);
  return {
    value: intended,
    changes: [...intended.changes, ...deps.threeds.close(project.id, next.transactionId, 'used', told.now)],
  };
}
