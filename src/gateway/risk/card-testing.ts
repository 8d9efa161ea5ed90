// The card-testing defence (OWASP OAT-001): stolen numbers are tried with small payments to learn which of them live. Signals with
// points as a table; what they add up to decides. Pure.
// Rule: nobody is refused for what strangers do. Circumstances (a hot amount, a hot card range) at most ask for 3-D Secure, which an
// honest buyer passes; a refusal needs a record of this very address or card. No answer depends on whether the card is good.
import type { Change } from '../../store/index.ts';
import { type Counters, count, DAY_MS, MINUTE_MS, type Window } from './counters.ts';
import type { Dimension, Keys } from './facts.ts';
import type { Counted } from './queries.ts';

/** `*.answers` count what issuers said, and sum what of it was bad. */
interface Signal {
  readonly name: string;
  readonly of: Window;
  /** Answers there must be before their share says anything. */
  readonly answers: bigint;
  /** Per cent of them that were bad, at least. */
  readonly badPercent: bigint;
  /** Different cards at one address, the one at hand among them. */
  readonly cards?: bigint;
  /** Only where nobody at this address has tried to pay this amount yet. */
  readonly otherBasket?: boolean;
  readonly points: number;
  readonly why: string;
}

const HALF_HOUR_MS = 30 * MINUTE_MS;
const MONTH_MS = 30 * DAY_MS;
const CARDS: Window = { dimension: 'ip.cards', ms: DAY_MS };
const SEEN: Window = { dimension: 'ip.seen', ms: DAY_MS };
const BASKET: Window = { dimension: 'ip.basket', ms: DAY_MS };
const NEVER: Window = { dimension: 'card.never', ms: MONTH_MS };
const CARD_MONTH: Window = { dimension: 'card.answers', ms: MONTH_MS };
const CARD_DAY: Window = { dimension: 'card.answers', ms: DAY_MS };

export const SIGNALS: readonly Signal[] = [
  {
    name: 'project',
    of: { dimension: 'project.answers', ms: 5 * MINUTE_MS },
    answers: 20n,
    badPercent: 25n,
    points: 30,
    why: 'shops see 5 to 20 % of declines; more means that something goes on, and alone that is nothing to act on',
  },
  {
    name: 'amount',
    of: { dimension: 'amount.answers', ms: HALF_HOUR_MS },
    answers: 12n,
    badPercent: 55n,
    points: 40,
    why: 'a tester pays the same small amount again and again; a popular price is declined as rarely as others',
  },
  {
    name: 'bin',
    of: { dimension: 'bin.answers', ms: HALF_HOUR_MS },
    answers: 12n,
    badPercent: 60n,
    points: 20,
    why: 'numbers counted upwards within a card range; honest holders of the range are many, so it weighs little',
  },
  {
    name: 'net',
    of: { dimension: 'net.answers', ms: HALF_HOUR_MS },
    answers: 10n,
    badPercent: 60n,
    points: 30,
    why: 'rented addresses lie side by side; so do the neighbours of an honest buyer, so alone it decides nothing',
  },
  {
    name: 'address_again',
    of: { dimension: 'ip.answers', ms: DAY_MS },
    answers: 2n,
    badPercent: 60n,
    cards: 3n,
    otherBasket: true,
    points: 40,
    why: 'whose cards were declined takes another one for the same basket; a third card for another amount is odd while the project is under attack',
  },
  {
    name: 'address',
    of: { dimension: 'ip.answers', ms: DAY_MS },
    answers: 4n,
    badPercent: 80n,
    cards: 5n,
    points: 70,
    why: 'common practice asks a visitor for more proof after five tries; a shared address has many cards, but they are not declined',
  },
  {
    name: 'address_many',
    of: { dimension: 'ip.answers', ms: DAY_MS },
    answers: 4n,
    badPercent: 80n,
    cards: 10n,
    points: 30,
    why: 'common practice refuses after ten tries of a visitor; tries that were held back count here too',
  },
];

/** A card that paid here before is no stranger, whatever goes on around it. */
const KNOWN_CARD = { name: 'known_card', of: CARD_MONTH, points: -60 } as const;

const FORCE3D_AT = 70;
const REFUSE_AT = 100;
/** The record of this address that a refusal needs, whatever the sum. */
const OWN = 'address_many';

interface Limit {
  readonly name: string;
  readonly of: Window;
  readonly reached: (counted: Counted) => boolean;
  readonly why: string;
}

