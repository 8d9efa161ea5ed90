// docs/contract/issuing.md#errors, #field-errors: each field with each fault gives exactly its code,
// all wrong fields at once in schema order, over real HTTP.
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { type Client, type TestApp, testApp } from '../support/app.ts';
import { ADDRESS, assertInvalid, cardRequest, customer, issuingClient, newCard, tokenOf } from '../support/issuing.ts';

let florin: TestApp;
let ada: Client;
let token: string;
before(async () => {
  florin = await testApp();
  token = await tokenOf(florin);
  ada = issuingClient(florin, 'sandbox-secret', token);
});

const long = (length: number): string => 'a'.repeat(length);
const address = (fields: object) => ({ billingAddress: { ...ADDRESS, ...fields } });
const threeDs = (fields: object) => ({
  threeDSecureAuthConfig: { linkedUserId: '3001', primaryChannel: 'OTP_SMS', ...fields },
});

/** What is put into `data`, and what is wrong with it. */
const FAULTS: readonly (readonly [fault: string, fields: object, ...expected: string[]])[] = [
  ['profileId missing', { profileId: undefined }, 'data.profileId REQUIRED'],
  ['profileId null', { profileId: null }, 'data.profileId REQUIRED'],
  ['profileId blank', { profileId: '' }, 'data.profileId REGEX'],
  ['profileId letters', { profileId: '10a1' }, 'data.profileId REGEX'],
  ['profileId as a number', { profileId: 1001 }, 'data.profileId REGEX'],
  ['tag blank', { tag: ' ' }, 'data.tag REGEX'],
  ['tag of 51', { tag: long(51) }, 'data.tag SIZE'],
  ['tag with a space', { tag: 'a b' }, 'data.tag REGEX'],
  ['tag with a dot', { tag: 'a.b' }, 'data.tag REGEX'],
  ['friendlyName missing', { friendlyName: undefined }, 'data.friendlyName REQUIRED'],
  ['friendlyName blank', { friendlyName: '  ' }, 'data.friendlyName HAS_TEXT'],
  ['friendlyName empty', { friendlyName: '' }, 'data.friendlyName HAS_TEXT'],
  ['friendlyName of 51', { friendlyName: long(51) }, 'data.friendlyName SIZE'],
  ['friendlyName true', { friendlyName: true }, 'data.friendlyName REGEX'],
  ['nameOnCard missing', { nameOnCard: undefined }, 'data.nameOnCard REQUIRED'],
  ['nameOnCard blank', { nameOnCard: '' }, 'data.nameOnCard HAS_TEXT'],
  ['nameOnCard of 28', { nameOnCard: long(28) }, 'data.nameOnCard SIZE'],
  ['nameOnCard with a slash', { nameOnCard: 'Ada/Example' }, 'data.nameOnCard REGEX'],
  ['nameOnCard in Cyrillic', { nameOnCard: 'Ада' }, 'data.nameOnCard REGEX'],
  ['nameOnCardLine2 of 28', { nameOnCardLine2: long(28) }, 'data.nameOnCardLine2 SIZE'],
  ['nameOnCardLine2 with a comma', { nameOnCardLine2: 'a,b' }, 'data.nameOnCardLine2 REGEX'],
  ['billingAddress missing', { billingAddress: undefined }, 'data.billingAddress REQUIRED'],
  ['billingAddress as text', { billingAddress: 'here' }, 'data.billingAddress REQUIRED'],
  ['billingAddress as a list', { billingAddress: [] }, 'data.billingAddress REQUIRED'],
  ['addressLine1 missing', address({ addressLine1: undefined }), 'data.billingAddress.addressLine1 REQUIRED'],
  ['addressLine1 blank', address({ addressLine1: ' ' }), 'data.billingAddress.addressLine1 HAS_TEXT'],
  ['addressLine1 of 151', address({ addressLine1: long(151) }), 'data.billingAddress.addressLine1 SIZE'],
  ['addressLine2 of 151', address({ addressLine2: long(151) }), 'data.billingAddress.addressLine2 SIZE'],
  ['city missing', address({ city: undefined }), 'data.billingAddress.city REQUIRED'],
  ['city blank', address({ city: '' }), 'data.billingAddress.city HAS_TEXT'],
  ['city of 51', address({ city: long(51) }), 'data.billingAddress.city SIZE'],
  ['postCode missing', address({ postCode: undefined }), 'data.billingAddress.postCode REQUIRED'],
  ['postCode blank', address({ postCode: '' }), 'data.billingAddress.postCode HAS_TEXT'],
  ['postCode of 11', address({ postCode: '12345678901' }), 'data.billingAddress.postCode SIZE'],
  ['postCode with a slash', address({ postCode: '1/2' }), 'data.billingAddress.postCode REGEX'],
  ['state of 51', address({ state: long(51) }), 'data.billingAddress.state SIZE'],
  ['country missing', address({ country: undefined }), 'data.billingAddress.country REQUIRED'],
  ['country blank', address({ country: '' }), 'data.billingAddress.country HAS_TEXT'],
  ['country of three', address({ country: 'MLT' }), 'data.billingAddress.country SIZE'],
  ['country in small letters', address({ country: 'mt' }), 'data.billingAddress.country REGEX'],
  [
    'walletsEnabled as text',
    { digitalWallets: { walletsEnabled: 'true' } },
    'data.digitalWallets.walletsEnabled NOT_IN',
  ],
  [
    'pushProvisioningEnabled as a number',
    { digitalWallets: { pushProvisioningEnabled: 1 } },
    'data.digitalWallets.pushProvisioningEnabled NOT_IN',
  ],
  [
    'timeout decision unknown',
    { authForwardingDefaultTimeoutDecision: 'MAYBE' },
    'data.authForwardingDefaultTimeoutDecision NOT_IN',
  ],
  [
    'timeout decision blank',
    { authForwardingDefaultTimeoutDecision: '' },
    'data.authForwardingDefaultTimeoutDecision NOT_IN',
  ],
  ['linkedUserId missing', threeDs({ linkedUserId: undefined }), 'data.threeDSecureAuthConfig.linkedUserId REQUIRED'],
  ['linkedUserId blank', threeDs({ linkedUserId: '' }), 'data.threeDSecureAuthConfig.linkedUserId REGEX'],
  ['linkedUserId of 20', threeDs({ linkedUserId: '1'.repeat(20) }), 'data.threeDSecureAuthConfig.linkedUserId SIZE'],
  ['linkedUserId letters', threeDs({ linkedUserId: 'x' }), 'data.threeDSecureAuthConfig.linkedUserId REGEX'],
  [
    'primaryChannel missing',
    threeDs({ primaryChannel: undefined }),
    'data.threeDSecureAuthConfig.primaryChannel REQUIRED',
  ],
  ['primaryChannel unknown', threeDs({ primaryChannel: 'FAX' }), 'data.threeDSecureAuthConfig.primaryChannel NOT_IN'],
  ['primaryChannel blank', threeDs({ primaryChannel: '' }), 'data.threeDSecureAuthConfig.primaryChannel NOT_IN'],
  [
    'fallbackChannel BIOMETRICS',
    threeDs({ fallbackChannel: 'BIOMETRICS' }),
    'data.threeDSecureAuthConfig.fallbackChannel NOT_IN',
  ],
  ['mode missing', { mode: undefined }, 'data.mode REQUIRED'],
  ['mode unknown', { mode: 'CREDIT_MODE' }, 'data.mode NOT_IN'],
  ['mode blank', { mode: '' }, 'data.mode NOT_IN'],
  ['currency missing', { currency: undefined }, 'data.currency REQUIRED'],
  ['currency blank', { currency: '' }, 'data.currency HAS_TEXT'],
  ['currency of two', { currency: 'EU' }, 'data.currency SIZE'],
  ['currency in small letters', { currency: 'eur' }, 'data.currency REGEX'],
  ['DEBIT_MODE without a parent account', { mode: 'DEBIT_MODE' }, 'data.parentManagedAccountId REQUIRED'],
  ['parentManagedAccountId blank', { parentManagedAccountId: '' }, 'data.parentManagedAccountId REGEX'],
  ['parentManagedAccountId letters', { parentManagedAccountId: 'x' }, 'data.parentManagedAccountId REGEX'],
  ['mobile blank', { cardholderMobileNumber: '' }, 'data.cardholderMobileNumber REGEX'],
  ['mobile of 4', { cardholderMobileNumber: '+123' }, 'data.cardholderMobileNumber SIZE'],
  ['mobile of 16', { cardholderMobileNumber: '+123456789012345' }, 'data.cardholderMobileNumber SIZE'],
  ['mobile with a space', { cardholderMobileNumber: '+356 9900' }, 'data.cardholderMobileNumber REGEX'],
  [
    'eleven external data',
    { externalData: Array.from({ length: 11 }, () => ({ name: 'a', value: 'b' })) },
    'data.externalData SIZE',
  ],
];

