// Card numbers and codes that nobody else uses, and every way in which they might stand where nothing of them may stand.
// Rule: a spelling that a search relies on is also planted by the test that uses it, so that the search is seen to find it.
import { luhnDigit } from '../../src/base/index.ts';

/** A card number from its digits before the Luhn digit. */
export const canary = (payload: string): string => payload + luhnDigit(payload);

/** The number as it may stand in text: plain, parted, encoded. */
export const spellings = (pan: string): string[] => {
  const groups = pan.match(/.{1,4}/g) ?? [];
  return [
    pan,
    groups.join(' '),
    groups.join('-'),
    groups.join('%20'),
    groups.join('+'),
    Buffer.from(pan).toString('hex'),
    // Base64 at each of the three offsets it may have inside longer data, without what neighbours change.
    ...['', 'x', 'xx'].map((pad) =>
      Buffer.from(pad + pan)
        .toString('base64')
        .replace(/=+$/, '')
        .slice(4, -2),
    ),
    // Digits packed two in a byte, as hex.
    `\\x${pan}`,
  ];
};

/** The number as it may stand in the bytes of a file, besides its spellings in text. */
export const packings = (pan: string): Readonly<Record<'decimal' | 'little' | 'big' | 'numeric', Buffer>> => {
  const little = Buffer.alloc(8);
  little.writeBigInt64LE(BigInt(pan));
  // Postgres' numeric, also inside jsonb: four decimal digits in two bytes.
  const groups = pan.padStart(Math.ceil(pan.length / 4) * 4, '0').match(/.{4}/g) ?? [];
  const numeric = Buffer.alloc(groups.length * 2);
  groups.forEach((group, i) => void numeric.writeInt16LE(Number(group), i * 2));
  return {
    decimal: Buffer.from(pan.length % 2 === 0 ? pan : `0${pan}`, 'hex'),
    little,
    big: Buffer.from(little).reverse(),
    numeric,
  };
};

/** What of the canaries stands in a text, by the names of their cards. */
export function finder(pans: Readonly<Record<string, string>>): (text: string) => string[] {
  const needles = Object.entries(pans).flatMap(([name, pan]) =>
    spellings(pan).map((needle) => ({ needle, hit: `${name}: ${needle}` })),
  );
  return (text) => [...new Set(needles.filter(({ needle }) => text.includes(needle)).map(({ hit }) => hit))];
}

/**
 * Whether a security code stands in a text as a number of its own, or as a whole bytea: its digits also stand by chance inside ids,
 * times and hashes.
 */
export const codeIn = (text: string, code: string): boolean =>
  new RegExp(`(?<![\\w.:-])${code}(?![\\w.:-])|\\\\x${Buffer.from(code).toString('hex')}(?![0-9a-f])`).test(text);

/**
 * A security code in the bytes of a file. Four digits alone occur there by chance, so each spelling carries what would stand
 * beside them: its name in JSON or a form, the holder behind it in a jsonb object, the length before it in a text column.
 */
export const codeSpellings = (code: string, holder: string): string[] => [
  `"cvv":"${code}"`,
  `"cvv": "${code}"`,
  `"cvv":${code}`,
  `\\"cvv\\":\\"${code}\\"`,
  `cvv=${code}`,
  // A jsonb object keeps its keys, then its values, shortest key first, with nothing between.
  `cvv${code}`,
  `${code}${holder}`,
  `"${code}","${holder}"`,
  // A value of a text or bytea column: one byte tells its length.
  String.fromCharCode(((code.length + 1) << 1) | 1) + code,
];
