// Two things measured beside each other. Rule: what is compared is measured in turn, in short rounds, and the median of the rounds' ratios
// counts, so that what else the machine does falls on both sides alike.
import { type Load, load, type Measured } from './load.ts';

/** Short ones, and many: what else the machine does comes and goes within seconds. Odd, so that there is one in the middle. */
const ROUNDS = 21;
export const ROUND_SHARE = 0.1;
export interface Compared {
  readonly goal: number;
  /** The second over the first, requests a second: the median of the rounds' ratios, each of two measurements beside each other. */
  readonly ratio: number;
  readonly sides: readonly [Side, Side];
}
interface Side {
  readonly name: string;
  readonly measured: Measured;
}
/** A name, and one measurement of so many seconds. */
export type Asked = readonly [name: string, measure: (seconds: number) => Promise<Measured>];

export const loading =
  (of: Omit<Load, 'seconds'>): Asked[1] =>
  (seconds) =>
    load({ ...of, seconds });

const medianBy = <Value>(values: readonly Value[], of: (value: Value) => number): Value =>
  values.toSorted((a, b) => of(a) - of(b))[Math.floor(values.length / 2)] as Value;

/** The round of the median speed; failures of all rounds. */
const medianOf = (rounds: readonly Measured[]): Measured => ({
  ...medianBy(rounds, ({ perSecond }) => perSecond),
  failed: rounds.reduce((sum, { failed }) => sum + failed, 0),
});

export async function compare(seconds: number, goal: number, first: Asked, second: Asked): Promise<Compared> {
  const asked = [first[1], second[1]] as const;
  for (const measure of asked) await measure(2 * seconds);
  const rounds: (readonly [Measured, Measured])[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    // Who comes second finds what the other left to be written: each begins in turn.
    const order = round % 2 === 0 ? ([0, 1] as const) : ([1, 0] as const);
    const measured: Measured[] = [];
    for (const side of order) measured[side] = await asked[side](seconds);
    rounds.push(measured as [Measured, Measured]);
  }
  const ratios = rounds.map(([one, other]) => other.perSecond / one.perSecond);
  return {
    goal,
    ratio: medianBy(ratios, (ratio) => ratio),
    sides: [
      { name: first[0], measured: medianOf(rounds.map(([one]) => one)) },
      { name: second[0], measured: medianOf(rounds.map(([, other]) => other)) },
    ],
  };
}