for (const [fault, fields, ...expected] of FAULTS) {
  test(`POST /cards/request: ${fault}`, async () => {
    assertInvalid(await ada('POST', '/cards/request', cardRequest(fields as Record<string, unknown>)), ...expected);
  });
}

test('type and data: REQUIRED, NOT_IN, REQUIRED if no object', async () => {
  const { data } = cardRequest();
  assertInvalid(await ada('POST', '/cards/request', { data }), 'type REQUIRED');
  assertInvalid(await ada('POST', '/cards/request', { type: '', data }), 'type NOT_IN');
  assertInvalid(await ada('POST', '/cards/request', { type: 'robot', data }), 'type NOT_IN');
  assertInvalid(await ada('POST', '/cards/request', { type: 'consumer' }), 'data REQUIRED');
  assertInvalid(await ada('POST', '/cards/request', { type: 'consumer', data: 'x' }), 'data REQUIRED');
});

test('all wrong fields at once, in schema order', async () => {
  const wrong = cardRequest({
    currency: 'x',
    mode: 'y',
    nameOnCard: '',
    friendlyName: undefined,
    billingAddress: { ...ADDRESS, country: undefined, city: '' },
    tag: '?',
    profileId: 'z',
  });
  assertInvalid(
    await ada('POST', '/cards/request', { ...wrong, type: 'nobody' }),
    'type NOT_IN',
    'data.profileId REGEX',
    'data.tag REGEX',
    'data.friendlyName REQUIRED',
    'data.nameOnCard HAS_TEXT',
    'data.billingAddress.city HAS_TEXT',
    'data.billingAddress.country REQUIRED',
    'data.mode NOT_IN',
    'data.currency SIZE',
  );
});

