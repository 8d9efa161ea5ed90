// Spend rules as the contract writes them (docs/contract/issuing.md#card-limit), and who may set them.
// Rule: absent or empty means no restriction; every level applies, the strictest wins.
export const INTERVALS = ['DAILY', 'WEEKLY', 'MONTHLY', 'QUARTERLY', 'YEARLY', 'ALWAYS'] as const;
export type Interval = (typeof INTERVALS)[number];

export interface SpendLimit {
  /** Minor units. */
  readonly value: { readonly currency: string; readonly amount: number };
  readonly interval: Interval;
}

export interface SpendRules {
  readonly allowedMerchantCategories?: readonly string[];
  readonly blockedMerchantCategories?: readonly string[];
  readonly allowedMerchantIds?: readonly string[];
  readonly blockedMerchantIds?: readonly string[];
  readonly allowContactless?: boolean;
  readonly allowAtm?: boolean;
  readonly allowECommerce?: boolean;
  readonly allowCashback?: boolean;
  readonly allowCreditAuthorisations?: boolean;
  readonly spendLimit?: readonly SpendLimit[];
  /** Minor units of the card's currency; 0: no bound. */
  readonly minTransactionAmount?: number;
  readonly maxTransactionAmount?: number;
}

/** From the widest to the narrowest. */
export const LEVELS = ['PLATFORM', 'IDENTITY', 'PROFILE', 'CARD'] as const;
export type Level = (typeof LEVELS)[number];

/** Most live cards: all together, and of single currencies; null: no limit. */
export interface CardLimits {
  readonly total: number | null;
  readonly currencies: Readonly<Record<string, number>>;
}
export const UNLIMITED: CardLimits = { total: null, currencies: {} };
