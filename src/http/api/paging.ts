// Lists in pages: what their queries have in common, and the answer with its links. Rule: a page's links keep every filter as it was meant.
import { maskPansIn } from '../../base/index.ts';
import { invalid } from '../failure.ts';
import { Flag, Integer, listText, Optional, Text } from '../fields/index.ts';
import type { Answer } from './endpoint.ts';
import { pageLinks } from './links.ts';

const MOST_ROWS = 2000;

/** Query fields of a list; they belong in its Shape. */
export const paging = {
  per_page: Optional(Integer(1, MOST_ROWS)),
  after: Optional(Text({ max: 400 })),
  count: Optional(Flag()),
};

interface PagingQuery {
  readonly per_page?: number | undefined;
  readonly after?: string | undefined;
  readonly count?: boolean | undefined;
}

export interface Paging<After> {
  readonly after: After | null;
  readonly limit: number;
  readonly count: boolean;
}

/** `read`: the place that a cursor names, null for a cursor that is not this list's. Throws 422. */
export function pagingOf<After>(
  { per_page, after: cursor, count }: PagingQuery,
  read: (cursor: string) => After | null,
): Paging<After> {
  const after = cursor === undefined ? null : read(cursor);
  if (cursor !== undefined && after === null)
    throw invalid({
      message: 'Not a page of this list',
      uri: '#/after',
      attribute: 'cursor',
      details: ['take it from the Link header'],
    });
  return { after, limit: per_page ?? MOST_ROWS, count: count === true };
}

export interface Listing {
  /** Rows, or texts that are the JSON of some of them. */
  readonly rows: readonly (object | string)[];
  /** Cursors of the pages before and behind; null: there is none. */
  readonly prev: string | null;
  readonly next: string | null;
  /** Of all pages; null: not asked for. */
  readonly total: bigint | null;
}

interface Listed {
  /** Of the array in the body. */
  readonly name: string;
  readonly publicUrl: string;
  readonly path: string;
  /** The request's filters as the handler got them. */
  readonly query: Readonly<Record<string, unknown>>;
}

/** A single filter as a client writes it. */
const textOf = (value: unknown): string =>
  typeof value === 'string' ? value : typeof value === 'boolean' ? (value ? '1' : '0') : JSON.stringify(value);

/** Header fields of `listAnswer`, for the answer's description. */
export const paged = {
  headers: { Link: 'first, prev, next (RFC 8288)' },
  mayHave: { 'X-Total-Count': 'How many there are on all pages, with count=1.' },
} as const;

export function listAnswer({ name, publicUrl, path, query: given }: Listed, listing: Listing): Answer {
  const { after: _, ...filters } = given;
  const query: Record<string, string> = {};
  for (const [key, value] of Object.entries(filters)) {
    if (value === undefined) continue;
    const text = Array.isArray(value) ? listText(value) : textOf(value);
    // Nothing stored holds a card number, so masking one changes no page; merchant_order_id is left as it is everywhere.
    query[key] = key === 'merchant_order_id' ? text : maskPansIn(text);
  }
  const { rows, prev, next, total } = listing;
  return {
    status: 200,
    body: Buffer.from(
      `{"${name}":[${rows.map((row) => (typeof row === 'string' ? row : JSON.stringify(row))).join()}]}`,
    ),
    link: pageLinks({
      publicUrl,
      path,
      query,
      first: {},
      prev: prev === null ? null : { after: prev },
      next: next === null ? null : { after: next },
    }),
    ...(total === null ? {} : { headers: { 'x-total-count': total.toString() } }),
  };
}
