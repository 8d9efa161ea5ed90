// Reads that come while earlier ones are under way become one statement, as commands become a group: one plan and one way for all.
// Rule: a read is sent after it was asked for, so who asks sees what was committed before. Alone, it is sent at once.
import { databaseIsGone } from './commit/index.ts';

/** Reads for all keys with one statement and answers in their order. */
export type ReadMany<Key, Value> = (owner: bigint, keys: readonly Key[]) => Promise<readonly Value[]>;

interface Waiting<Key, Value> {
  readonly key: Key;
  resolve(value: Value): void;
  reject(error: unknown): void;
}

interface Reads<Key, Value> {
  waiting: Waiting<Key, Value>[];
  underWay: number;
}

/** Of one owner: while one is read by Postgres, the rows of the other are taken apart here. */
const AT_ONCE = 2;
const MOST_KEYS = 64;

/** One key's value, read with those of others of the same owner. A statement that fails is repeated for each key alone. */
export function together<Key, Value>(read: ReadMany<Key, Value>): (owner: bigint, key: Key) => Promise<Value> {
  const owners = new Map<bigint, Reads<Key, Value>>();

  async function answer(owner: bigint, group: readonly Waiting<Key, Value>[]): Promise<void> {
    try {
      const values = await read(
        owner,
        group.map(({ key }) => key),
      );
      for (const [i, { resolve }] of group.entries()) resolve(values[i] as Value);
    } catch (error) {
      // One that can't be read costs its neighbours a statement each; a database that is away is away for all.
      if (group.length > 1 && !databaseIsGone(error)) await Promise.all(group.map((one) => answer(owner, [one])));
      else for (const { reject } of group) reject(error);
    }
  }

  async function run(owner: bigint, reads: Reads<Key, Value>): Promise<void> {
    reads.underWay++;
    while (reads.waiting.length > 0) await answer(owner, reads.waiting.splice(0, MOST_KEYS));
    if (--reads.underWay === 0) owners.delete(owner);
  }

  return (owner, key) =>
    new Promise((resolve, reject) => {
      let reads = owners.get(owner);
      if (!reads) owners.set(owner, (reads = { waiting: [], underWay: 0 }));
      reads.waiting.push({ key, resolve, reject });
      if (reads.underWay < AT_ONCE) void run(owner, reads);
    });
}
