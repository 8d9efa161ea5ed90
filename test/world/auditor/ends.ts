// The last audit, when all troubles are over: every order is read once more, and the books of merchant, acquirer and issuer are laid
// beside one another. Rule: what they disagree about is a sentence with both numbers.
import { type EventTold, untruth } from '../../gateway/events/truth.ts';
import type { Auditor } from './auditor.ts';
import { cents, type OrderBook, type OrderShown, sumsOf } from './orders.ts';

/** The acquirer's sums of an order, minor units of its currency. */
export interface AcquirerBook {
  readonly currency: string;
  readonly authorized: number;
  readonly reversed: number;
  readonly charged: number;
  readonly voided: number;
  readonly refunded: number;
  readonly credited: number;
}

const NOTHING = { authorized: 0, reversed: 0, charged: 0, voided: 0, refunded: 0, credited: 0 };

/** Cents of the wire in minor units of a currency. */
const minor = (amount: number, currency: string): number => (currency === 'JPY' ? amount / 100 : amount);

const OVER_UNTAKEN = new Set(['rejected', 'fraud', 'declined', 'error']);

/** What the acquirer should have of an order that shows this; a sentence when it has something else. */
export function acquirerAgrees(subject: string, order: OrderShown, found: AcquirerBook | null): string | null {
  const book = found ?? { ...NOTHING, currency: order.currency };
  const sums = sumsOf(order);
  const pairs: readonly (readonly [string, number, number])[] = [
    ['charged', sums.charged, book.charged],
    ['voided', sums.voided, book.voided],
    ['refunded', sums.refunded, book.refunded],
    ['credited', sums.credited, book.credited],
  ];
  if (book.currency !== order.currency)
    return `${subject}: in ${order.currency} here, in ${book.currency} at the acquirer`;
  for (const [what, ours, theirs] of pairs)
    if (minor(ours, order.currency) !== theirs)
      return `${subject}: ${what} ${ours / 100} here, ${theirs} minor units at the acquirer`;
  const gone = OVER_UNTAKEN.has(order.status) || order.status === 'new' || order.status === 'prepared';
  if (gone && book.authorized !== book.reversed)
    return `${subject}: is ${order.status}, and the acquirer still holds ${book.authorized - book.reversed}`;
  if (sums.released && book.reversed !== book.authorized)
    return `${subject}: is reversed, and the acquirer holds ${book.authorized - book.reversed}`;
  if (order.status === 'authorized' && book.authorized - book.reversed !== minor(cents(order.amount), order.currency))
    return `${subject}: is authorized for ${order.amount}, and the acquirer holds ${book.authorized - book.reversed}`;
  return null;
}

interface Cashflow {
  readonly currency: string;
  readonly amount: string;
  readonly fee: string;
  readonly incoming: string;
  readonly receivable: string;
  readonly reserve: string;
}

export interface Priced extends OrderShown {
  readonly operations: readonly (OrderShown['operations'][number] & { readonly cashflow?: Cashflow })[];
}

/** Half to even, of amounts that are far below what a double holds exactly. */
function halfEven(value: number): number {
  const floor = Math.floor(value + 1e-9);
  const rest = value - floor;
  if (Math.abs(rest - 0.5) < 1e-6) return floor % 2 === 0 ? floor : floor + 1;
  return Math.round(value);
}

/** The merchant's own book: each operation's identity, the fee and the reserve of a charge, and what went back against what came. */
export function cashflowsAgree(subject: string, order: Priced): string | null {
  const rows = order.operations.filter(({ status, cashflow }) => status === 'success' && cashflow);
  let came = 0;
  let went = 0;
  for (const { type, amount, cashflow } of rows) {
    const flow = cashflow as Cashflow;
    const [total, fee, incoming, receivable, reserve] = [
      flow.amount,
      flow.fee,
      flow.incoming,
      flow.receivable,
      flow.reserve,
    ].map(cents) as [number, number, number, number, number];
    const outgoing = ['refund', 'credit', 'chargeback'].includes(type) ? total : 0;
    const at = `${subject}: the ${type} of ${amount} has cashflow ${JSON.stringify(flow)}`;
    const taken = order.status === 'reversed' && type === 'reverse';
    if (!taken && receivable !== incoming - outgoing - fee - reserve) return `${at}, which doesn't add up`;
    if (type === 'charge') {
      came += total;
      if (fee !== halfEven(total * 0.029) + 30) return `${at}, a fee of 2.9 % and 0.30 is another`;
      if (reserve !== halfEven(total * 0.05)) return `${at}, a reserve of 5 % is another`;
      if (order.currency === flow.currency && total !== cents(amount)) return `${at}, another amount`;
    }
    if (type === 'refund') went += total;
  }
  if (order.status === 'refunded' && came !== went)
    return `${subject}: all is refunded, ${came / 100} came and ${went / 100} went back in the accounting currency`;
  return went > came + roundingOf(order.currency, rows)
    ? `${subject}: more went back (${went / 100}) than came (${came / 100})`
    : null;
}

