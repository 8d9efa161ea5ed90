// An authorization: a new order, or one that waits on the payment page, with a card. The first commit decides, with the key of the request
// and the risk counters; then the directory is asked where it has to be (ask.ts); the message goes out; the last commit settles.
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
} from '../../threeds/index.ts';
import type { Project, Terminal } from '../projects/index.ts';
import type { Visit } from '../risk/index.ts';
import { refusalAnswer, stateAnswer } from './answers.ts';
import { askDirectory } from './ask.ts';
import { paymentOf } from './assess.ts';
import { allowedBy, proof, type Reason, reasonFor } from './authenticate.ts';
import { authorizedBefore, uniqueId } from './create.ts';
import { type Draft, newOrder } from './draft.ts';
import { fraudMessage, type RefusalCode, refusals } from './errors.ts';
import { closedTo, type Gateway, terminalFor, terminalOf, viewOf } from './gateway.ts';
import { making } from './made.ts';
import type { Card, Issuer, Order, OrderState, Secure3d } from './model.ts';
import { asking, isBusy, withDue } from './model.ts';
import { type Begun, carry, refusalRecord, startOperation } from './operate.ts';
import { needOrder, orderInsert, orderKind, orderUpdate } from './queries.ts';
import { eventOf } from './settle.ts';
import { orderStates } from './states.ts';
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
  /** Why the cardholder has to be authenticated; null: he needn't be, or was. */
  readonly reason: Reason | null;
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
  const command: Command<Begun | Asked | { existing: bigint } | { unresolved: bigint | null }> = {
    name: 'authorize.intent',
    needs,
    decide(loaded) {
      const now = gateway.clock.now();
      const open = pageOrder ? loaded.get(orderKind, { owner: project.id, id: pageOrder.id }) : null;
      // Before the key: of a form that is sent twice the second finds what the first is doing.
      if (open && (open.order.status !== 'new' || isBusy(open.order)))
        return { value: { answer: refusalAnswer('not_new', null) }, changes: [] };
      const begin = once?.begin(loaded, now, prepared.orderId);
      if (begin && 'replay' in begin) return { value: { answer: begin.replay }, changes: [] };
      if (begin && 'unresolved' in begin) return { value: begin, changes: [] };
      const unused = pageOrder ? { claim: [] } : unique.check(loaded);
      if ('existing' in unused) return { value: unused, changes: [] };
      const used = cavv !== null && loaded.get(cavvKind, { owner: project.id, cavv }) !== undefined;
      const refuse = 'refuse' in unused ? unused.refuse : used ? 'authentication_reused' : prepared.refuse;
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
  // A payment page's order is there already.
  const begun = await (pageOrder ? gateway.committer.submit(command) : making(gateway, prepared.orderId, command));
  if ('existing' in begun) return authorizedBefore(gateway, project, begun.existing);
  if ('unresolved' in begun) return unresolvedAnswer(gateway, project, begun.unresolved, { isNew: true, once });
  if ('answer' in begun) return begun.answer;
  const { card, browser } = request;
  const question = { project, card, browser, once, closes: null };
  if ('asked' in begun) return askDirectory(gateway, { ...question, reason: begun.reason }, begun.asked);
  const settled = await carry(gateway, project, begun.state, begun.operation, card);
  return settled.stepUp
    ? askDirectory(gateway, { ...question, reason: 'soft_decline' }, settled.state)
    : settled.answer;
}

/** The order was made and says that the directory is asked. */
interface Asked {
  readonly asked: OrderState;
  readonly reason: Reason;
}

/** Looks up what the decision needs: BIN table, risk counters. Nothing is written, and nobody outside is asked. */
async function prepare(gateway: Gateway, request: AuthorizeRequest, terminal: Terminal): Promise<Prepared> {
  const { project, draft, card, pageOrder } = request;
  const bin = lookupBin(card.pan);
  const orderId = pageOrder?.id ?? gateway.ids.next();
  const cardId = request.cardId ?? gateway.ids.next();
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
    reason: null,
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
      reason: null,
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
  return {
    ...base,
    refuse: null,
    secure3d: reason ? null : exempted(gateway, request, terminal),
    reason,
    risk: verdict.changes,
  };
}

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
): Decision<Begun | Asked> {
  const { request, orderId, terminal, sealed } = prepared;
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
  if (prepared.reason) {
    const asked = { order: asking({ ...order, events: open?.order.events ?? 0 }, now), operations };
    return {
      value: { asked, reason: prepared.reason },
      changes: [write(asked.order), ...sealed.changes],
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
