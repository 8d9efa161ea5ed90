// What is known of cards and currencies, and which payments are refused: exchange rates, fraud rules, card ranges.
import Type from 'typebox';
import { dayOf } from '../../base/index.ts';
import {
  type AnyEndpoint,
  Choice,
  CountryCode,
  Currency,
  Day,
  Digits,
  endpointOf,
  Flag,
  listAnswer,
  Optional,
  paged,
  paging,
  pagingOf,
  Shape,
  Text,
  Token,
} from '../../http/index.ts';
import {
  formatRate,
  parseEcbXml,
  parseRate,
  type RateInput,
  type RateRow,
  rateListing,
  rateRows,
  ratesAfterOf,
} from '../../ledger/index.ts';
import { type BinRange, binList, binPut, binRemove } from '../../network/index.ts';
import type { Transaction } from '../../store/index.ts';
import { type Problem, type Project, ProjectRefusal } from '../projects/index.ts';
import { CLASSES, type RiskRule } from '../risk/index.ts';
import { OperatorRefusal } from './errors.ts';
import { type Asked, audited, type Office, type Operator } from './office.ts';
import { listOf, range, rate, rule } from './routes-answers.ts';

const endpoint = endpointOf<Operator>();
const Login = Text({ max: 64, description: 'Login of the project.' });
const OfProject = Shape({ login: Login });
const OfRule = Shape({ login: Login, id: Text({ min: 1, max: 64 }) });
const OfRange = Shape({ prefix: Digits({ min: 6, max: 8, description: 'First digits of the card numbers.' }) });

const rateJson = ({ from_currency, to_currency, day, micro, source }: RateRow): object => ({
  from: from_currency,
  to: to_currency,
  rate: formatRate(micro),
  day,
  source,
});

const ruleJson = ({ project_id: _project, ...rule }: RiskRule): object => rule;

const problem = (path: readonly string[], ...details: string[]): Problem => ({ path, message: 'Not allowed', details });

interface RatesBody {
  readonly rates?: readonly {
    readonly from: string;
    readonly to: string;
    readonly rate: string;
    readonly day?: string;
  }[];
  readonly ecb_xml?: string;
  readonly source?: string;
}

/** The rows of a request: either its own, or those of the European Central Bank's document. */
function rowsOf({ rates, ecb_xml, source }: RatesBody, today: string): RateRow[] {
  if ((rates === undefined) === (ecb_xml === undefined)) {
    throw new OperatorRefusal('unfit', [problem(['rates'], 'either rates or ecb_xml')]);
  }
  const inputs: readonly RateInput[] =
    ecb_xml === undefined
      ? (rates ?? []).map((rate) => ({ ...rate, day: rate.day ?? today }))
      : (parseEcbXml(ecb_xml) ?? []);
  const problems: Problem[] = [];
  if (inputs.length === 0)
    problems.push(problem(['ecb_xml'], "the daily document of the European Central Bank's rates"));
  inputs.forEach(({ from, to, rate }, i) => {
    if (from === to) problems.push(problem(['rates', String(i), 'to'], 'another currency'));
    if (parseRate(rate) === null)
      problems.push(problem(['rates', String(i), 'rate'], 'a decimal above zero with at most ten decimals'));
  });
  const rows = problems.length === 0 ? rateRows(inputs, source ?? (ecb_xml === undefined ? 'operator' : 'ECB')) : null;
  if (!rows)
    throw new OperatorRefusal('unfit', problems.length > 0 ? problems : [problem(['ecb_xml'], 'dates and rates')]);
  return rows;
}

