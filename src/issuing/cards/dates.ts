// Expiry and the other moments at which something happens to a card by itself. Pure.
import type { Card } from './model.ts';

/** YYMM of the month that is `months` after the month of `at`, UTC. */
export function monthAfter(at: Date, months: number): string {
  const month = new Date(Date.UTC(at.getUTCFullYear(), at.getUTCMonth() + months, 1));
  return `${String(month.getUTCFullYear() % 100).padStart(2, '0')}${String(month.getUTCMonth() + 1).padStart(2, '0')}`;
}

/** The first moment at which a card with this expiry (YYMM) is no longer valid: it is good to the end of its month, UTC. */
export const expiryMoment = (yymm: string): Date =>
  new Date(Date.UTC(2000 + Number(yymm.slice(0, 2)), Number(yymm.slice(2)), 1));

/** `MMYY`, as the API writes it. */
export const mmyy = (yymm: string): string => yymm.slice(2) + yymm.slice(0, 2);

/** The next timer: the bureau's step or the expiry; null for what is destroyed. */
export function dueAtOf(card: Pick<Card, 'state' | 'expires' | 'details'>): Date | null {
  if (card.state === 'DESTROYED') return null;
  const expiry = expiryMoment(card.expires);
  const step = card.details.physical?.nextStepAt;
  const stepAt = step ? new Date(step) : null;
  return stepAt && stepAt < expiry ? stepAt : expiry;
}
