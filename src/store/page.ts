// Keyset cursors: opaque to clients, the key values of the last row to us. A list never uses offset.

/** JSON values as base64url. */
export const encodeCursor = (values: readonly (string | number)[]): string =>
  Buffer.from(JSON.stringify(values)).toString('base64url');

/** null: not a cursor. What the values mean is the list's to check. */
export function decodeCursor(cursor: string): readonly unknown[] | null {
  if (!/^[A-Za-z0-9_-]{1,400}$/.test(cursor)) return null;
  try {
    const values: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString());
    return Array.isArray(values) ? values : null;
  } catch {
    return null;
  }
}

/** The row next to which a page lies by its key: behind it, or with `back` before it. */
export interface Place {
  readonly back: boolean;
}

export interface PageOf<Row> {
  readonly rows: readonly Row[];
  /** Cursors of the pages on both sides; null: there is none. */
  readonly prev: string | null;
  readonly next: string | null;
}

/**
 * The page of what a query found: one row more than the limit tells whether there are further ones that way, and a page that was walked
 * to has the one it came from on its other side. `found` goes away from the place; the page is in the list's own order.
 */
export function pageOf<Row>(
  found: readonly Row[],
  { after, limit }: { readonly after: Place | null; readonly limit: number },
  keyOf: (row: Row) => readonly (string | number)[],
): PageOf<Row> {
  const rows = found.slice(0, limit);
  if (after?.back) rows.reverse();
  const more = found.length > limit;
  const [before, behind] = after?.back ? [more, true] : [after !== null, more];
  const cursor = (row: Row | undefined, ...way: 'back'[]): string | null =>
    row ? encodeCursor([...keyOf(row), ...way]) : null;
  return { rows, prev: before ? cursor(rows[0], 'back') : null, next: behind ? cursor(rows.at(-1)) : null };
}

/** The key and the way that a cursor of pageOf names; null: none of a list whose key has so many texts. */
export function placeOf(cursor: string, length: number): (Place & { readonly key: readonly string[] }) | null {
  const values = decodeCursor(cursor) ?? [];
  const key = values.slice(0, length).filter((value) => typeof value === 'string');
  const [way] = values.slice(length);
  const right = key.length === length && values.length <= length + 1 && (way === undefined || way === 'back');
  return right ? { key, back: way === 'back' } : null;
}
