// The thresholds of the card-testing defence, each with its reason. Data only.
// Rule: a signal that is true of strangers around an honest buyer may lead to 3-D Secure at most; see `OWN_RECORD`.
import { DAY_MS, HOUR_MS, MINUTE_MS, type Window } from './counters.ts';
import type { Dimension } from './facts.ts';
import type { Counted } from './queries.ts';

/** `*.answers` count what issuers said and sum what of it was bad; `*.held` count what was held back here. */
export interface Signal {
  readonly name: string;
  readonly of: Window;
  /** Tries held back that are part of the picture; left out: issuers' answers only. */
  readonly held?: Dimension;
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
const ADDRESS: Window = { dimension: 'ip.answers', ms: DAY_MS };
const AMOUNT: Window = { dimension: 'amount.answers', ms: HALF_HOUR_MS };
const SESSION: Window = { dimension: 'session.answers', ms: DAY_MS };

export const SIGNALS: readonly Signal[] = [
  {
    name: 'project',
    of: { dimension: 'project.answers', ms: 5 * MINUTE_MS },
    held: 'project.held',
    answers: 20n,
    badPercent: 25n,
    points: 30,
    why: 'shops see 5 to 20 % of declines; more means that something goes on, and alone that is nothing to act on',
  },
  {
    name: 'link',
    of: { dimension: 'link.answers', ms: 10 * MINUTE_MS },
    held: 'link.held',
    answers: 20n,
    badPercent: 50n,
    points: 30,
    why: 'a static link that many cards fail at is under attack, however large the shop; its honest payers come by it too',
  },
  {
    name: 'amount',
    of: AMOUNT,
    held: 'amount.held',
    answers: 12n,
    badPercent: 55n,
    points: 40,
    why: 'a tester pays the same small amount again and again; a popular price is declined as rarely as others',
  },
  {
    name: 'amount_many',
    of: AMOUNT,
    held: 'amount.held',
    answers: 30n,
    badPercent: 65n,
    points: 30,
    why: 'thirty tries leave no doubt, also in a shop so large that its share of declines does not move',
  },
  {
    name: 'bin',
    of: { dimension: 'bin.answers', ms: HALF_HOUR_MS },
    held: 'bin.held',
    answers: 12n,
    badPercent: 60n,
    points: 20,
    why: 'numbers counted upwards within a card range; honest holders of the range are many, so it weighs little',
  },
  {
    name: 'net',
    of: { dimension: 'net.answers', ms: HALF_HOUR_MS },
    held: 'net.held',
    answers: 10n,
    badPercent: 60n,
    points: 30,
    why: 'rented addresses lie side by side; so do the neighbours of an honest buyer, so alone it decides nothing',
  },
  {
    name: 'address_again',
    of: ADDRESS,
    answers: 2n,
    badPercent: 80n,
    cards: 3n,
    otherBasket: true,
    points: 40,
    why: 'who is declined takes another card for the same basket; a third card for another amount is odd in the middle of an attack',
  },
  {
    name: 'address',
    of: ADDRESS,
    answers: 4n,
    badPercent: 80n,
    cards: 5n,
    points: 70,
    why: 'common practice asks a visitor for more after five tries; a shared address has many cards, but they are not declined',
  },
  {
    name: 'address_many',
    of: ADDRESS,
    answers: 4n,
    badPercent: 80n,
    cards: 10n,
    points: 30,
    why: 'common practice refuses a visitor after ten tries; cards that were held back count here too',
  },
  {
    name: 'session',
    of: SESSION,
    answers: 4n,
    badPercent: 80n,
    points: 70,
    why: 'the same of one browser on the payment page, wherever it goes on from',
  },
  {
    name: 'session_many',
    of: SESSION,
    held: 'session.held',
    answers: 9n,
    badPercent: 80n,
    points: 30,
    why: 'the same of its tenth try; who throws our cookie away is left to the record of the address',
  },
];

/** What was never good here before: no approval in a month, those of the last two hours left out. */
export interface Unfamiliar {
  readonly name: string;
  /** All of them were never good. */
  readonly of: readonly Dimension[];
  /** Tries held back within a day that an approval must outweigh before it vouches for anything. */
  readonly held?: Dimension;
  /** Different cards at one address, the one at hand among them. */
  readonly cards?: bigint;
  /** Only where nobody at this address has tried to pay this amount yet. */
  readonly otherBasket?: boolean;
  readonly points: number;
  readonly why: string;
}

const MONTH_MS = 30 * DAY_MS;
/** What was approved this recently may be the attack's own: a thief's first live card must vouch for nothing. */
export const RECENT_MS = 2 * HOUR_MS;
export const FAMILIAR_MS = MONTH_MS;
/** Approvals older than that which a project needs before "never seen here" says anything: everything is new to a new shop. */
export const HISTORY = 500n;
export const PROJECT: Dimension = 'project.answers';

/** They speak only in a project under attack (`ATTACK`), where each of them alone is enough for 3-D Secure. */
export const UNFAMILIAR: readonly Unfamiliar[] = [
  {
    name: 'card_new',
    of: ['bin.answers', 'amount.answers'],
    points: 40,
    why: 'a bought list has cards of banks whose customers never bought here, tried with amounts that are no price of this shop',
  },
  {
    name: 'address_new',
    of: ['ip.answers'],
    held: 'ip.held',
    cards: 2n,
    otherBasket: true,
    points: 40,
    why: 'a second card for another amount within a day from where nobody bought before: offices and families did buy before',
  },
];
/** Signals of an attack on the project; the first that speaks counts. What was held back keeps them up, so it ends when the tries end. */
export const ATTACK: readonly string[] = ['project', 'link'];

export const FORCE3D_AT = 70;
export const REFUSE_AT = 100;
/** A refusal needs one of them, whatever the sum: a record of this very address or browser. */
export const OWN_RECORD: readonly string[] = ['address_many', 'session_many'];

const CARD_MONTH: Window = { dimension: 'card.answers', ms: MONTH_MS };

/** A card that paid here before is no stranger, whatever goes on around it. */
export const KNOWN_CARD = { of: CARD_MONTH, points: -60 } as const;

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
    of: { dimension: 'card.never', ms: MONTH_MS },
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
    of: { dimension: 'card.answers', ms: DAY_MS },
    reached: ({ sum }) => sum >= 10n,
    why: 'Mastercard counts merchants with more than 10 declines of a card a day',
  },
];

