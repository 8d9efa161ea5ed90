// An authorization: a new order, or one that waits on the payment page, with a card. What has to be asked outside first (3-D Secure
// directory, risk counters) is asked before the first commit; that commit decides; the message goes out; the second commit settles.
import { maskPansIn } from '../../base/index.ts';
import { lookupBin } from '../../network/index.ts';
import type { Change, Command, Decision, Loaded, Need, Once, StoredAnswer } from '../../store/index.ts';
import {
  type BrowserDetails,
  cavvInsert,
  cavvKind,
  type ExternalResult,
  externalAuthentication,
  needCavv,
  type Started,
} from '../../threeds/index.ts';
import type { Project, Terminal } from '../projects/index.ts';
import type { Visit } from '../risk/index.ts';
import { type Form, orderAnswer, refusalAnswer, stateAnswer } from './answers.ts';
import { paymentOf } from './assess.ts';
import { allowedBy, ask, proof, type Reason, reasonFor } from './authenticate.ts';
import { existingAnswer, uniqueId } from './create.ts';
import { type Draft, newOrder } from './draft.ts';
import { fraudMessage, type RefusalCode, refusals } from './errors.ts';
import { closedTo, type Gateway, terminalFor, terminalOf, viewOf } from './gateway.ts';
import { making } from './made.ts';
import type { Card, Issuer, Order, OrderState, Secure3d } from './model.ts';
import { withDue } from './model.ts';
import { type Begun, carry, refusalRecord, startOperation } from './operate.ts';
import { needOrder, orderInsert, orderKind, orderUpdate } from './queries.ts';
import { eventOf } from './settle.ts';
import { orderStates } from './states.ts';
import { stepUp } from './step-up.ts';
import { unresolvedAnswer } from './unresolved.ts';
import type { CardData } from './wire.ts';

export interface AuthorizeRequest {
  readonly project: Project;
  readonly draft: Draft;
  readonly card: CardData;
  /** Result of an authentication that the merchant did elsewhere. */
  readonly external: ExternalResult | null;
  /** A wallet's token by its id: it pays once. null: what proves the authentication is used once instead. */
  readonly onceOnly?: string | null;
  readonly browser: BrowserDetails | null;
  /** Who pays on a page of ours; null: the merchant asks. */
  readonly visit: Visit | null;
  readonly initiator: 'customer' | 'merchant';
  readonly parentOrderId: bigint | null;
  /** The vault's row of the parent's card, so that a rebill stores no number again. */
  readonly cardId: bigint | null;
  /** A gateway rule that the caller found broken: the order is made and rejected. */
  readonly refuse: RefusalCode | null;
  /** The order that waits on the payment page; null: a new one. */
  readonly pageOrder: Order | null;
  readonly once: Once | null;
}

/** Everything that was found out before the commit. */
interface Prepared {
  readonly request: AuthorizeRequest;
  readonly orderId: bigint;
  readonly terminal: Terminal;
  readonly card: Card;
  readonly issuer: Issuer;
  readonly refuse: RefusalCode | null;
  /** Of the rule that refuses as fraud, or in a sandbox why and how to go on. */
  readonly fraudClass?: string | null;
  readonly secure3d: Secure3d | null;
  readonly started: Extract<Started, { kind: 'form' }> | null;
  readonly transactionId: bigint;
  readonly sealed: { readonly changes: readonly Change[]; readonly cardId: bigint };
  readonly risk: readonly Change[];
}

export async function authorize(gateway: Gateway, request: AuthorizeRequest): Promise<StoredAnswer> {
  const { project, draft, once, pageOrder } = request;
  const terminal = pageOrder
    ? terminalOf(project, pageOrder.terminal)
    : terminalFor(project, draft.terminal, draft.currency);
  if (!terminal) return refusedWithoutOrder(gateway, request, 'currency_not_accepted');
  const prepared = await prepare(gateway, request, terminal);
  const unique = uniqueId(gateway, project, draft, prepared.orderId, [
    draft,
    gateway.vault.fingerprint(request.card.pan),
  ]);
  const cavv = request.onceOnly ?? request.external?.cavv ?? request.external?.dsrp ?? null;
  const needs: Need[] = [
    ...(once ? [once.need] : []),
    ...(pageOrder ? [needOrder(project.id, pageOrder.id)] : unique.needs),
    ...(cavv ? [needCavv(project.id, cavv)] : []),
  ];
  const command: Command<Begun | { existing: bigint } | { unresolved: bigint | null }> = {
    name: 'authorize.intent',
    needs,
    decide(loaded) {
      const now = gateway.clock.now();
      const begin = once?.begin(loaded, now, prepared.orderId);
      if (begin && 'replay' in begin) return { value: { answer: begin.replay }, changes: [] };
      if (begin && 'unresolved' in begin) return { value: begin, changes: [] };
      const unused = pageOrder ? { claim: [] } : unique.check(loaded);
      if ('existing' in unused) return { value: unused, changes: [] };
      const used = cavv !== null && loaded.get(cavvKind, { owner: project.id, cavv }) !== undefined;
      const refuse = 'refuse' in unused ? unused.refuse : used ? 'authentication_reused' : prepared.refuse;
      const open = pageOrder ? loaded.get(orderKind, { owner: project.id, id: pageOrder.id }) : null;
      if (open && (open.order.status !== 'new' || open.order.in_flight !== null)) {
        return {
          value: { answer: refusalAnswer('not_new', null) },
          changes: [],
        };
      }
      const decision = decide(gateway, prepared, open ?? null, refuse, now);
      const claims = 'claim' in unused ? unused.claim : [];
      const proofs = cavv !== null && !used ? [cavvInsert(project.id, cavv, prepared.orderId)] : [];
      const ends = once && 'answer' in decision.value ? once.finish(decision.value.answer, now) : [];
      return {
        value: decision.value,
        changes: [...decision.changes, ...claims, ...proofs, ...prepared.risk, ...(begin?.changes ?? []), ...ends],
      };
    },
  };
  const submit = () => gateway.committer.submit(command);
  // A payment page's order is there already.
  const begun = await (pageOrder ? submit() : making(gateway, prepared.orderId, submit));
  if ('existing' in begun) return existingAnswer(gateway, project, begun.existing);
  if ('unresolved' in begun) return unresolvedAnswer(gateway, project, begun.unresolved, true);
  if ('answer' in begun) return begun.answer;
  const settled = await carry(gateway, project, begun.state, begun.operation, request.card);
  return settled.stepUp ? stepUp(gateway, request, settled.state) : settled.answer;
}

