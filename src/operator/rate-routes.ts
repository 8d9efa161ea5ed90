// Exchange rates as operators load and list them, under `/operator/rates`.
// Rule: a request's rates are stored all or not at all.
import Type from 'typebox';
import { type Clock, dayOf, type Problem, unfit } from '../base/index.ts';
import {
  type Changes,
  Currency,
  Day,
  listAnswer,
  listOf,
  Matching,
  type OperatorEndpoint,
  Optional,
  operatorEndpoint,
  paged,
  paging,
  pagingOf,
  Shape,
  Text,
  Token,
} from '../http/index.ts';
import {
  formatRate,
  parseEcbXml,
  parseRate,
  type RateInput,
  type RateRow,
  type Rates,
  rateListing,
  rateRows,
  ratesAfterOf,
} from '../ledger/index.ts';
import type { Db } from '../store/index.ts';

const currency = Matching('^[A-Z]{3}$', { description: 'ISO 4217.' });
const rate = Shape(
  {
    from: currency,
    to: currency,
    rate: Matching('^\\d+\\.\\d{6}$'),
    day: Matching('^\\d{4}-\\d{2}-\\d{2}$'),
    source: Type.String(),
  },
  { title: 'StoredRate' },
);

const rateJson = ({ from_currency, to_currency, day, micro, source }: RateRow): object => ({
  from: from_currency,
  to: to_currency,
  rate: formatRate(micro),
  day,
  source,
});

const problem = (path: readonly string[], ...details: string[]): Problem => ({
  path,
  message: 'Not allowed',
  details,
});

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

interface Rows {
  /** None while anything is wrong. */
  readonly rows: readonly RateRow[];
  readonly problems: readonly Problem[];
}

const wrong = (...problems: Problem[]): Rows => ({ rows: [], problems });

/** The rows of a request: either its own, or those of the European Central Bank's document. */
async function rowsOf({ rates, ecb_xml, source }: RatesBody, today: string): Promise<Rows> {
  if ((rates === undefined) === (ecb_xml === undefined)) return wrong(problem(['rates'], 'either rates or ecb_xml'));
  const inputs: readonly RateInput[] =
    ecb_xml === undefined
      ? (rates ?? []).map((rate) => ({ ...rate, day: rate.day ?? today }))
      : ((await parseEcbXml(ecb_xml)) ?? []);
  const problems: Problem[] = [];
  if (inputs.length === 0)
    problems.push(problem(['ecb_xml'], "the daily document of the European Central Bank's rates"));
  inputs.forEach(({ from, to, rate }, i) => {
    if (from === to) problems.push(problem(['rates', String(i), 'to'], 'another currency'));
    if (parseRate(rate) === null)
      problems.push(problem(['rates', String(i), 'rate'], 'a decimal above zero with at most ten decimals'));
  });
  if (problems.length > 0) return wrong(...problems);
  const rows = rateRows(inputs, source ?? (ecb_xml === undefined ? 'operator' : 'ECB'));
  return rows ? { rows, problems } : wrong(problem(['ecb_xml'], 'dates and rates'));
}

/** What an operator's requests about rates are served with. */
export interface RatesDesk {
  readonly database: Db;
  readonly rates: Rates;
  readonly clock: Clock;
  /** Without trailing slash. */
  readonly publicUrl: string;
  readonly changes: Changes;
}

export function rateEndpoints({ database, rates, clock, publicUrl, changes }: RatesDesk): OperatorEndpoint[] {
  return [
    operatorEndpoint({
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
    operatorEndpoint({
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
        const { rows, problems } = await rowsOf(input.body, dayOf(now));
        await changes.inTransaction(
          input,
          { owner: null, action: 'rates.load', target: `${rows.length} rates` },
          async (db) => {
            if (problems.length > 0) throw unfit(problems);
            await rates.put(db, rows, now);
          },
          () => rates.reload(now),
        );
        return { status: 200, body: { rates: rows.map(rateJson) } };
      },
    }),
  ];
}
