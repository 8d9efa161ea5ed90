// The card-testing defence (OWASP OAT-001): stolen numbers are tried with small payments to learn which of them live. What the
// signals add up to decides. Pure.
// Rule: nobody is refused for what strangers do. Circumstances (a hot amount, a hot card range) at most ask for 3-D Secure, which an
// honest buyer passes; a refusal needs a record of this very address or card. No answer depends on whether the card is good.
import type { Change } from '../../store/index.ts';
import { type Counters, count, DAY_MS, type Window } from './counters.ts';
import type { Dimension, Keys } from './facts.ts';
import type { Counted } from './queries.ts';
import {
  ANSWER_DIMENSIONS,
  ATTACK,
  BASKET,
  CARDS,
  FAMILIAR_MS,
  FORCE3D_AT,
  HELD_DIMENSIONS,
  HISTORY,
  heldOf,
  KNOWN_CARD,
  OWN_RECORD,
  PROJECT,
  RECENT_MS,
  REFUSE_AT,
  RETRY_LIMITS,
  SANDBOX_LIMITS,
  SEEN,
  SIGNALS,
  type Signal,
  TESTING_WINDOWS,
  UNFAMILIAR,
} from './thresholds.ts';

export interface Suspicion {
  readonly action: 'refuse' | 'force3d';
  /** What spoke, for the operator. */
  readonly signals: readonly string[];
  /** What the merchant is told beyond the class: only where nobody could learn from it. */
  readonly explanation?: string;
}

/** The defence as it is in force: by all its signals, or a sandbox's. Each is asked before the issuer, and told of what came of it. */
export interface Testing {
  /** Everything that it reads. */
  readonly windows: readonly Window[];
  /** null: nothing to say against the payment. `visitor`: somebody sits at the other end; false for merchant-initiated payments. */
  suspicionOf(keys: Keys, counters: Counters, visitor: boolean): Suspicion | null;
  /** What the try itself adds, whatever comes of it. */
  tried(owner: bigint, keys: Keys, counters: Counters, of: Try, now: Date): Change[];
  /** What the issuer's answer adds: to the card's record always, to what surrounds it only when a visitor paid. */
  answered(owner: bigint, keys: Keys, answer: Answer, visitor: boolean, now: Date): Change[];
}

function suspicionOf(keys: Keys, counters: Counters, visitor: boolean): Suspicion | null {
  const at = ({ dimension, ms }: Window): Counted => counters(dimension, ms);
  const limits = RETRY_LIMITS.filter(({ of, reached }) => reached(at(of))).map(({ name }) => name);
  if (limits.length > 0) return { action: 'refuse', signals: limits };
  if (!visitor) return null;
  const cards = at(CARDS).count + (keys.has(SEEN.dimension) && at(SEEN).count === 0n ? 1n : 0n);
  const otherBasket = at(BASKET).count === 0n;
  const fits = (asked: Pick<Signal, 'cards' | 'otherBasket'>): boolean =>
    cards >= (asked.cards ?? 0n) && (!asked.otherBasket || otherBasket);
  const found = SIGNALS.filter((signal) => {
    const held = heldOf(signal);
    return fits(signal) && isBad(at(signal.of), held ? at(held).count : 0n, signal);
  });
  const attack = ATTACK.find((name) => found.some((signal) => signal.name === name));
  const attacked = attack !== undefined && familiarApprovals(counters, PROJECT) >= HISTORY;
  // One attack, whatever it is told by.
  const bad = found.filter(({ name }) => name === attack || !ATTACK.includes(name));
  const unfamiliar = UNFAMILIAR.filter(({ of, held, ...asked }) => {
    const outweigh = held ? at({ dimension: held, ms: DAY_MS }).count : 0n;
    return attacked && fits(asked) && of.every((one) => keys.has(one) && familiarApprovals(counters, one) <= outweigh);
  });
  const signals = [...bad, ...unfamiliar];
  const paid = at(KNOWN_CARD.of);
  const points = signals.reduce((sum, signal) => sum + signal.points, paid.count > paid.sum ? KNOWN_CARD.points : 0);
  if (points < FORCE3D_AT) return null;
  const refuse = points >= REFUSE_AT && signals.some(({ name }) => OWN_RECORD.includes(name));
  return { action: refuse ? 'refuse' : 'force3d', signals: signals.map(({ name }) => name) };
}

