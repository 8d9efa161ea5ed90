// What is known of card numbers by their first digits: ranges built in and added.
import { type Clock, refuserOf, unfit } from '../base/index.ts';
import {
  type Changes,
  CountryCode,
  Digits,
  Flag,
  listOf,
  type OperatorEndpoint,
  Optional,
  operatorEndpoint,
  Shape,
  Text,
} from '../http/index.ts';
import { type BinRange, binList, binPut, binRemove, binsLoad } from '../network/index.ts';
import type { Db } from '../store/index.ts';
import { range } from './schemas.ts';

const refuse = refuserOf({ range_unknown: ['not_found', 'No such range was added'] });
const OfRange = Shape({ prefix: Digits({ min: 6, max: 8, description: 'First digits of the card numbers.' }) });

export interface RangesDesk {
  readonly database: Db;
  readonly changes: Changes;
  readonly clock: Clock;
}

export function rangeEndpoints({ database, changes, clock }: RangesDesk): OperatorEndpoint[] {
  const change: Changes['inTransaction'] = (asks, entry, work) =>
    changes.inTransaction(asks, entry, work, () => binsLoad(database));
  return [
    operatorEndpoint({
      method: 'GET',
      path: '/bins',
      operation: 'rangeList',
      cost: () => 1000,
      summary: 'Lists card ranges, built in and added, by prefix',
      right: null,
      answers: { 200: { description: 'Ranges', schema: listOf('bins', range) } },
      handler: () => ({ status: 200, body: { bins: binList() } }),
    }),
    operatorEndpoint({
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
          /^[a-z0-9][a-z0-9 _-]*$/.test(text)
            ? []
            : [{ path: [name], message: 'Not allowed', details: ['a lower-case name'] }],
        );
        const range: BinRange = { prefix, brand, subtype, title, country, own };
        await change(input, { owner: null, action: 'range.put', target: prefix }, async (db) => {
          if (problems.length > 0) throw unfit(problems);
          await binPut(db, range, clock.now());
        });
        return { status: 200, body: range };
      },
    }),
    operatorEndpoint({
      method: 'DELETE',
      path: '/bins/:prefix',
      operation: 'rangeRemove',
      summary: 'Takes back what was said of a card range',
      right: null,
      params: OfRange,
      answers: { 204: { description: 'Removed' }, 404: { description: 'Nothing was added under this prefix' } },
      async handler(input) {
        const { prefix } = input.params;
        await change(input, { owner: null, action: 'range.remove', target: prefix }, async (db) => {
          if (!(await binRemove(db, prefix))) throw refuse('range_unknown');
        });
        return { status: 204, body: null };
      },
    }),
  ];
}
