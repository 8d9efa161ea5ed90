// Projects with their settings and pricing, under `/operator/projects`.
import Type, { type TSchema } from 'typebox';
import {
  Choice,
  CountryCode,
  Currency,
  Flag,
  Integer,
  listOf,
  type OperatorEndpoint,
  Optional,
  operatorEndpoint,
  pageLinks,
  Shape,
  Text,
  Token,
} from '../../http/index.ts';
import { accessEndpoints, type ProjectChange, type ProjectsDesk } from './access-operator-routes.ts';
import {
  pricingPut,
  projectCreate,
  projectGet,
  projectList,
  projectPatch,
  settingsOf,
  settingsPatch,
} from './manage.ts';
import { ownerNamed } from './projects.ts';
import type { ProjectRow } from './queries.ts';
import { ProjectLogin, ProjectPath, project, settings } from './schemas.ts';
import { settingRules } from './setting-rules.ts';
import { defaultSettings } from './settings.ts';

const OPERATIONS = ['authorize', 'charge', 'reverse', 'refund', 'credit', 'chargeback'] as const;
const Decimal = (description: string): ReturnType<typeof Token> => Token({ max: 16, description });
const Pricing = Shape(
  {
    rules: Type.Array(
      Shape({
        operation: Choice(OPERATIONS),
        card_type: Optional(Text({ max: 32, description: 'Lower-case brand; absent: any card.' })),
        country: Optional(CountryCode({ description: "The issuer's country; absent: any." })),
        percent: Decimal('Percentage of the amount.'),
        fixed: Decimal('Added to it, in the accounting currency.'),
        min: Optional(Decimal('Least fee.')),
        max: Optional(Decimal('Greatest fee.')),
      }),
      { maxItems: 200 },
    ),
    reserve: Shape({ percent: Decimal('Kept back of each charge.'), days: Integer(1, 366) }),
  },
  { title: 'Pricing' },
);

/** Values are judged by the settings' own rules; null is a value here. */
const Settings = Shape(
  Object.fromEntries(
    Object.entries(settingRules).map(([name, { says }]) => [
      name,
      Optional(
        Type.Unsafe<unknown>({
          type: ['null', 'boolean', 'number', 'string', 'array', 'object'],
          items: {},
          description: says,
        }),
      ),
    ]),
  ) as Record<string, TSchema>,
  { title: 'Settings' },
);

const projectJson = ({ login, name, accounting_currency, active, created_at }: ProjectRow) => ({
  login,
  name,
  accounting_currency,
  active,
  created_at,
});

const unknownProject = { 404: { description: 'No such project' } };
const wrong = { 422: { description: 'Wrong fields' } };

/** Endpoints for projects with their settings, pricing, terminals and credentials. */
export function projectOperatorEndpoints(desk: ProjectsDesk): OperatorEndpoint[] {
  const { changes, projects } = desk;
  // Once a change resolves it is in force here; where memory could not be read, it is read before it is used again.
  const change: ProjectChange = (asks, { login, ...told }, work) =>
    changes.inTransaction(asks, { ...told, owner: login === null ? null : ownerNamed(projects, login) }, work, () =>
      projects.refresh(),
    );
  return [...projectEndpoints(desk, change), ...accessEndpoints(desk, change)];
}