/** Tries of an integrator look like an attack: what a sandbox refuses is a crowd of failed cards, and it says so. */
const SANDBOX_FAILED = 30n;
/** A window covers up to a minute more than it says: so that after ten minutes of quiet everything is free again. */
const SANDBOX_MS = 9 * MINUTE_MS;

/** All of the defence in a sandbox. */
export const SANDBOX_LIMITS: readonly Limit[] = [
  {
    name: 'sandbox_link',
    of: { dimension: 'link.answers', ms: SANDBOX_MS },
    reached: ({ sum }) => sum >= SANDBOX_FAILED,
    why: 'thirty failed cards from one static link within ten minutes are no normal use, also of who only tries us out',
  },
  {
    name: 'sandbox_address',
    of: { dimension: 'ip.answers', ms: SANDBOX_MS },
    reached: ({ sum }) => sum >= SANDBOX_FAILED,
    why: 'the same from one address',
  },
];

/** Different cards at the address; whether this one, and this amount, was tried there before. */
export const CARDS: Window = { dimension: 'ip.cards', ms: DAY_MS };
export const SEEN: Window = { dimension: 'ip.seen', ms: DAY_MS };
export const BASKET: Window = { dimension: 'ip.basket', ms: DAY_MS };

export const heldOf = ({ held, of }: Signal): Window | null => (held ? { dimension: held, ms: of.ms } : null);

/** Everything that the defence reads. */
export const TESTING_WINDOWS: readonly Window[] = [
  ...SIGNALS.flatMap((signal) => [signal.of, heldOf(signal) ?? []].flat()),
  ...[PROJECT, ...UNFAMILIAR.flatMap(({ of }) => of)].flatMap((dimension) => [
    { dimension, ms: FAMILIAR_MS },
    { dimension, ms: RECENT_MS },
  ]),
  ...UNFAMILIAR.flatMap(({ held }) => (held ? [{ dimension: held, ms: DAY_MS }] : [])),
  ...RETRY_LIMITS.map(({ of }) => of),
  KNOWN_CARD.of,
  CARDS,
  SEEN,
  BASKET,
];

const names = (dimensions: readonly (Dimension | undefined)[]): Dimension[] =>
  [...new Set(dimensions)].filter((dimension) => dimension !== undefined);

/** Where an issuer's answer to a visitor is counted, besides the card's own record; and a try that was held back. */
export const ANSWER_DIMENSIONS: readonly Dimension[] = names(SIGNALS.map(({ of }) => of.dimension));
export const HELD_DIMENSIONS: readonly Dimension[] = names([...SIGNALS, ...UNFAMILIAR].map(({ held }) => held));
