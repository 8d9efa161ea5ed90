// Sees whether decisions follow from what they are told: none asks for time, ids or chance by itself, and what is decided twice is the same.
// Rule: every server that a test starts by code is guarded by noneDecides, in children that are killed too. Only `florin serve`, started as
// a program, takes no guard: the tests that do so see how it starts and ends.
import assert from 'node:assert/strict';
import { idMaker, seededRandom, systemClock } from '../../src/base/index.ts';
import { type Command, type Committer, type Decision, decidingNow, type Told } from '../../src/store/index.ts';

/** The same source; asked from inside a decision it throws, and the command fails with the sentence. */
export function noneDecides<Source extends object>(source: Source): Source {
  return new Proxy(source, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name, target);
      if (typeof value !== 'function') return value;
      return (...given: unknown[]): unknown => {
        const command = decidingNow();
        if (command !== null) throw new Error(`the decision of ${command} asks ${String(name)}() by itself`);
        return Reflect.apply(value, target, given);
      };
    },
  });
}

/** What a decision may be told that a test asks without a committer. */
export const toldAt = (now: Date): Told => ({
  now,
  ids: idMaker({ ...systemClock, now: () => now }, 0),
  chance: seededRandom(1),
  process: 1n,
  cause: 'api',
});

export interface Twice {
  /** To stand before a committer (`plant` of an app). */
  readonly plant: (committer: Committer) => Committer;
  /** Names of the commands that were decided. */
  readonly decided: ReadonlySet<string>;
  /** What the second decision of a command said otherwise than the first. */
  readonly differing: readonly string[];
}

/** Decides every command twice, on the same state and told the same, and compares. The second decision is the one that counts. */
export function decidingTwice(): Twice {
  const decided = new Set<string>();
  const differing: string[] = [];
  const twice = <Value>(command: Command<Value>): Command<Value> => ({
    ...command,
    decide(loaded, told) {
      const tape = taped(told);
      const first = ending(() => command.decide(loaded, tape.first));
      const second = ending(() => command.decide(loaded, tape.again));
      decided.add(command.name);
      try {
        assert.deepEqual(second, first);
        assert.equal(tape.left(), 0, 'ids or numbers that the first drew and the second did not');
      } catch (error) {
        differing.push(`${command.name}: ${(error as Error).message}`);
      }
      if ('thrown' in second) throw second.thrown;
      return second.decision;
    },
  });
  return {
    plant: (committer) => ({
      submit: (command) => committer.submit(twice(command)),
      waitingMs: () => committer.waitingMs(),
      drain: () => committer.drain(),
    }),
    decided,
    differing,
  };
}

function ending<Value>(decide: () => Decision<Value>): { readonly decision: Decision<Value> } | { thrown: unknown } {
  try {
    return { decision: decide() };
  } catch (thrown) {
    return { thrown };
  }
}

/** The same moment for both; ids and chance are drawn by the first and come again, in their order, to the second. */
function taped({ now, ids, chance, process, cause }: Told): {
  readonly first: Told;
  readonly again: Told;
  left(): number;
} {
  const tape: (bigint | number | Buffer)[] = [];
  const kept = <Drawn extends bigint | number | Buffer>(drawn: Drawn): Drawn => {
    tape.push(Buffer.isBuffer(drawn) ? Buffer.from(drawn) : drawn);
    return drawn;
  };
  const next = <Drawn>(): Drawn => tape.shift() as Drawn;
  return {
    first: {
      now: new Date(now),
      ids: {
        next: () => kept(ids.next()),
        after: (earlier) => kept(ids.after(earlier)),
        real: () => kept(ids.real()),
      },
      chance: { bytes: (length) => kept(chance.bytes(length)), int: (max) => kept(chance.int(max)) },
      process,
      cause,
    },
    again: {
      now: new Date(now),
      ids: { next, after: next, real: next },
      chance: { bytes: next, int: next },
      process,
      cause,
    },
    left: () => tape.length,
  };
}
