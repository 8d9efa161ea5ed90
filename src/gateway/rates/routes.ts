// GET /exchange_rates/ and GET /ping of the contract.
import { type Clock, formatDateTime } from '../../base/index.ts';
import {
  type AnyEndpoint,
  Currency,
  DateTime,
  Day,
  endpointOf,
  invalid,
  List,
  Optional,
  Shape,
} from '../../http/index.ts';
import { formatRate, type RateRow, ratesBetween, ratesLatest } from '../../ledger/index.ts';
import type { Db } from '../../store/index.ts';
import type { Credential } from '../projects/index.ts';

const endpoint = endpointOf<Credential>();

const query = Shape({
  expand: Optional(List()),
  status: Optional(List()),
  type: Optional(List()),
  created_from: Optional(DateTime()),
  created_to: Optional(DateTime()),
  date: Optional(Day()),
  date_from: Optional(Day()),
  date_to: Optional(Day()),
  from: Optional(Currency()),
  to: Optional(Currency()),
});

export function rateEndpoints(db: Db, clock: Clock): AnyEndpoint<Credential>[] {
  return [
    endpoint({
      method: 'GET',
      path: '/ping',
      operation: 'ping',
      summary: 'Connectivity test',
      right: null,
      answers: { 200: { description: 'PONG!' } },
      handler: ({ principal }) => ({
        status: 200,
        body: { message: 'PONG!', date: formatDateTime(clock.now(), principal.project.settings.time_zone) },
      }),
    }),
    endpoint({
      method: 'GET',
      path: '/exchange_rates/',
      operation: 'listExchangeRates',
      summary: 'Exchange rates',
      right: 'read',
      query,
      description:
        'Without a filter the latest rate of each pair; with date the rates of that day; with a period one row a pair and day.',
      answers: { 200: { description: 'Rates' } },
      async handler({ query }) {
        // A rate has a day and no zone: of a date-time its own day counts, whatever the project's zone.
        const day = (text: string | undefined): string | undefined => text?.slice(0, 10);
        const from = query.date_from ?? day(query.created_from);
        const to = query.date_to ?? day(query.created_to);
        if (query.date !== undefined && (from !== undefined || to !== undefined)) {
          throw invalid({
            message: 'Not together with a period',
            uri: '#/date',
            attribute: 'exclusive',
            details: ['either a date or a period'],
          });
        }
        const currencies = { currencyFrom: query.from ?? null, currencyTo: query.to ?? null };
        const rows =
          query.date !== undefined
            ? await ratesBetween(db, { from: query.date, to: query.date, ...currencies })
            : from !== undefined || to !== undefined
              ? await ratesBetween(db, { from: from ?? null, to: to ?? null, ...currencies })
              : (await ratesLatest(db, clock.now().toISOString().slice(0, 10))).filter(
                  (row) =>
                    (!query.from || row.from_currency === query.from) && (!query.to || row.to_currency === query.to),
                );
        return {
          status: 200,
          body: {
            exchange_rates: rows.map((row: RateRow) => ({
              from: row.from_currency,
              to: row.to_currency,
              rate: formatRate(row.micro),
            })),
          },
        };
      },
    }),
  ];
}
