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
