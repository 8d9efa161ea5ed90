// How a project's payment pages look, and links to them, under `/operator/projects/:login`.
// Rule: an address of a payment page stands in the answer that makes it, in no other and in no audit row.
import Type from 'typebox';
import {
  Amount,
  type Answer,
  type AnyEndpoint,
  Choice,
  Currency,
  Duration,
  endpointOf,
  Flag,
  Optional,
  Shape,
  Text,
  Token,
  type Violation,
  WebAddress,
} from '../../http/index.ts';
import { ProjectRefusal } from '../projects/index.ts';
import {
  FIELD_NAMES,
  filledTemplate,
  MAX_RADIUS,
  type PageTemplate,
  type StoredTemplate,
  templateGet,
  templateList,
  templateProblems,
  templatePut,
  templateRemove,
} from '../templates/index.ts';
import { OperatorRefusal } from './errors.ts';
import { audited, auditedCommand, type Office, type Operator } from './office.ts';
import { qrSvg } from './qr.ts';
import { listedTemplate, listOf, paymentLink, template } from './routes-answers.ts';

const endpoint = endpointOf<Operator>();
const Login = Text({ max: 64, description: 'Login of the project.' });
const OfProject = Shape({ login: Login });
const OfTemplate = Shape({ login: Login, id: Text({ max: 64, description: 'Id of the template.' }) });
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

const Link = Shape(
  {
    amount: Optional(Amount({ zero: true, description: 'Required, greater than zero, unless static_link is set.' })),
    currency: Currency(),
    description: Optional(Text({ max: 1000, description: 'What is paid for; the payer reads it.' })),
    merchant_order_id: Optional(Token()),
    language: Language,
    template: Optional(Token({ max: 64, description: 'Id of a template of the project.' })),
    return_url: Optional(WebAddress({ description: 'Where the payer goes afterwards.' })),
    static_link: Optional(
      Flag({ description: 'One address, an order for each payer; without amount each payer enters one.' }),
    ),
    expiration_timeout: Optional(Duration({ description: 'How long the address is good; an hour by default.' })),
  },
  { title: 'PaymentLink' },
);

const wrongTemplate = ({ language: _, ...given }: Readonly<Record<string, unknown>>): Violation[] =>
  templateProblems(given);

/** Without amount there is a payer who enters it. */
function wrongLink({ amount, static_link }: Readonly<Record<string, unknown>>): Violation[] {
  const isZero = typeof amount === 'string' && /^0(\.0{1,2})?$/.test(amount);
  if (static_link === true || static_link === '1' || !(amount === undefined || isZero)) return [];
  const details = ['an amount greater than zero, or static_link'];
  return [{ path: ['amount'], message: isZero ? 'Not allowed' : 'Required', attribute: 'required', details }];
}

/** In a list it is enough to know that there is a picture. */
const listed = ({ logo, ...template }: StoredTemplate): object => ({ ...template, has_logo: logo !== null });

const unknownProject = { 404: { description: 'No such project' } };
const unknownTemplate = { 404: { description: 'No such project, or no template under this id' } };
const wrong = { 422: { description: 'Wrong fields' } };
const page = { 200: { description: 'The payment page, of an order that is none' } };

/** Endpoints for templates and payment links. */
export function pageEndpoints(office: Office): AnyEndpoint<Operator>[] {
  const { database, projects, clock, previewPage, createLink } = office;

  const found = async (login: string, id: string): Promise<StoredTemplate> => {
    const template = await templateGet(database, login, id);
    if (!template) throw new OperatorRefusal('template_unknown');
    return template;
  };
  const preview = (template: PageTemplate, language = 'en'): Answer => {
    const { html, headers } = previewPage(template, language);
    return { status: 200, body: html, headers: { 'content-type': 'text/html; charset=utf-8', ...headers } };
  };

  return [
    endpoint({
      method: 'GET',
      path: '/projects/:login/templates',
      operation: 'templateList',
      summary: 'Lists templates of the payment page by id; logos are not shown',
      right: null,
      params: OfProject,
      answers: { 200: { description: 'Templates', schema: listOf('templates', listedTemplate) }, ...unknownProject },
      handler: async ({ params }) => ({
        status: 200,
        body: { templates: (await templateList(database, params.login)).map(listed) },
      }),
    }),
    endpoint({
      method: 'GET',
      path: '/projects/:login/templates/:id',
      operation: 'templateGet',
      summary: 'Shows a template',
      right: null,
      params: OfTemplate,
      answers: { 200: { description: 'The template, every field of it', schema: template }, ...unknownTemplate },
      handler: async ({ params: { login, id } }) => ({ status: 200, body: await found(login, id) }),
    }),
    endpoint({
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
        const body = await audited(office, input, 'template.put', `${login}/${id}`, (db) =>
          templatePut(db, login, id, input.body, clock.now()),
        );
        return { status: 200, body };
      },
    }),
    endpoint({
      method: 'DELETE',
      path: '/projects/:login/templates/:id',
      operation: 'templateRemove',
      summary: 'Removes a template; orders that name it look like the default',
      right: null,
      params: OfTemplate,
      answers: { 204: { description: 'Removed' }, ...unknownTemplate },
      async handler(input) {
        const { login, id } = input.params;
        await audited(office, input, 'template.remove', `${login}/${id}`, async (db) => {
          if (!(await templateRemove(db, login, id))) throw new OperatorRefusal('template_unknown');
        });
        return { status: 204, body: null };
      },
    }),
    endpoint({
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
    endpoint({
      method: 'POST',
      path: '/projects/:login/templates/preview',
      operation: 'templateTry',
      summary: 'Shows the payment page in a template that is not stored',
      right: null,
      params: OfProject,
      body: Shape({ ...look, language: Language }, { title: 'PageTemplateToTry' }),
      wrongIn: wrongTemplate,
      example: { ...EXAMPLE, language: 'de' },
      media: 'text/html',
      answers: { ...page, ...unknownProject, ...wrong },
      async handler({ params, body: { language, ...template } }) {
        if (!(await projects.byLogin(params.login))) throw new ProjectRefusal('project_unknown');
        return preview(filledTemplate(template), language);
      },
    }),
    endpoint({
      method: 'POST',
      path: '/projects/:login/links',
      operation: 'linkCreate',
      summary: 'Makes an order and the address of its payment page, to be sent or shown as a picture',
      description: 'The address is told once. `qr_svg` is the address as a QR code.',
      right: null,
      params: OfProject,
      body: Link,
      wrongIn: wrongLink,
      example: { amount: 49.9, currency: 'EUR', description: 'Invoice 1001', expiration_timeout: '7d' },
      answers: {
        201: {
          description: 'The order, its address, and the address as a picture',
          headers: { Location: 'Payment page' },
          schema: paymentLink,
        },
        409: { description: 'The project is closed' },
        ...unknownProject,
        ...wrong,
      },
      async handler(input) {
        const { login } = input.params;
        const made = await auditedCommand(office, input, 'link.create', login, async (committer) => {
          const project = await projects.byLogin(login);
          if (!project) throw new ProjectRefusal('project_unknown');
          if (!project.active) throw new OperatorRefusal('project_closed');
          const result = await createLink(committer, project, input.body);
          if ('problems' in result) throw new OperatorRefusal('unfit', result.problems);
          return result;
        });
        return { status: 201, body: { ...made, qr_svg: qrSvg(made.url) }, location: made.url };
      },
    }),
  ];
}
