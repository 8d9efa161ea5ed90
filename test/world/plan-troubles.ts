// What goes wrong, and when. Every kind must really happen somewhere in thirty seeds.
import type { Dice } from './plan.ts';

export interface Trouble {
  readonly atMs: number;
  readonly kind: TroubleKind;
  /** Which server it happens to. */
  readonly server: number;
  readonly forMs: number;
}

export const TROUBLES = ['clock leaps'] as const;
export type TroubleKind = (typeof TROUBLES)[number];

export function troublesOf(_seed: number, _dice: Dice, _servers: number): Trouble[] {
  return [];
}
