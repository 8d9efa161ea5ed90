// templates: how payment pages of a project look. Owns page_templates.
export { DEFAULT_TEMPLATE, FIELD_NAMES, type FieldName, type PageTemplate } from './template.ts';
