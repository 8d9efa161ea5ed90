// What tests of these endpoints ask for in a word: events as they come, and secrets that stand where they may not.
import assert from 'node:assert/strict';
import type { Client, TestApp } from '../../support/app.ts';

export interface Told {
  readonly id: string;
  readonly type: string;
  readonly owner: object;
  readonly cause: object;
  readonly resource: { readonly id: string; readonly sequence: number };
  readonly data: { readonly object: Readonly<Record<string, unknown>> };
}

/** The place before all. */
const BEGINNING = 'WyIwIl0';

/** The first events of a resource, as many as are wanted, the oldest first: the last of them may not have a place yet. */
export async function toldOf(as: Client, at: string, resource: string, count: number): Promise<Told[]> {
  const told: Told[] = [];
  for (let since = BEGINNING, tries = 0; told.length < count && tries < 5; tries++) {
    const { body, headers } = await as('GET', `${at}/events?resource=${resource}&since=${since}&wait=5`);
    told.push(...body.events);
    since = headers.get('event-cursor') ?? body.since;
  }
  return told;
}

/** An endpoint as it is set up: GETs show beside it how it does. */
export function setUp({ standing, ...rest }: Readonly<Record<string, unknown>>): object {
  assert.equal((standing as { circuit: string }).circuit, 'closed');
  return rest;
}

/** Tables that hold one of them. */
export async function secretCanary(
  { database }: Pick<TestApp, 'database'>,
  secrets: readonly string[],
): Promise<string[]> {
  const tables = await database.query<{ name: string }>(
    "select c.relname as name from pg_class c where c.relnamespace = 'public'::regnamespace and c.relkind = 'r' order by 1",
  );
  const found: string[] = [];
  for (const { name } of tables) {
    const rows = await database.query(
      `select 1 from ${name} t where exists (select from unnest($1::text[]) s where position(s in t::text) > 0 or position(replace(s, 'whsec_', '') in t::text) > 0) limit 1`,
      [secrets],
    );
    if (rows.length > 0) found.push(name);
  }
  return found;
}
