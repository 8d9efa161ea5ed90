// Every statement on page_templates. Rule: what stands in a row was found right by rules.ts; the defaults are never written.
import type { Db } from '../../store/index.ts';
import type { PageTemplate } from './template.ts';

export interface TemplateRow {
  readonly project_id: bigint;
  readonly id: string;
  readonly template: Partial<PageTemplate>;
  /** 1, and one more after each change. */
  readonly version: number;
  readonly updated_at: Date;
}

export async function templateFind(db: Db, project: bigint, id: string): Promise<TemplateRow | null> {
  const [row] = await db.query<TemplateRow>('select * from page_templates where project_id = $1 and id = $2', [
    project,
    id,
  ]);
  return row ?? null;
}

export const templatesOf = (db: Db, project: bigint): Promise<TemplateRow[]> =>
  db.query<TemplateRow>('select * from page_templates where project_id = $1 order by id', [project]);

/** Replaces a template whole. Answers it as it is stored. */
export async function templateUpsert(db: Db, row: Omit<TemplateRow, 'version'>): Promise<TemplateRow> {
  const rows = await db.query<TemplateRow>(
    `insert into page_templates (project_id, id, template, version, updated_at) values ($1, $2, $3, 1, $4)
     on conflict (project_id, id) do update set template = excluded.template, version = page_templates.version + 1,
       updated_at = excluded.updated_at
     returning *`,
    [row.project_id, row.id, JSON.stringify(row.template), row.updated_at],
  );
  return rows[0] as TemplateRow;
}

export async function templateDelete(db: Db, project: bigint, id: string): Promise<boolean> {
  const rows = await db.query('delete from page_templates where project_id = $1 and id = $2 returning id', [
    project,
    id,
  ]);
  return rows.length > 0;
}
