// The auditor: it sees requests and answers, and nothing else; keeps a model of its own; and says in one sentence what can't be true.
// Rule: imports nothing of the server's source; whatever it expects it has from the contract and from what was answered.
import type { Asked } from '../asking.ts';
import { isAnswer } from '../asking.ts';
import type { Claim, Verdict } from './claims.ts';
import type { Funds } from './funds.ts';
import { OrderBook, type OrderShown, type Wanted } from './orders.ts';

/** What an answer says about the money that was asked to move. */
export function verdictOf(asked: Asked): Verdict {
  if (!isAnswer(asked)) return asked.status === 'unsent' ? 'refused' : 'unknown';
  // A form is not yet an authorization; what its end comes to is seen by reading.
  if (asked.status >= 500 || asked.body?.orders?.[0]?.form3d) return 'unknown';
  return asked.status < 400 ? 'done' : 'refused';
}
export const answerText = (asked: Asked): string =>
  isAnswer(asked) ? `${asked.status}` : asked.status === 'unsent' ? 'never sent' : 'no answer';

/** A cancel that ended an order which nobody had paid moved nothing. */
const closedUnpaid = (claim: Claim, asked: Asked): boolean =>
  claim.type === 'reverse|refund' && shownIn(asked)?.status === 'rejected';

/** Keys are kept seven days; a minute is for what is on its way. */
const KEY_MS = 7 * 86_400_000 - 60_000;

/** Refusals that are kept with their key: the same request again gets them again. */
const isKept = (status: Asked['status']): boolean => status === 402;

export interface Auditor {
  readonly contradictions: readonly string[];
  contradicts(sentence: string | null): void;
  /** Virtual time, milliseconds: not later than `latest`. */
  readonly earliest: number;
  readonly latest: number;
  /** The clock was asked to go there, or showed that it is there. */
  timeMayBe(ms: number): void;
  timeIs(ms: number): void;
  readonly orders: ReadonlyMap<string, OrderBook>;
  /** Balances by id, and the tags of the cards whose making was answered. */
  readonly funds: Map<string, Funds>;
  readonly cards: ReadonlySet<string>;
  cardMade(tag: string): void;
  orderBegins(wanted: Wanted): OrderBook;
  /** The answer to something asked of an order; the claim that it makes. */
  orderAnswered(book: OrderBook, type: string, amount: string | null, asked: Asked): Claim;
  /** Does a key that was first used at that virtual moment still mean the same request? */
  keyHolds(since: number): boolean;
  /** The same request again, with its key. */
  answeredAgain(subject: string, claim: Claim, first: Asked, asked: Asked): void;
  orderShown(book: OrderBook, asked: Asked): void;
}

export function createAuditor(): Auditor {
  const contradictions: string[] = [];
  const orders = new Map<string, OrderBook>();
  const cards = new Set<string>();
  let earliest = 0;
  let latest = 0;

  const contradicts = (sentence: string | null): void => {
    if (sentence !== null && !contradictions.includes(sentence)) contradictions.push(sentence);
  };

  const auditor: Auditor = {
    contradictions,
    contradicts,
    get earliest() {
      return earliest;
    },
    get latest() {
      return latest;
    },
    timeMayBe: (ms) => void (latest = Math.max(latest, ms)),
    timeIs(ms) {
      earliest = Math.max(earliest, ms);
      latest = Math.max(latest, ms);
    },
    orders,
    funds: new Map(),
    cards,
    cardMade: (tag) => void cards.add(tag),
    orderBegins(wanted) {
      const book = new OrderBook(wanted, earliest);
      orders.set(wanted.tag, book);
      return book;
    },
    orderAnswered(book, type, amount, asked) {
      return book.claim(asked.step, type, amount, verdictOf(asked), answerText(asked));
    },
    keyHolds: (since) => latest - since < KEY_MS,
    answeredAgain(subject, claim, first, asked) {
      const verdict = closedUnpaid(claim, asked) ? 'refused' : verdictOf(asked);
      // Still at it, or not able to tell: no news.
      const news = isAnswer(asked) && asked.status < 500 && asked.status !== 409 && asked.status !== 429;
      if (!news) {
        // The first was refused without being kept; whether this one arrived is another matter.
        if (claim.verdict === 'refused' && !isKept(first.status) && asked.status !== 'unsent')
          claim.verdict = 'unknown';
        return;
      }
      const says = (what: string): void =>
        contradicts(
          `${subject}: ${claim.type} was answered ${claim.answer} at step ${claim.step}, and the same with its key ${what} at step ${asked.step}`,
        );
      if (claim.verdict === 'unknown' || (claim.verdict === 'refused' && !isKept(first.status))) {
        Object.assign(claim, { verdict, answer: `${claim.answer}, then ${answerText(asked)}` });
      } else if (verdict !== claim.verdict) says(answerText(asked));
      else if (isAnswer(first) && first.status === asked.status && first.text !== asked.text && isKeptWhole(first))
        says(`with another body: ${difference(first.text, asked.text)}`);
    },
    orderShown(book, asked) {
      const order = shownIn(asked);
      if (order) contradicts(book.look(order, asked.step, latest));
    },
  };
  return auditor;
}

/** Where two texts part. */
function difference(first: string, second: string): string {
  const at = [...first].findIndex((sign, i) => sign !== second[i]);
  const [was, is] = [first, second].map((text) => text.slice(Math.max(0, at - 40), at + 60));
  return `${was} is now ${is}`;
}

const isKeptWhole = ({ status }: Asked): boolean => status === 200 || status === 201 || status === 402;

/** The one order of an answer, with its operations. */
export function shownIn(asked: Asked): OrderShown | null {
  if (!isAnswer(asked) || asked.status >= 300) return null;
  const [order] = (asked.body?.orders ?? []) as OrderShown[];
  return order?.operations ? order : null;
}
