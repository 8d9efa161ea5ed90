// How much may be paid out: by a payout, to a card in a day, by a project in a day; in live mode no more than what is settled.
// Rule: counted by the commit that begins the payout, given back by the commit that finds that it failed. Days are days of UTC.
import { parseAmount } from '../../base/index.ts';
import { type Balance, convert, type Rate, type RateOf, settledKind } from '../../ledger/index.ts';
import type { Change, Loaded, Need } from '../../store/index.ts';
import type { Counted, Operation, RejectionCode } from '../orders/index.ts';
import type { Project, ProjectSettings } from '../projects/index.ts';
import { needPayouts, type PayoutKey, payoutKind, payoutsAdd } from './queries.ts';

type Bound = 'payout_limit' | 'payout_limit_card_day' | 'payout_limit_project_day';

/** Of a sandbox; in live mode nothing is paid out until the operator says how much. */
const SANDBOX: Readonly<Record<Bound, string>> = {
  payout_limit: '10000.00',
  payout_limit_card_day: '10000.00',
  payout_limit_project_day: '100000.00',
};

function boundOf({ settings, accounting_currency }: Project, name: Bound, sandbox: boolean): bigint {
  const set: ProjectSettings[Bound] = settings[name] ?? (sandbox ? SANDBOX[name] : '0');
  return parseAmount(String(set), accounting_currency) ?? 0n;
}

/** No day: what is under way, whenever it began. */
const UNDER_WAY = '0001-01-01';

const keysOf = (
  owner: bigint,
  { card, day }: Counted,
): Readonly<Record<'card' | 'project' | 'underWay', PayoutKey>> => ({
  card: { project_id: owner, card, day },
  project: { project_id: owner, card: '', day },
  underWay: { project_id: owner, card: '', day: UNDER_WAY },
});

/** What has to be locked before a payout is counted or given back. */
export const payoutNeeds = (owner: bigint, counted: Counted): Need[] =>
  Object.values(keysOf(owner, counted)).map(needPayouts);

export const settledNeed = (owner: bigint): Need => ({ kind: settledKind, key: owner });

/** Why the payout may not be, as things stand under the locks; null: it may. */
export function payoutRejection(
  { sandbox, rate }: { readonly sandbox: boolean; readonly rate: RateOf },
  project: Project,
  loaded: Loaded,
  counted: Counted,
): RejectionCode | null {
  const amount = BigInt(counted.amount);
  const keys = keysOf(project.id, counted);
  const sum = (key: PayoutKey): bigint => loaded.get(payoutKind, key) ?? 0n;
  if (amount > boundOf(project, 'payout_limit', sandbox)) return 'payout_over_limit';
  if (sum(keys.card) + amount > boundOf(project, 'payout_limit_card_day', sandbox)) return 'payout_over_card_day';
  if (sum(keys.project) + amount > boundOf(project, 'payout_limit_project_day', sandbox))
    return 'payout_over_project_day';
  if (sandbox) return null;
  const settled = settledOf(project, loaded.get(settledKind, project.id) ?? [], (from) =>
    rate(from, project.accounting_currency),
  );
  return sum(keys.underWay) + amount > settled ? 'payout_over_settled' : null;
}

/** What the merchant is owed and acquirers have paid: fees are paid and the reserve is kept from it first. */
function settledOf(
  { accounting_currency }: Project,
  balances: readonly Balance[],
  rate: (from: string) => Rate | null,
): bigint {
  return balances.reduce((settled, { account, currency, amount }) => {
    if (account === 'merchant_payable' || account === 'merchant_disputed')
      return currency === accounting_currency ? settled - amount : settled;
    return settled - convert({ minor: amount, currency }, accounting_currency, rate(currency));
  }, 0n);
}

/** A payout begins: it counts from now on. */
export const payoutBegins = (owner: bigint, counted: Counted): Change[] =>
  Object.values(keysOf(owner, counted)).map((key) => payoutsAdd(key, BigInt(counted.amount)));

/** It is known what became of it: only what was paid still counts. */
export function payoutEnds({ project_id, status, details: { counted } }: Operation): Change[] {
  if (!counted) return [];
  const { card, project, underWay } = keysOf(project_id, counted);
  const over = status === 'success' ? [underWay] : [card, project, underWay];
  return over.map((key) => payoutsAdd(key, -BigInt(counted.amount)));
}
