// Exchange rates: six decimals, a source and a day; the inverse is a row of its own, made once when rates are loaded.
// The latest rates stand in memory, so that no payment asks the database for one.
import { dayOf, divideHalfEven, isCurrency, parseDateTime } from '../base/index.ts';
import { type Db, type PageOf, pageOf, placeOf, type Transaction } from '../store/index.ts';
import {
  type RateFilter,
  type RateRow,
  type RatesAfter,
  ratesCount,
  ratesLatest,
  ratesPage,
  ratesUpsert,
} from './queries.ts';

export interface Rate {
  /** Millionths of the target currency for one unit of the source currency. */
  readonly micro: bigint;
  readonly day: string;
  readonly source: string;
}

/** `1.123400`; the contract's six decimals. */
export const formatRate = (micro: bigint): string =>
  `${micro / 1_000_000n}.${(micro % 1_000_000n).toString().padStart(6, '0')}`;

/** Millionths of a decimal text with at most ten decimals (rounded half to even to six); null when it is none or not above zero. */
export function parseRate(text: string): bigint | null {
  const match = /^(\d{1,9})(?:\.(\d{1,10}))?$/.exec(text);
  if (!match) return null;
  const digits = BigInt(`${match[1]}${(match[2] ?? '').padEnd(10, '0')}`);
  const micro = divideHalfEven(digits, 10_000n);
  return micro > 0n ? micro : null;
}

export interface RateInput {
  readonly from: string;
  readonly to: string;
  readonly rate: string;
  readonly day: string;
}

/** Rows to store: each given pair, and its inverse where none was given. */
export function rateRows(inputs: readonly RateInput[], source: string): RateRow[] | null {
  const rows = new Map<string, RateRow>();
  for (const { from, to, rate, day } of inputs) {
    const micro = parseRate(rate);
    if (micro === null || from === to || !isCurrency(from) || !isCurrency(to) || !/^\d{4}-\d{2}-\d{2}$/.test(day))
      return null;
    rows.set(`${from}${to}${day}`, { from_currency: from, to_currency: to, day, micro, source });
  }
  for (const row of Array.from(rows.values())) {
    const key = `${row.to_currency}${row.from_currency}${row.day}`;
    const micro = divideHalfEven(1_000_000_000_000n, row.micro);
    if (!rows.has(key) && micro > 0n)
      rows.set(key, {
        from_currency: row.to_currency,
        to_currency: row.from_currency,
        day: row.day,
        micro,
        source: `${source}, inverse`,
      });
  }
  return [...rows.values()];
}

/** The daily reference rates of the European Central Bank (eurofxref): euro against each currency. null: not that document. */
export async function parseEcbXml(xml: string): Promise<RateInput[] | null> {
  if (xml.length > 5_000_000 || /<!(DOCTYPE|ENTITY)/i.test(xml)) return null;
  // Loaded with the first document: most requests bring their rates as they are.
  const { XMLParser } = await import('fast-xml-parser');
  let document: unknown;
  try {
    document = new XMLParser({
      ignoreAttributes: false,
      attributeNamePrefix: '',
      processEntities: false,
      parseAttributeValue: false,
    }).parse(xml);
  } catch {
    return null;
  }
  const days = listOf(at(document, 'gesmes:Envelope', 'Cube', 'Cube'));
  const rates: RateInput[] = [];
  for (const day of days) {
    for (const cube of listOf(at(day, 'Cube'))) {
      const { currency, rate } = cube as { currency?: string; rate?: string };
      if (currency && rate && isCurrency(currency))
        rates.push({ from: 'EUR', to: currency, rate, day: String((day as { time?: string }).time) });
    }
  }
  return rates.length > 0 ? rates : null;
}

const listOf = (value: unknown): unknown[] => (value === undefined ? [] : Array.isArray(value) ? value : [value]);
const at = (value: unknown, ...names: string[]): unknown =>
  names.reduce<unknown>(
    (inner, name) =>
      typeof inner === 'object' && inner !== null ? (inner as Record<string, unknown>)[name] : undefined,
    value,
  );

export interface RateListing extends PageOf<RateRow> {
  /** null: not asked for. */
  readonly total: bigint | null;
}

/** A page of the stored rates, newest day first. */
export async function rateListing(
  db: Db,
  filter: RateFilter,
  page: { readonly after: RatesAfter | null; readonly limit: number; readonly count: boolean },
): Promise<RateListing> {
  const found = await ratesPage(db, filter, page);
  return {
    ...pageOf(found, page, ({ day, from_currency, to_currency }) => [day, from_currency, to_currency]),
    total: page.count ? await ratesCount(db, filter) : null,
  };
}

/** The place that a cursor names; null: none of this list's. */
export function ratesAfterOf(cursor: string): RatesAfter | null {
  const place = placeOf(cursor, 3);
  const [day = '', from = '', to = ''] = place?.key ?? [];
  return place && parseDateTime(`${day} 00:00:00`) && isCurrency(from) && isCurrency(to)
    ? { day, from, to, back: place.back }
    : null;
}

/** The latest known rate of the pair; null when there is none. */
export type RateOf = (from: string, to: string) => Rate | null;

export interface Rates {
  readonly get: RateOf;
  /** As they are now, and stay: what a decision is given, which must not look for itself. */
  standing(): RateOf;
  /** In force once the transaction is committed and `reload` was called. */
  put(db: Transaction, rows: readonly RateRow[], at: Date): Promise<void>;
  reload(now: Date): Promise<void>;
}

export function createRates(db: Db): Rates {
  let latest = new Map<string, Rate>();
  const reload = async (now: Date): Promise<void> => {
    const rows = await ratesLatest(db, dayOf(now));
    latest = new Map(
      rows.map((row) => [
        `${row.from_currency}${row.to_currency}`,
        { micro: row.micro, day: row.day, source: row.source },
      ]),
    );
  };
  const standing = (): RateOf => {
    const known = latest;
    return (from, to) => known.get(`${from}${to}`) ?? null;
  };
  return {
    get: (from, to) => standing()(from, to),
    standing,
    reload,
    put: ratesUpsert,
  };
}