/** Asks what has to be asked: BIN table, risk, the directory. Nothing is written. */
async function prepare(gateway: Gateway, request: AuthorizeRequest, terminal: Terminal): Promise<Prepared> {
  const { project, draft, card, pageOrder } = request;
  const bin = lookupBin(card.pan);
  const orderId = pageOrder?.id ?? gateway.ids.next();
  const transactionId = gateway.ids.next();
  const cardId = request.cardId ?? transactionId;
  const sealed = request.cardId
    ? []
    : [
        gateway.vault.seal(project.id, cardId, { pan: card.pan, expiry: card.expiry ?? '', holder: card.holder })
          .change,
      ];
  const base = {
    request,
    orderId,
    terminal,
    transactionId,
    card: {
      holder: card.holder && maskPansIn(card.holder),
      type: bin.type,
      subtype: bin.subtype,
      expiry: card.expiry ?? '',
    },
    issuer: { bin: bin.bin, country: bin.country, title: bin.title },
    sealed: { changes: sealed, cardId },
  };
  const refused = (refuse: RefusalCode, secure3d: Secure3d | null = null, risk: readonly Change[] = []): Prepared => ({
    ...base,
    refuse,
    secure3d,
    started: null,
    risk,
  });
  const early = request.refuse ?? gatewayRule(gateway, request, terminal);
  if (early) return refused(early);
  const screened = terminal.link === 'simulator' && gateway.simulatedIssuer?.screensAsFraud(card.pan, card.holder);
  if (screened) return refused('fraud');
  const verdict = await gateway.risk.assess(paymentOf(gateway, project, draft, { ...request, orderId, pan: card.pan }));
  if (verdict.verdict === 'refuse')
    return { ...refused('fraud', null, verdict.changes), fraudClass: verdict.explanation ?? verdict.class };
  if (request.external) {
    const proven = externalAuthentication(request.external, bin.brand);
    return {
      ...base,
      refuse: allowedBy(proven, project, false),
      secure3d: proof(null, proven),
      started: null,
      risk: verdict.changes,
    };
  }
  const reason = reasonFor(gateway, {
    terminal,
    options: draft.options,
    card,
    byRisk: verdict.verdict === 'force3d',
    initiator: request.initiator,
  });
  if (!reason)
    return {
      ...base,
      refuse: null,
      secure3d: exempted(gateway, request, terminal),
      started: null,
      risk: verdict.changes,
    };
  const started = await ask(gateway, {
    project,
    merchantId: terminal.merchant_id,
    orderId,
    transactionId,
    card,
    brand: bin.brand,
    methodDone: false,
    browser: request.browser,
    amount: { minor: draft.amount, currency: draft.currency },
    forced: reason === 'forced',
  });
  if (started.kind === 'form')
    return {
      ...base,
      refuse: null,
      secure3d: pending(reason, started.scenario, transactionId),
      started,
      risk: verdict.changes,
    };
  const { authentication } = started;
  return {
    ...base,
    refuse: allowedBy(authentication, project, reason === 'forced'),
    secure3d: proof(reason, authentication),
    started: null,
    risk: verdict.changes,
  };
}

const pending = (reason: Reason, scenario: string, transactionId: bigint): Secure3d => ({
  reason,
  scenario,
  transaction_id: transactionId.toString(),
});

