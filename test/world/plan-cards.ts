// Lives of cards.
import type { Dice } from './plan.ts';

export interface CardLife {
  readonly name: string;
}

export const cardLife = (index: number, _dice: Dice): CardLife => ({ name: `c${index}` });
