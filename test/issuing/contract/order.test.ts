// "The order of the same members is the same everywhere": whichever request shows a card, a payment or its rules, whatever of it came from
// memory or from the database. Rule: a test is named by the words it proves.
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { type Client, type TestApp, testApp } from '../../support/app.ts';
import { ADDRESS, cardRequest, customer, DEBIT, newCard, purchase, UPGRADE } from '../../support/issuing.ts';

let florin: TestApp;
let ada: Client;
before(async () => {
  florin = await testApp();
  ada = await customer(florin);
});

type Json = Readonly<Record<string, unknown>>;

/** Every object in a value by where it stands; elements of a list stand in one place. */
function objectsIn(value: unknown, path = ''): (readonly [path: string, names: readonly string[]])[] {
  if (Array.isArray(value)) return value.flatMap((element) => objectsIn(element, `${path}[]`));
  if (typeof value !== 'object' || value === null) return [];
  return [
    [path, Object.keys(value)] as const,
    ...Object.entries(value).flatMap(([name, held]) => objectsIn(held, `${path}.${name}`)),
  ];
}

/** Names that two objects of one place have in common stand in one order. */
function assertOneOrder(shown: readonly (readonly [what: string, value: unknown])[]): void {
  const known = new Map<string, { what: string; names: readonly string[] }[]>();
  for (const [what, value] of shown)
    for (const [path, names] of objectsIn(value)) {
      for (const other of known.get(path) ?? [])
        assert.deepEqual(
          names.filter((name) => other.names.includes(name)),
          other.names.filter((name) => names.includes(name)),
          `${path} of ${what} and of ${other.what}`,
        );
      known.set(path, [...(known.get(path) ?? []), { what, names }]);
    }
}

const whole = {
  ...DEBIT,
  tag: 'order',
  nameOnCardLine2: 'Line two',
  externalHandle: 'mine',
  billingAddress: { ...ADDRESS, addressLine2: 'Flat 2', state: 'Gozo' },
  digitalWallets: { walletsEnabled: true, pushProvisioningEnabled: true, artworkReference: 'florin-black' },
  authForwardingDefaultTimeoutDecision: 'APPROVE',
  threeDSecureAuthConfig: { linkedUserId: '3001', primaryChannel: 'BIOMETRICS', fallbackChannel: 'OTP_SMS' },
  externalData: [{ name: 'a', value: 'b' }],
};

/** docs/contract/issuing.md#card. */
const DOCUMENT =
  'id profileId externalHandle tag friendlyName currency state type cardBrand cardNumber cvv cardNumberFirstSix cardNumberLastFour nameOnCard nameOnCardLine2 startMmyy expiryMmyy cardLevelClassification expiryPeriodMonths renewalType creationTimestamp cardholderMobileNumber billingAddress physicalCardDetails digitalWallets authForwardingDefaultTimeoutDecision threeDSecureAuthConfig mode externalData balances';

test('a card: by creation, GET, list, PATCH, upgrade, activation, replacement, and as the document lists it', async () => {
  const made = await ada('POST', '/cards/request', cardRequest(whole));
  assert.equal(made.status, 200, made.text);
  const { id } = made.body;
  const shown: (readonly [string, Json])[] = [
    ['the document', Object.fromEntries(DOCUMENT.split(' ').map((name) => [name, null]))],
    ['creation', made.body.data],
  ];
  const show = async (what: string, method: string, path: string, body?: object): Promise<void> => {
    const reply = await ada(method, path, body);
    assert.equal(reply.status, 200, `${what}: ${reply.text}`);
    shown.push([what, reply.body]);
  };
  await show('GET', 'GET', `/cards/${id}`);
  const full = {
    ...UPGRADE,
    deliveryAddress: { ...UPGRADE.deliveryAddress, contactNumber: '+35699000001', state: 'x' },
  };
  await show('upgrade', 'POST', `/cards/upgrade/${id}`, full);
  await show('GET with plastic', 'GET', `/cards/${id}`);
  await show('PATCH', 'PATCH', `/cards/${id}`, { billingAddress: whole.billingAddress, friendlyName: 'New' });
  await show('activation', 'POST', `/cards/activate/${id}`, { activationCode: UPGRADE.activationCode });
  await show('damaged', 'POST', `/cards/replace-damaged/${id}`, {});
  shown.push(['list', (await ada('GET', '/cards?tag=order')).body.cards[0]]);
  const onBehalf = await florin.operator('POST', '/operator/tenants/sandbox/identities/4001/cards', {
    data: cardRequest(whole).data,
  });
  assert.equal(onBehalf.status, 201, onBehalf.text);
  shown.push(['operator', onBehalf.body.data]);
  const { cards } = (await florin.operator('GET', '/operator/tenants/sandbox/identities/4001/cards')).body;
  shown.push(['operator list', cards.find((card: Json) => card.id === id)]);
  assert.equal((await ada('POST', `/cards/report-lost/${id}`)).status, 204);
  await show('replacement', 'POST', `/cards/replace-lost-stolen/${id}`, {});
  await show('replaced', 'GET', `/cards/${id}`);
  assertOneOrder(shown);
});

test('rules of every level, payments, explanations, statements', async () => {
  const id = await newCard(ada, whole);
  const limit = (interval: string) => ({ interval, value: { amount: 5000, currency: 'EUR' } });
  const rules = {
    maxTransactionAmount: 3000,
    minTransactionAmount: 10,
    spendLimit: [limit('MONTHLY'), limit('DAILY'), limit('ALWAYS')],
    allowCreditAuthorisations: true,
    allowAtm: true,
    allowContactless: true,
    blockedMerchantIds: ['NONE'],
    allowedMerchantCategories: ['5999'],
  };
  const inOrder = Object.fromEntries(
    [
      'allowedMerchantCategories',
      'blockedMerchantIds',
      'allowContactless',
      'allowAtm',
      'allowCreditAuthorisations',
      'spendLimit',
      'minTransactionAmount',
      'maxTransactionAmount',
    ].map((name) => [name, name === 'spendLimit' ? [{ value: { currency: '', amount: 0 }, interval: '' }] : null]),
  );
  assert.equal((await ada('PUT', `/cards/limits/${id}`, { data: rules })).status, 204);
  const { cardLevelSpendRules, availableToSpend } = (await ada('GET', `/cards/limits/${id}`)).body;
  assertOneOrder([
    ['the document', inOrder],
    ['GET', cardLevelSpendRules],
    ['what is left', { spendLimit: availableToSpend }],
  ]);

  const approved = await purchase(florin, id, 100, { currency: 'USD', merchantName: 'A SHOP' });
  const declined = await purchase(florin, id, 6000);
  const { payments } = (await ada('GET', `/cards/payments/${id}`)).body;
  const { entry } = (await ada('GET', `/cards/transactions/${id}`)).body;
  assertOneOrder([
    ['fresh', { explanation: approved.explanation }],
    ['fresh refusal', { explanation: declined.explanation }],
    ['kept refusal', payments[0]],
    ['kept', payments[1]],
  ]);
  assert.deepEqual(Object.keys(payments[1].rate), ['micro', 'day', 'source']);
  assert.deepEqual(Object.keys(payments[1].merchant), ['id', 'mcc', 'name', 'country']);
  assert.deepEqual(Object.keys(entry[0].additionalFields), ['cardId', 'merchantName', 'merchantId', 'mcc']);
});
