// A card number. Printing, JSON and inspect give the masked form; `reveal` is for the vault and the network's codec only.
import { inspect } from 'node:util';

/** The Luhn digit (ISO/IEC 7812-1 annex B) of a payload without its check digit. */
export function luhnDigit(payload: string): number {
  let sum = 0;
  for (let i = 0; i < payload.length; i++) {
    let digit = payload.charCodeAt(payload.length - 1 - i) - 48;
    if (i % 2 === 0) {
      digit *= 2;
      if (digit > 9) digit -= 9;
    }
    sum += digit;
  }
  return (10 - (sum % 10)) % 10;
}

export const isLuhn = (digits: string): boolean =>
  luhnDigit(digits.slice(0, -1)) === digits.charCodeAt(digits.length - 1) - 48;

/** First six, stars, last four: the one truncation format (PCI DSS 3.4.1), the only place that cuts a card number. */
export const maskDigits = (digits: string): string =>
  digits.slice(0, 6) + '*'.repeat(Math.max(0, digits.length - 10)) + digits.slice(-4);

export class Pan {
  readonly #digits: string;

  private constructor(digits: string) {
    this.#digits = digits;
  }

  /** 13 to 19 digits with a right Luhn digit, spaces and hyphens between allowed; else null. */
  static parse(text: string): Pan | null {
    if (text.length > 40) return null;
    const digits = text.replace(/[ -]/g, '');
    return /^\d{13,19}$/.test(digits) && isLuhn(digits) ? new Pan(digits) : null;
  }

  reveal(): string {
    return this.#digits;
  }

  /** The leading digits that BIN tables are keyed by: never more than eight. */
  bin(length: 6 | 8 = 6): string {
    return this.#digits.slice(0, length);
  }

  get length(): number {
    return this.#digits.length;
  }

  get lastFour(): string {
    return this.#digits.slice(-4);
  }

  masked(): string {
    return maskDigits(this.#digits);
  }

  equals(other: Pan): boolean {
    return this.#digits === other.#digits;
  }

  toString(): string {
    return this.masked();
  }

  toJSON(): string {
    return this.masked();
  }

  [inspect.custom](): string {
    return `Pan(${this.masked()})`;
  }
}

/** First digits of card networks, international (2 to 6) and national (9): keeps most order numbers and phones out of the mask. */
const KNOWN_RANGE = /^(?:4|5[0-9]|2[2-7]|3[0-9]|6[0-9]|9[0-9])/;

/** Replaces every card number inside free text (13 to 19 digits, single spaces or hyphens between, Luhn, a known range) by its masked form. */
export function maskPansIn(text: string): string {
  if (text.length < 13) return text;
  return text.replace(/\d(?:[ -]?\d){12,}/g, maskRun);
}

/**
 * Within one run of digits any window of 13 to 19 may be a number, and windows overlap by chance: so what is between the first six and
 * the last four of any of them is hidden. Choosing one of them would show a number that a false one covers in part.
 */
function maskRun(run: string): string {
  const digits = run.replace(/[ -]/g, '');
  const hidden = new Uint8Array(digits.length);
  const joined = new Uint8Array(digits.length);
  for (let from = 0; from + 13 <= digits.length; from++) {
    if (!KNOWN_RANGE.test(digits.slice(from, from + 2))) continue;
    for (let to = from + 13; to <= Math.min(from + 19, digits.length); to++) {
      if (!isLuhn(digits.slice(from, to))) continue;
      hidden.fill(1, from + 6, to - 4);
      joined.fill(1, from + 1, to);
    }
  }
  let out = '';
  let separator = '';
  let index = 0;
  for (const character of run) {
    if (character === ' ' || character === '-') {
      separator = character;
      continue;
    }
    out += (joined[index] ? '' : separator) + (hidden[index] ? '*' : character);
    separator = '';
    index++;
  }
  return out;
}
