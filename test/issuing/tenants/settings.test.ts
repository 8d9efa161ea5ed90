// Every setting of issuing with values that it takes and values that it refuses. The table is complete by the defaults of the model.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type SettingsOf, settingProblems, settingsAfter } from '../../../src/issuing/operator/settings.ts';
import { defaultIdentity } from '../../../src/issuing/people/index.ts';
import {
  defaultInstallation,
  defaultProfile,
  defaultProgramme,
  defaultTenant,
} from '../../../src/issuing/tenants/index.ts';

interface Values {
  readonly good: readonly unknown[];
  readonly bad: readonly unknown[];
}

const flag: Values = { good: [true, false], bad: ['true', 0, 1, [], {}] };
const limits: Values = {
  good: [
    { total: 0, currencies: {} },
    { total: 5, currencies: { EUR: 0, JPY: 7 } },
  ],
  bad: [
    5,
    [],
    { total: -1, currencies: {} },
    { total: 1.5, currencies: {} },
    { total: '1', currencies: {} },
    { currencies: { ZZZ: 1 } },
    { currencies: { EUR: -1 } },
    { currencies: { eur: 1 } },
    { currencies: { EUR: '1' } },
  ],
};
const countries: Values = {
  good: [{}, { allowed: ['MT', 'LT'] }, { excluded: ['KP'] }, { allowed: null, excluded: null }],
  bad: [['MT'], { allowed: 'MT' }, { allowed: ['mt'] }, { excluded: ['MLT'] }, { excluded: [1] }],
};
const limit = (amount: unknown, interval: unknown, currency: unknown = 'EUR') => ({
  spendLimit: [{ value: { currency, amount }, interval }],
});
const rules: Values = {
  good: [
    {},
    { allowedMerchantCategories: ['5411'], blockedMerchantIds: ['SHOP 1'], allowAtm: false },
    limit(0, 'DAILY'),
    limit(10_000, 'ALWAYS'),
    { minTransactionAmount: 0, maxTransactionAmount: 15_000 },
  ],
  bad: [
    [],
    { allowedMerchantCategories: ['541'] },
    { blockedMerchantCategories: ['54111'] },
    { allowedMerchantIds: [''] },
    { allowContactless: 'yes' },
    limit(-1, 'DAILY'),
    limit(1, 'HOURLY'),
    limit(1, 'DAILY', 'euro'),
    limit(1.5, 'DAILY'),
    { spendLimit: [{ interval: 'DAILY' }] },
    { minTransactionAmount: -1 },
  ],
};
const web: Values = {
  good: ['https://tenant.example/hook'],
  bad: ['tenant.example', 'ftp://tenant.example', 'https://a b', 1],
};
const wallets = { enabled: true, pushProvisioning: false, artworks: ['blue'], defaultArtwork: 'blue' };
const physical = { products: ['P'], carriers: ['C'], deliveryMethods: ['COURIER'] };
const holdDays = { final: 7, preAuthorization: 30, categories: { '7011': 14 } };
const amounts: Values = { good: [0, 50_000], bad: [-1, 1.5, '5', []] };

