// Sees every statement that the server sends in a test, at the driver's door, and says which names no owner of an owner's table.
// Rule: it looks at what a file of `src` asks for; what a test asks by itself is its own affair. Each text is judged once a process.
import { appendFileSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import pg from 'pg';
import { EXCEPTIONS, type Exception } from './exceptions.ts';
import { ownersMissing } from './judge.ts';

/** Where a run's processes leave what they found; null: one file, run by itself. */
const folder = process.env.FLORIN_TEST_STATEMENTS ?? null;

const known = new Set<string>();
const wrong: string[] = [];

const matches = ({ file, has }: Exception, from: string, text: string): boolean => file === from && text.includes(has);

function note(kind: 'used' | 'wrong', line: string): void {
  if (folder !== null) appendFileSync(path.join(folder, `${kind}-${process.pid}`), `${line}\n`);
}

/** What is wrong with a statement of this file; null: nothing. */
export function faultOf(from: string, text: string): string | null {
  const missing = ownersMissing(text);
  if (missing.length === 0) return null;
  const exception = EXCEPTIONS.findIndex((one) => matches(one, from, text));
  if (exception < 0) return `${from}: names no owner of ${missing.join(', ')}: ${text.replace(/\s+/g, ' ').trim()}`;
  note('used', String(exception));
  return null;
}

const ROOT = path.resolve(import.meta.dirname, '../..');

/** The door that all statements go through, and this one behind it. */
const DOORS = ['src/store/database.ts', path.relative(ROOT, import.meta.filename)];

/** The file of `src` that asks; null: none, or nobody can tell any more. */
function asking(): string | null {
  const held: { stack?: string } = {};
  Error.captureStackTrace(held, seen);
  for (const line of held.stack?.split('\n').slice(1) ?? []) {
    const file = /(?:file:\/\/|\()(\/[^:)]+):\d+:\d+\)?$/.exec(line)?.[1];
    const name = file && path.relative(ROOT, file);
    if (!name || !/^(src|test|bench)\//.test(name) || DOORS.includes(name)) continue;
    return name.startsWith('src/') ? name : null;
  }
  return null;
}

function seen(query: unknown): void {
  const text = typeof query === 'string' ? query : (query as { readonly text?: unknown } | null)?.text;
  if (typeof text !== 'string' || known.has(text)) return;
  const from = asking();
  if (from === null) return;
  known.add(text);
  const fault = faultOf(from, text);
  if (fault === null) return;
  wrong.push(fault);
  note('wrong', fault);
}

/** Of a whole run: what was wrong anywhere, and which exceptions nobody needed. */
export function statementsOfRun(at: string): {
  readonly wrong: readonly string[];
  readonly unneeded: readonly string[];
} {
  const lines = (kind: string): Set<string> =>
    new Set(
      readdirSync(at)
        .filter((file) => file.startsWith(kind))
        .flatMap((file) => readFileSync(path.join(at, file), 'utf8').split('\n'))
        .filter((line) => line !== ''),
    );
  const used = lines('used-');
  return {
    wrong: [...lines('wrong-')].sort(),
    unneeded: EXCEPTIONS.flatMap(({ file, has }, i) => (used.has(String(i)) ? [] : [`${file}: ${has}`])),
  };
}

// Pools hand a text on to a client when one is free: who asked is seen at the pool only.
for (const door of [pg.Pool.prototype, pg.Client.prototype] as { query: (...given: unknown[]) => unknown }[]) {
  const { query } = door;
  door.query = function (this: unknown, ...given) {
    seen(given[0]);
    return Reflect.apply(query, this, given);
  };
}

/** Turns its test file red. To be called when the servers have ended. */
export function tellWrongStatements(): void {
  if (wrong.length === 0) return;
  process.stdout.write(`Statements that do not say whose rows they want:\n${wrong.splice(0).join('\n')}\n`);
  process.exitCode = 1;
}
