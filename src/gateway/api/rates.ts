// GET /exchange_rates/ and GET /ping of the contract.
import Type from 'typebox';
import { type Clock, dayOf, formatDateTime } from '../../base/index.ts';
import {
  type AnyEndpoint,
  Choice,
  Currency,
  Day,
  endpointOf,
  listAnswer,
  Matching,
  Optional,
  paged,
  paging,
  pagingOf,
  Shape,
  type Violation,
} from '../../http/index.ts';
import { formatRate, type RateRow, rateListing, ratesAfterOf } from '../../ledger/index.ts';
import type { Db } from '../../store/index.ts';
import type { Credential } from '../projects/index.ts';
import { operationFilters } from './request-schemas.ts';

const endpoint = endpointOf<Credential>();

const query = Shape({
  ...operationFilters,
  date: Optional(Day()),
  date_from: Optional(Day()),
  date_to: Optional(Day()),
  from: Optional(Currency()),
  to: Optional(Currency()),
  ...paging,
});

const PERIOD = ['date_from', 'date_to', 'created_from', 'created_to'];

/** "Filters by a date and by a date period cannot be used at the same time." */
const wrongTogether = (given: Readonly<Record<string, unknown>>): Violation[] =>
  given.date !== undefined && PERIOD.some((name) => given[name] !== undefined)
    ? [
        {
          path: ['date'],
          message: 'Not together with a period',
          attribute: 'exclusive',
          details: ['either a date or a period'],
        },
      ]
    : [];

const rateJson = ({ from_currency, to_currency, micro, day }: RateRow): object => ({
  from: from_currency,
  to: to_currency,
  rate: formatRate(micro),
  date: day,
});

/** A rate has a day and no zone: of a date-time its own day counts, whatever the project's zone. */
const day = (text: string | undefined): string | undefined => text?.slice(0, 10);

const pong = Shape({
  message: Choice(['PONG!']),
  date: Matching('^\\d{4}-\\d{2}-\\d{2} \\d{2}:\\d{2}:\\d{2}$', { description: 'Server time.' }),
});
const currency = Matching('^[A-Z]{3}$', { description: 'ISO 4217.' });
const rate = Shape(
  {
    from: currency,
    to: currency,
    rate: Matching('^\\d+\\.\\d{6}$', { description: 'Decimal with six places.' }),
    date: Matching('^\\d{4}-\\d{2}-\\d{2}$'),
  },
  { title: 'Rate' },
);
const rates = Shape({ exchange_rates: Type.Array(rate) });

export function rateEndpoints(db: Db, clock: Clock, publicUrl: string): AnyEndpoint<Credential>[] {
  return [
    endpoint({
      method: 'GET',
      path: '/ping',
      operation: 'ping',
      summary: 'Connectivity test',
      right: null,
      answers: { 200: { description: 'PONG!', schema: pong } },
      handler: ({ principal }) => ({
        status: 200,
        body: { message: 'PONG!', date: formatDateTime(clock.now(), principal.project.settings.time_zone) },
      }),
    }),
    endpoint({
      method: 'GET',
      path: '/exchange_rates/',
      operation: 'listExchangeRates',
      cost: ({ per_page = 2000 }) => per_page,
      summary: 'Exchange rates, newest day first',
      right: 'read',
      query,
      wrongIn: wrongTogether,
      description:
        'Without a filter the latest rate of each pair; with date the rates of that day; with a period one row a pair and day.',
      answers: { 200: { description: 'A page of rates', schema: rates, ...paged } },
      async handler({ query }) {
        const from = query.date ?? query.date_from ?? day(query.created_from) ?? null;
        const to = query.date ?? query.date_to ?? day(query.created_to) ?? null;
        const latest = from === null && to === null;
        const listing = await rateListing(
          db,
          {
            from,
            to: latest ? dayOf(clock.now()) : to,
            currencyFrom: query.from ?? null,
            currencyTo: query.to ?? null,
            latest,
          },
          pagingOf(query, ratesAfterOf),
        );
        return listAnswer(
          { name: 'exchange_rates', publicUrl, path: '/gateway/exchange_rates/', query },
          { ...listing, rows: listing.rows.map(rateJson) },
        );
      },
    }),
  ];
}
