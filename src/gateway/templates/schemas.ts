// What an operator is answered about templates, as schemas.
import Type from 'typebox';
import { Choice, Instant, Matching, Nullable, Shape } from '../../http/index.ts';
import { FIELD_NAMES } from './template.ts';

const colour = Matching('^#[0-9A-Fa-f]{6}$');
const templateFields = {
  id: Type.String(),
  version: Type.Integer({ minimum: 1, description: 'One more after each change.' }),
  updated_at: Instant(),
  brand: colour,
  ground: colour,
  paper: colour,
  ink: colour,
  fields: Type.Array(Choice(FIELD_NAMES)),
  radius: Type.Integer({ minimum: 0 }),
};
export const template = Shape(
  { ...templateFields, logo: Nullable(Type.String({ description: 'A data: address.' })) },
  { title: 'ShownPageTemplate' },
);
export const listedTemplate = Shape({ ...templateFields, has_logo: Type.Boolean() }, { title: 'ListedPageTemplate' });
