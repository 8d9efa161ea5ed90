// How `florin apply` compares and changes: what differs from what the file wants, one change at a time, each told and each refusal placed in
// the file. Rule: in a dry run nothing is asked of the server but what it already holds.
import { isDeepStrictEqual } from 'node:util';
import { type Call, CliError, faultText, type Json, Refused, rowsOf } from '../command.ts';
import type { SetupFile } from './file.ts';

export interface Change {
  readonly action: 'make' | 'change';
  /** `terminal shop/main` */
  readonly what: string;
  /** What of it changes. */
  readonly fields?: readonly string[];
  readonly secret?: string;
}

export interface Run {
  readonly call: Call;
  readonly dryRun: boolean;
  readonly file: SetupFile;
  readonly changes: Change[];
}

const fieldOf = (place: string, pointer: string): string =>
  pointer
    .replace(/^#\/?/, '')
    .split('/')
    .filter((name) => name !== '')
    .map((name) => decodeURIComponent(name).replaceAll('~1', '/').replaceAll('~0', '~'))
    .reduce((path, name) => (/^\d+$/.test(name) ? `${path}[${name}]` : `${path}.${name}`), place);

/** A refusal by the places of the file that it is about. */
function placed({ file }: Run, place: string, error: unknown): unknown {
  if (!(error instanceof Refused) || error.status === 401 || error.status === 403) return error;
  const { errors = [], detail = 'refused' } = error.problem;
  if (errors.length === 0) return file.fault(place, detail);
  return new CliError(errors.map((e) => file.fault(fieldOf(place, e.uri), faultText(e)).message).join('\n'));
}

/** Makes one change, or only tells it in a dry run; the answer, if there was one. `place`: what the request's body is in the file. */
export async function doing(
  run: Run,
  place: string,
  change: Change,
  work: (call: Call) => Promise<Json>,
): Promise<Json | null> {
  if (run.dryRun) {
    run.changes.push(change);
    return null;
  }
  try {
    const answer = await work(run.call);
    const { secret } = answer;
    run.changes.push(typeof secret === 'string' ? { ...change, secret } : change);
    return answer;
  } catch (error) {
    throw placed(run, place, error);
  }
}

/** null: it is not there. */
export async function found({ call }: Run, path: string): Promise<Json | null> {
  try {
    return await call('GET', path);
  } catch (error) {
    if (error instanceof Refused && error.status === 404) return null;
    throw error;
  }
}

/** A list of something; of what a dry run only would have made it is empty. */
export const listed = async (run: Run, owner: Json | null, path: string, name: string): Promise<readonly Json[]> =>
  owner === null && run.dryRun ? [] : rowsOf(await run.call('GET', path), name);

/** The one that the file means; null: none yet. */
export function oneOf(
  { file }: Run,
  place: string,
  rows: readonly Json[],
  says = 'of this name are there; rename all but one',
): Json | null {
  if (rows.length > 1) throw file.fault(place, `${rows.length} ${says}`);
  return rows[0] ?? null;
}

type Same = (there: unknown, wanted: unknown) => boolean;
export const equal: Same = (there, wanted) => isDeepStrictEqual(there ?? null, wanted ?? null);

/** Those of the wanted fields that are not so yet. */
export const differing = (there: Json, wanted: Json, same: Same = equal): Json =>
  Object.fromEntries(
    Object.entries(wanted).filter(([name, value]) => value !== undefined && !same(there[name], value)),
  );

/** What is never told back can't be compared. */
const withoutSecret = (value: unknown): unknown => {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  const { secret: _secret, ...told } = value as Json;
  return told;
};
export const equalTold: Same = (there, wanted) => equal(withoutSecret(there), withoutSecret(wanted));

/** An identity is shown with every default: null and an empty map are as good as nothing. */
function bare(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value ?? undefined;
  const held = Object.entries(value).map(([name, part]) => [name, bare(part)] as const);
  const kept = held.filter(([, part]) => part !== undefined);
  return kept.length === 0 ? undefined : Object.fromEntries(kept);
}
export const equalBare: Same = (there, wanted) => equal(bare(there), bare(wanted));

/** Fields of a thing's own and its settings in one change, each told by its name. */
export async function patch(
  run: Run,
  place: string,
  of: { readonly what: string; readonly path: string; readonly there: Json },
  { settings = {}, ...own }: Json & { readonly settings?: Json | undefined },
  same: Same = equal,
): Promise<void> {
  const { what, path, there } = of;
  const fields = differing(there, own);
  const changed = differing((there.settings ?? {}) as Json, settings, same);
  const names = [...Object.keys(fields), ...Object.keys(changed).map((name) => `settings.${name}`)];
  if (names.length === 0) return;
  const body = { ...fields, ...(Object.keys(changed).length > 0 ? { settings: changed } : {}) };
  await doing(run, place, { action: 'change', what, fields: names }, (call) => call('PATCH', path, body));
}

/** What can't be changed any more is refused here, with the place that asks for it. */
export function refuseOthers({ file }: Run, place: string, there: Json, wanted: Json): void {
  const [name] = Object.keys(differing(there, wanted));
  if (name !== undefined) throw file.fault(`${place}.${name}`, `can't be changed: it is ${String(there[name])}`);
}

const VERBS = { make: ['made', 'would make'], change: ['changed', 'would change'] } as const;

export function changeText({ action, what, fields, secret }: Change, dryRun: boolean): string {
  const told = `${VERBS[action][dryRun ? 1 : 0]} ${what}${fields ? `: ${fields.join(', ')}` : ''}`;
  return `${told}${secret === undefined ? '' : `, its secret, shown only now: ${secret}`}\n`;
}
