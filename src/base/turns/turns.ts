// Work that costs more than its share, done in steps and in turns: a few at a time, owner after owner, so that what one asks for is waited
// for by that one alone. Rule: a step is short, and while anybody else is there each is followed by a rest.
import { breathe, type Clock } from '../clock.ts';
import { fairQueue, type Shares } from './fair-queue.ts';

/** Work that pauses where others may go on. */
export type Steps<Value> = AsyncGenerator<undefined, Value, undefined>;

type Doing<Value> = Value | Promise<Value> | Steps<Value>;

export interface Turn<Value> {
  readonly owner: string;
  /** Is it likely to take many steps? Of an owner's work the long and the short take turns. */
  readonly long: boolean;
  readonly work: () => Doing<Value>;
  /** False: nobody waits for it any more. */
  readonly wanted?: () => boolean;
}

export interface Turns {
  /**
   * The work's value, what it throws is thrown. Throws Busy when too much of this owner's is there already, when it has waited too long
   * for its first step, or when it isn't wanted any more: then it ends where it stands.
   */
  run<Value>(turn: Turn<Value>): Promise<Value>;
}

export interface TurnsOptions {
  readonly clock: Pick<Clock, 'elapsed' | 'sleep'>;
  /** Steps at once: in all, of an owner, of long work, of an owner's long work. */
  readonly shares: Shares;
  /** What one owner may have under way. */
  readonly mostOfOwner: number;
  readonly longestWaitMs: number;
  /** Is anything under way besides so many that one owner has here? Then a rest follows each of its steps but the last. */
  readonly crowded: (own: number) => boolean;
  /** Times the length of the step. */
  readonly rest: number;
}

/** After one slow statement that cost this process nothing there is nothing to make up for. */
const LONGEST_REST_MS = 60;

/** Too much of this owner's is under way. */
export class Busy extends Error {
  override name = 'Busy';
  readonly retryAfterSeconds: number;
  /** How much of one owner may wait. */
  readonly most: number;

  constructor(most: number, retryAfterSeconds: number) {
    super('too much is under way');
    this.most = most;
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

export function createTurns(options: TurnsOptions): Turns {
  const { clock, mostOfOwner, longestWaitMs, crowded, rest } = options;
  const queue = fairQueue(options.shares);
  let turns = 0;

  /** Whether there are more steps. */
  async function stepOf<Value>(steps: Steps<Value>, owner: string, done: (value: Value) => void): Promise<boolean> {
    const fromMs = clock.elapsed();
    const result = await steps.next();
    const tookMs = clock.elapsed() - fromMs;
    if (result.done) done(result.value);
    await breathe();
    if (!result.done && crowded(queue.size(owner))) await clock.sleep(Math.min(LONGEST_REST_MS, tookMs * rest));
    return !result.done;
  }

  return {
    run<Value>({ owner, long, work, wanted = () => true }: Turn<Value>) {
      const busy = new Busy(mostOfOwner, Math.max(1, Math.ceil(longestWaitMs / 10_000)));
      if (queue.size(owner) >= mostOfOwner) return Promise.reject(busy);
      const sinceMs = clock.elapsed();
      const ended = Promise.withResolvers<Value>();
      let steps: Steps<Value> | null = null;
      void queue.add({
        name: String(++turns),
        owner,
        through: long ? 'long' : null,
        async run() {
          try {
            if (!wanted() || (!steps && clock.elapsed() - sinceMs > longestWaitMs)) throw busy;
            steps ??= stepsOf(work);
            return (await stepOf(steps, owner, ended.resolve)) ? 'again' : undefined;
          } catch (error) {
            return ended.reject(error);
          }
        },
      });
      return ended.promise;
    },
  };
}

/** Work that has no steps is one. */
async function* stepsOf<Value>(work: () => Doing<Value>): Steps<Value> {
  const begun = work();
  return isSteps(begun) ? yield* begun : await begun;
}

const isSteps = <Value>(begun: Doing<Value>): begun is Steps<Value> =>
  typeof begun === 'object' && begun !== null && Symbol.asyncIterator in begun;
