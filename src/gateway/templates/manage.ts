// Templates as they are read and changed. Rule: another project's template is an unknown one, and a page is never without template.
import type { Problem } from '../../base/index.ts';
import type { Db } from '../../store/index.ts';
import { projectGet, projectRefusal } from '../projects/index.ts';
import { type TemplateRow, templateDelete, templateFind, templatesOf, templateUpsert } from './queries.ts';
import { templateProblems } from './rules.ts';
import { DEFAULT_TEMPLATE, type PageTemplate } from './template.ts';

/** A stored template, whole. */
export interface StoredTemplate extends PageTemplate {
  readonly id: string;
  /** 1, and one more after each change. */
  readonly version: number;
  readonly updated_at: Date;
}

/** More are a mistake in somebody's loop. */
export const MAX_TEMPLATES = 100;

const ID = /^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$/;
const COLOURS = ['brand', 'ground', 'paper', 'ink'] as const;

/** The given fields, those that are missing from the default. */
export const filledTemplate = (given: Partial<PageTemplate>): PageTemplate => ({ ...DEFAULT_TEMPLATE, ...given });

const stored = ({ id, template, version, updated_at }: TemplateRow): StoredTemplate => ({
  id,
  ...filledTemplate(template),
  version,
  updated_at,
});

/** How a payment page looks: the default for an id that is unknown, another project's, or not given. */
export async function templateOf(db: Db, projectId: bigint, id: string | undefined): Promise<PageTemplate> {
  const row = id === undefined || !ID.test(id) ? null : await templateFind(db, projectId, id);
  return row ? filledTemplate(row.template) : DEFAULT_TEMPLATE;
}

/** The look of projects that made none; they may make one of this name. */
const STANDARD = 'default';

/** May an order name this template? */
export const isTemplate = async (db: Db, projectId: bigint, id: string): Promise<boolean> =>
  id === STANDARD || (ID.test(id) && (await templateFind(db, projectId, id)) !== null);

/** Makes a template or replaces it whole. Refusals: project_unknown, invalid. */
export async function templatePut(
  db: Db,
  login: string,
  id: string,
  given: Partial<PageTemplate>,
  now: Date,
): Promise<StoredTemplate> {
  const { id: project_id } = await projectGet(db, login);
  const problems: Problem[] = templateProblems({ ...given });
  if (!ID.test(id)) {
    const details = ['1 to 64 of letters, digits, dot, hyphen, underscore'];
    problems.unshift({ path: ['id'], message: 'Not allowed', details });
  }
  if (problems.length === 0) {
    const others = (await templatesOf(db, project_id)).filter((row) => row.id !== id);
    if (others.length >= MAX_TEMPLATES)
      problems.push({ path: ['id'], message: 'Not allowed', details: [`at most ${MAX_TEMPLATES} templates`] });
  }
  if (problems.length > 0) throw projectRefusal('invalid', problems);
  return stored(await templateUpsert(db, { project_id, id, template: canonical(given), updated_at: now }));
}

/** Colours in one spelling, nothing that was not given. */
const canonical = (given: Partial<PageTemplate>): Partial<PageTemplate> =>
  Object.fromEntries(
    Object.entries(given)
      .filter(([, value]) => value !== undefined)
      .map(([name, value]) => [name, COLOURS.some((colour) => colour === name) ? String(value).toLowerCase() : value]),
  );

/** By id. Refusal: project_unknown. */
export const templateList = async (db: Db, login: string): Promise<StoredTemplate[]> =>
  (await templatesOf(db, (await projectGet(db, login)).id)).map(stored);

/** null: the project has no such template. Refusal: project_unknown. */
export async function templateGet(db: Db, login: string, id: string): Promise<StoredTemplate | null> {
  const row = await templateFind(db, (await projectGet(db, login)).id, id);
  return row && stored(row);
}

/** Orders that name it look like the default from now on. false: there was none. Refusal: project_unknown. */
export const templateRemove = async (db: Db, login: string, id: string): Promise<boolean> =>
  templateDelete(db, (await projectGet(db, login)).id, id);
