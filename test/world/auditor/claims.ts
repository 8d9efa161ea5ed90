// What was answered, and whether what is shown agrees with it. A claim is a request and what its answer said about money; an effect is a
// movement that a read shows. Rule: refused has no effect ever, done has one, unknown has one or none; nothing else may be there.
// This file, like all of the auditor, imports nothing of the server.

export type Verdict = 'done' | 'refused' | 'unknown';

export interface Claim {
  readonly step: number;
  /** `charge`, `refund` … */
  readonly type: string;
  /** Decimal text; null: whatever the subject had. */
  readonly amount: string | null;
  verdict: Verdict;
  /** HTTP status, or what came instead. */
  answer: string;
  /** It was not asked for but follows by itself, from this virtual moment on. */
  readonly byItself?: { readonly notBefore: number };
}

export interface Effect {
  readonly type: string;
  readonly amount: string;
}

const named = ({ type, amount }: { type: string; amount: string | null }): string =>
  amount === null ? type : `${type} of ${amount}`;
const fits = (claim: Claim, effect: Effect): boolean =>
  claim.type.split('|').includes(effect.type) && (claim.amount === null || claim.amount === effect.amount);
/** Which effect each claim stands for, one for one: every claim of `first` that can have one, then every effect that can be had. */
function matched(
  claims: readonly Claim[],
  effects: readonly Effect[],
  isFirst: (claim: Claim) => boolean,
): Map<Claim, Effect> {
  const byClaim = new Map<Claim, Effect>();
  const byEffect = new Map<Effect, Claim>();
  const pair = (claim: Claim, effect: Effect): true => {
    byClaim.set(claim, effect);
    byEffect.set(effect, claim);
    return true;
  };
  // Whoever is in the way is moved if there is another place; nobody who has a place loses it.
  const placed = (claim: Claim, seen: Set<Effect>): boolean =>
    effects.some((effect) => {
      if (seen.has(effect) || !fits(claim, effect)) return false;
      seen.add(effect);
      const holder = byEffect.get(effect);
      return (!holder || placed(holder, seen)) && pair(claim, effect);
    });
  const taken = (effect: Effect, seen: Set<Claim>): boolean =>
    claims.some((claim) => {
      if (seen.has(claim) || !fits(claim, effect)) return false;
      seen.add(claim);
      const held = byClaim.get(claim);
      return (!held || taken(held, seen)) && pair(claim, effect);
    });
  for (const claim of claims) if (isFirst(claim)) placed(claim, new Set());
  for (const effect of effects) if (!byEffect.has(effect)) taken(effect, new Set());
  return byClaim;
}

/** The first contradiction between claims and effects as a sentence; null: they agree. `now` is the virtual time of the read. */
export function contradiction(
  subject: string,
  claims: readonly Claim[],
  effects: readonly Effect[],
  step: number,
  now: number,
): string | null {
  const isDone = ({ verdict }: Claim): boolean => verdict === 'done';
  const may = claims.filter(
    (claim) => isDone(claim) || (claim.verdict === 'unknown' && (claim.byItself?.notBefore ?? 0) <= now),
  );
  const pairs = matched(may, effects, isDone);
  const unshown = may.find((claim) => isDone(claim) && !pairs.has(claim));
  if (unshown)
    return `${subject}: ${named(unshown)} was done at step ${unshown.step} (${unshown.answer}), but step ${step} doesn't show it`;
  const explained = new Set(pairs.values());
  const extra = effects.find((effect) => !explained.has(effect));
  if (!extra) return null;
  const refused = claims.find((claim) => claim.verdict === 'refused' && fits(claim, extra));
  if (refused)
    return `${subject}: ${named(extra)} was refused at step ${refused.step} (${refused.answer}), but step ${step} shows it`;
  const done = claims.find((claim) => claim.verdict !== 'refused' && fits(claim, extra));
  return done
    ? `${subject}: ${named(extra)} was asked for at step ${done.step} (${done.answer}), but step ${step} shows it ${effects.filter((effect) => fits(done, effect)).length} times`
    : `${subject}: step ${step} shows ${named(extra)}, which nobody asked for`;
}
