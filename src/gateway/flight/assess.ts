// A payment as the risk room sees it, before it is sent and once the issuer has answered.
import type { Pan } from '../../base/index.ts';
import { convert, type Rate } from '../../ledger/index.ts';
import { isoCode, lookupBin } from '../../network/index.ts';
import type { Change } from '../../store/index.ts';
import type { Draft } from '../intake/index.ts';
import type { GatewayDeps, Operation, Order } from '../orders/index.ts';
import type { Project } from '../projects/index.ts';
import type { Payment } from '../risk/index.ts';

type Known = Pick<Draft, 'amount' | 'currency' | 'merchantOrderId' | 'location' | 'client'>;

export function paymentOf(
  deps: Pick<GatewayDeps, 'vault'>,
  project: Project,
  draft: Known,
  { orderId, pan, initiator, visit }: Pick<Order, 'initiator' | 'visit'> & { orderId: bigint; pan: Pan },
  rate: Rate | null,
  at: Date,
): Payment {
  const accounting = project.accounting_currency;
  const converts = draft.currency === accounting || rate !== null;
  return {
    project,
    orderId,
    draft,
    bin: lookupBin(pan),
    fingerprint: () => deps.vault.fingerprint(pan),
    accountingMinor: converts ? convert({ minor: draft.amount, currency: draft.currency }, accounting, rate) : null,
    initiator,
    visit,
    at,
  };
}

/** What an authorization's answer adds to the counters; nothing for other operations. */
export function outcomeChanges(
  deps: Pick<GatewayDeps, 'risk' | 'vault'>,
  project: Project,
  order: Order,
  operation: Operation,
  pan: Pan,
  rate: Rate | null,
  now: Date,
): readonly Change[] {
  if (operation.type !== 'authorize') return [];
  const code = isoCode(operation.iso_response_code);
  const known: Known = { ...order, merchantOrderId: order.merchant_order_id };
  const payment = paymentOf(deps, project, known, { ...order, orderId: order.id, pan }, rate, now);
  const answer =
    operation.iso_response_code === 'A1' ? 'soft_declined' : operation.status === 'error' ? 'error' : code.class;
  return deps.risk.recordOutcome(payment, { class: answer, retry: code.retry });
}