/** What card schemes fine; asked of merchant-initiated payments too. */
export const RETRY_LIMITS: readonly Limit[] = [
  {
    name: 'retry_never',
    of: NEVER,
    reached: ({ count }) => count >= 1n,
    why: 'Visa category 1 and the like: the issuer said that this card will never be approved',
  },
  {
    name: 'retry_month',
    of: CARD_MONTH,
    reached: ({ sum }) => sum >= 20n,
    why: 'Visa: 20 tries of a declined card in 30 days',
  },
  {
    name: 'retry_day',
    of: CARD_DAY,
    reached: ({ sum }) => sum >= 10n,
    why: 'Mastercard counts merchants with more than 10 declines of a card a day',
  },
];

/** Everything that the defence reads. */
export const TESTING_WINDOWS: readonly Window[] = [
  ...new Set([...SIGNALS.map(({ of }) => of), ...RETRY_LIMITS.map(({ of }) => of), CARDS, SEEN, BASKET]),
];

export interface Suspicion {
  readonly action: 'refuse' | 'force3d';
  /** What spoke, for the operator. */
  readonly signals: readonly string[];
}

const bad = (counted: Counted, { answers, badPercent }: Signal): boolean =>
  counted.count >= answers && counted.sum * 100n >= counted.count * badPercent;

/** null: nothing to say against the payment. `visitor`: somebody sits at the other end; false for merchant-initiated payments. */
export function suspicionOf(keys: Keys, counters: Counters, visitor: boolean): Suspicion | null {
  const at = ({ dimension, ms }: Window): Counted => counters(dimension, ms);
  const limits = RETRY_LIMITS.filter(({ of, reached }) => reached(at(of))).map(({ name }) => name);
  if (limits.length > 0) return { action: 'refuse', signals: limits };
  if (!visitor) return null;
  const cards = at(CARDS).count + (keys.has('ip.seen') && at(SEEN).count === 0n ? 1n : 0n);
  const otherBasket = at(BASKET).count === 0n;
  const signals = SIGNALS.filter(
    (signal) => cards >= (signal.cards ?? 0n) && (otherBasket || !signal.otherBasket) && bad(at(signal.of), signal),
  );
  const paid = at(KNOWN_CARD.of);
  const points = signals.reduce((sum, signal) => sum + signal.points, paid.count > paid.sum ? KNOWN_CARD.points : 0);
  if (points < FORCE3D_AT) return null;
  const refuse = points >= REFUSE_AT && signals.some(({ name }) => name === OWN);
  return { action: refuse ? 'refuse' : 'force3d', signals: signals.map(({ name }) => name) };
}

const ONE: Counted = { count: 1n, sum: 0n };
const ONE_BAD: Counted = { count: 1n, sum: 1n };
/** Where tries that were held back count as bad; records of an address and of a card are of issuers' answers only. */
const AROUND: readonly Dimension[] = ['net.answers', 'bin.answers', 'amount.answers', 'project.answers'];

const adding = (owner: bigint, keys: Keys, now: Date) => (dimension: Dimension, amounts: Counted) =>
  count(owner, keys, TESTING_WINDOWS, dimension, amounts, now);

/**
 * What the try itself adds. One that was held back counts as bad, or the defence would forget an attack that it keeps out; when its
 * cardholder then passes 3-D Secure, the issuer's answer makes up for it.
 */
export function tried(owner: bigint, keys: Keys, counters: Counters, { visitor, held }: Try, now: Date): Change[] {
  if (!visitor) return [];
  const add = adding(owner, keys, now);
  const fresh = counters(SEEN.dimension, SEEN.ms).count === 0n;
  return [
    ...add('ip.seen', ONE),
    ...add('ip.basket', ONE),
    ...(fresh ? add('ip.cards', ONE) : []),
    ...(held ? AROUND.flatMap((dimension) => add(dimension, ONE_BAD)) : []),
  ];
}

interface Try {
  /** Rebills are declined in masses at one price: they say nothing about visitors. */
  readonly visitor: boolean;
  readonly held: boolean;
}

export interface Answer {
  /** A soft decline asks for 3-D Secure and an error is nobody's answer: neither says anything about the card. */
  readonly class: 'approved' | 'declined' | 'soft_declined' | 'error';
  /** What the issuer says about trying again. */
  readonly retry: 'never' | 'later' | 'correct_data' | 'generic' | null;
}

/** What the issuer's answer adds: to the card's record always, to what surrounds it only when a visitor paid. */
export function answered(owner: bigint, keys: Keys, answer: Answer, visitor: boolean, now: Date): Change[] {
  if (answer.class !== 'approved' && answer.class !== 'declined') return [];
  const add = adding(owner, keys, now);
  const amounts = answer.class === 'declined' ? ONE_BAD : ONE;
  return [
    ...add('card.answers', amounts),
    ...(answer.class === 'declined' && answer.retry === 'never' ? add('card.never', ONE) : []),
    ...(visitor ? ['ip.answers' as const, ...AROUND].flatMap((dimension) => add(dimension, amounts)) : []),
  ];
}