/** A payment without its cardholder, of a card or terminal that would have wanted him. */
function exempted(gateway: Gateway, { draft, card }: AuthorizeRequest, terminal: Terminal): Secure3d | null {
  if (!draft.options.exemption_mit) return null;
  const wanted = reasonFor(gateway, { terminal, options: draft.options, card, byRisk: false, initiator: 'customer' });
  return wanted && { reason: wanted, scenario: 'exempt' };
}

/** Rules that need nobody's answer. */
function gatewayRule(
  gateway: Gateway,
  { project, draft, card }: AuthorizeRequest,
  terminal: Terminal,
): RefusalCode | null {
  const at = gateway.clock.now();
  const month = at.toISOString().slice(2, 4) + at.toISOString().slice(5, 7);
  if (card.expiry !== null && card.expiry !== '' && card.expiry < month) return 'card_expired';
  const accounting = project.accounting_currency;
  if (draft.currency !== accounting && !gateway.rate(draft.currency, accounting, at)) return 'no_rate';
  return closedTo(project, terminal, draft.currency);
}

/** The order's first step, pure: rejected, waiting for the cardholder, or sent. */
function decide(
  gateway: Gateway,
  prepared: Prepared,
  open: OrderState | null,
  refuse: RefusalCode | null,
  now: Date,
): Decision<Begun> {
  const { request, orderId, terminal, started, sealed } = prepared;
  const { project, draft } = request;
  const view = viewOf(gateway, project);
  const fresh = open?.order ?? newOrder(project.id, draft, terminal, orderId, now);
  const order: Order = {
    ...fresh,
    pan: request.card.pan.masked(),
    card: prepared.card,
    issuer: prepared.issuer,
    secure3d: prepared.secure3d,
    card_id: sealed.cardId,
    visit: request.visit,
    parent_order_id: request.parentOrderId,
    initiator: request.initiator,
    attempts: open ? open.order.attempts + 1 : 0,
    events: open ? open.order.events + 1 : 1,
    updated_at: now,
  };
  const operations = open?.operations ?? [];
  const write = open ? orderUpdate : orderInsert;
  if (refuse) {
    const [type, message] = refusals[refuse];
    const closed = withDue(
      {
        ...order,
        status: orderStates.move(order.status, type === 'fraud' ? 'fraud' : 'reject'),
        failure_type: type,
        failure_message: refuse === 'fraud' && prepared.fraudClass ? fraudMessage(prepared.fraudClass) : message,
      },
      { expire: null },
    );
    const state = { order: closed, operations };
    return {
      value: { answer: stateAnswer(view, state, { isNew: open === null }) },
      changes: [
        write(closed),
        ...sealed.changes,
        refusalRecord(gateway, project, orderId, 'authorize', refuse),
        eventOf(gateway, project, open?.order ?? null, closed, null),
      ],
    };
  }
  if (started) {
    const waiting = withDue(
      { ...order, status: orderStates.move(order.status, 'challenge') },
      { expire: earlier(order.due.expire, started.expiresAt) },
    );
    const state = { order: waiting, operations };
    const form: Form = { form: { ...started.form }, html: started.html };
    const cvv = request.card.cvv
      ? [gateway.vault.sealCvv(project.id, orderId, request.card.cvv, started.expiresAt)]
      : [];
    return {
      value: { answer: orderAnswer(view, state, { status: 201, form }) },
      changes: [
        write(waiting),
        ...sealed.changes,
        ...cvv,
        ...started.changes,
        eventOf(gateway, project, open?.order ?? null, waiting, null),
      ],
    };
  }
  const begun = startOperation(
    gateway,
    { order: { ...order, events: open ? open.order.events : 0 }, operations },
    { type: 'authorize', amount: order.amount },
    { onceKey: request.once?.key ?? null, now },
  );
  const [insertOperation] = begun.changes as [Change];
  return {
    value: begun,
    changes: [write(begun.state.order), insertOperation, ...sealed.changes],
  };
}

const earlier = (known: string | undefined, at: Date): Date => (known && new Date(known) < at ? new Date(known) : at);

/** A request that can't become an order: nothing is stored but the refusal. */
function refusedWithoutOrder(
  gateway: Gateway,
  { project, once }: AuthorizeRequest,
  code: RefusalCode,
): Promise<StoredAnswer> {
  return refuseWithout(gateway, project, once, 'authorize', code);
}

/** Answers a refusal that concerns no order, and keeps it for the idempotency key. */
export function refuseWithout(
  gateway: Gateway,
  project: Project,
  once: Once | null,
  action: string,
  code: RefusalCode,
): Promise<StoredAnswer> {
  return gateway.committer.submit({
    name: `${action}.refused`,
    needs: once ? [once.need] : [],
    decide(loaded: Loaded): Decision<StoredAnswer> {
      const now = gateway.clock.now();
      const begin = once?.begin(loaded, now);
      const answer = refusalAnswer(code, null);
      if (begin && 'replay' in begin) return { value: begin.replay, changes: [] };
      const changes = [
        refusalRecord(gateway, project, null, action, code),
        ...(begin && 'changes' in begin ? begin.changes : []),
        ...(once?.finish(answer, now) ?? []),
      ];
      return { value: answer, changes };
    },
  });
}
