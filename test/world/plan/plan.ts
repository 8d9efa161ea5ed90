// What a seed means: who lives in this world, what they will try, and what goes wrong around them. Pure: one integer makes all of it.
// Rule: nothing here depends on answers or time; the same seed is the same plan, and its hash says so.
import { createHash } from 'node:crypto';
import { seededRandom } from '../../../src/base/index.ts';
import { type CardLife, cardLife } from './cards.ts';
import { type OrderLife, orderLife, slowly } from './orders.ts';
import { type Trouble, troublesOf } from './troubles.ts';

export interface Plan {
  readonly seed: number;
  /** Of everything below. */
  readonly hash: string;
  /** Servers on the one database. */
  readonly servers: 1 | 2;
  readonly orders: readonly OrderLife[];
  readonly cards: readonly CardLife[];
  readonly troubles: readonly Trouble[];
}

/** Chance in the words of a plan. */
export interface Dice {
  /** 0 to n - 1. */
  int(n: number): number;
  pick<T>(values: readonly T[]): T;
  /** By weights: the heavier, the likelier. */
  weighed<T>(values: readonly (readonly [weight: number, value: T])[]): T;
  /** True once in n times. */
  once(n: number): boolean;
}

export function diceOf(seed: number): Dice {
  const random = seededRandom(seed >>> 0);
  const dice: Dice = {
    int: (n) => random.int(n),
    pick: (values) => values[random.int(values.length)] as never,
    weighed(values) {
      let left = random.int(values.reduce((sum, [weight]) => sum + weight, 0));
      for (const [weight, value] of values) if ((left -= weight) < 0) return value;
      throw new Error('weights are positive');
    },
    once: (n) => random.int(n) === 0,
  };
  return dice;
}

export interface Size {
  readonly orders: number;
  readonly cards: number;
}

export const SIZE: Size = { orders: 16, cards: 5 };

/** When people stop beginning anything, milliseconds; mostly their lives are over before. */
export const DAY_MS = 20_000;

export function planOf(seed: number, size: Size = SIZE): Plan {
  // Each part has dice of its own, so that one more life changes no other.
  const part = (salt: number): Dice => diceOf(Math.imul(seed + 1, 0x9e3779b1) ^ Math.imul(salt, 0x85ebca77));
  const servers: 1 | 2 = part(1).once(3) ? 2 : 1;
  const plan = {
    seed,
    servers,
    orders: [
      ...Array.from({ length: size.orders }, (_, i) => orderLife(i, part(1000 + i))),
      // In every world, also in the calm ones.
      slowly(orderLife(size.orders, part(1000 + size.orders))),
    ],
    cards: Array.from({ length: size.cards }, (_, i) => cardLife(i, part(5000 + i))),
    troubles: troublesOf(part(2), servers),
  };
  const hash = createHash('sha256').update(JSON.stringify(plan)).digest('hex').slice(0, 12);
  return { ...plan, hash };
}
