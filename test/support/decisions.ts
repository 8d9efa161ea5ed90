// Sees whether a decision asks for time, ids or chance by itself: what it may know of them it is told.
import { idMaker, seededRandom, systemClock } from '../../src/base/index.ts';
import { decidingNow, type Told } from '../../src/store/index.ts';

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
});
