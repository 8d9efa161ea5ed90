// Card testing: many cards or many tries from one place in a short time. Limits as a table; answers look the same for good and bad cards.
import type { Window } from './rules.ts';

interface Limit {
  readonly window: Window;
  /** Tries above this are challenged, above `refuse` refused. */
  readonly challenge: bigint;
  readonly refuse: bigint;
  readonly why: string;
}

const MINUTE_MS = 60_000;

export const CARD_TESTING: readonly Limit[] = [
  { window: { dimension: 'ip', ms: 10 * MINUTE_MS }, challenge: 5n, refuse: 10n, why: 'a visitor pays once, perhaps mistypes twice' },
  { window: { dimension: 'card', ms: 10 * MINUTE_MS }, challenge: 5n, refuse: 10n, why: 'one card tried again and again' },
  { window: { dimension: 'card', ms: 30 * 24 * 60 * MINUTE_MS }, challenge: 20n, refuse: 20n, why: 'schemes allow 20 tries of a card in 30 days' },
  { window: { dimension: 'email', ms: 10 * MINUTE_MS }, challenge: 5n, refuse: 10n, why: 'one buyer with many cards' },
];
