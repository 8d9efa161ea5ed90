// Projects and what belongs to them, under `/operator/projects`. Rule: a secret stands in the answer that makes it, in no other.
import Type, { type TSchema } from 'typebox';
import {
  type AnyEndpoint,
  Choice,
  CountryCode,
  Currency,
  Digits,
  Duration,
  endpointOf,
  Flag,
  Integer,
  Optional,
  pageLinks,
  Shape,
  Text,
  Token,
} from '../../http/index.ts';
import {
  ALL_RIGHTS,
  credentialCreate,
  credentialList,
  credentialRevoke,
  credentialRotate,
  type CredentialView,
  pricingPut,
  projectCreate,
  projectGet,
  projectList,
  projectPatch,
  ProjectRefusal,
  type ProjectRow,
  settingRules,
  settingsOf,
  settingsPatch,
  terminalGet,
  terminalList,
  terminalPut,
  terminalRemove,
  type TerminalRow,
} from '../projects/index.ts';
import { audited, type Office, type Operator } from './office.ts';

const endpoint = endpointOf<Operator>();
const Login = Text({ max: 64, description: 'Login of the project.' });
const OfProject = Shape({ login: Login });
const OfPart = Shape({ login: Login, id: Text({ max: 64 }) });

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
        Type.Unsafe<unknown>({ type: ['null', 'boolean', 'number', 'string', 'array', 'object'], description: says }),
      ),
    ]),
  ) as Record<string, TSchema>,
  { title: 'Settings' },
);

const Terminal = Shape(
  {
    descriptor: Text({ max: 25, description: "What the cardholder's statement shows." }),
    currencies: Type.Array(Currency(), { minItems: 1, maxItems: 200 }),
    link: Text({ max: 64, description: 'The acquirer link that carries its payments.' }),
    merchant_id: Text({ max: 15 }),
    mcc: Digits({ max: 4 }),
    secure3d: Optional(Choice(['when_needed', 'always'])),
    multicapture: Optional(Flag({ description: 'More than one charge up to the authorized amount.' })),
    cvv_must_match: Optional(Flag({ description: 'A wrong CVV is declined.' })),
    position: Optional(Integer(1, 10_000, { description: 'Rank in the order of preference.' })),
  },
  { title: 'Terminal' },
);

const projectJson = ({ login, name, accounting_currency, active, created_at }: ProjectRow): object => ({
  login,
  name,
  accounting_currency,
  active,
  created_at,
});

const terminalJson = ({ project_id: _project, removed_at: _removed, ...terminal }: TerminalRow): object => terminal;

const unknownProject = { 404: { description: 'No such project' } };
const unknownPart = { 404: { description: 'No such project, or nothing under this id' } };
const wrong = { 422: { description: 'Wrong fields' } };

