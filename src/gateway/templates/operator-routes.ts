// How a project's payment pages look, under `/operator/projects/:login/templates`.
import Type from 'typebox';
import { type Clock, refuserOf } from '../../base/index.ts';
import {
  type Answer,
  type AuditEntry,
  type Changes,
  Choice,
  listOf,
  type OperatorEndpoint,
  Optional,
  operatorEndpoint,
  Shape,
  Text,
  type Violation,
} from '../../http/index.ts';
import type { Db } from '../../store/index.ts';
import { ownerNamed, ProjectLogin, ProjectPath, type Projects, projectRefusal } from '../projects/index.ts';
import {
  filledTemplate,
  type StoredTemplate,
  templateGet,
  templateList,
  templatePut,
  templateRemove,
} from './manage.ts';
import { MAX_RADIUS, templateProblems } from './rules.ts';
import { listedTemplate, template } from './schemas.ts';
import { FIELD_NAMES, type PageTemplate } from './template.ts';

const refuse = refuserOf({ template_unknown: ['not_found', 'The project has no such template'] });
const OfTemplate = Shape({ login: ProjectLogin, id: Text({ max: 64, description: 'Id of the template.' }) });
const Language = Optional(Text({ max: 35, description: 'Language of the page: en, de, fr …; en by default.' }));

const Colour = (description: string): ReturnType<typeof Type.Unsafe<string>> =>
  Type.Unsafe<string>({ type: 'string', pattern: '^#[0-9A-Fa-f]{6}$', description: `Colour #rrggbb: ${description}.` });

const look = {
  brand: Optional(Colour('button and focus ring')),
  ground: Optional(Colour('behind the card')),
  paper: Optional(Colour('the card')),
  ink: Optional(Colour('text on the card; its contrast to paper is at least 4.5:1')),
  logo: Optional(
    Type.Unsafe<string | null>({
      type: ['string', 'null'],
      maxLength: 16_500,
      description: 'data: address of a PNG, JPEG or WebP in base64, at most 12 KiB; null: none.',
    }),
  ),
  fields: Optional(Type.Array(Choice(FIELD_NAMES), { description: 'Each field once, in the order of the page.' })),
  radius: Optional(Type.Integer({ minimum: 0, maximum: MAX_RADIUS, description: 'Corners in pixels.' })),
};
const Template = Shape(look, { title: 'PageTemplate' });
const EXAMPLE = { brand: '#0b6b57', ink: '#16202c', fields: ['holder', 'number', 'expiry', 'cvv'], radius: 8 };

const wrongTemplate = ({ language: _, ...given }: Readonly<Record<string, unknown>>): Violation[] =>
  templateProblems(given);

/** In a list it is enough to know that there is a picture. */
const listed = ({ logo, ...template }: StoredTemplate): object => ({ ...template, has_logo: logo !== null });

const unknownProject = { 404: { description: 'No such project' } };
const unknownTemplate = { 404: { description: 'No such project, or no template under this id' } };
const wrong = { 422: { description: 'Wrong fields' } };
const page = { 200: { description: 'The payment page, of an order that is none' } };

/** What an operator's requests about templates are served with. */
export interface TemplatesDesk {
  readonly database: Db;
  readonly projects: Pick<Projects, 'byLogin'>;
  readonly clock: Clock;
  readonly changes: Changes;
  /** The payment page of an order that is none: its text, and the header fields that it needs. */
  readonly previewPage: (
    template: PageTemplate,
    language: string,
  ) => { readonly html: string; readonly headers: Readonly<Record<string, string>> };
}

export function templateOperatorEndpoints(desk: TemplatesDesk): OperatorEndpoint[] {
  const { database, projects, clock, changes, previewPage } = desk;

  const found = async (login: string, id: string): Promise<StoredTemplate> => {
    const template = await templateGet(database, login, id);
    if (!template) throw refuse('template_unknown');
    return template;
  };
  const entry = (action: string, login: string, id: string): AuditEntry => ({
    owner: ownerNamed(projects, login),
    action,
    target: `${login}/${id}`,
  });
  const preview = (template: PageTemplate, language = 'en'): Answer => {
    const { html, headers } = previewPage(template, language);
    return { status: 200, body: html, headers: { 'content-type': 'text/html; charset=utf-8', ...headers } };
  };

  return [
    operatorEndpoint({
      method: 'GET',
      path: '/projects/:login/templates',
      operation: 'templateList',
      summary: 'Lists templates of the payment page by id; logos are not shown',
      right: null,
      params: ProjectPath,
      answers: { 200: { description: 'Templates', schema: listOf('templates', listedTemplate) }, ...unknownProject },
      handler: async ({ params }) => ({
        status: 200,
        body: { templates: (await templateList(database, params.login)).map(listed) },
      }),
    }),
    operatorEndpoint({
      method: 'GET',
      path: '/projects/:login/templates/:id',
      operation: 'templateGet',
      summary: 'Shows a template',
      right: null,
      params: OfTemplate,
      answers: { 200: { description: 'The template, every field of it', schema: template }, ...unknownTemplate },
      handler: async ({ params: { login, id } }) => ({ status: 200, body: await found(login, id) }),
    }),
    operatorEndpoint({
      method: 'PUT',
      path: '/projects/:login/templates/:id',
      operation: 'templatePut',
      summary: 'Makes a template or replaces it whole; fields that are not given are those of the default',
      description: 'Orders name it in `options.template`. A page that is open looks like it from its next step on.',
      right: null,
      params: OfTemplate,
      body: Template,
      wrongIn: wrongTemplate,
      example: EXAMPLE,
      answers: {
        200: { description: 'The template, every field of it', schema: template },
        ...unknownProject,
        ...wrong,
      },
      async handler(input) {
        const { login, id } = input.params;
        const body = await changes.inTransaction(input, entry('template.put', login, id), (db) =>
          templatePut(db, login, id, input.body, clock.now()),
        );
        return { status: 200, body };
      },
    }),
    operatorEndpoint({
      method: 'DELETE',
      path: '/projects/:login/templates/:id',
      operation: 'templateRemove',
      summary: 'Removes a template; orders that name it look like the default',
      right: null,
      params: OfTemplate,
      answers: { 204: { description: 'Removed' }, ...unknownTemplate },
      async handler(input) {
        const { login, id } = input.params;
        await changes.inTransaction(input, entry('template.remove', login, id), async (db) => {
          if (!(await templateRemove(db, login, id))) throw refuse('template_unknown');
        });
        return { status: 204, body: null };
      },
    }),
    operatorEndpoint({
      method: 'GET',
      path: '/projects/:login/templates/:id/preview',
      operation: 'templatePreview',
      summary: 'Shows the payment page in a template',
      right: null,
      params: OfTemplate,
      query: Shape({ language: Language }),
      media: 'text/html',
      answers: { ...page, ...unknownTemplate },
      handler: async ({ params: { login, id }, query }) => preview(await found(login, id), query.language),
    }),
    operatorEndpoint({
      method: 'POST',
      path: '/projects/:login/templates/preview',
      operation: 'templateTry',
      summary: 'Shows the payment page in a template that is not stored',
      right: null,
      params: ProjectPath,
      body: Shape({ ...look, language: Language }, { title: 'PageTemplateToTry' }),
      wrongIn: wrongTemplate,
      example: { ...EXAMPLE, language: 'de' },
      media: 'text/html',
      answers: { ...page, ...unknownProject, ...wrong },
      async handler({ params, body: { language, ...template } }) {
        if (!(await projects.byLogin(params.login))) throw projectRefusal('project_unknown');
        return preview(filledTemplate(template), language);
      },
    }),
  ];
}
