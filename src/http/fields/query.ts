// Query strings: read strictly, taken as filters on GET, merged into the body on POST and PUT.
// Rule: a name with two different values is an error, wherever the two stand.
import { maskPansIn } from '../../base/index.ts';
import { Failure } from '../failure.ts';
import {
  givenTwice,
  isCleanText,
  isForbiddenName,
  isIgnored,
  type JsonObject,
  type Tolerance,
  wrongCharacters,
} from './json.ts';
import { type Node, unknownProperty, type Violation } from './schema.ts';

export type Pair = readonly [name: string, value: string];

const NO_PAIRS: readonly Pair[] = [];

/** The pairs of a URL's query part in their order; `+` is a space. Throws 400 when the percent-encoding is no UTF-8. */
export function queryPairs(url: string): readonly Pair[] {
  const from = url.indexOf('?');
  if (from < 0 || from === url.length - 1) return NO_PAIRS;
  const pairs: Pair[] = [];
  for (const part of url.slice(from + 1).split('&')) {
    if (part === '') continue;
    const equals = part.indexOf('=');
    pairs.push(equals < 0 ? [decode(part), ''] : [decode(part.slice(0, equals)), decode(part.slice(equals + 1))]);
  }
  return pairs;
}

function decode(text: string): string {
  const spaced = text.includes('+') ? text.replaceAll('+', ' ') : text;
  if (!spaced.includes('%')) return spaced;
  try {
    return decodeURIComponent(spaced);
  } catch {
    throw new Failure('bad_request');
  }
}

/** `pan`, `card.cvv`, `card[cvv]`. */
const CARD_DATA = /(^|[.[])(pan|cvv)\]?$/i;

/**
 * Card data in an address: it would be in the logs of every proxy, whatever we log ourselves. `ids`: names of values that are somebody's
 * own ids and may look like a card number, as may the id that the call is about.
 */
export const cardDataIn = (
  pairs: readonly Pair[],
  root: Node,
  ids: readonly string[],
  ownId: string | null,
): Violation[] =>
  pairs
    .filter(
      ([name, value]) =>
        CARD_DATA.test(name) || hasPan(name) || (!ids.includes(name) && value !== ownId && hasPan(value)),
    )
    .map(([name]) => ({
      path: pathOf(name, root),
      message: 'Not in a query',
      attribute: 'query',
      details: ['card data stands in the body only'],
    }));

const hasPan = (text: string): boolean => maskPansIn(text) !== text;

/** Filters as an object of flat names (`card.type` is one name). An empty value is no filter; unknown names only count when strict. */
export function queryObject(
  pairs: readonly Pair[],
  root: Node,
  strict: boolean,
): { value: JsonObject; violations: Violation[] } {
  const out: JsonObject = {};
  const violations: Violation[] = [];
  for (const [name, value] of pairs) {
    if (!root.properties?.has(name)) {
      if (strict) violations.push(unknownProperty([name]));
    } else if (!isCleanText(value)) violations.push(wrongCharacters([name]));
    else if (value !== '') place(out, name, value, [name], violations);
  }
  return { value: out, violations };
}

/** Puts the pairs into the body, where dots in a name lead into the objects that the schema has. */
export function mergeQuery(
  pairs: readonly Pair[],
  body: JsonObject,
  root: Node,
  tolerance: Tolerance | null = null,
): Violation[] {
  const violations: Violation[] = [];
  for (const [name, value] of pairs) {
    const path = pathOf(name, root);
    const last = path.at(-1) as string;
    if (!isKnown(path, root) && isIgnored(tolerance, path, value, value)) continue;
    if (path.some(isForbiddenName) || !isCleanText(name)) violations.push(unknownProperty(path));
    else if (!isCleanText(value)) violations.push(wrongCharacters(path));
    else {
      const parent = parentIn(body, path);
      if (parent) place(parent, last, value, path, violations);
      else violations.push(givenTwice(path));
    }
  }
  return violations;
}

/** `location.ip` → location, ip; names below a free map, and unknown names, keep their dots. */
function pathOf(name: string, root: Node): string[] {
  const path: string[] = [];
  let node: Node = root;
  let rest = name;
  while (true) {
    const dot = rest.indexOf('.');
    const head = dot < 0 ? '' : rest.slice(0, dot);
    const child = node.properties?.get(head);
    if (!child || !(child.properties || child.others)) return [...path, rest];
    path.push(head);
    rest = rest.slice(dot + 1);
    node = child;
  }
}

function isKnown(path: readonly string[], root: Node): boolean {
  let node: Node | null = root;
  for (const name of path) node = node?.properties?.get(name) ?? node?.others ?? null;
  return node !== null;
}

/** The object that holds the last name of the path, made on the way; null where the body has something else than an object. */
function parentIn(body: JsonObject, path: readonly string[]): JsonObject | null {
  let at = body;
  for (const name of path.slice(0, -1)) {
    const next = (at[name] ??= {});
    if (typeof next !== 'object' || Array.isArray(next)) return null;
    at = next as JsonObject;
  }
  return at;
}

function place(into: JsonObject, name: string, value: string, path: readonly string[], violations: Violation[]): void {
  const present = Object.hasOwn(into, name) ? into[name] : undefined;
  if (present === undefined) into[name] = value;
  else if (present !== value && JSON.stringify(present) !== value) violations.push(givenTwice(path));
}
