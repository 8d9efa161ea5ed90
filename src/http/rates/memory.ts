// Buckets in the memory of one process, on the monotonic clock (a business clock may be frozen): of a server that is alone on its database,
// and of any while its database is away. Rule: memory is bounded, and who is at it is never forgotten.
import type { Clock } from '../../base/index.ts';
import { allowed, FULL, grant, microsOf, type Rate, refused, stateOf, type Taken } from './bucket.ts';

/** With more keys than this the one that was quiet longest is forgotten, and so begins anew. */
const MOST_KEYS = 50_000;

/** The value of a key; `made` makes one for a key that is new or was forgotten. */
export function recent<Value>(made: () => Value): (key: string) => Value {
  const values = new Map<string, Value>();
  return (key) => {
    const value = values.get(key) ?? made();
    // Put back at the end, so that the first is the one that was quiet longest.
    if (!values.delete(key) && values.size >= MOST_KEYS) values.delete(values.keys().next().value as string);
    values.set(key, value);
    return value;
  };
}

const ONE = { need: 1, extra: 0, spare: 0 } as const;

export function rateLimiter(clock: Clock): { take(key: string, rate: Rate): Taken } {
  const keptOf = recent(() => ({ bucket: FULL }));
  return {
    take(key, rate) {
      const now = microsOf(clock);
      const kept = keptOf(key);
      const { bucket, granted, promisesUs } = grant(kept.bucket, rate, now, ONE);
      kept.bucket = bucket;
      const state = stateOf(bucket, rate, now);
      return granted === 1 ? allowed(state) : refused(promisesUs[0] as number, now, state);
    },
  };
}
