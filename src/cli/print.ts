// Answers for people: a table of the rows of a list, or a line a field.
import type { CommandSpec, Json } from './command.ts';

export function readable(answer: Json, table?: CommandSpec['table']): string {
  if (!table) return aligned(Object.entries(answer).flatMap(([name, value]) => lines(name, value)));
  const [name, ...columns] = table;
  const rows = (answer[name] ?? []) as readonly Json[];
  return aligned([columns, ...rows.map((row) => columns.map((column) => cell(inside(row, column))))]);
}

/** `state` of a row, or `state.state`. */
const inside = (row: Json, column: string): unknown =>
  column.split('.').reduce<unknown>((value, name) => (value as Json | null | undefined)?.[name], row);

/** An object inside an answer is a line for each of its fields, a list of objects a line for each. */
const lines = (name: string, value: unknown): [string, string][] => {
  const isObject = typeof value === 'object' && value !== null && Object.values(value).some((part) => part !== null);
  if (!isObject || (Array.isArray(value) && typeof value[0] === 'string')) return [[name, cell(value)]];
  return Object.entries(value).map(([part, inner]) => [`${name}.${part}`, cell(inner)]);
};

/** Text as it is, a list of texts with commas, anything else as JSON. */
const cell = (value: unknown): string => {
  if (value === null || value === undefined || (Array.isArray(value) && value.length === 0)) return '-';
  if (Array.isArray(value) && value.every((part) => typeof part === 'string')) return value.join(',');
  return typeof value === 'string' ? value : JSON.stringify(value);
};

function aligned(rows: readonly (readonly string[])[]): string {
  const widthOf = (i: number): number => Math.max(...rows.map((row) => row[i]?.length ?? 0));
  const widths = (rows[0] ?? []).map((_, i) => widthOf(i));
  const line = (row: readonly string[]): string => row.map((text, i) => text.padEnd(widths[i] ?? 0)).join('  ');
  return rows.map((row) => `${line(row).trimEnd()}\n`).join('');
}
