// An authorization: a new order, or one that waits on the payment page, with a card. The first commit decides, with the key of the request
// and the risk counters; then the directory is asked where it has to be (directory.ts); the message goes out; the last commit settles.
import type { Change, Command, Decision, Need, StoredAnswer, Subject, Told } from '../../store/index.ts';
import { cavvInsert, cavvKind, needCavv } from '../../threeds/index.ts';
import { carry, type Intended, startOperation, unresolvedAnswer } from '../flight/index.ts';
import { making, newOrder, uniqueId } from '../intake/index.ts';
import {
  asking,
  asSubject,
  eventOf,
  fraudMessage,
  type GatewayDeps,
  isBusy,
  needOrder,
  OPEN,
  type Order,
  type OrderState,
  orderAnswer,
  orderInsert,
  orderKind,
  orderStates,
  orderUpdate,
  quietly,
  type RejectionCode,
  rejectionAnswer,
  rejectionRecord,
  rejections,
  rejectWithout,
  stateAnswer,
  terminalFor,
  terminalOf,
  unknownAnswer,
  viewOf,
  withDue,
  withEvent,
} from '../orders/index.ts';
import type { Project } from '../projects/index.ts';
import type { Reason } from './authenticate.ts';
import { askDirectory } from './directory.ts';
import { type AuthorizeRequest, type Prepared, prepare } from './prepare.ts';

export async function authorize(deps: GatewayDeps, request: AuthorizeRequest): Promise<StoredAnswer> {
  const { project, draft, once, pageOrder } = request;
  const terminal = pageOrder
    ? terminalOf(project, pageOrder.terminal)
    : terminalFor(project, draft.terminal, draft.currency);
  // It can't become an order: nothing is stored but the rejection.
  if (!terminal) return rejectWithout(deps, project, once, 'authorize', 'currency_not_accepted');
  const prepared = await prepare(deps, request, terminal);
  const unique = uniqueId(deps, project, draft, prepared.orderId, () => [
    draft,
    deps.vault.fingerprint(request.card.pan),
  ]);
  const cavv = request.onceOnly ?? request.external?.cavv ?? request.external?.dsrp ?? null;
  const needs: Need[] = [
    ...(once ? [once.need] : []),
    ...(pageOrder ? [needOrder(project.id, pageOrder.id)] : unique.needs),
    ...(cavv ? [needCavv(project.id, cavv)] : []),
  ];
  const stan = deps.stans.next();
  const command: Command<Intended | DirectoryAsked | { existing: bigint } | { unresolved: Subject | null }> = {
    name: 'authorize.intent',
    owner: project.id,
    needs,
    decide(loaded, told) {
      const { now } = told;
      const open = pageOrder ? loaded.get(orderKind, { owner: project.id, id: pageOrder.id }) : null;
      // Before the key: of a form that is sent twice the second finds what the first is doing.
      if (open && (open.order.status !== 'new' || isBusy(open.order)))
        return { value: { answer: rejectionAnswer('not_new', null) }, changes: [] };
      const begin = once?.begin(loaded, now, asSubject(prepared.orderId));
      if (begin && 'replay' in begin) return { value: { answer: begin.replay }, changes: [] };
      if (begin && 'unresolved' in begin) return { value: begin, changes: [] };
      const unused = pageOrder ? { claim: [] } : unique.check(loaded);
      if ('existing' in unused) return { value: unused, changes: [] };
      const used = cavv !== null && loaded.get(cavvKind, { owner: project.id, cavv }) !== undefined;
      const reject = 'reject' in unused ? unused.reject : used ? 'authentication_reused' : prepared.reject;
      const decision = decide(deps, prepared, open ?? null, reject, stan, told);
      const claims = 'claim' in unused ? unused.claim : [];
      const proofs = cavv !== null && !used ? [cavvInsert(project.id, cavv, prepared.orderId)] : [];
      const ends = once && 'answer' in decision.value ? once.finish(decision.value.answer, now) : [];
      return {
        value: decision.value,
        changes: [...decision.changes, ...claims, ...proofs, ...prepared.risk, ...(begin?.changes ?? []), ...ends],
      };
    },
  };
  // A payment page's order is there already.
  const intended = await (pageOrder ? deps.committer.submit(command) : making(deps, prepared.orderId, command));
  if ('existing' in intended) return authorizedBefore(deps, project, intended.existing);
  if ('unresolved' in intended) return unresolvedAnswer(deps, project, intended.unresolved, { isNew: true, once });
  if ('answer' in intended) return intended.answer;
  const { card, browser } = request;
  const question = { project, card, browser, once, closes: null };
  if ('asked' in intended) return askDirectory(deps, { ...question, reason: intended.reason }, intended.asked);
  const settled = await carry(deps, project, intended.state, intended.operation, card);
  return settled.stepUp ? askDirectory(deps, { ...question, reason: 'soft_decline' }, settled.state) : settled.answer;
}

