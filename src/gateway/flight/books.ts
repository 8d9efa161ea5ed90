// An operation's success as an entry of the ledger, and the cashflow that the answer shows.
import {
  cashflowOf,
  convert,
  convertedMovement,
  type Entry,
  type Movement,
  type Posting,
  postingsOf,
  postOperation,
  type Rate,
} from '../../ledger/index.ts';
import type { Change } from '../../store/index.ts';
import {
  asSubject,
  type Cashflows,
  type GatewayDeps,
  type Operation,
  type Order,
  terminalOf,
} from '../orders/index.ts';
import type { Project } from '../projects/index.ts';

export interface Success {
  readonly before: Order;
  readonly after: Order;
  readonly operation: Operation;
  readonly operations: readonly Operation[];
  /** Of the order so far; needed for a void. */
  readonly postings: readonly Posting[];
  /** Between the order's currency and the project's, before it was decided; null: none is known. */
  readonly rate: Rate | null;
}

/** What `Success` asks for; null also where nothing has to be converted. */
export const rateFor = (deps: Pick<GatewayDeps, 'rates'>, project: Project, currency: string): Rate | null =>
  currency === project.accounting_currency ? null : deps.rates()(currency, project.accounting_currency);

/** A stored rate as JSON, and back. */
export const rateJson = (rate: Rate | null): Operation['rate'] =>
  rate && { micro: rate.micro.toString(), day: rate.day, source: rate.source };
export const rateFrom = (json: Operation['rate']): Rate | null =>
  json && { micro: BigInt(String(json.micro)), day: String(json.day), source: String(json.source) };

/** What an operation is booked with: the rate of its own day, or what is left of the charges that it gives back at theirs. */
function conversionOf(
  project: Project,
  { operation, operations, rate }: Pick<Success, 'operation' | 'operations' | 'rate'>,
): { rate: Rate | null; accountingMinor?: bigint } {
  const { type, amount, currency } = operation;
  const accounting = project.accounting_currency;
  if (currency === accounting) return { rate: null };
  const movements = operations.filter(({ status }) => status === 'success').flatMap(movementOf);
  if (type === 'refund' || type === 'chargeback' || type === 'representment') {
    const moved = convertedMovement([...movements, { kind: type, minor: amount, rate: null }], currency, accounting);
    return { rate: moved.rate, accountingMinor: moved.accounting };
  }
  const fixed = rateFrom(operation.rate);
  if (fixed) return { rate: fixed };
  const charged = type === 'reverse' ? movements[0]?.rate : null;
  return { rate: charged ?? rate };
}

const movementOf = ({ type, amount, rate }: Operation): Movement[] =>
  type === 'authorize' || type === 'reverse' || type === 'credit'
    ? []
    : [{ kind: type, minor: amount, rate: rateFrom(rate) }];

export function postingsFor(
  project: Project,
  success: Success,
): { changes: Change[]; cashflows: Cashflows; rate: Operation['rate'] } {
  const { before, after, operation, postings } = success;
  const accounting = project.accounting_currency;
  const { rate, ...exact } = conversionOf(project, success);
  const entry: Entry = {
    owner: before.project_id,
    subject: asSubject(before.id),
    operationId: operation.id,
    operation: operation.details.void ? 'void' : operation.type,
    amount: { minor: operation.amount, currency: operation.currency },
    hold: operation.type === 'authorize' ? operation.amount : before.held - after.held,
    accounting,
    rate,
    ...exact,
    plan: project.pricing,
    cardType: before.card?.type ?? null,
    country: before.issuer?.country ?? null,
    link: terminalOf(project, before.terminal)?.link ?? 'unknown',
    at: operation.resolved_at ?? operation.created_at,
    charge: postings.filter((posting) => posting.kind === 'charge'),
  };
  const posted = postOperation(entry);
  const amount = convert(entry.amount, accounting, rate);
  return {
    changes: posted.changes,
    cashflows: new Map([[operation.id, cashflowOf(posted.postings, accounting, amount)]]),
    rate: rateJson(rate),
  };
}

/** Cashflow of successful operations, from their postings. */
export async function cashflowsOf(
  deps: Pick<GatewayDeps, 'db'>,
  project: Project,
  operations: readonly Operation[],
): Promise<Cashflows> {
  const orderIds = [...new Set(operations.map(({ order_id }) => order_id))];
  const postings = await postingsOf(deps.db, project.id, orderIds);
  const groups = Map.groupBy(
    postings.filter((posting) => posting.entry_id === posting.operation_id),
    (posting) => posting.entry_id,
  );
  const flows = new Map();
  for (const { id, status, amount: minor, currency, rate } of operations) {
    if (status !== 'success') continue;
    const amount = convert({ minor, currency }, project.accounting_currency, rateFrom(rate));
    flows.set(id, cashflowOf(groups.get(id) ?? [], project.accounting_currency, amount));
  }
  return flows;
}
