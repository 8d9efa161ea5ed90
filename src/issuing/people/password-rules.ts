// Which passwords are refused because somebody guesses them soon: common ones, what is a common word with little around it, rows of the
// keyboard and repetitions, and whatever holds the name of the user's e-mail address.
// Rule: kinds of characters are never asked for (NIST SP 800-63B, 3.1.1); what counts is what is left to be guessed.
import { variety } from '../../base/index.ts';
import common from './common-passwords.json' with { type: 'json' };

/** PCI DSS 8.3.6. */
export const SHORTEST_PASSWORD = 12;

/** A password by chance has 9 or more; "sandbox-12345" has 8. */
const LEAST_VARIETY = 6;
/** Shorter names stand in too many words. */
const SHORTEST_NAME = 4;

const WHOLE: ReadonlySet<string> = new Set(common.whole);
const PARTS: ReadonlySet<string> = new Set(common.parts);
const LENGTHS = [...new Set(common.parts.map(({ length }) => length))].sort((a, b) => b - a);

/** Signs that people write for letters. */
const MEANT: ReadonlyMap<string, string> = new Map(
  Object.entries({ '@': 'a', $: 's', 0: 'o', 1: 'i', 3: 'e', 4: 'a', 5: 's', 7: 't', '!': 'i' }),
);

const lettersMeant = (letters: readonly string[]): string[] => letters.map((letter) => MEANT.get(letter) ?? letter);

const YEAR = /^(19|20)\d\d/;

/** Common words and years as one character each, the same one for the same word. */
function withoutCommon(letters: readonly string[], meant: readonly string[]): string {
  const signs = new Map<string, string>();
  const signOf = (word: string): string => {
    const sign = signs.get(word) ?? String.fromCodePoint(0xe000 + signs.size);
    signs.set(word, sign);
    return sign;
  };
  let out = '';
  for (let at = 0; at < letters.length; ) {
    const read = (from: readonly string[], length: number): string => from.slice(at, at + length).join('');
    const length = LENGTHS.find((one) => PARTS.has(read(letters, one)) || PARTS.has(read(meant, one)));
    if (length !== undefined) out += signOf(read(meant, length));
    else out += YEAR.test(read(letters, 4)) ? signOf('year') : letters[at];
    at += length ?? (YEAR.test(read(letters, 4)) ? 4 : 1);
  }
  return out;
}

const plain = (text: string): string => text.replace(/[^\p{L}\p{N}]/gu, '');

/** `ada.l+cards@shop.example` → `adal` */
const nameOf = (email: string): string => plain(email.toLowerCase().replace(/[+@].*$/s, ''));

/** True: the password is one of those that are guessed first. `email`: of whom it shall be the password; null: not known here. */
export function isGuessable(password: string, email: string | null): boolean {
  const letters = Array.from(password.normalize('NFKC').toLowerCase());
  const meant = lettersMeant(letters);
  const readings = [letters.join(''), meant.join('')];
  if (readings.some((text) => WHOLE.has(text))) return true;
  const name = email === null ? '' : nameOf(email);
  if (name.length >= SHORTEST_NAME && readings.some((text) => plain(text).includes(name))) return true;
  return variety(withoutCommon(letters, meant)) < LEAST_VARIETY;
}
