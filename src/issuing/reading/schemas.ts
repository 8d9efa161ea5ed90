// What a list of cards is asked for.
import { PAGE } from '../accounts/index.ts';
import { choice, digits, shape, text } from '../fields/index.ts';

export const CardsQuery = shape({
  ...PAGE,
  profileId: digits({}),
  state: choice(['ACTIVE', 'BLOCKED', 'DESTROYED'], {}),
  mode: choice(['PREPAID_MODE', 'DEBIT_MODE'], {}),
  type: choice(['VIRTUAL', 'PHYSICAL'], {}),
  currency: text({ min: 3, max: 3, pattern: /^[A-Z]{3}$/, exact: true }),
  tag: text({ max: 50, exact: true }),
  friendlyName: text({ max: 50 }),
  externalHandle: text({ max: 50, exact: true }),
  cardNumberFirstSix: text({ min: 6, max: 6, pattern: /^\d+$/, exact: true }),
  cardNumberLastFour: text({ min: 4, max: 4, pattern: /^\d+$/, exact: true }),
  parentManagedAccountId: digits({}),
});
