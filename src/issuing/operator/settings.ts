// What each setting of tenants, programmes, profiles and identities may be. Rule: a setting exists when it stands here; null is its default.
import type { TSchema } from 'typebox';
import { isUsableCurrency } from '../../base/index.ts';
import {
  amount as amountField,
  choice,
  flag,
  type InvalidField,
  integer,
  invalidFields,
  list,
  object,
  ruleOf,
  text,
} from '../fields/index.ts';
import { INTERVALS } from '../rules/index.ts';
import { BRANDS, CHANNELS_3DS, DELIVERY_METHODS, KYC_LEVELS, MODES, OWNER_TYPES } from '../tenants/index.ts';

const COUNTRY = /^[A-Z]{2}$/;
const CURRENCY = /^[A-Z]{3}$/;
const PERCENT = /^\d{1,2}(\.\d{1,4})?$/;
const WEB = /^https?:\/\/[^\s"'<>\\]{1,500}$/;

const name = text({ required: true, max: 100, blank: 'HAS_TEXT', exact: true });
const country = text({ required: true, max: 2, pattern: COUNTRY, exact: true });
const currency = text({
  required: true,
  max: 3,
  pattern: CURRENCY,
  exact: true,
  also: (value) => (isUsableCurrency(String(value)) ? null : 'NOT_IN'),
});
const count = integer({ min: 0, max: 1_000_000_000_000 });
const amount = amountField({ min: 0 });
const percent = text({ max: 7, pattern: PERCENT, exact: true });

/** A map of free names: checked by the entries that it has. */
const isMap =
  (key: (name: string) => boolean, value: (value: unknown) => boolean) =>
  (given: unknown): 'REGEX' | null =>
    Object.entries(given ?? {}).every(([entry, held]) => key(entry) && value(held)) ? null : 'REGEX';
const isCount = (value: unknown): boolean => Number.isSafeInteger(value) && (value as number) >= 0;

const cardLimits = object({ total: count, currencies: object({}, { also: isMap(isUsableCurrency, isCount) }) }, {});
const countries = object({ allowed: list(country, { max: 300 }), excluded: list(country, { max: 300 }) }, {});

const category = text({ required: true, max: 4, pattern: /^\d{4}$/, exact: true });
const merchant = text({ required: true, max: 50, blank: 'REGEX', exact: true });

/** As the cards' own rules, for the levels above them. */
const rules = object(
  {
    allowedMerchantCategories: list(category, { max: 1000 }),
    blockedMerchantCategories: list(category, { max: 1000 }),
    allowedMerchantIds: list(merchant, { max: 1000 }),
    blockedMerchantIds: list(merchant, { max: 1000 }),
    allowContactless: flag({}),
    allowAtm: flag({}),
    allowECommerce: flag({}),
    allowCashback: flag({}),
    allowCreditAuthorisations: flag({}),
    spendLimit: list(
      object(
        {
          value: object({ currency, amount: amountField({ required: true, min: 0 }) }, { required: true }),
          interval: choice(INTERVALS, { required: true }),
        },
        {},
      ),
      { max: 60 },
    ),
    minTransactionAmount: amount,
    maxTransactionAmount: amount,
  },
  {},
);

const channels = list(choice(CHANNELS_3DS, { required: true }), { max: 3 });
const kyc = object({ cards: count, debitCards: flag({}), rules }, {});

const ofInstallation = object({ cardLimits, rules }, {});
const ofTenant = object(
  {
    cardLimits,
    pciScoped: flag({}),
    strictParentAccount: flag({}),
    prepaidSpendLimits: flag({}),
    authenticatorAlias: text({ max: 40, pattern: /^[A-Z][A-Z_]{2,39}$/, exact: true }),
    forwarding: object(
      {
        url: text({ required: true, max: 510, pattern: WEB, exact: true, description: 'Asked about each payment.' }),
        secret: text({
          required: true,
          min: 24,
          max: 200,
          exact: true,
          description: 'whsec_ and Base64; signs what is asked. Never shown.',
        }),
      },
      {},
    ),
    webhookUrl: text({ max: 510, pattern: WEB, exact: true }),
    availability: choice(['up', 'maintenance', 'failing'], {}),
    rateLimit: object(
      {
        perSecond: integer({ required: true, min: 1, max: 10_000 }),
        burst: integer({ required: true, min: 1, max: 100_000 }),
      },
      {
        also: (value) => {
          const { perSecond, burst } = (value ?? {}) as { perSecond?: number; burst?: number };
          return perSecond !== undefined && burst !== undefined && burst < perSecond ? 'RANGE' : null;
        },
      },
    ),
  },
  {},
);
const ofProgramme = object(
  {
    cardLimits,
    countries,
    authForwarding: flag({}),
    biometrics: flag({}),
    externalAuthy: flag({}),
    uniqueMobile: flag({}),
    kyc: object(Object.fromEntries(KYC_LEVELS.map((level) => [level, kyc])), {}),
  },
  {},
);
const ofProfile = object(
  {
    mode: choice(MODES, {}),
    ownerType: choice(OWNER_TYPES, {}),
    currencies: list(currency, { max: 200 }),
    providers: list(choice(BRANDS, { required: true }), { max: 2 }),
    routing: list(
      object(
        {
          currency: text({ max: 3, pattern: CURRENCY, exact: true }),
          country: text({ max: 2, pattern: COUNTRY, exact: true }),
          provider: choice(BRANDS, { required: true }),
        },
        {},
      ),
      { max: 500 },
    ),
    ranges: object(Object.fromEntries(BRANDS.map((brand) => [brand, text({ max: 50, exact: true })])), {}),
    countries,
    wallets: object(
      {
        enabled: flag({ required: true }),
        pushProvisioning: flag({ required: true }),
        artworks: list(name, { required: true, max: 100 }),
        defaultArtwork: text({ max: 100, exact: true }),
      },
      {},
    ),
    threeDs: object(
      {
        required: flag({ required: true }),
        primaryChannels: channels,
        fallbackChannels: channels,
        frictionlessBelow: amount,
      },
      {},
    ),
    authForwarding: flag({}),
    forwardingDefault: choice(['APPROVE', 'DECLINE'], {}),
    physical: object(
      {
        products: list(name, { required: true, max: 100 }),
        carriers: list(name, { required: true, max: 100 }),
        deliveryMethods: list(choice(DELIVERY_METHODS, { required: true }), { required: true, max: 4 }),
      },
      {},
    ),
    physicalByDefault: flag({}),
    expiryPeriodMonths: integer({ min: 1, max: 120 }),
    renewal: choice(['AUTO_RENEW', 'NO_RENEW'], {}),
    holdDays: object(
      {
        final: integer({ required: true, min: 1, max: 60 }),
        preAuthorization: integer({ required: true, min: 1, max: 60 }),
        categories: object(
          {},
          {
            required: true,
            also: isMap(
              (mcc) => /^\d{4}$/.test(mcc),
              (days) => isCount(days) && (days as number) <= 60,
            ),
          },
        ),
      },
      {},
    ),
    fees: object({ purchasePercent: percent, atmFixed: amount, fxPercent: percent, paddingPercent: percent }, {}),
    rules,
    // A setting of its own: null takes it back to its default.
    atmDailyLimit: integer({ min: 0 }),
  },
  {},
);
const ofIdentity = object({ cardLimits, rules, country: text({ max: 2, pattern: COUNTRY, exact: true }) }, {});

export const SETTINGS = {
  installation: ofInstallation,
  tenant: ofTenant,
  programme: ofProgramme,
  profile: ofProfile,
  identity: ofIdentity,
} as const satisfies Readonly<Record<string, TSchema>>;

export type SettingsOf = keyof typeof SETTINGS;

export const settingNames = (of: SettingsOf): readonly string[] => Object.keys(ruleOf(SETTINGS[of]).properties ?? {});

/** Names that no setting has, at any depth; a map of free names has judged its own. */
function unknownNames(schema: TSchema, value: unknown, path: readonly string[]): InvalidField[] {
  const { properties = {}, items } = ruleOf(schema);
  if (items && Array.isArray(value))
    return value.flatMap((element, i) => unknownNames(items, element, [...path, String(i)]));
  if (typeof value !== 'object' || value === null || Object.keys(properties).length === 0) return [];
  return Object.entries(value).flatMap(([member, held]): InvalidField[] => {
    const child = Object.hasOwn(properties, member) ? properties[member] : undefined;
    return child ? unknownNames(child, held, [...path, member]) : [{ path: [...path, member], error: 'NOT_IN' }];
  });
}

/** Every wrong setting, also names that don't exist. null is always right: it stands for the default. */
export const settingProblems = (of: SettingsOf, given: object): InvalidField[] => [
  ...invalidFields(SETTINGS[of], given),
  ...unknownNames(SETTINGS[of], given, []),
];

/** The settings as they are kept after a change: null takes one back to its default. Maps and lists are replaced whole. */
export function settingsAfter<Settings extends object>(kept: Partial<Settings>, given: object): Partial<Settings> {
  return Object.fromEntries(
    Object.entries({ ...kept, ...given }).filter(([, value]) => value !== null),
  ) as Partial<Settings>;
}