/** Each refund in another currency is converted by itself, to half a cent; the one that ends them takes what is left, less than nothing too. */
const roundingOf = (currency: string, rows: Priced['operations']): number =>
  rows.filter(({ type, cashflow }) => type === 'refund' && (cashflow as Cashflow).currency !== currency).length / 2;

/** What was told of an order is what it shows, event by event, and every status that was ever shown has its event. */
export function eventsAgree(
  subject: string,
  order: Priced,
  seen: ReadonlySet<string>,
  events: readonly EventTold[],
): string | null {
  // The ledger is read for a list, not for an event.
  const shown = { ...order, operations: order.operations.map(({ cashflow: _, ...operation }) => operation) };
  const sentence = untruth(events, shown);
  if (sentence) return `${subject}: ${sentence}`;
  const told = new Set(events.map(({ data }) => data.object.status));
  // An order that is made by its first operation is not announced before that has ended.
  const missing = [...seen].find((status) => status !== 'new' && !told.has(status));
  return missing ? `${subject}: was shown ${missing}, and there is no event of it (${[...told].join()})` : null;
}

/** More may not be paid out to a card in a day, in the accounting currency. */
const PAYOUT_MOST = 1_000_000;

/** Payouts of one project by card and day. */
export function payoutsAgree(orders: readonly Priced[]): string[] {
  const sums = new Map<string, number>();
  for (const { pan, operations } of orders)
    for (const { type, status, created, cashflow } of operations)
      if (type === 'credit' && status === 'success') {
        const key = `${pan} on ${created.slice(0, 10)}`;
        sums.set(key, (sums.get(key) ?? 0) + cents(cashflow?.amount ?? '0'));
      }
  return [...sums].flatMap(([key, sum]) => (sum > PAYOUT_MOST ? [`${sum / 100} were paid out to ${key}`] : []));
}

export interface PostingShown {
  readonly account: string;
  readonly amount: string;
}

/** What waits somewhere for its day, waits as long as it is there: an account that money passes through never gives more than it got. */
export function passagesAgree(subject: string, postings: readonly PostingShown[]): string | null {
  const sums = new Map<string, number>();
  for (const { account, amount } of postings) {
    const name = account.split(':')[0] as string;
    sums.set(name, (sums.get(name) ?? 0) + Number(amount));
  }
  const reserve = [...sums].find(([name, sum]) => name.startsWith('merchant_reserve') && sum > 0);
  if (reserve) return `${subject}: ${reserve[1]} more was given back of the reserve than was kept`;
  const receivable = [...sums].find(([name, sum]) => name.startsWith('acquirer_receivable') && sum < 0);
  return receivable ? `${subject}: ${-receivable[1]} more was cleared than was charged` : null;
}

/** An order that the merchant's list shows, and who asked for it. */
export function listed(auditor: Auditor, tag: string | undefined, order: OrderShown): OrderBook | null {
  const book = tag === undefined ? undefined : auditor.orders.get(tag);
  if (!book) {
    auditor.contradicts(`order ${order.id}: the list shows it, and nobody asked for it (${tag ?? 'no tag'})`);
    return null;
  }
  if (book.id !== null && book.id !== order.id) {
    auditor.contradicts(`${book.subject}: was asked for once, and the list shows order ${order.id} too`);
    return null;
  }
  return book;
}
