// Does this payment need 3-D Secure, and what does its result allow? Pure, but for the one question to the directory.
import type { Money } from '../../base/index.ts';
import type { BrowserDetails, Authentication as Proven, Started } from '../../threeds/index.ts';
import type { CardData } from '../flight/index.ts';
import type { Authentication, GatewayDeps, OrderOptions, RejectionCode, Secure3d } from '../orders/index.ts';
import type { Project, Terminal } from '../projects/index.ts';

export type Reason = 'forced' | 'soft_decline' | 'risk' | 'terminal' | 'mandate';

/** Why the cardholder has to be authenticated; null: there is no need. Merchant-initiated payments have no cardholder to ask. */
export function reasonFor(
  deps: Pick<GatewayDeps, 'simulatedIssuer'>,
  {
    terminal,
    options,
    card,
    byRisk,
    initiator,
  }: { terminal: Terminal; options: OrderOptions; card: CardData; byRisk: boolean; initiator: 'customer' | 'merchant' },
): Reason | null {
  if (options.force3d) return 'forced';
  if (initiator === 'merchant') return null;
  if (byRisk) return 'risk';
  if (terminal.secure3d === 'always') return 'terminal';
  const simulated = terminal.link === 'simulator' ? deps.simulatedIssuer : null;
  return simulated?.mandatesAuthentication(card.pan, card.holder) ? 'mandate' : null;
}

export interface Ask {
  readonly project: Project;
  /** The terminal's merchant number: the proof is bound to it. */
  readonly merchantId: string;
  readonly orderId: bigint;
  readonly transactionId: bigint;
  readonly card: CardData;
  readonly brand: string;
  readonly amount: Money;
  readonly forced: boolean;
  readonly browser: BrowserDetails | null;
  readonly methodDone: boolean;
}

/** Asks the directory. No transaction may be open. */
export const ask = (deps: Pick<GatewayDeps, 'clock' | 'threeds'>, { project, card, ...rest }: Ask): Promise<Started> =>
  deps.threeds.start({
    ...rest,
    owner: project.id,
    pan: card.pan,
    expiry: card.expiry ?? '',
    holder: card.holder,
    merchantName: project.name,
    at: deps.clock.now(),
  });

/** What is kept of a result. */
export const kept = (proven: Proven): Authentication => ({
  letter: proven.letter,
  eci: proven.eci,
  cavv: proven.cavv,
  dsTransId: proven.dsTransId,
  version: proven.version,
});

/** `reason` null: the authentication was done elsewhere. */
export const proof = (reason: string | null, proven: Proven, transactionId?: bigint): Secure3d => ({
  ...(reason === null ? {} : { reason }),
  scenario: proven.scenario,
  authorization_status: proven.letter,
  ...(transactionId === undefined ? {} : { transaction_id: transactionId.toString() }),
  authentication: kept(proven),
});

/**
 * May the payment go to the issuer with this result? Y and A with liability shift; I without; N and R never; U as the project says.
 * A card that takes no part in 3-D Secure is no failure: it goes without.
 */
export function allowedBy(proven: Proven, project: Project, forced: boolean): RejectionCode | null {
  if (proven.scenario === 'not_enrolled') return null;
  if (proven.letter === 'N' || proven.letter === 'R') return 'authentication_failed';
  if (proven.letter !== 'U') return null;
  const handling = project.settings.unable_to_authenticate;
  return handling === 'reject' || (handling === 'reject_when_forced' && forced) ? 'authentication_unavailable' : null;
}