const TABLE: { readonly [Of in SettingsOf]: Readonly<Record<string, Values>> } = {
  installation: { cardLimits: limits, rules },
  tenant: {
    cardLimits: limits,
    pciScoped: flag,
    strictParentAccount: flag,
    prepaidSpendLimits: flag,
    authenticatorAlias: { good: ['MY_APP'], bad: ['my_app', 'A', 'A B', 5] },
    forwarding: {
      good: [{ url: 'https://tenant.example/authorize', secret: 'whsec_0123456789012345678901234' }],
      bad: ['https://x.example', { url: 'https://x.example' }, { url: 'nowhere', secret: 'x'.repeat(30) }],
    },
    webhookUrl: web,
    availability: { good: ['up', 'maintenance', 'failing'], bad: ['down', '', true] },
    rateLimit: {
      good: [{ perSecond: 5, burst: 10 }],
      bad: [{ perSecond: 0, burst: 1 }, { perSecond: 5 }, { burst: 5 }, { perSecond: 1.5, burst: 2 }, 5],
    },
  },
  programme: {
    cardLimits: limits,
    countries,
    authForwarding: flag,
    biometrics: flag,
    externalAuthy: flag,
    uniqueMobile: flag,
    kyc: {
      good: [{ KYC_LEVEL_1: { cards: 2, debitCards: true, rules: {} } }, {}],
      bad: [5, { KYC_LEVEL_1: 5 }, { KYC_LEVEL_1: { cards: -1 } }, { KYC_LEVEL_2: { debitCards: 'yes' } }],
    },
  },
  profile: {
    mode: { good: ['PREPAID_MODE', 'DEBIT_MODE'], bad: ['CREDIT_MODE', 1] },
    ownerType: { good: ['consumer', 'corporate'], bad: ['person', true] },
    currencies: { good: [['EUR', 'JPY']], bad: ['EUR', ['eur'], [978]] },
    providers: { good: [['VISA'], ['MASTERCARD', 'VISA']], bad: [['AMEX'], 'VISA', ['VISA', 'VISA', 'VISA']] },
    routing: {
      good: [[], [{ currency: 'USD', provider: 'VISA' }], [{ country: 'MT', provider: 'VISA' }]],
      bad: [[{ currency: 'USD' }], [{ provider: 'AMEX' }], [{ country: 'malta', provider: 'VISA' }], {}],
    },
    ranges: { good: [{ VISA: 'visa' }, {}], bad: [{ VISA: 5 }, [], 'visa'] },
    countries,
    wallets: {
      good: [wallets, { ...wallets, defaultArtwork: null }],
      bad: [{}, { ...wallets, enabled: 'yes' }, { ...wallets, artworks: 'blue' }, { ...wallets, artworks: [''] }],
    },
    threeDs: {
      good: [{ required: true, primaryChannels: ['OTP_SMS'], fallbackChannels: [] }, { required: false }],
      bad: [{}, { required: 1 }, { required: true, primaryChannels: ['EMAIL'] }, []],
    },
    authForwarding: flag,
    forwardingDefault: { good: ['APPROVE', 'DECLINE'], bad: ['MAYBE', true] },
    physical: {
      good: [physical],
      bad: [{}, { ...physical, deliveryMethods: ['PIGEON'] }, { ...physical, products: 'P' }],
    },
    physicalByDefault: flag,
    expiryPeriodMonths: { good: [1, 36, 120], bad: [0, 121, 1.5, '36'] },
    renewal: { good: ['AUTO_RENEW', 'NO_RENEW'], bad: ['MAYBE'] },
    holdDays: {
      good: [holdDays, { ...holdDays, categories: {} }],
      bad: [
        {},
        { ...holdDays, final: 0 },
        { ...holdDays, preAuthorization: 61 },
        { ...holdDays, categories: { hotel: 1 } },
        { ...holdDays, categories: { '7011': 61 } },
      ],
    },
    fees: {
      good: [{ purchasePercent: '1.5', atmFixed: 200, fxPercent: '0', paddingPercent: '10' }, {}],
      bad: [{ purchasePercent: 1.5 }, { purchasePercent: '100' }, { atmFixed: -1 }, { fxPercent: '-1' }, []],
    },
    rules,
    atmDailyLimit: amounts,
  },
  identity: {
    cardLimits: limits,
    rules,
    country: { good: ['MT'], bad: ['mt', 'MLT', 5] },
  },
};

const DEFAULTS: Readonly<Record<SettingsOf, object>> = {
  installation: defaultInstallation,
  tenant: defaultTenant,
  programme: defaultProgramme,
  profile: defaultProfile,
  identity: defaultIdentity,
};

for (const [of, settings] of Object.entries(TABLE) as [SettingsOf, Readonly<Record<string, Values>>][]) {
  describe(`settings of ${of === 'installation' ? 'the installation' : `a ${of}`}`, () => {
    test('are all in this table', () => {
      assert.deepEqual(Object.keys(settings).sort(), Object.keys(DEFAULTS[of]).sort());
    });

    test('take their own defaults, and null for each', () => {
      assert.deepEqual(settingProblems(of, DEFAULTS[of]), []);
      for (const setting of Object.keys(settings))
        assert.deepEqual(settingProblems(of, { [setting]: null }), [], setting);
    });

    test('that do not exist are refused by name', () => {
      for (const setting of ['surprise', 'constructor', 'toString'])
        assert.deepEqual(settingProblems(of, { [setting]: 1 }), [{ path: [setting], error: 'NOT_IN' }]);
    });

    for (const [setting, { good, bad }] of Object.entries(settings)) {
      test(`${setting}`, () => {
        for (const value of good)
          assert.deepEqual(settingProblems(of, { [setting]: value }), [], JSON.stringify(value));
        assert.ok(bad.length > 0);
        for (const value of bad) {
          const problems = settingProblems(of, { [setting]: value });
          assert.ok(problems.length > 0, `${JSON.stringify(value)} is accepted`);
          for (const { path } of problems) assert.equal(path[0], setting, JSON.stringify(value));
        }
      });
    }
  });
}

test('a change keeps what it does not name, and null takes a setting back', () => {
  const kept = { pciScoped: true, availability: 'up' };
  assert.deepEqual(settingsAfter(kept, { webhookUrl: 'https://a.example' }), {
    ...kept,
    webhookUrl: 'https://a.example',
  });
  assert.deepEqual(settingsAfter(kept, { pciScoped: null }), { availability: 'up' });
  assert.deepEqual(kept, { pciScoped: true, availability: 'up' }, 'what was there is left alone');
});