test('every letter of the Latin script, digits, space, period, hyphen, apostrophe, caret may stand on a card', async () => {
  for (const nameOnCard of ["Zoë d'Ärnœð-Łø", 'MR. X^Y 2', 'ﬃ', long(27)])
    assert.equal((await ada('POST', '/cards/request', cardRequest({ nameOnCard }))).status, 200, nameOnCard);
});

test('limits of length are inclusive, blank optional texts are allowed', async () => {
  const fields = {
    tag: long(50),
    friendlyName: long(50),
    nameOnCardLine2: '',
    billingAddress: {
      addressLine1: long(150),
      addressLine2: '',
      city: long(50),
      postCode: 'ab-1 23456',
      state: '',
      country: 'GB',
    },
    cardholderMobileNumber: '+12345678901234',
  };
  assert.equal((await ada('POST', '/cards/request', cardRequest(fields))).status, 200);
});

test('Not JSON: 400 with an empty list; unknown fields are ignored', async () => {
  for (const body of ['{', 'null', '[]', '"x"', '{"a":1}{', Buffer.from([0xff, 0x7b]).toString('latin1')]) {
    const reply = await ada('POST', '/cards/request', body);
    assert.equal(reply.status, 400, body);
    if (body !== 'null' && body.startsWith('{') && body !== '{') continue;
    assert.deepEqual(reply.body, { message: 'Invalid request', syntaxErrors: { invalidFields: [] } });
  }
  const more = { ...cardRequest({ surprise: { a: 1 }, constructor: 'x' }), __proto__x: 1 };
  assert.equal((await ada('POST', '/cards/request', more)).status, 200);
});

test('cardId in a path: REGEX without params; unknown: 404', async () => {
  assertInvalid(await ada('POST', '/cards/activate/abc', { activationCode: '123' }), 'cardId REGEX');
  assertInvalid(await ada('GET', '/cards/12x'), 'cardId REGEX');
  const reply = await ada('POST', '/cards/activate/123', { activationCode: '123' });
  assert.equal(reply.status, 404);
  assert.deepEqual(Object.keys(reply.body).sort(), ['code', 'message']);
});

