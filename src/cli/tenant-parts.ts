// What commands about a tenant's parts have in common: things named by name or id, changes as name=value pairs, lists page by page.
// Rule: a tenant is named by its name, a programme and a profile by name or id, everything else by its id.
import { assignments, at, type Call, CliError, type Json, rowsOf } from './command.ts';

/** Programmes and profiles are known by their names as well. */
export async function idOf(call: Call, tenant: string | undefined, part: 'programmes' | 'profiles', text: string) {
  if (/^\d+$/.test(text)) return text;
  const found = rowsOf(await call('GET', at`/tenants/${tenant}/${part}`), part).filter(({ name }) => name === text);
  const one = part.slice(0, -1);
  if (found.length === 0) throw new CliError(`The tenant has no ${one} called ${text}.`);
  if (found.length > 1) throw new CliError(`The tenant has several ${part} called ${text}: name one by its id.`);
  return String(found[0]?.id);
}

/** `name=value` pairs as a change: fields of the thing's own are text, everything else is one of its settings. */
export function changeOf(pairs: readonly string[], own: readonly string[]): Json {
  const texts = Object.fromEntries(
    pairs.map((pair) => [pair.split('=', 1)[0] ?? '', pair.slice(pair.indexOf('=') + 1)]),
  );
  const all = Object.entries(assignments(pairs));
  const fields = all.filter(([name]) => own.includes(name));
  const settings = all.filter(([name]) => !own.includes(name));
  return {
    ...Object.fromEntries(fields.map(([name, value]) => [name, name === 'active' ? value : texts[name]])),
    ...(settings.length > 0 ? { settings: Object.fromEntries(settings) } : {}),
  };
}

const PAGE = 1000;

/** All rows of a list, page by page. */
async function every(call: Call, name: string, pageOf: (rows: readonly Json[]) => string): Promise<Json> {
  const rows: Json[] = [];
  for (;;) {
    const page = rowsOf(await call('GET', pageOf(rows)), name);
    rows.push(...page);
    if (page.length < PAGE) return { [name]: rows };
  }
}

export const allIdentities = (call: Call, tenant: string | undefined): Promise<Json> =>
  every(call, 'identities', (rows) => {
    const last = rows.at(-1)?.id as string | undefined;
    const path = at`/tenants/${tenant}/identities?per_page=${String(PAGE)}`;
    return last === undefined ? path : path + at`&after=${last}`;
  });

export const holdings = (
  call: Call,
  part: 'accounts' | 'cards',
  [tenant, identity]: readonly string[],
): Promise<Json> =>
  every(
    call,
    part,
    (rows) =>
      at`/tenants/${tenant}/identities/${identity}/${part}?per_page=${String(PAGE)}&offset=${String(rows.length)}`,
  );
