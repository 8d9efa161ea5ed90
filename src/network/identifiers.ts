// Numbers that name a message or a payment on the wire.
// Rule: none of them identifies an operation of ours; that is the message's `reference`, which is unique for ever.
import { assert, type Random, systemRandom } from '../base/index.ts';

const STANS = 999_999;

export interface StanMaker {
  /** DE 11: six digits, never 000000. */
  next(): string;
}

/**
 * STANs of one process for all its links: a counter that starts anywhere. Within the process a STAN comes again only after
 * 999,999 / lanes were drawn, two or three for a message: they are drawn before it is decided whether something is sent.
 * STAN and DE 7 (one second) name a message below a third as many messages a second, and STAN and day do for a link with
 * fewer messages a day. Several processes on one link count in lanes of their own (`lane` 0 … lanes-1) and can't meet at all.
 */
export function stanMaker(random: Random, lane = 0, lanes = 1): StanMaker {
  assert(lanes >= 1 && lane >= 0 && lane < lanes, 'a lane outside the lanes');
  const positions = Math.floor(STANS / lanes);
  let position = random.int(positions);
  return {
    next() {
      position = (position + 1) % positions;
      return String(position * lanes + lane + 1).padStart(6, '0');
    },
  };
}

/** The next STAN of this process, the only lane on its links. */
export const makeStan = stanMaker(systemRandom).next;

/** DE 37: last digit of the year, day of the year, hour (UTC), STAN; 12 digits. */
export function rrnOf(at: Date, stan: string): string {
  const year = at.getUTCFullYear();
  const day = (Date.UTC(year, at.getUTCMonth(), at.getUTCDate()) - Date.UTC(year, 0, 0)) / 86_400_000;
  return `${year % 10}${String(day).padStart(3, '0')}${String(at.getUTCHours()).padStart(2, '0')}${stan}`;
}

const digits = (random: Random, length: number): string => {
  let out = '';
  while (out.length < length) out += String(random.int(1_000_000)).padStart(6, '0');
  return out.slice(0, length);
};

/** DE 38 of an approval. */
export const authCodeFrom = (random: Random): string => digits(random, 6);

/** The scheme's id of a payment: Banknet reference of 9 and MMDD for Mastercard's brands, 15 digits for every other. */
export function networkTransactionId(brand: string, at: Date, random: Random): string {
  if (brand !== 'mastercard' && brand !== 'maestro') return digits(random, 15);
  return `MCC${digits(random, 6)}${at.toISOString().slice(5, 10).replace('-', '')}`;
}
