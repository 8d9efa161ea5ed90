// What the auditor knows of a balance: the account or prepaid card behind payments, and every movement that was asked of it.

import type { Who } from '../sessions.ts';
import { type EntryShown, type PaymentBook, type PaymentShown, paymentOnStatement, statementAgrees } from './cards.ts';
import { type Claim, contradiction } from './claims.ts';

export interface Funds {
  readonly type: 'managed_accounts' | 'managed_cards';
  readonly id: string;
  readonly who: Who;
  /** Cards that spend it. */
  readonly cards: Set<string>;
  /** What was asked, and as what the statement shows it. One transfer is two of them. */
  readonly claims: { readonly claim: Claim; readonly type: string }[];
  readonly payments: Map<string, PaymentBook>;
  /** Something was cleared that nothing was held for. */
  overdraws: boolean;
}

export function fundsOf(all: Map<string, Funds>, type: Funds['type'], id: string, who: Who): Funds {
  let funds = all.get(id);
  if (!funds) {
    funds = { type, id, who, cards: new Set(), claims: [], payments: new Map(), overdraws: false };
    all.set(id, funds);
  }
  return funds;
}

export interface FundsShown {
  readonly entries: readonly EntryShown[];
  readonly balances: { readonly actualBalance: number; readonly availableBalance: number };
  readonly payments: readonly (PaymentShown & { readonly fees: number })[];
  readonly step: number;
}

const MOVED_BY_HAND = new Set(['TRANSFER_IN', 'TRANSFER_OUT', 'DEPOSIT']);

/** Everything that contradicts on one balance; `from`: entries that were there before this world began. */
export function fundsContradict(funds: Funds, shown: FundsShown, from: number, now: number): (string | null)[] {
  const subject = `${funds.type === 'managed_cards' ? 'card' : 'account'} ${funds.id}`;
  const fresh = shown.entries.slice(from);
  const claims = funds.claims.map(({ claim, type }) => ({ ...claim, type }));
  const effects = fresh
    .filter(({ transactionType }) => MOVED_BY_HAND.has(transactionType))
    .map(({ transactionType, amount }) => ({ type: transactionType, amount: String(Math.abs(amount.amount)) }));
  const ids = new Set(shown.payments.map(({ id }) => id));
  const strange = fresh.find(
    ({ transactionType, transactionId }) => !MOVED_BY_HAND.has(transactionType) && !ids.has(transactionId ?? ''),
  );
  return [
    statementAgrees(subject, shown.entries, shown.balances, funds.overdraws),
    contradiction(subject, claims, effects, shown.step, now),
    strange ? `${subject}: entry ${strange.sequence} (${strange.transactionType}) belongs to no payment` : null,
    ...shown.payments.map((row) => paymentOnStatement(row, fresh)),
    ...[...funds.payments.values()].map((book) =>
      book.look(shown.payments.find(({ merchant }) => merchant.name === book.tag) ?? null, shown.step, now),
    ),
  ];
}

/** Reads a balance whole; null when it can't be read. */
export async function readFunds(
  funds: Funds,
  readOne: (path: string) => Promise<{ readonly body: unknown; readonly step: number } | null>,
): Promise<FundsShown | null> {
  const isCard = funds.type === 'managed_cards';
  const entries: EntryShown[] = [];
  for (;;) {
    const page = `orderByTimestamp=ASC&limit=100&offset=${entries.length}`;
    const path = isCard ? `/cards/transactions/${funds.id}?${page}` : `/managed-accounts/statement/${funds.id}?${page}`;
    const read = await readOne(path);
    if (!read) return null;
    const { entry } = read.body as { entry: EntryShown[] };
    entries.push(...entry);
    if (entry.length < 100) break;
  }
  const whole = await readOne(isCard ? `/cards/${funds.id}` : `/managed-accounts/${funds.id}`);
  if (!whole) return null;
  const payments: FundsShown['payments'][number][] = [];
  for (const card of funds.cards) {
    const read = await readOne(`/cards/payments/${card}?limit=100`);
    if (!read) return null;
    payments.push(...(read.body as { payments: FundsShown['payments'] }).payments);
  }
  return { entries, payments, balances: (whole.body as Pick<FundsShown, 'balances'>).balances, step: whole.step };
}
