// Spend rules as the API shows them (docs/contract/issuing.md#card-limit).
import { shown } from '../fields/index.ts';
import type { SpendRules } from './model.ts';

const MEMBERS = [
  'allowedMerchantCategories',
  'blockedMerchantCategories',
  'allowedMerchantIds',
  'blockedMerchantIds',
  'allowContactless',
  'allowAtm',
  'allowECommerce',
  'allowCashback',
  'allowCreditAuthorisations',
  'spendLimit',
  'minTransactionAmount',
  'maxTransactionAmount',
] as const satisfies readonly (keyof SpendRules)[];

export const rulesView = ({ spendLimit, ...rules }: SpendRules): object =>
  shown<SpendRules>(MEMBERS, {
    ...rules,
    ...(spendLimit
      ? {
          spendLimit: spendLimit.map(({ value: { currency, amount }, interval }) => ({
            value: { currency, amount },
            interval,
          })),
        }
      : {}),
  });
