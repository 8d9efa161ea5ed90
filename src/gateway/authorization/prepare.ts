// What an authorization has to know before it is decided: the card's range, the gateway's own rules, the fraud rules, and whether the cardholder
// has to be authenticated. Rule: nothing is written, and nobody outside is asked.
import { dayOf, maskPansIn } from '../../base/index.ts';
import { lookupBin } from '../../network/index.ts';
import type { Change, Once } from '../../store/index.ts';
import { type BrowserDetails, type ExternalResult, externalAuthentication } from '../../threeds/index.ts';
import { type CardData, paymentOf, rateFor } from '../flight/index.ts';
import type { Draft } from '../intake/index.ts';
import {
  type Card,
  closedTo,
  type GatewayDeps,
  type Issuer,
  type Order,
  type RejectionCode,
  type Secure3d,
} from '../orders/index.ts';
import type { Project, Terminal } from '../projects/index.ts';
import type { Visit } from '../risk/index.ts';
import { allowedBy, proof, type Reason, reasonFor } from './authenticate.ts';

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
  readonly reject: RejectionCode | null;
  /** The order that waits on the payment page; null: a new one. */
  readonly pageOrder: Order | null;
  readonly once: Once | null;
}

/** Everything that was found out before the commit. */
export interface Prepared {
  readonly request: AuthorizeRequest;
  readonly orderId: bigint;
  readonly terminal: Terminal;
  readonly card: Card;
  readonly issuer: Issuer;
  readonly reject: RejectionCode | null;
  /** Of the rule that rejects as fraud, or in a sandbox why and how to go on. */
  readonly fraudClass?: string | null;
  readonly secure3d: Secure3d | null;
  /** Why the cardholder has to be authenticated; null: he needn't be, or was. */
  readonly reason: Reason | null;
  readonly sealed: { readonly changes: readonly Change[]; readonly cardId: bigint };
  readonly risk: readonly Change[];
}

type LookupDeps = Pick<GatewayDeps, 'clock' | 'ids' | 'rates' | 'risk' | 'simulatedIssuer' | 'vault'>;

/** Looks up what the decision needs: BIN table, risk counters. Nothing is written, and nobody outside is asked. */
export async function prepare(deps: LookupDeps, request: AuthorizeRequest, terminal: Terminal): Promise<Prepared> {
  const { project, draft, card, pageOrder } = request;
  const bin = lookupBin(card.pan);
  const orderId = pageOrder?.id ?? deps.ids.next();
  const cardId = request.cardId ?? deps.ids.next();
  const sealed = request.cardId
    ? []
    : [deps.vault.seal(project.id, cardId, { pan: card.pan, expiry: card.expiry ?? '', holder: card.holder }).change];
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
  const rejected = (
    reject: RejectionCode,
    secure3d: Secure3d | null = null,
    risk: readonly Change[] = [],
  ): Prepared => ({
    ...base,
    reject,
    secure3d,
    reason: null,
    risk,
  });
  const early = request.reject ?? gatewayRule(deps, request, terminal);
  if (early) return rejected(early);
  const screened = terminal.link === 'simulator' && deps.simulatedIssuer?.screensAsFraud(card.pan, card.holder);
  if (screened) return rejected('fraud');
  const rate = rateFor(deps, project, draft.currency);
  const verdict = await deps.risk.assess(
    paymentOf(deps, project, draft, { ...request, orderId, pan: card.pan }, rate, deps.clock.now()),
  );
  if (verdict.verdict === 'refuse')
    return { ...rejected('fraud', null, verdict.changes), fraudClass: verdict.explanation ?? verdict.class };
  if (request.external) {
    const proven = externalAuthentication(request.external, bin.brand);
    return {
      ...base,
      reject: allowedBy(proven, project, false),
      secure3d: proof(null, proven),
      reason: null,
      risk: verdict.changes,
    };
  }
  const reason = reasonFor(deps, {
    terminal,
    options: draft.options,
    card,
    byRisk: verdict.verdict === 'force3d',
    initiator: request.initiator,
  });
  return {
    ...base,
    reject: null,
    secure3d: reason ? null : exempted(deps, request, terminal),
    reason,
    risk: verdict.changes,
  };
}

/** A payment without its cardholder, of a card or terminal that would have wanted him. */
function exempted(
  deps: Pick<GatewayDeps, 'simulatedIssuer'>,
  { draft, card }: AuthorizeRequest,
  terminal: Terminal,
): Secure3d | null {
  if (!draft.options.exemption_mit) return null;
  const wanted = reasonFor(deps, { terminal, options: draft.options, card, byRisk: false, initiator: 'customer' });
  return wanted && { reason: wanted, scenario: 'exempt' };
}

/** Rules that need nobody's answer. */
function gatewayRule(
  deps: Pick<GatewayDeps, 'clock' | 'rates'>,
  { project, draft, card }: AuthorizeRequest,
  terminal: Terminal,
): RejectionCode | null {
  const at = deps.clock.now();
  const day = dayOf(at);
  const month = day.slice(2, 4) + day.slice(5, 7);
  if (card.expiry !== null && card.expiry !== '' && card.expiry < month) return 'card_expired';
  const accounting = project.accounting_currency;
  if (draft.currency !== accounting && !rateFor(deps, project, draft.currency)) return 'no_rate';
  return closedTo(project, terminal, draft.currency);
}
