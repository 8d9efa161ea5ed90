// How much of a text somebody has to guess: what passwords and secrets are measured by.

/** Rows of a keyboard, and the digits and the alphabet as people go through them. */
const RUNS = ['qwertyuiop', 'asdfghjkl', 'zxcvbnm', '01234567890', 'abcdefghijklmnopqrstuvwxyz'];

/** Pairs that stand side by side in one of the rows, in both directions; a letter that is repeated is one, too. */
const NEIGHBOURS: ReadonlySet<string> = new Set(
  RUNS.flatMap((row) =>
    Array.from(row)
      .slice(1)
      .flatMap((letter, i) => [`${row[i]}${letter}`, `${letter}${row[i]}`]),
  ),
);

/**
 * How many characters can't be told from those before them: a repetition counts nothing, nor does the next one of a row (abc, 321,
 * qwerty) or what followed the same character before (abcabc). Of 24 characters by chance about 20 are left.
 */
export function variety(text: string): number {
  const letters = Array.from(text.toLowerCase());
  const seen = new Set<string>();
  return letters.filter((letter, i) => {
    if (i === 0) return true;
    const pair = `${letters[i - 1]}${letter}`;
    const known = letter === letters[i - 1] || NEIGHBOURS.has(pair) || seen.has(pair);
    seen.add(pair);
    return !known;
  }).length;
}
