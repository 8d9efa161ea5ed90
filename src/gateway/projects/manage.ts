// What operators do with projects. Each use case runs inside a transaction of the caller and throws its refusals.
// Rule: a login and an accounting currency are for ever: books and clients refer to them.
import { type Clock, type IdMaker, isUsableCurrency, type Random } from '../../base/index.ts';
import { type PricingPlan, pricingErrors } from '../../ledger/index.ts';
import type { Db } from '../../store/index.ts';
import { flag, matching, problemsOf, projectRefusal, readable, refuseProblems, type ValueRule } from './errors.ts';
import { type ProjectRow, projectFind, projectInsert, projectPage, projectUpdate, versionNext } from './queries.ts';
import { settingProblems } from './setting-rules.ts';
import { defaultSettings, type ProjectSettings } from './settings.ts';

/** HMAC-SHA-256 under a key of the vault that serves this purpose only. */
export type Keyed = (purpose: string, data: string) => Buffer;

/** What the use cases need beside the database. */
export interface Tools {
  readonly clock: Clock;
  readonly ids: IdMaker;
  readonly random: Random;
  readonly keyed: Keyed;
  /** Names of the acquirer links of this installation. */
  readonly links: readonly string[];
}

const rules: Readonly<Record<string, ValueRule>> = {
  // A colon would end the login in a Basic field (RFC 7617).
  login: matching(
    /^[a-z0-9][a-z0-9._-]{1,62}[a-z0-9]$/,
    '3 to 64 of a-z, 0-9, dot, hyphen, underscore; a letter or digit at both ends',
  ),
  name: readable(100),
  accounting_currency: {
    says: 'an ISO 4217 code of a currency with no or two decimals',
    accepts: (value) => typeof value === 'string' && isUsableCurrency(value),
  },
  active: flag,
};

const free: PricingPlan = { rules: [], reserve: { percent: '0', days: 1 } };

export interface ProjectInput {
  readonly login: string;
  readonly name: string;
  readonly accounting_currency: string;
}

/** A new project: active, settings at their defaults, nothing charged for, without terminal and credential. Refusals: invalid, login_taken. */
export async function projectCreate(db: Db, { clock, ids }: Tools, input: ProjectInput): Promise<ProjectRow> {
  refuseProblems(problemsOf(rules, { ...input }));
  const version = await versionNext(db);
  if (await projectFind(db, input.login)) throw projectRefusal('login_taken');
  const row: ProjectRow = {
    id: ids.next(),
    login: input.login,
    name: input.name,
    accounting_currency: input.accounting_currency,
    active: true,
    settings: {},
    pricing: free,
    version,
    created_at: clock.now(),
  };
  await projectInsert(db, row);
  return row;
}

export interface ProjectPatch {
  readonly name?: string;
  /** false: its credentials are refused, its pages and links take nothing. Its open orders still expire, settle and are recovered. */
  readonly active?: boolean;
}

/** Refusals: project_unknown, invalid. */
export async function projectPatch(db: Db, login: string, patch: ProjectPatch): Promise<ProjectRow> {
  refuseProblems(problemsOf(rules, { ...patch }));
  return projectWrite(db, login, (row) => ({
    ...row,
    name: patch.name ?? row.name,
    active: patch.active ?? row.active,
  }));
}

/** Refusal: project_unknown. */
export async function projectGet(db: Db, login: string): Promise<ProjectRow> {
  const row = await projectFind(db, login);
  if (!row) throw projectRefusal('project_unknown');
  return row;
}

/** In the order of their logins, those behind `after`. */
export const projectList = (db: Db, after: string, limit: number): Promise<ProjectRow[]> =>
  projectPage(db, after, limit);

/** Every setting of a project, the defaults among them. */
export const settingsOf = (row: ProjectRow): ProjectSettings => ({ ...defaultSettings, ...row.settings });

/** Sets what is given and leaves the rest; null sets a setting back to its default. Refusals: project_unknown, invalid. */
export async function settingsPatch(
  db: Db,
  login: string,
  patch: Readonly<Record<string, unknown>>,
): Promise<ProjectRow> {
  refuseProblems(settingProblems(patch));
  return projectWrite(db, login, (row) => {
    const merged = Object.entries({ ...row.settings, ...patch });
    return { ...row, settings: Object.fromEntries(merged.filter(([, value]) => value !== null)) };
  });
}

/** Prices operations from now on; what is booked stays as it is. Refusals: project_unknown, invalid. */
export async function pricingPut(db: Db, login: string, plan: PricingPlan): Promise<ProjectRow> {
  const { accounting_currency } = await projectGet(db, login);
  const brands = plan.rules.flatMap(({ card_type }, i): [string, string][] =>
    card_type === undefined || /^[a-z0-9_]{1,32}$/.test(card_type)
      ? []
      : [[`#/rules/${i}/card_type`, 'must be a lower-case brand name']],
  );
  refuseProblems(
    [...brands, ...pricingErrors(plan, accounting_currency)].map(([pointer, says]) => ({
      path: pointer.slice(2).split('/'),
      message: 'Not allowed',
      details: [says],
    })),
  );
  return projectWrite(db, login, (row) => ({ ...row, pricing: plan }));
}

/** The project, whose parts are about to be changed in this transaction. */
export const projectChanging = (db: Db, login: string): Promise<ProjectRow> => projectWrite(db, login, (row) => row);

async function projectWrite(db: Db, login: string, changed: (row: ProjectRow) => ProjectRow): Promise<ProjectRow> {
  const version = await versionNext(db);
  const row = { ...changed(await projectGet(db, login)), version };
  await projectUpdate(db, row);
  return row;
}
