// What is answered of a card's spend rules, and of those above it.
import Type, { type TSchema } from 'typebox';
import { Choice, Optional, Shape } from '../../http/index.ts';
import { minorUnits, money, shownText } from '../requests/index.ts';
import { INTERVALS } from '../rules/index.ts';

const flag = Type.Boolean();
const texts = Optional(Type.Array(shownText));
const spendLimit = Shape({ value: money, interval: Choice(INTERVALS) }, { title: 'SpendLimit' });
const cardLimit = Shape(
  {
    allowedMerchantCategories: texts,
    blockedMerchantCategories: texts,
    allowedMerchantIds: texts,
    blockedMerchantIds: texts,
    allowContactless: Optional(flag),
    allowAtm: Optional(flag),
    allowECommerce: Optional(flag),
    allowCashback: Optional(flag),
    allowCreditAuthorisations: Optional(flag),
    spendLimit: Optional(Type.Array(spendLimit)),
    minTransactionAmount: Optional(minorUnits),
    maxTransactionAmount: Optional(minorUnits),
  },
  { title: 'CardLimit' },
);
export const limitsOfLevels: TSchema = Shape({
  cardLevelSpendRules: cardLimit,
  profileLevelSpendRules: cardLimit,
  identityLevelSpendRules: cardLimit,
  platformLevelSpendRules: cardLimit,
  availableToSpend: Type.Array(spendLimit, { description: 'What is left of the strictest limit of each interval.' }),
});
