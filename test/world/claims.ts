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
/** The most exact first, so that a claim on anything doesn't take what another names. */
const byExactness = (a: Claim, b: Claim): number =>
  Number(a.amount === null) - Number(b.amount === null) || a.type.length - b.type.length;

/** The first contradiction between claims and effects as a sentence; null: they agree. `now` is the virtual time of the read. */
export function contradiction(
  subject: string,
  claims: readonly Claim[],
  effects: readonly Effect[],
  step: number,
  now: number,
): string | null {
  const left = [...effects];
  const take = (claim: Claim): boolean => {
    const at = left.findIndex((effect) => fits(claim, effect));
    if (at >= 0) left.splice(at, 1);
    return at >= 0;
  };
  const sorted = [...claims].sort(byExactness);
  for (const claim of sorted.filter(({ verdict }) => verdict === 'done'))
    if (!take(claim))
      return `${subject}: ${named(claim)} was done at step ${claim.step} (${claim.answer}), but step ${step} doesn't show it`;
  for (const claim of sorted)
    if (claim.verdict === 'unknown' && !(claim.byItself && claim.byItself.notBefore > now)) take(claim);
  const [extra] = left;
  if (!extra) return null;
  const refused = claims.find((claim) => claim.verdict === 'refused' && fits(claim, extra));
  if (refused)
    return `${subject}: ${named(extra)} was refused at step ${refused.step} (${refused.answer}), but step ${step} shows it`;
  const done = claims.find((claim) => claim.verdict !== 'refused' && fits(claim, extra));
  return done
    ? `${subject}: ${named(extra)} was asked for at step ${done.step} (${done.answer}), but step ${step} shows it ${effects.filter((effect) => fits(done, effect)).length} times`
    : `${subject}: step ${step} shows ${named(extra)}, which nobody asked for`;
}
