// templates: how payment pages of a project look. Owns page_templates.
// Rule: no value of a template reaches a page that rules.ts would not let in.
export {
  isTemplate,
  type StoredTemplate,
  templateGet,
  templateList,
  templateOf,
  templatePut,
  templateRemove,
} from './manage.ts';
export { type TemplatesDesk, templateOperatorEndpoints } from './operator-routes.ts';
export { contrast, templateProblems } from './rules.ts';
export { DEFAULT_TEMPLATE, FIELD_NAMES, type FieldName, type PageTemplate } from './template.ts';