function projectEndpoints(
  { database, tools, publicUrl, tellSetup }: ProjectsDesk,
  change: ProjectChange,
): OperatorEndpoint[] {
  return [
    operatorEndpoint({
      method: 'POST',
      path: '/projects',
      operation: 'projectCreate',
      summary: 'Makes a project',
      right: null,
      body: Shape({ login: ProjectLogin, name: Text({ max: 100 }), accounting_currency: Currency() }),
      answers: {
        201: { description: 'The project', schema: project, headers: { Location: 'The project' } },
        409: { description: 'The login is taken' },
        ...wrong,
      },
      async handler(input) {
        const row = await change(
          input,
          { login: null, action: 'project.create', target: input.body.login },
          async (db) => {
            const made = await projectCreate(db, tools, input.body);
            await tellSetup(db, { project: made.login }, null, projectJson(made));
            return made;
          },
        );
        return { status: 201, body: projectJson(row), location: `${publicUrl}/operator/projects/${row.login}` };
      },
    }),
    operatorEndpoint({
      method: 'GET',
      path: '/projects',
      operation: 'projectList',
      cost: ({ per_page = 100 }) => per_page,
      summary: 'Lists projects by login',
      right: null,
      query: Shape({ after: Optional(ProjectLogin), per_page: Optional(Integer(1, 1000)) }),
      answers: {
        200: {
          description: 'Projects by login',
          schema: listOf('projects', project),
          mayHave: { Link: 'next (RFC 8288)' },
        },
      },
      async handler({ query: { after = '', per_page = 100 } }) {
        const rows = await projectList(database, after, per_page + 1);
        const page = rows.slice(0, per_page);
        const next = rows.length > per_page ? { after: page.at(-1)?.login ?? '' } : null;
        const link = pageLinks({ publicUrl, path: '/operator/projects', query: { per_page }, next });
        return { status: 200, body: { projects: page.map(projectJson) }, link };
      },
    }),
    operatorEndpoint({
      method: 'GET',
      path: '/projects/:login',
      operation: 'projectGet',
      summary: 'Shows a project',
      right: null,
      params: ProjectPath,
      answers: { 200: { description: 'The project', schema: project }, ...unknownProject },
      handler: async ({ params }) => ({ status: 200, body: projectJson(await projectGet(database, params.login)) }),
    }),
    operatorEndpoint({
      method: 'PATCH',
      path: '/projects/:login',
      operation: 'projectPatch',
      summary: "Changes a project's name, or closes and opens it",
      right: null,
      params: ProjectPath,
      body: Shape({ name: Optional(Text({ max: 100 })), active: Optional(Flag()) }),
      answers: { 200: { description: 'The project', schema: project }, ...unknownProject, ...wrong },
      async handler(input) {
        const { login } = input.params;
        const row = await change(input, { login, action: 'project.patch', target: login }, async (db) => {
          const before = await projectGet(db, login);
          const patched = await projectPatch(db, login, input.body);
          await tellSetup(db, { project: login }, projectJson(before), projectJson(patched));
          return patched;
        });
        return { status: 200, body: projectJson(row) };
      },
    }),
    operatorEndpoint({
      method: 'GET',
      path: '/project-settings',
      operation: 'settingsDefault',
      summary: 'Shows what every setting of a project is by default',
      right: null,
      answers: { 200: { description: 'Settings', schema: settings } },
      handler: () => ({ status: 200, body: defaultSettings }),
    }),
    operatorEndpoint({
      method: 'GET',
      path: '/projects/:login/settings',
      operation: 'settingsGet',
      summary: 'Shows every setting of a project',
      right: null,
      params: ProjectPath,
      answers: { 200: { description: 'Settings', schema: settings }, ...unknownProject },
      handler: async ({ params }) => ({ status: 200, body: settingsOf(await projectGet(database, params.login)) }),
    }),
    operatorEndpoint({
      method: 'PATCH',
      path: '/projects/:login/settings',
      operation: 'settingsPatch',
      summary: 'Changes settings; null sets one back to its default',
      right: null,
      params: ProjectPath,
      body: Settings,
      example: { unlinked_credit: true, capture_delay: '1d', page_attempts: null },
      answers: { 200: { description: 'Every setting', schema: settings }, ...unknownProject, ...wrong },
      async handler(input) {
        const { login } = input.params;
        const patch = input.body as Record<string, unknown>;
        const row = await change(
          input,
          { login, action: 'settings.patch', target: `${login} ${Object.keys(patch).sort().join(',')}` },
          (db) => settingsPatch(db, login, patch),
        );
        return { status: 200, body: settingsOf(row) };
      },
    }),
    operatorEndpoint({
      method: 'GET',
      path: '/projects/:login/pricing',
      operation: 'pricingGet',
      summary: 'Shows the pricing plan of a project',
      right: null,
      params: ProjectPath,
      answers: { 200: { description: 'The plan', schema: Pricing }, ...unknownProject },
      handler: async ({ params }) => ({ status: 200, body: (await projectGet(database, params.login)).pricing }),
    }),
    operatorEndpoint({
      method: 'PUT',
      path: '/projects/:login/pricing',
      operation: 'pricingPut',
      summary: 'Sets the pricing plan of a project',
      description:
        'Of the rules that fit an operation the most specific one counts: card type before country, then the first.',
      right: null,
      params: ProjectPath,
      body: Pricing,
      example: { rules: [{ operation: 'charge', percent: '2.9', fixed: '0.30' }], reserve: { percent: '5', days: 30 } },
      answers: { 200: { description: 'The plan', schema: Pricing }, ...unknownProject, ...wrong },
      async handler(input) {
        const { login } = input.params;
        const row = await change(input, { login, action: 'pricing.put', target: login }, (db) =>
          pricingPut(db, login, input.body),
        );
        return { status: 200, body: row.pricing };
      },
    }),
  ];
}
