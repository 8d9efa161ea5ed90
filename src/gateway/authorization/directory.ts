// The directory is asked about an order whose cardholder has to be authenticated, and the order goes on as it answers: to the bank, to the
// issuer, or to its end.
// Rule: that it is asked was committed before (`asking`). Only who is asking goes on with the answer; when his time is over, or the order was
// cancelled meanwhile, the answer changes nothing, for nothing was sent to the issuer.
import type { Change, Command, Once, StoredAnswer, Told } from '../../store/index.ts';
import type { BrowserDetails, Started } from '../../threeds/index.ts';
import { type CardData, carry, type Intended, startOperation } from '../flight/index.ts';
import {
  closedOrder,
  eventOf,
  type GatewayDeps,
  needOrder,
  type Order,
  type OrderState,
  orderAnswer,
  orderKind,
  orderStates,
  orderUpdate,
  quietly,
  stateAnswer,
  terminalOf,
  viewOf,
  withDue,
  withEvent,
} from '../orders/index.ts';
import type { Project } from '../projects/index.ts';
import { allowedBy, ask, proof, type Reason } from './authenticate.ts';

export interface Question {
  readonly project: Project;
  readonly card: CardData;
  readonly browser: BrowserDetails | null;
  readonly reason: Reason;
  /** The transaction whose device-data step is over: the directory is asked again. null: for the first time. */
  readonly closes: bigint | null;
  /** Begun in the commit before. */
  readonly once: Once | null;
}

/** `state`: as it was committed, asking. No transaction may be open. */
export async function askDirectory(
  deps: GatewayDeps,
  question: Question,
  { order }: OrderState,
): Promise<StoredAnswer> {
  const { project, card, reason } = question;
  const newest = await deps.threeds.newest(project.id, order.id);
  const transactionId = newest === null ? deps.ids.next() : deps.ids.after(newest);
  const started = await ask(deps, {
    project,
    merchantId: terminalOf(project, order.terminal)?.merchant_id ?? '',
    orderId: order.id,
    transactionId,
    card,
    brand: order.card?.type ?? '',
    amount: { minor: order.amount, currency: order.currency },
    forced: isForced(reason),
    browser: question.browser,
    methodDone: question.closes !== null,
  });
  const intended = await deps.committer.submit(directoryAnswer(deps, question, order, started, transactionId));
  return 'answer' in intended
    ? intended.answer
    : (await carry(deps, project, intended.state, intended.operation, card)).answer;
}

const isForced = (reason: string): boolean => reason === 'forced' || reason === 'soft_decline';

function directoryAnswer(
  deps: Pick<GatewayDeps, 'events' | 'once' | 'permutation' | 'stans' | 'threeds' | 'vault'>,
  question: Question,
  asked: Order,
  started: Started,
  transactionId: bigint,
): Command<Intended> {
  const { project, reason, closes, once } = question;
  const need = needOrder(project.id, asked.id);
  const view = viewOf(deps, project);
  const isNew = closes === null;
  const stan = deps.stans.next();
  const sealed = started.kind === 'form' ? sealedCvv(deps, question, asked, started) : [];
  return {
    name: 'directory.answer',
    owner: project.id,
    needs: once ? [need, deps.once.need(project.id, once.key)] : [need],
    decide(loaded, told) {
      const { now } = told;
      const state = loaded.get(orderKind, need.key) as OrderState;
      const answered = (answer: StoredAnswer, changes: readonly Change[]) => ({
        value: { answer },
        changes: [...changes, ...(once ? deps.once.finish(loaded, project.id, once.key, answer) : [])],
      });
      if (state.order.due.ask === undefined || state.order.due.ask !== asked.due.ask)
        return answered(stateAnswer(view, state, { isNew }), []);
      const closing = closes === null ? [] : deps.threeds.close(project.id, closes, 'used', now);
      if (started.kind === 'form') {
        const after = { ...state, order: waiting(state.order, reason, started, transactionId, now) };
        const form = { form: { ...started.form }, html: started.html };
        return answered(orderAnswer(view, after, { status: 201, form }), [
          ...toBank(deps, project, state, after.order, started, told),
          ...sealed,
          ...closing,
        ]);
      }
      const { authentication } = started;
      const proven: OrderState = {
        ...state,
        order: quietly(withDue(state.order, { ask: null }), {
          secure3d: proof(reason, authentication, closes ?? undefined),
        }),
      };
      const reject = allowedBy(authentication, project, isForced(reason));
      if (reject) {
        const closed = closedOrder(deps, project, proven, reject, told);
        const answer = stateAnswer(view, closed.state, { isNew });
        return answered(answer, [...closed.changes, ...closing]);
      }
      const intent = { type: 'authorize', amount: proven.order.amount } as const;
      const intended = startOperation(proven, intent, { onceKey: once?.key ?? null, stan }, told);
      return { value: intended, changes: [...intended.changes, ...closing] };
    },
  };
}

type FormStarted = Extract<Started, { kind: 'form' }>;

/** The order that waits for its cardholder. Of a page the session's time goes on; behind the device-data step the bank's begins anew. */
function waiting(order: Order, reason: Reason, started: FormStarted, transactionId: bigint, now: Date): Order {
  const isFirst = order.status === 'new';
  return withEvent(
    withDue(
      {
        ...order,
        status: orderStates.move(order.status, 'challenge'),
        secure3d: { reason, scenario: started.scenario, transaction_id: transactionId.toString() },
        updated_at: now,
      },
      { ask: null, expire: isFirst ? earlier(order.due.expire, started.expiresAt) : started.expiresAt },
    ),
  );
}

/** The CVV waits with the order. Sealed before the decision, for sealing draws by chance. */
function sealedCvv(
  { vault }: Pick<GatewayDeps, 'vault'>,
  { project, card }: Question,
  asked: Order,
  started: FormStarted,
): Change[] {
  const isFirst = asked.status === 'new';
  return isFirst && card.cvv ? [vault.sealCvv(project.id, asked.id, card.cvv, started.expiresAt)] : [];
}

function toBank(
  deps: Pick<GatewayDeps, 'events' | 'permutation'>,
  project: Project,
  before: OrderState,
  after: Order,
  started: FormStarted,
  told: Told,
): Change[] {
  return [
    orderUpdate(after),
    ...started.changes,
    ...eventOf(deps, project, { before, after: { ...before, order: after } }, told),
  ];
}

const earlier = (known: string | undefined, at: Date): Date => (known && new Date(known) < at ? new Date(known) : at);