/** Endpoints for projects, settings, pricing, terminals and credentials. */
export function projectEndpoints(office: Office): AnyEndpoint<Operator>[] {
  const { database, tools, permutation, publicUrl } = office;

  const credentialJson = (credential: CredentialView): object => ({
    ...credential,
    id: permutation.outward(credential.id),
  });
  const credentialId = (text: string): bigint => {
    const id = permutation.inward(text);
    if (id === null) throw new ProjectRefusal('credential_unknown');
    return id;
  };

  return [
    endpoint({
      method: 'POST',
      path: '/projects',
      operation: 'projectCreate',
      summary: 'Makes a project',
      right: null,
      body: Shape({ login: Login, name: Text({ max: 100 }), accounting_currency: Currency() }),
      answers: { 201: { description: 'The project' }, 409: { description: 'The login is taken' }, ...wrong },
      async handler(input) {
        const row = await audited(office, input, 'project.create', input.body.login, (db) =>
          projectCreate(db, tools, input.body),
        );
        return { status: 201, body: projectJson(row), location: `${publicUrl}/operator/projects/${row.login}` };
      },
    }),
    endpoint({
      method: 'GET',
      path: '/projects',
      operation: 'projectList',
      summary: 'Lists projects by login',
      right: null,
      query: Shape({ after: Optional(Login), per_page: Optional(Integer(1, 1000)) }),
      answers: { 200: { description: 'Projects; the Link field leads to the next page' } },
      async handler({ query: { after = '', per_page = 100 } }) {
        const rows = await projectList(database, after, per_page + 1);
        const page = rows.slice(0, per_page);
        const next = rows.length > per_page ? { after: page.at(-1)?.login ?? '' } : null;
        const link = pageLinks({ publicUrl, path: '/operator/projects', query: { per_page }, next });
        return { status: 200, body: { projects: page.map(projectJson) }, link };
      },
    }),
    endpoint({
      method: 'GET',
      path: '/projects/:login',
      operation: 'projectGet',
      summary: 'Shows a project',
      right: null,
      params: OfProject,
      answers: { 200: { description: 'The project' }, ...unknownProject },
      handler: async ({ params }) => ({ status: 200, body: projectJson(await projectGet(database, params.login)) }),
    }),
    endpoint({
      method: 'PATCH',
      path: '/projects/:login',
      operation: 'projectPatch',
      summary: "Changes a project's name, or closes and opens it",
      right: null,
      params: OfProject,
      body: Shape({ name: Optional(Text({ max: 100 })), active: Optional(Flag()) }),
      answers: { 200: { description: 'The project' }, ...unknownProject, ...wrong },
      async handler(input) {
        const { login } = input.params;
        const row = await audited(office, input, 'project.patch', login, (db) => projectPatch(db, login, input.body));
        return { status: 200, body: projectJson(row) };
      },
    }),
    endpoint({
      method: 'GET',
      path: '/projects/:login/settings',
      operation: 'settingsGet',
      summary: 'Shows every setting of a project',
      right: null,
      params: OfProject,
      answers: { 200: { description: 'Settings' }, ...unknownProject },
      handler: async ({ params }) => ({ status: 200, body: settingsOf(await projectGet(database, params.login)) }),
    }),
    endpoint({
      method: 'PATCH',
      path: '/projects/:login/settings',
      operation: 'settingsPatch',
      summary: 'Changes settings; null sets one back to its default',
      right: null,
      params: OfProject,
      body: Settings,
      example: { unlinked_credit: true, capture_delay: '1d', page_attempts: null },
      answers: { 200: { description: 'Every setting' }, ...unknownProject, ...wrong },
      async handler(input) {
        const { login } = input.params;
        const patch = input.body as Record<string, unknown>;
        const row = await audited(
          office,
          input,
          'settings.patch',
          `${login} ${Object.keys(patch).sort().join(',')}`,
          (db) => settingsPatch(db, login, patch),
        );
        return { status: 200, body: settingsOf(row) };
      },
    }),
    endpoint({
      method: 'GET',
      path: '/projects/:login/pricing',
      operation: 'pricingGet',
      summary: 'Shows the pricing plan of a project',
      right: null,
      params: OfProject,
      answers: { 200: { description: 'The plan', schema: Pricing }, ...unknownProject },
      handler: async ({ params }) => ({ status: 200, body: (await projectGet(database, params.login)).pricing }),
    }),
    endpoint({
      method: 'PUT',
      path: '/projects/:login/pricing',
      operation: 'pricingPut',
      summary: 'Sets the pricing plan of a project',
      description:
        'Of the rules that fit an operation the most specific one counts: card type before country, then the first.',
      right: null,
      params: OfProject,
      body: Pricing,
      example: { rules: [{ operation: 'charge', percent: '2.9', fixed: '0.30' }], reserve: { percent: '5', days: 30 } },
      answers: { 200: { description: 'The plan', schema: Pricing }, ...unknownProject, ...wrong },
      async handler(input) {
        const { login } = input.params;
        const row = await audited(office, input, 'pricing.put', login, (db) => pricingPut(db, login, input.body));
        return { status: 200, body: row.pricing };
      },
    }),
    endpoint({
      method: 'GET',
      path: '/projects/:login/terminals',
      operation: 'terminalList',
      summary: 'Lists terminals in the order of preference',
      right: null,
      params: OfProject,
      answers: { 200: { description: 'Terminals' }, ...unknownProject },
      handler: async ({ params }) => ({
        status: 200,
        body: { terminals: (await terminalList(database, params.login)).map(terminalJson) },
      }),
    }),
    endpoint({
      method: 'GET',
      path: '/projects/:login/terminals/:id',
      operation: 'terminalGet',
      summary: 'Shows a terminal',
      right: null,
      params: OfPart,
      answers: { 200: { description: 'The terminal' }, ...unknownPart },
      handler: async ({ params }) => ({
        status: 200,
        body: terminalJson(await terminalGet(database, params.login, params.id)),
      }),
    }),
    endpoint({
      method: 'PUT',
      path: '/projects/:login/terminals/:id',
      operation: 'terminalPut',
      summary: 'Makes a terminal or replaces it whole',
      right: null,
      params: OfPart,
      body: Terminal,
      example: {
        descriptor: 'SHOP*BERLIN',
        currencies: ['EUR'],
        link: 'simulator',
        merchant_id: 'SHOP0001',
        mcc: '5999',
      },
      answers: { 200: { description: 'The terminal' }, ...unknownProject, ...wrong },
      async handler(input) {
        const { login, id } = input.params;
        const terminal = {
          secure3d: 'when_needed' as const,
          multicapture: false,
          cvv_must_match: false,
          ...input.body,
        };
        const row = await audited(office, input, 'terminal.put', `${login}/${id}`, (db) =>
          terminalPut(db, tools, login, id, terminal),
        );
        return { status: 200, body: terminalJson(row) };
      },
    }),
    endpoint({
      method: 'DELETE',
      path: '/projects/:login/terminals/:id',
      operation: 'terminalRemove',
      summary: 'Takes a terminal out of use; its open orders are still served',
      right: null,
      params: OfPart,
      answers: { 204: { description: 'Removed' }, ...unknownPart },
      async handler(input) {
        const { login, id } = input.params;
        await audited(office, input, 'terminal.remove', `${login}/${id}`, (db) => terminalRemove(db, tools, login, id));
        return { status: 204, body: null };
      },
    }),
    endpoint({
      method: 'GET',
      path: '/projects/:login/credentials',
      operation: 'credentialList',
      summary: 'Lists credentials, the latest first; secrets are not shown',
      right: null,
      params: OfProject,
      answers: { 200: { description: 'Credentials' }, ...unknownProject },
      async handler({ params }) {
        const { id } = await projectGet(database, params.login);
        return { status: 200, body: { credentials: (await credentialList(database, tools, id)).map(credentialJson) } };
      },
    }),
    endpoint({
      method: 'POST',
      path: '/projects/:login/credentials',
      operation: 'credentialCreate',
      summary: 'Makes a credential and shows its secret, once',
      right: null,
      params: OfProject,
      body: Shape({
        label: Text({ max: 64, description: 'For people: which program holds it.' }),
        rights: Type.Array(Choice(ALL_RIGHTS as readonly ['read', 'create', 'capture', 'refund', 'payout']), {
          minItems: 1,
          maxItems: 5,
        }),
      }),
      example: { label: 'shop server', rights: ['read', 'create', 'capture', 'refund'] },
      answers: {
        201: { description: 'The credential with its secret' },
        409: { description: 'Too many are valid' },
        ...unknownProject,
        ...wrong,
      },
      async handler(input) {
        const { login } = input.params;
        const made = await audited(office, input, 'credential.create', login, (db) =>
          credentialCreate(db, tools, login, input.body),
        );
        return { status: 201, body: { login, ...credentialJson(made) } };
      },
    }),
    endpoint({
      method: 'POST',
      path: '/projects/:login/credentials/:id/rotate',
      operation: 'credentialRotate',
      summary: 'Makes a new secret; the old one is valid for the overlap',
      right: null,
      params: OfPart,
      body: Shape({ overlap: Optional(Duration({ description: 'At most 30 days; a day by default.' })) }),
      example: { overlap: '1h' },
      answers: {
        201: { description: 'The new credential with its secret' },
        409: { description: 'The old one is not valid' },
        ...unknownPart,
        ...wrong,
      },
      async handler(input) {
        const { login, id } = input.params;
        const { overlap = 86_400_000 } = input.body;
        const made = await audited(office, input, 'credential.rotate', `${login}/${id}`, (db) =>
          credentialRotate(db, tools, login, credentialId(id), overlap),
        );
        return { status: 201, body: { login, ...credentialJson(made) } };
      },
    }),
    endpoint({
      method: 'DELETE',
      path: '/projects/:login/credentials/:id',
      operation: 'credentialRevoke',
      summary: 'Revokes a credential at once',
      right: null,
      params: OfPart,
      answers: { 204: { description: 'Revoked' }, ...unknownPart },
      async handler(input) {
        const { login, id } = input.params;
        await audited(office, input, 'credential.revoke', `${login}/${id}`, (db) =>
          credentialRevoke(db, tools, login, credentialId(id)),
        );
        return { status: 204, body: null };
      },
    }),
  ];
}