/**
 * Is enough of it bad? What was held back counts as bad, or the defence would forget an attack that it keeps out; but every approval
 * makes up for one: honest buyers who were asked for 3-D Secure pass it, so a price that only they still pay cools down.
 */
function isBad(answers: Counted, held: bigint, signal: Signal): boolean {
  const approved = answers.count - answers.sum;
  const unresolved = held > approved ? held - approved : 0n;
  const total = answers.count + unresolved;
  return total >= signal.answers && (answers.sum + unresolved) * 100n >= total * signal.badPercent;
}

/** Approvals of the month without those of the last hours. */
function familiarApprovals(counters: Counters, dimension: Dimension): bigint {
  const [month, recent] = [counters(dimension, FAMILIAR_MS), counters(dimension, RECENT_MS)];
  return month.count - month.sum - (recent.count - recent.sum);
}

const ONE: Counted = { count: 1n, sum: 0n };
const ONE_BAD: Counted = { count: 1n, sum: 1n };

const adding =
  (owner: bigint, keys: Keys, now: Date, windows = TESTING_WINDOWS) =>
  (dimensions: readonly Dimension[], amounts: Counted) =>
    dimensions.flatMap((dimension) => count(owner, keys, windows, dimension, amounts, now));

export interface Try {
  /** Rebills are declined in masses at one price: they say nothing about visitors. */
  readonly visitor: boolean;
  readonly held: boolean;
}

function tried(owner: bigint, keys: Keys, counters: Counters, { visitor, held }: Try, now: Date): Change[] {
  if (!visitor) return [];
  const add = adding(owner, keys, now);
  const fresh = counters(SEEN.dimension, SEEN.ms).count === 0n;
  return [
    ...add([SEEN.dimension, BASKET.dimension, ...(fresh ? [CARDS.dimension] : [])], ONE),
    ...add(held ? HELD_DIMENSIONS : [], ONE),
  ];
}

export interface Answer {
  /** A soft decline asks for 3-D Secure and an error is nobody's answer: neither says anything about the card. */
  readonly class: 'approved' | 'declined' | 'soft_declined' | 'error';
  /** What the issuer says about trying again. */
  readonly retry: 'never' | 'later' | 'correct_data' | 'generic' | null;
}

function answered(owner: bigint, keys: Keys, answer: Answer, visitor: boolean, now: Date): Change[] {
  if (answer.class !== 'approved' && answer.class !== 'declined') return [];
  const add = adding(owner, keys, now);
  return [
    ...add(['card.answers', ...(visitor ? ANSWER_DIMENSIONS : [])], answer.class === 'declined' ? ONE_BAD : ONE),
    ...add(answer.class === 'declined' && answer.retry === 'never' ? ['card.never'] : [], ONE),
  ];
}

export const liveTesting: Testing = { windows: TESTING_WINDOWS, suspicionOf, tried, answered };

const SANDBOX_WINDOWS = SANDBOX_LIMITS.map(({ of }) => of);

const EXPLANATION =
  'card_testing. 30 cards failed from one address or payment link within ten minutes. The sandbox goes on after ten minutes of quiet, ' +
  'or without the project setting card_testing (PATCH /operator/projects/{login}/settings).';

/** Counts what fails, and nothing else. */
export const sandboxTesting: Testing = {
  windows: SANDBOX_WINDOWS,
  suspicionOf(_keys, counters, visitor) {
    const limits = SANDBOX_LIMITS.filter(({ of, reached }) => reached(counters(of.dimension, of.ms)));
    if (!visitor || limits.length === 0) return null;
    return { action: 'refuse', signals: limits.map(({ name }) => name), explanation: EXPLANATION };
  },
  tried: () => [],
  answered(owner, keys, answer, visitor, now) {
    if (!visitor || answer.class !== 'declined') return [];
    return adding(
      owner,
      keys,
      now,
      SANDBOX_WINDOWS,
    )(
      SANDBOX_WINDOWS.map(({ dimension }) => dimension),
      ONE_BAD,
    );
  },
};