/** Endpoints for rates, rules and ranges. */
export function cardEndpoints(office: Office): AnyEndpoint<Operator>[] {
  const { database, rates, risk, projects, clock, publicUrl } = office;

  const projectOf = async (login: string): Promise<Project> => {
    const project = await projects.byLogin(login);
    if (!project) throw new ProjectRefusal('project_unknown');
    return project;
  };

  type AskedOfRule = Asked & { readonly params: { readonly login: string; readonly id: string } };
  /** A change of a project's rules; once it resolves they are in force here. */
  function changeRules<Value>(
    asked: AskedOfRule,
    action: string,
    work: (db: Transaction, project: Project) => Promise<Value>,
  ): Promise<Value> {
    const { login, id } = asked.params;
    return audited(
      office,
      asked,
      action,
      `${login}/${id}`,
      async (db) => work(db, await projectOf(login)),
      async () => {
        const project = await projects.byLogin(login);
        if (project) await risk.reread(project);
      },
    );
  }

  return [
    endpoint({
      method: 'GET',
      path: '/rates',
      operation: 'rateList',
      cost: ({ per_page = 2000 }) => per_page,
      summary: 'Lists exchange rates: the latest of each pair, or those of a period',
      right: null,
      query: Shape({
        from: Optional(Currency()),
        to: Optional(Currency()),
        date_from: Optional(Day()),
        date_to: Optional(Day()),
        ...paging,
      }),
      answers: {
        200: { description: 'Rates', schema: listOf('rates', rate), ...paged },
      },
      async handler({ query }) {
        const { from = null, to = null, date_from = null, date_to = null } = query;
        const latest = date_from === null && date_to === null;
        const listing = await rateListing(
          database,
          {
            from: date_from,
            to: latest ? dayOf(clock.now()) : date_to,
            currencyFrom: from,
            currencyTo: to,
            latest,
          },
          pagingOf(query, ratesAfterOf),
        );
        const path = '/operator/rates';
        return listAnswer({ name: 'rates', publicUrl, path, query }, { ...listing, rows: listing.rows.map(rateJson) });
      },
    }),
    endpoint({
      method: 'POST',
      path: '/rates',
      operation: 'rateLoad',
      summary: 'Loads exchange rates: rows, or the text of the European Central Bank’s daily document',
      description:
        'A pair and day that is there already is replaced. The inverse of a pair is made where none is given.',
      right: null,
      body: Shape({
        rates: Optional(
          Type.Array(
            Shape({
              from: Currency(),
              to: Currency(),
              rate: Token({ max: 21 }),
              day: Optional(Day({ description: 'Today by default.' })),
            }),
            {
              minItems: 1,
              maxItems: 500,
            },
          ),
        ),
        ecb_xml: Optional(Text({ max: 60_000 })),
        source: Optional(Text({ max: 64, description: 'Where the rates come from.' })),
      }),
      example: { rates: [{ from: 'EUR', to: 'USD', rate: '1.0850' }], source: 'treasury' },
      answers: {
        200: { description: 'The rates as they are stored', schema: listOf('rates', rate) },
        422: { description: 'Wrong fields' },
      },
      async handler(input) {
        const now = clock.now();
        const rows = rowsOf(input.body, dayOf(now));
        await audited(
          office,
          input,
          'rates.load',
          `${rows.length} rates`,
          (db) => rates.put(db, rows, now),
          () => rates.reload(now),
        );
        return { status: 200, body: { rates: rows.map(rateJson) } };
      },
    }),
    endpoint({
      method: 'GET',
      path: '/projects/:login/rules',
      operation: 'ruleList',
      summary: "Lists a project's fraud rules",
      right: null,
      params: OfProject,
      answers: {
        200: { description: 'Rules', schema: listOf('rules', rule) },
        404: { description: 'No such project' },
      },
      handler: async ({ params }) => ({
        status: 200,
        body: { rules: (await risk.list(await projectOf(params.login))).map(ruleJson) },
      }),
    }),
    endpoint({
      method: 'PUT',
      path: '/projects/:login/rules/:id',
      operation: 'rulePut',
      summary: 'Makes a fraud rule or replaces it whole',
      right: null,
      params: OfRule,
      body: Shape({
        class: Choice(CLASSES, { description: 'What the merchant is told.' }),
        expression: Text({ min: 1, max: 2000, description: 'A condition in CEL over the payment and its counters.' }),
        action: Choice(['refuse', 'force3d']),
        dry_run: Optional(Flag({ description: 'Record what it would do, and do nothing.' })),
        active: Optional(Flag()),
        name: Optional(Text({ min: 1, max: 100, description: 'For people; the id when left out.' })),
        position: Optional(
          Type.Integer({
            minimum: -1_000_000,
            maximum: 1_000_000,
            description: 'Rules are asked in this order, then by id.',
          }),
        ),
      }),
      answers: {
        200: { description: 'The rule', schema: rule },
        404: { description: 'No such project' },
        422: { description: 'Wrong fields' },
      },
      async handler(input) {
        const { id } = input.params;
        const rule = { id, dry_run: false, active: true, ...input.body };
        const put = await changeRules(input, 'rule.put', async (db, project) => {
          const result = await risk.put(db, { ...rule, project_id: project.id });
          if ('rule' in result) return result.rule;
          throw new OperatorRefusal(
            'unfit',
            result.problems.map(({ field, problem: fault }) => problem([field], fault)),
          );
        });
        return { status: 200, body: ruleJson(put) };
      },
    }),
    endpoint({
      method: 'DELETE',
      path: '/projects/:login/rules/:id',
      operation: 'ruleRemove',
      summary: 'Removes a fraud rule',
      right: null,
      params: OfRule,
      answers: { 204: { description: 'Removed' }, 404: { description: 'No such project or rule' } },
      async handler(input) {
        await changeRules(input, 'rule.remove', async (db, project) => {
          if (!(await risk.remove(db, project, input.params.id))) throw new OperatorRefusal('rule_unknown');
        });
        return { status: 204, body: null };
      },
    }),
    endpoint({
      method: 'GET',
      path: '/bins',
      operation: 'rangeList',
      cost: () => 1000,
      summary: 'Lists card ranges, built in and added, by prefix',
      right: null,
      answers: { 200: { description: 'Ranges', schema: listOf('bins', range) } },
      handler: () => ({ status: 200, body: { bins: binList() } }),
    }),
    endpoint({
      method: 'PUT',
      path: '/bins/:prefix',
      operation: 'rangePut',
      summary: 'Adds a card range, or says something else of a known one',
      right: null,
      params: OfRange,
      body: Shape({
        brand: Text({ min: 1, max: 32, description: 'Lower case.' }),
        subtype: Text({ min: 1, max: 32, description: 'Lower case: the product.' }),
        title: Optional(Text({ min: 1, max: 100, description: 'The issuing bank.' })),
        country: Optional(CountryCode()),
        own: Optional(Flag({ description: 'Issued by our own issuing side.' })),
      }),
      answers: { 200: { description: 'The range', schema: range }, 422: { description: 'Wrong fields' } },
      async handler(input) {
        const { prefix } = input.params;
        const { brand, subtype, title = null, country = null, own = false } = input.body;
        const problems = Object.entries({ brand, subtype }).flatMap(([name, text]) =>
          /^[a-z0-9][a-z0-9 _-]*$/.test(text) ? [] : [problem([name], 'a lower-case name')],
        );
        const range: BinRange = { prefix, brand, subtype, title, country, own };
        await audited(office, input, 'range.put', prefix, (db) => {
          if (problems.length > 0) throw new OperatorRefusal('unfit', problems);
          return binPut(db, range, clock.now());
        });
        return { status: 200, body: range };
      },
    }),
    endpoint({
      method: 'DELETE',
      path: '/bins/:prefix',
      operation: 'rangeRemove',
      summary: 'Takes back what was said of a card range',
      right: null,
      params: OfRange,
      answers: { 204: { description: 'Removed' }, 404: { description: 'Nothing was added under this prefix' } },
      async handler(input) {
        const { prefix } = input.params;
        await audited(office, input, 'range.remove', prefix, async (db) => {
          if (!(await binRemove(db, prefix))) throw new OperatorRefusal('range_unknown');
        });
        return { status: 204, body: null };
      },
    }),
  ];
}
