// Many seeds, some side by side, and what they came to together.
import { openStage, type SceneOptions } from './stage/stage.ts';
import { type Outcome, runSeed } from './world.ts';

interface Options {
  readonly workers: number;
  readonly optionsOf?: (seed: number) => SceneOptions;
  readonly onOutcome?: (outcome: Outcome) => void;
  /** Begin no more seeds after the first that fails. */
  readonly untilFailure?: boolean;
}

export async function runSeeds(seeds: readonly number[], options: Options): Promise<Outcome[]> {
  const { workers, optionsOf = () => ({}), onOutcome = () => undefined, untilFailure = false } = options;
  const left = [...seeds];
  const outcomes: Outcome[] = [];
  const failed = (): boolean => outcomes.some(({ contradictions }) => contradictions.length > 0);
  await Promise.all(
    Array.from({ length: workers }, async () => {
      const stage = await openStage();
      try {
        for (let seed = left.shift(); seed !== undefined; seed = left.shift()) {
          if (untilFailure && failed()) return;
          const outcome = await runSeed(stage, seed, optionsOf(seed));
          outcomes.push(outcome);
          onOutcome(outcome);
        }
      } finally {
        await stage.close();
      }
    }),
  );
  return outcomes;
}

const added = (maps: readonly ReadonlyMap<string, number>[]): [string, number][] => {
  const sums = new Map<string, number>();
  for (const map of maps) for (const [name, n] of map) sums.set(name, (sums.get(name) ?? 0) + n);
  return [...sums].sort(([, a], [, b]) => b - a);
};
const listed = (sums: readonly (readonly [string, number])[]): string =>
  sums.map(([name, n]) => `${name}: ${n}`).join(', ');

/** Troubles by kind, as often as they were really met. */
export const firedIn = (outcomes: readonly Outcome[]): ReadonlyMap<string, number> =>
  new Map(added(outcomes.map(({ fired }) => fired)));

/** Figures of a run, in a few lines. */
export function summaryOf(outcomes: readonly Outcome[]): { readonly text: string; readonly ok: boolean } {
  const failed = outcomes.filter(({ contradictions }) => contradictions.length > 0).map(({ plan }) => plan.seed);
  const requests = added(outcomes.map((outcome) => outcome.requests));
  const orders = outcomes.reduce((sum, outcome) => sum + outcome.orders, 0);
  const text = [
    `${outcomes.length} seeds, ${failed.length} failed${failed.length > 0 ? ` (${failed.join(', ')})` : ''}`,
    `${requests.reduce((sum, [, n]) => sum + n, 0)} requests, ${orders} orders`,
    `answers: ${listed(requests)}`,
    `troubles: ${listed([...firedIn(outcomes)])}`,
  ].join('\n');
  return { text, ok: failed.length === 0 };
}
