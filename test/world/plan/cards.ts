// Lives of cards: how each begins, what its holder does with it, what merchants abroad ask of it. Amounts are minor units.

import type { Who } from '../sessions.ts';
import type { Dice } from './plan.ts';

export type CardMove =
  | {
      readonly do: 'transfer';
      readonly into: boolean;
      readonly amount: number;
      readonly keyed: boolean;
      readonly again: number;
    }
  | { readonly do: 'deposit'; readonly amount: number }
  | {
      readonly do: 'purchase';
      readonly amount: number;
      readonly currency: string;
      readonly channel: 'ecommerce' | 'contactless' | 'atm';
    }
  /** On a payment that was approved before: the nth from the last. */
  | {
      readonly do: 'clear' | 'reverse' | 'increment' | 'expire' | 'refund';
      readonly payment: number;
      readonly amount: number | null;
    }
  | { readonly do: 'block' | 'unblock' | 'upgrade' | 'activate' }
  | { readonly do: 'limits'; readonly amount: number }
  | { readonly do: 'at once'; readonly moves: readonly CardMove[] };

export interface CardLife {
  readonly name: string;
  readonly who: Who;
  /** A debit card spends a managed account of its own. */
  readonly debit: boolean;
  /** What it begins with. */
  readonly funds: number;
  readonly pauseMs: number;
  readonly moves: readonly CardMove[];
}

const purchase = (dice: Dice, most: number): CardMove => ({
  do: 'purchase',
  amount: 1 + dice.int(most),
  currency: dice.weighed([
    [6, 'EUR'],
    [1, 'USD'],
  ]),
  channel: dice.weighed([
    [6, 'ecommerce'],
    [1, 'contactless'],
  ] as const),
});

const follow = (dice: Dice, most: number): CardMove => ({
  do: dice.weighed([
    [4, 'clear'],
    [2, 'reverse'],
    [1, 'increment'],
    [1, 'expire'],
    [3, 'refund'],
  ] as const),
  payment: dice.int(3),
  amount: dice.once(2) ? null : 1 + dice.int(most),
});

const transfer = (dice: Dice, most: number): CardMove => ({
  do: 'transfer',
  into: dice.once(2),
  amount: 1 + dice.int(most),
  keyed: !dice.once(3),
  again: dice.once(3) ? 1 : 0,
});

const change = (dice: Dice, most: number): CardMove =>
  dice.once(3)
    ? { do: 'limits', amount: 1 + dice.int(4 * most) }
    : { do: dice.pick(['block', 'unblock', 'unblock', 'upgrade', 'activate'] as const) };

/** More is asked for at once than there is. */
const crowd = (dice: Dice, funds: number): CardMove => ({
  do: 'at once',
  moves: Array.from({ length: 3 + dice.int(3) }, () =>
    dice.once(4)
      ? ({ ...transfer(dice, funds), into: false } as CardMove)
      : ({ ...purchase(dice, Math.ceil(funds / 2)), currency: 'EUR' } as CardMove),
  ),
});

export function cardLife(index: number, dice: Dice): CardLife {
  const funds = 500 + dice.int(20_000);
  const most = Math.ceil(funds / 3);
  const who = dice.once(4) ? 'corporate' : 'consumer';
  return {
    name: `c${index}`,
    // Every fifth card is another tenant's.
    who: index % 5 === 4 ? 'neighbour' : who,
    debit: dice.once(2),
    funds,
    pauseMs: dice.pick([0, 10, 50, 150]),
    moves: Array.from({ length: 8 + dice.int(10) }, () =>
      dice.weighed([
        [5, () => purchase(dice, most)],
        [6, () => follow(dice, most)],
        [3, () => transfer(dice, most)],
        [1, (): CardMove => ({ do: 'deposit', amount: 1 + dice.int(most) })],
        [1, () => change(dice, most)],
        [1, () => crowd(dice, funds)],
      ])(),
    ),
  };
}
