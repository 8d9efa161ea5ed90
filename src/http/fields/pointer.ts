// Where in a request something is wrong: JSON pointers in fragment form (RFC 6901, section 6).
// Rule: a name in a pointer may be the client's own text, so it is masked, cut and escaped before it goes anywhere.
import { maskPansIn } from '../../base/index.ts';

const LONGEST_NAME = 64;

/** `#/card/cvv`; the whole request is `#/`. Names that aren't ours lose card numbers, lone surrogates and excess length. */
export function pointerOf(path: readonly string[]): string {
  let out = '#';
  for (const name of path) out += `/${SIMPLE.test(name) ? name : escaped(name)}`;
  return path.length === 0 ? '#/' : out;
}

/** Short enough and without digits or anything to escape: nearly every name. */
const SIMPLE = /^[A-Za-z_.-]{1,64}$/;

const escaped = (name: string): string => {
  const masked = maskPansIn(name.toWellFormed());
  const cut = masked.length > LONGEST_NAME ? `${masked.slice(0, LONGEST_NAME).toWellFormed()}…` : masked;
  return encodeURIComponent(cut.replaceAll('~', '~0').replaceAll('/', '~1'));
};

/** The names in a JSON pointer as string (RFC 6901, section 3): `/card/a~1b` → card, a/b. */
export const pointerNames = (pointer: string): string[] =>
  pointer === ''
    ? []
    : pointer
        .slice(1)
        .split('/')
        .map((name) => name.replaceAll('~1', '/').replaceAll('~0', '~'));
