// Which brand, product, bank and country a card number belongs to. Built-in ranges below what the operator adds; the longest prefix wins.
// Rule: a look-up is synchronous and reads memory only; `binsLoad` brings the operator's ranges there: what is committed, and nothing else.
import type { Pan } from '../base/index.ts';
import type { Db, Transaction } from '../store/index.ts';
import data from './bins.json' with { type: 'json' };
import { type BinRangeRow, binRangeDelete, binRangesSelect, binRangeUpsert } from './queries.ts';

export interface Bin {
  /** Lower case: visa, mastercard, amex, … `unknown` for a number of no range. */
  readonly brand: string;
  /** `card.type`: the brand's name. */
  readonly type: string;
  /** `card.subtype`: the product, lower case. */
  readonly subtype: string;
  /** The first six digits. Never more, whatever the prefix: one truncation format for a card. */
  readonly bin: string;
  /** ISO 3166-1 alpha-3. */
  readonly country: string | null;
  /** The issuing bank. */
  readonly title: string | null;
  /** Issued by our own issuing side. */
  readonly own: boolean;
}

/** A range as the operator names it: six to eight digits. */
export interface BinRange {
  readonly prefix: string;
  readonly brand: string;
  readonly subtype: string;
  readonly title: string | null;
  readonly country: string | null;
  readonly own: boolean;
}

type Facts = Omit<BinRange, 'prefix'>;

/** Brand and product of a number of no known range. */
export const UNKNOWN_CARD = 'unknown';

const UNKNOWN: Facts = { brand: UNKNOWN_CARD, subtype: UNKNOWN_CARD, title: null, country: null, own: false };

const own: ReadonlySet<string> = new Set(data.own);
const builtIn: readonly BinRange[] = (data.issuers as [string, string, string, string, string][]).map(
  ([prefix, brand, subtype, title, country]) => ({ prefix, brand, subtype, title, country, own: own.has(prefix) }),
);
const brands: readonly { low: number; high: number; facts: Facts }[] = (
  data.brands as [string, string, string, string][]
).map(([low, high, brand, subtype]) => ({
  low: Number(low),
  high: Number(high),
  facts: { ...UNKNOWN, brand, subtype },
}));

const byPrefix = (added: readonly BinRange[]): Map<string, Facts> =>
  new Map([...builtIn, ...added].map(({ prefix, ...facts }) => [prefix, facts] as const));

/** Of the process, as a process serves one database. */
let prefixes = byPrefix([]);

function factsOf(leading: string): Facts {
  const exact = prefixes.get(leading) ?? prefixes.get(leading.slice(0, 7)) ?? prefixes.get(leading.slice(0, 6));
  if (exact) return exact;
  const six = Number(leading.slice(0, 6));
  let from = 0;
  let to = brands.length - 1;
  while (from <= to) {
    const middle = (from + to) >> 1;
    const range = brands[middle] as (typeof brands)[number];
    if (six < range.low) to = middle - 1;
    else if (six > range.high) from = middle + 1;
    else return range.facts;
  }
  return UNKNOWN;
}

/** Never fails: a number of no known range has brand `unknown`, no title and no country. */
export function lookupBin(pan: Pan): Bin {
  const { brand, subtype, title, country, own } = factsOf(pan.bin(8));
  return { brand, type: brand, subtype, bin: pan.bin(6), country, title, own };
}

const rangeFrom = ({ prefix, brand, subtype, title, country, own }: BinRangeRow): BinRange => ({
  prefix,
  brand,
  subtype,
  title,
  country,
  own,
});

/** Reads the operator's ranges into memory: at the start, behind each change here, and now and then for changes elsewhere. */
export async function binsLoad(db: Db): Promise<void> {
  prefixes = byPrefix((await binRangesSelect(db)).map(rangeFrom));
}

/** The names that `card.type` and `card.subtype` may have now. */
export function cardNames(): { readonly types: ReadonlySet<string>; readonly subtypes: ReadonlySet<string> } {
  const facts = [...prefixes.values(), ...brands.map((range) => range.facts)];
  return { types: new Set(facts.map(({ brand }) => brand)), subtypes: new Set(facts.map(({ subtype }) => subtype)) };
}

/** Every range in force, built in or added, by prefix. */
export function binList(): BinRange[] {
  return [...prefixes].map(([prefix, facts]) => ({ prefix, ...facts })).sort((a, b) => (a.prefix < b.prefix ? -1 : 1));
}

/**
 * Adds a range or replaces the one of that prefix, also a built-in one; in force once it is committed and loaded. The caller has validated
 * it: 6 to 8 digits, lower-case names, alpha-3.
 */
export const binPut = (db: Transaction, range: BinRange, at: Date): Promise<void> =>
  binRangeUpsert(db, { ...range, updated_at: at });

/** Takes back what the operator added; a built-in range shows again once that is committed and loaded. False when there was nothing. */
export const binRemove = (db: Transaction, prefix: string): Promise<boolean> => binRangeDelete(db, prefix);
