// Terminals: where a project's payments go out. Rule: a terminal is never deleted, since orders refer to it for as long as they live.
import { isUsableCurrency } from '../../base/index.ts';
import type { Db } from '../../store/index.ts';
import {
  flag,
  integer,
  listOf,
  matching,
  oneOf,
  problemsOf,
  projectRefusal,
  refuseProblems,
  type ValueRule,
} from './errors.ts';
import { projectChanging, projectGet, type Tools } from './manage.ts';
import { type TerminalRow, terminalInsert, terminalsOf, terminalUpdate } from './queries.ts';
import type { Terminal } from './settings.ts';

export interface TerminalInput extends Omit<Terminal, 'id'> {
  /** Rank in the order of preference, from 1; absent: where it is, a new one last. */
  readonly position?: number;
}

const rulesFor = (links: readonly string[]): Readonly<Record<string, ValueRule>> => ({
  id: matching(/^[A-Za-z0-9][A-Za-z0-9_.-]{0,31}$/, '1 to 32 of letters, digits, dot, hyphen, underscore'),
  // DE 43, positions 1 to 25; the end of the line is lost on many statements.
  descriptor: matching(/^[!-~]([ -~]{0,23}[!-~])?$/, '1 to 25 printable ASCII characters, no spaces around'),
  currencies: listOf(
    {
      says: 'an ISO 4217 code of a currency with no or two decimals',
      accepts: (value) => typeof value === 'string' && isUsableCurrency(value),
    },
    1,
    200,
  ),
  link: oneOf(...links),
  merchant_id: matching(/^[A-Za-z0-9]([A-Za-z0-9 ]{0,13}[A-Za-z0-9])?$/, '1 to 15 letters, digits and inner spaces'),
  mcc: matching(/^\d{4}$/, 'four digits'),
  secure3d: oneOf('when_needed', 'always'),
  multicapture: flag,
  cvv_must_match: flag,
  position: integer(1, 10_000),
});

/** Makes the terminal or replaces it whole; a removed one comes back. Refusals: project_unknown, invalid. */
export async function terminalPut(
  db: Db,
  { links }: Tools,
  login: string,
  id: string,
  input: TerminalInput,
): Promise<TerminalRow> {
  refuseProblems(problemsOf(rulesFor(links), { id, ...input }));
  const project = await projectChanging(db, login);
  const rows = await terminalsOf(db, project.id);
  const old = rows.find((row) => row.id === id);
  const last = Math.max(0, ...rows.map((row) => row.position));
  const row: TerminalRow = {
    project_id: project.id,
    id,
    descriptor: input.descriptor,
    currencies: input.currencies,
    link: input.link,
    merchant_id: input.merchant_id,
    mcc: input.mcc,
    secure3d: input.secure3d,
    multicapture: input.multicapture,
    cvv_must_match: input.cvv_must_match,
    position: input.position ?? old?.position ?? last + 1,
    removed_at: null,
  };
  await (old ? terminalUpdate : terminalInsert)(db, row);
  return row;
}

/** No new order goes over the terminal; its open orders still do. Refusals: project_unknown, terminal_unknown. */
export async function terminalRemove(db: Db, { clock }: Tools, login: string, id: string): Promise<void> {
  const project = await projectChanging(db, login);
  const row = visible(await terminalsOf(db, project.id)).find((terminal) => terminal.id === id);
  if (!row) throw projectRefusal('terminal_unknown');
  await terminalUpdate(db, { ...row, removed_at: clock.now() });
}

/** In order of preference, without the removed ones. Refusal: project_unknown. */
export const terminalList = async (db: Db, login: string): Promise<TerminalRow[]> =>
  visible(await terminalsOf(db, (await projectGet(db, login)).id));

/** Refusals: project_unknown, terminal_unknown. */
export async function terminalGet(db: Db, login: string, id: string): Promise<TerminalRow> {
  const row = (await terminalList(db, login)).find((terminal) => terminal.id === id);
  if (!row) throw projectRefusal('terminal_unknown');
  return row;
}

const visible = (rows: readonly TerminalRow[]): TerminalRow[] => rows.filter((row) => row.removed_at === null);
