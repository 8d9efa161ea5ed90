// Shapes of the accounts' requests, and of the pages that lists and statements come in.
import { choice, digits, pathId, queryInteger, shape, text } from '../fields/index.ts';

/** Fields that cards and accounts have in common. */
export const tag = text({
  max: 50,
  pattern: /^[A-Za-z0-9_-]+$/,
  blank: 'REGEX',
  exact: true,
  description: 'Searchable.',
});
export const friendlyName = text({ required: true, min: 1, max: 50, blank: 'HAS_TEXT' });

const CURRENCY = { min: 3, max: 3, pattern: /^[A-Z]{3}$/, blank: 'HAS_TEXT', exact: true } as const;
export const currency = text({ required: true, ...CURRENCY, description: 'ISO 4217.' });
const currencyFilter = text(CURRENCY);

export const AccountBody = shape({
  profileId: digits({ required: true }),
  tag,
  friendlyName,
  currency,
});

/** Offset and limit as the contract's family has them; the created range in milliseconds, both ends in it. */
export const PAGE = {
  offset: queryInteger({ min: 0 }),
  limit: queryInteger({ min: 1, max: 100 }),
  createdFrom: queryInteger({ min: 0 }),
  createdTo: queryInteger({ min: 0 }),
};

export const AccountsQuery = shape({
  ...PAGE,
  profileId: digits({}),
  state: choice(['ACTIVE', 'BLOCKED', 'DESTROYED'], {}),
  currency: currencyFilter,
  tag: text({ max: 50, exact: true }),
  friendlyName: text({ max: 50 }),
});

export const StatementQuery = shape({
  offset: queryInteger({ min: 0 }),
  limit: queryInteger({ min: 1, max: 100 }),
  fromTimestamp: queryInteger({ min: 0 }),
  toTimestamp: queryInteger({ min: 0 }),
  orderByTimestamp: choice(['ASC', 'DESC'], {}),
  format: choice(['json', 'csv'], { description: 'csv, or Accept: text/csv.' }),
});

export const AccountPath = shape({ id: pathId('The account.') });
