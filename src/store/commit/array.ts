// The text form of a Postgres array. Rule: whatever a value holds, it is one element: texts are quoted, and within quotes only a backslash
// and a quote mean anything.
import { assert } from '../../base/index.ts';

/** The Postgres types that columns have here, and what each holds in TypeScript: int8 bigint, timestamptz Date, bytea Buffer, jsonb any JSON value. */
export type ColumnType = 'int8' | 'int4' | 'text' | 'bool' | 'timestamptz' | 'date' | 'jsonb' | 'bytea' | 'numeric';

export const arrayLiteral = (values: readonly unknown[], type: ColumnType): string =>
  `{${values.map((value) => element(value, type)).join(',')}}`;

/** One column of rows. Rows that are written together have much in common (owner, time, currency): what repeats is written once. */
export function columnLiteral(
  rows: readonly Readonly<Record<string, unknown>>[],
  name: string,
  type: ColumnType,
): string {
  let out = '';
  let before: unknown;
  let text = element(before, type);
  for (const row of rows) {
    const value = row[name];
    if (value !== before) text = element(value, type);
    before = value;
    out += out === '' ? text : `,${text}`;
  }
  return `{${out}}`;
}

function element(value: unknown, type: ColumnType): string {
  if (value === null || value === undefined) return 'NULL';
  // JSON quotes a text as an array does when it has no control characters, and no JSON text has any.
  if (type === 'jsonb') return JSON.stringify(JSON.stringify(value));
  if (typeof value === 'string') return quoted(value);
  if (value instanceof Date) return `"${value.toISOString()}"`;
  if (Buffer.isBuffer(value)) return `"\\\\x${value.toString('hex')}"`;
  assert(
    typeof value === 'bigint' || typeof value === 'number' || typeof value === 'boolean',
    'a value of a known type',
  );
  return String(value);
}

const quoted = (text: string): string =>
  /[\\"]/.test(text) ? `"${text.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"` : `"${text}"`;