/** The order was made and says that the directory is asked. */
interface DirectoryAsked {
  readonly asked: OrderState;
  readonly reason: Reason;
}

/** The order's first step, pure: rejected, waiting for the cardholder, or sent. */
function decide(
  deps: Pick<GatewayDeps, 'events' | 'permutation'>,
  prepared: Prepared,
  open: OrderState | null,
  reject: RejectionCode | null,
  stan: string,
  told: Told,
): Decision<Intended | DirectoryAsked> {
  const { request, orderId, terminal, sealed } = prepared;
  const { project, draft } = request;
  const { now } = told;
  const view = viewOf(deps, project);
  const fresh = open?.order ?? newOrder(project.id, draft, terminal, orderId, now);
  const order: Order = {
    ...quietly(fresh, {
      pan: request.card.pan.masked(),
      card: prepared.card,
      issuer: prepared.issuer,
      secure3d: prepared.secure3d,
    }),
    card_id: sealed.cardId,
    visit: request.visit,
    parent_order_id: request.parentOrderId,
    initiator: request.initiator,
    attempts: open ? open.order.attempts + 1 : 0,
  };
  const operations = open?.operations ?? [];
  const write = open ? orderUpdate : orderInsert;
  if (reject) {
    const [type, message] = rejections[reject];
    const closed = withEvent(
      withDue(
        {
          ...order,
          status: orderStates.move(order.status, type === 'fraud' ? 'fraud' : 'reject'),
          failure_type: type,
          failure_message: reject === 'fraud' && prepared.fraudClass ? fraudMessage(prepared.fraudClass) : message,
          updated_at: now,
        },
        { expire: null },
      ),
    );
    const state = { order: closed, operations };
    return {
      value: { answer: stateAnswer(view, state, { isNew: open === null }) },
      changes: [
        write(closed),
        ...sealed.changes,
        rejectionRecord(project, orderId, 'authorize', reject, told),
        ...eventOf(deps, project, { before: open, after: state }, told),
      ],
    };
  }
  if (prepared.reason) {
    const asked = { order: asking(order, now), operations };
    return { value: { asked, reason: prepared.reason }, changes: [write(asked.order), ...sealed.changes] };
  }
  const intended = startOperation(
    { order, operations },
    { type: 'authorize', amount: order.amount },
    { onceKey: request.once?.key ?? null, stan },
    told,
  );
  const [insertOperation] = intended.changes as [Change];
  return { value: intended, changes: [write(intended.state.order), insertOperation, ...sealed.changes] };
}

/**
 * What an authorization is told whose order an earlier one made. 200 is said of what is done, 201 with the form of what waits for the cardholder;
 * while the issuer, the bank or its directory is being asked nobody knows, and that is no rejection.
 */
export async function authorizedBefore(
  deps: Pick<GatewayDeps, 'orderOf' | 'permutation' | 'threeds'>,
  project: Project,
  orderId: bigint,
): Promise<StoredAnswer> {
  const state = await deps.orderOf(project.id, orderId);
  if (!state) return unknownAnswer(null);
  const view = viewOf(deps, project);
  if (!OPEN.has(state.order.status)) return stateAnswer(view, state, { isNew: true });
  const waits =
    state.order.status === 'prepared' && !isBusy(state.order)
      ? await deps.threeds.unfinished(project.id, orderId)
      : null;
  return waits?.kind === 'form'
    ? orderAnswer(view, state, { status: 201, form: { form: { ...waits.form }, html: waits.html } })
    : unknownAnswer(view.outward(orderId));
}