test('activationCode: at most 6 digits, leading zeros matter', async () => {
  const id = await newCard(ada);
  const activate = (activationCode: unknown) => ada('POST', `/cards/activate/${id}`, { activationCode });
  assertInvalid(await activate(undefined), 'activationCode REQUIRED');
  assertInvalid(await activate(''), 'activationCode REGEX');
  assertInvalid(await activate('1234567'), 'activationCode SIZE');
  assertInvalid(await activate('12a'), 'activationCode REGEX');
  assertInvalid(await activate(123_456), 'activationCode REGEX');
});

test('PUT /cards/limits: each field of the card limit', async () => {
  const id = await newCard(ada);
  const put = (data: unknown) => ada('PUT', `/cards/limits/${id}`, { data });
  assertInvalid(await ada('PUT', `/cards/limits/${id}`, {}), 'data REQUIRED');
  assertInvalid(await put({ allowAtm: 'no' }), 'data.allowAtm NOT_IN');
  assertInvalid(await put({ allowedMerchantCategories: ['5999', '59'] }), 'data.allowedMerchantCategories.1 REGEX');
  assertInvalid(
    await put({ blockedMerchantCategories: Array(201).fill('5999') }),
    'data.blockedMerchantCategories SIZE',
  );
  assertInvalid(await put({ blockedMerchantIds: [''] }), 'data.blockedMerchantIds.0 REGEX');
  assertInvalid(await put({ allowedMerchantIds: [7] }), 'data.allowedMerchantIds.0 REGEX');
  assertInvalid(
    await put({ spendLimit: [{ value: { currency: 'EUR', amount: 1 } }, { interval: 'HOURLY' }] }),
    'data.spendLimit.0.interval REQUIRED',
    'data.spendLimit.1.value REQUIRED',
    'data.spendLimit.1.interval NOT_IN',
  );
  assertInvalid(
    await put({ spendLimit: [{ value: { currency: 'eur', amount: -1 }, interval: 'DAILY' }] }),
    'data.spendLimit.0.value.currency REGEX',
    'data.spendLimit.0.value.amount AT_LEAST',
  );
  assertInvalid(
    await put({ spendLimit: [{ value: { amount: 1.5 }, interval: 'DAILY' }] }),
    'data.spendLimit.0.value.currency REQUIRED',
    'data.spendLimit.0.value.amount RANGE',
  );
  assertInvalid(await put({ minTransactionAmount: -1 }), 'data.minTransactionAmount AT_LEAST');
  assertInvalid(await put({ maxTransactionAmount: 'much' }), 'data.maxTransactionAmount RANGE');
  assertInvalid(await put({ minTransactionAmount: 5, maxTransactionAmount: 4 }), 'data.minTransactionAmount RANGE');
  assert.equal((await put({ minTransactionAmount: 5, maxTransactionAmount: 0 })).status, 204, '0: no bound');
});

test('queries: offset, limit 1 to 100 and filters of form', async () => {
  assertInvalid(await ada('GET', '/cards?limit=0&offset=-1'), 'offset AT_LEAST', 'limit RANGE');
  assertInvalid(await ada('GET', '/cards?limit=101'), 'limit RANGE');
  assertInvalid(await ada('GET', '/cards?limit=many&state=GONE'), 'limit RANGE', 'state NOT_IN');
  assertInvalid(await ada('GET', '/cards?cardNumberFirstSix=12'), 'cardNumberFirstSix SIZE');
  assert.equal((await ada('GET', '/cards?unknown=1')).status, 200);
});

test('a field error names no value, and 401 comes before 400, 400 before 404', async () => {
  const secretive = await ada('POST', '/cards/request', cardRequest({ tag: 'geheim geheim' }));
  assert.ok(!secretive.text.includes('geheim'));
  assert.equal((await issuingClient(florin, 'wrong', token)('POST', '/cards/request', {})).status, 401);
  assert.equal((await issuingClient(florin, 'sandbox-secret', null)('POST', '/cards/request', {})).status, 401);
  assert.equal((await issuingClient(florin, 'sandbox-secret', 'x')('POST', '/cards/request', {})).status, 403);
  assertInvalid(await ada('POST', '/cards/activate/123', {}), 'activationCode REQUIRED');
});

test('request-ref stands on every answer; the login needs x-secret alone', async () => {
  for (const reply of [
    await ada('GET', '/cards'),
    await ada('POST', '/cards/request', {}),
    await ada('GET', '/cards/1'),
  ])
    assert.ok(reply.headers.get('request-ref'));
  assert.ok(await customer(florin));
});
