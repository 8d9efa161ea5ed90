// What is read of a card and set on it, over HTTP: lists and their filters, changes, statement, payments, PIN, one-time reveal, wallets.
// docs/contract/issuing.md#endpoints, #card, #payment-model. Rule: a test is named by the words it proves.
import assert from 'node:assert/strict';
import { before, beforeEach, test } from 'node:test';
import { type Client, type Reply, type TestApp, testApp } from '../../support/app.ts';
import {
  ADDRESS,
  advance,
  assertBooksHold,
  assertConflict,
  assertInvalid,
  cardRequest,
  customer,
  DEBIT,
  fundedCard,
  newCard,
  plasticCard,
  purchase,
  steppedUp,
} from '../../support/issuing.ts';

let florin: TestApp;
let ada: Client;
before(async () => {
  florin = await testApp();
});
beforeEach(async () => {
  ada = await customer(florin);
});

type Fields = Readonly<Record<string, unknown>>;

const get = async (target: string) => {
  const reply = await ada('GET', target);
  assert.equal(reply.status, 200, reply.text);
  return reply.body;
};
const show = (id: string) => get(`/cards/${id}`);
const patch = (id: string, body: Fields) => ada('PATCH', `/cards/${id}`, body);
const post = (target: string, body?: unknown) => ada('POST', target, body);
const done = (reply: Reply): void => assert.deepEqual([reply.status, reply.text], [204, ''], reply.text);
const idsOf = ({ cards }: { cards: { id: string }[] }): string[] => cards.map(({ id }) => id);
const numberOf = async (id: string) => (await florin.operator('GET', `/operator/cards/${id}/number`)).body;
const settings = async (path: string, changes: object): Promise<void> => {
  const reply = await florin.operator('PATCH', `/operator/tenants/sandbox${path}`, { settings: changes });
  assert.equal(reply.status, 200, reply.text);
};
const reveal = (token: string, as = ada) => as('POST', '/cards/reveal', { token });

test('GET /cards: every filter finds what it names and leaves out the rest', async () => {
  const tag = 'filters';
  const frozen = (now: string) => florin.operator('PUT', '/simulator/clock', { now, frozen: true });
  const start = new Date((await florin.operator('GET', '/simulator/clock')).body.now).getTime();
  const made: string[] = [];
  for (const [i, fields] of [
    { externalHandle: 'handle-1', friendlyName: 'One' },
    { currency: 'USD', friendlyName: 'Two words' },
    { ...DEBIT, friendlyName: 'Three' },
    { profileId: '1006', friendlyName: 'Four' },
  ].entries()) {
    await frozen(new Date(start + 60_000 * (i + 1)).toISOString());
    ada = await customer(florin);
    made.push(await newCard(ada, { tag, ...fields }));
  }
  const [one, two, three, four] = made as [string, string, string, string];
  const plastic = await plasticCard(ada, true, { tag });
  assert.equal((await post(`/cards/block/${two}`)).status, 204);
  assert.equal((await post(`/cards/remove/${four}`)).status, 204);
  const { creationTimestamp, cardNumberFirstSix, cardNumberLastFour } = await show(two);
  const found = async (query: string) => idsOf(await get(`/cards?tag=${tag}&${query}`));
  for (const [query, expected] of [
    ['', [plastic, four, three, two, one]],
    ['state=ACTIVE', [plastic, three, one]],
    ['state=BLOCKED', [two]],
    ['state=DESTROYED', [four]],
    ['mode=DEBIT_MODE', [three]],
    ['mode=PREPAID_MODE', [plastic, four, two, one]],
    ['currency=USD', [two]],
    ['type=PHYSICAL', [plastic]],
    ['type=VIRTUAL', [four, three, two, one]],
    ['profileId=1006', [four]],
    ['parentManagedAccountId=2001', [three]],
    ['friendlyName=Two+words', [two]],
    ['externalHandle=handle-1', [one]],
    [`cardNumberFirstSix=${cardNumberFirstSix}`, [two]],
    [`cardNumberLastFour=${cardNumberLastFour}&currency=USD`, [two]],
    [`createdFrom=${creationTimestamp}`, [plastic, four, three, two]],
    [`createdTo=${creationTimestamp}`, [two, one]],
    [`createdFrom=${creationTimestamp}&createdTo=${creationTimestamp}`, [two]],
    [`createdFrom=${creationTimestamp + 1}&createdTo=${creationTimestamp - 1}`, []],
    ['state=ACTIVE&mode=DEBIT_MODE&currency=EUR&type=VIRTUAL&profileId=1002', [three]],
    ['state=ACTIVE&mode=DEBIT_MODE&currency=USD', []],
  ] as const)
    assert.deepEqual(await found(query), expected, query);
  assert.deepEqual(idsOf(await get('/cards?tag=filter')), [], 'a tag is not a prefix');
  await florin.operator('PUT', '/simulator/clock', { frozen: false });
});

test('GET /cards: offset, limit 1 to 100; count is of all, responseCount of the page', async () => {
  const tag = 'pages';
  const ids = (await Promise.all(Array.from({ length: 105 }, () => newCard(ada, { tag, currency: 'GBP' })))).sort();
  const first = await get(`/cards?tag=${tag}`);
  assert.deepEqual([first.count, first.responseCount, first.cards.length], [105, 100, 100], '100 unless asked');
  const rest = await get(`/cards?tag=${tag}&offset=100`);
  assert.deepEqual([rest.count, rest.responseCount], [105, 5]);
  assert.deepEqual([...idsOf(first), ...idsOf(rest)].sort(), ids);
  const pages: string[] = [];
  for (let offset = 0; offset < 105; offset += 20)
    pages.push(...idsOf(await get(`/cards?tag=${tag}&limit=20&offset=${offset}`)));
  assert.deepEqual(pages, [...idsOf(first), ...idsOf(rest)], 'the same order in any pages');
  const over = await get(`/cards?tag=${tag}&offset=105`);
  assert.deepEqual([over.cards, over.count, over.responseCount], [[], 105, 0]);
  for (const [query, fault] of [
    ['limit=0', 'limit RANGE'],
    ['limit=101', 'limit RANGE'],
    ['limit=1.5', 'limit RANGE'],
    ['offset=-1', 'offset AT_LEAST'],
    ['state=GONE', 'state NOT_IN'],
    ['mode=CREDIT_MODE', 'mode NOT_IN'],
    ['type=WOODEN', 'type NOT_IN'],
    ['currency=eur', 'currency REGEX'],
    ['profileId=x', 'profileId REGEX'],
    ['parentManagedAccountId=x', 'parentManagedAccountId REGEX'],
    ['cardNumberFirstSix=12345', 'cardNumberFirstSix SIZE'],
    ['cardNumberLastFour=12x4', 'cardNumberLastFour REGEX'],
    ['createdFrom=yesterday', 'createdFrom RANGE'],
  ] as const)
    assertInvalid(await ada('GET', `/cards?${query}`), fault);
});

test('PATCH /cards/{cardId}: every field that may change; what is absent stays', async () => {
  const id = await newCard(ada, { tag: 'old' });
  const changes: Fields = {
    tag: 'new-tag',
    friendlyName: 'New name',
    nameOnCardLine2: 'Línea dos',
    billingAddress: { ...ADDRESS, addressLine2: 'Flat 2', state: 'Gozo', country: 'IT' },
    digitalWallets: { walletsEnabled: true, pushProvisioningEnabled: true, artworkReference: 'florin-black' },
    authForwardingDefaultTimeoutDecision: 'APPROVE',
    cardholderMobileNumber: '+35699000123',
    externalHandle: 'handle-2',
    externalData: [{ name: 'k', value: 'v' }],
    renewalType: 'NO_RENEW',
  };
  for (const [name, value] of Object.entries(changes)) {
    const before_ = await show(id);
    const reply = await patch(id, { [name]: value });
    assert.equal(reply.status, 200, reply.text);
    const unlike = Object.keys({ ...before_, ...reply.body }).filter(
      (field) =>
        JSON.stringify(before_[field]) !== JSON.stringify(reply.body[field]) && !['cardNumber', 'cvv'].includes(field),
    );
    assert.deepEqual([unlike, reply.body[name]], [[name], value]);
  }
  const kept = await show(id);
  for (const [name, value] of Object.entries(changes)) assert.deepEqual(kept[name], value);
  // What a card is for good.
  const fixed = {
    nameOnCard: 'Someone Else',
    currency: 'USD',
    mode: 'DEBIT_MODE',
    profileId: '1002',
    state: 'DESTROYED',
  };
  const reply = await patch(id, fixed);
  assert.equal(reply.status, 200);
  assert.deepEqual({ ...reply.body, cardNumber: 0, cvv: 0 }, { ...kept, cardNumber: 0, cvv: 0 });
});

test('PATCH: field errors as on creation', async () => {
  const id = await newCard(ada);
  for (const [body, ...faults] of [
    [{ tag: 'no spaces' }, 'tag REGEX'],
    [{ tag: 'x'.repeat(51) }, 'tag SIZE'],
    [{ friendlyName: '' }, 'friendlyName HAS_TEXT'],
    [{ friendlyName: 'x'.repeat(51) }, 'friendlyName SIZE'],
    [{ nameOnCardLine2: 'x'.repeat(28) }, 'nameOnCardLine2 SIZE'],
    [{ nameOnCardLine2: 'A+B' }, 'nameOnCardLine2 REGEX'],
    [
      { billingAddress: { city: 'X' } },
      'billingAddress.addressLine1 REQUIRED',
      'billingAddress.postCode REQUIRED',
      'billingAddress.country REQUIRED',
    ],
    [{ digitalWallets: { walletsEnabled: 'yes' } }, 'digitalWallets.walletsEnabled NOT_IN'],
    [{ authForwardingDefaultTimeoutDecision: 'MAYBE' }, 'authForwardingDefaultTimeoutDecision NOT_IN'],
    [
      { threeDSecureAuthConfig: {} },
      'threeDSecureAuthConfig.linkedUserId REQUIRED',
      'threeDSecureAuthConfig.primaryChannel REQUIRED',
    ],
    [
      { threeDSecureAuthConfig: { linkedUserId: '3001', primaryChannel: 'PIGEON' } },
      'threeDSecureAuthConfig.primaryChannel NOT_IN',
    ],
    [{ cardholderMobileNumber: '12' }, 'cardholderMobileNumber SIZE'],
    [{ renewalType: 'NEVER' }, 'renewalType NOT_IN'],
    [{ externalData: Array(11).fill({ name: 'a', value: 'b' }) }, 'externalData SIZE'],
    [{ externalData: [{ value: 'b' }] }, 'externalData.0.name REQUIRED'],
  ] as const)
    assertInvalid(await patch(id, body), ...faults);
});

const linked = (linkedUserId: string, primaryChannel = 'OTP_SMS', more: Fields = {}) => ({
  threeDSecureAuthConfig: { linkedUserId, primaryChannel, ...more },
});
const wallets = (more: Fields = {}) => ({ digitalWallets: { walletsEnabled: true, ...more } });

/** Conflicts of options: those of creation, asked of a change. Profile, change, code. */
for (const [profileId, change, code] of [
  ['1001', { billingAddress: { ...ADDRESS, country: 'ZZ' } }, 'COUNTRY_INVALID'],
  ['1001', { billingAddress: { ...ADDRESS, country: 'KP' } }, 'COUNTRY_INVALID'],
  ['1006', { authForwardingDefaultTimeoutDecision: 'APPROVE' }, 'AUTH_FORWARDING_NOT_ENABLED'],
  ['1006', wallets(), 'WALLETS_NOT_ENABLED'],
  ['1001', { digitalWallets: { pushProvisioningEnabled: true } }, 'PUSHPROVISIONING_NOT_ENABLED'],
  ['1010', wallets(), 'WALLET_ARTWORK_NOT_SPECIFIED'],
  ['1001', wallets({ artworkReference: 'none' }), 'WALLET_ARTWORK_INVALID'],
  ['1001', { ...linked('3001'), cardholderMobileNumber: '+35699000124' }, 'MORE_THAN_ONE_MOBILE_NUMBER_PROVIDED'],
  ['1001', linked('3001', 'OTP_SMS', { fallbackChannel: 'OTP_SMS' }), 'INVALID_CHANNELS_SELECTED'],
  ['1001', linked('3999'), 'LINKED_USER_NOT_FOUND'],
  ['1001', linked('3003'), 'USER_INACTIVE'],
  ['1001', linked('3002'), 'USER_MOBILE_NUMBER_DOES_NOT_EXIST'],
  ['1001', linked('3002', 'BIOMETRICS', { fallbackChannel: 'OTP_SMS' }), 'USER_MOBILE_NUMBER_DOES_NOT_EXIST'],
  ['1001', linked('3004', 'BIOMETRICS'), 'USER_NOT_ENROLLED_FOR_BIOMETRICS'],
  ['1001', linked('3004', 'EXTERNAL_AUTHY'), 'USER_NOT_ENROLLED_FOR_EXTERNAL_AUTHY'],
] as const)
  test(`PATCH of a card of profile ${profileId} with ${JSON.stringify(change).slice(0, 90)}: 409 ${code}, nothing changes`, async () => {
    const id = await newCard(ada, { profileId });
    const secrets = { cardNumber: 0, cvv: 0 };
    const before_ = { ...(await show(id)), ...secrets };
    assertConflict(await patch(id, { friendlyName: 'Other', ...change }), code);
    assert.deepEqual({ ...(await show(id)), ...secrets }, before_);
  });

test('PATCH where the profile requires 3-D Secure: one channel replaces the other, INVALID_PRIMARY_CHANNEL_SELECTED', async () => {
  const id = await newCard(ada, { profileId: '1009', cardholderMobileNumber: '+35699000125' });
  assertConflict(await patch(id, linked('3001', 'BIOMETRICS')), 'INVALID_PRIMARY_CHANNEL_SELECTED');
  const changed = await patch(id, linked('3001'));
  assert.deepEqual(
    [changed.body.cardholderMobileNumber, changed.body.threeDSecureAuthConfig],
    [undefined, { linkedUserId: '3001', primaryChannel: 'OTP_SMS' }],
  );
  const back = await patch(id, { cardholderMobileNumber: '+35699000126' });
  assert.deepEqual([back.body.cardholderMobileNumber, back.body.threeDSecureAuthConfig], ['+35699000126', undefined]);
});

test('wallets: the default artwork, the one that is asked for, off again', async () => {
  const id = await newCard(ada, wallets());
  const of = async () => (await show(id)).digitalWallets;
  const shown = (walletsEnabled: boolean, pushProvisioningEnabled: boolean, artworkReference: string) => ({
    pushProvisioningEnabled,
    walletsEnabled,
    artworkReference,
  });
  assert.deepEqual(await of(), shown(true, false, 'florin-blue'));
  await patch(id, { digitalWallets: { artworkReference: 'florin-black' } });
  assert.deepEqual(await of(), shown(true, false, 'florin-black'));
  await patch(id, { digitalWallets: { pushProvisioningEnabled: true } });
  assert.deepEqual(await of(), shown(true, true, 'florin-black'));
  assertConflict(await patch(id, { digitalWallets: { walletsEnabled: false } }), 'PUSHPROVISIONING_NOT_ENABLED');
  await patch(id, { digitalWallets: { walletsEnabled: false, pushProvisioningEnabled: false } });
  assert.deepEqual(await of(), shown(false, false, 'florin-black'));
});

test('WALLET_ARTWORK_NOT_SPECIFIED: wallets on and no reference and no single default; a single artwork is the default', async () => {
  const request = (fields: Fields) => post('/cards/request', cardRequest({ profileId: '1010', ...fields }));
  assertConflict(await request(wallets()), 'WALLET_ARTWORK_NOT_SPECIFIED');
  const made = await request(wallets({ artworkReference: 'florin-blue' }));
  assert.equal(made.body.data.digitalWallets.artworkReference, 'florin-blue');
  const one = { enabled: true, pushProvisioning: false, artworks: ['florin-only'], defaultArtwork: null };
  await settings('/profiles/1010', { wallets: one });
  assert.equal((await request(wallets())).body.data.digitalWallets.artworkReference, 'florin-only');
  assertConflict(await request(wallets({ artworkReference: 'florin-blue' })), 'WALLET_ARTWORK_INVALID');
  assertConflict(await request(wallets({ pushProvisioningEnabled: true })), 'PUSHPROVISIONING_NOT_ENABLED');
});

test('PATCH: what is given is judged, what stays is not: a linked user who left keeps nobody from renaming his card', async () => {
  const id = await newCard(ada, linked('3004'));
  const root = await steppedUp(florin);
  assert.equal((await root('POST', '/users/deactivate/3004')).status, 204);
  assert.equal((await patch(id, { friendlyName: 'Renamed', tag: 'new' })).body.friendlyName, 'Renamed');
  assertConflict(await patch(id, linked('3004')), 'USER_INACTIVE');
  assert.equal((await root('POST', '/users/activate/3004')).status, 204);
});

test("A wallet's artwork is judged only when wallets are on", async () => {
  const id = await newCard(ada, { digitalWallets: { walletsEnabled: false, artworkReference: 'none' } });
  assert.equal((await show(id)).digitalWallets.artworkReference, 'none');
  assertConflict(await patch(id, wallets()), 'WALLET_ARTWORK_INVALID');
  assert.equal((await patch(id, { digitalWallets: { artworkReference: 'nothing' } })).status, 200);
  assert.equal((await patch(id, wallets({ artworkReference: 'florin-black' }))).status, 200);
});

/** State of each token by its device. */
const tokensOf = async (id: string): Promise<Record<string, string>> => {
  const { tokens } = await get(`/cards/wallet-tokens/${id}`);
  return Object.fromEntries(tokens.map(({ device, state }: Record<string, string>) => [device, state]));
};

const idsByDevice = async (card: string): Promise<{ phone?: string; watch?: string }> => {
  const { tokens } = await get(`/cards/wallet-tokens/${card}`);
  return Object.fromEntries(tokens.map(({ device, id }: Record<string, string>) => [device, id]));
};

/** A card on a phone, asked for on a watch, taken off another phone. */
async function onDevices(): Promise<string> {
  const id = await plasticCard(ada, true, wallets({ pushProvisioningEnabled: true }));
  for (const device of ['phone', 'watch', 'sold']) {
    const { body, status, text } = await post(`/cards/wallet-tokens/${id}`, { wallet: 'APPLE', device });
    assert.equal(status, 200, text);
    if (device === 'watch') continue;
    const taken = { cardId: id, result: 'success' };
    done(await florin.operator('POST', `/simulator/wallet-tokens/${body.id}`, taken));
    if (device === 'sold') done(await ada('DELETE', `/cards/wallet-tokens/${id}/${body.id}`));
  }
  assert.deepEqual(await tokensOf(id), { phone: 'ACTIVE', watch: 'REQUESTED', sold: 'DELETED' });
  return id;
}

test('Wallet tokens: block suspends, destroy deletes; what is asked for and what is given up stays so', async () => {
  const id = await onDevices();
  done(await post(`/cards/block/${id}`));
  assert.deepEqual(await tokensOf(id), { phone: 'SUSPENDED', watch: 'REQUESTED', sold: 'DELETED' });
  done(await post(`/cards/unblock/${id}`));
  assert.deepEqual(await tokensOf(id), { phone: 'ACTIVE', watch: 'REQUESTED', sold: 'DELETED' });
  done(await post(`/cards/remove/${id}`));
  assert.deepEqual(await tokensOf(id), { phone: 'DELETED', watch: 'DELETED', sold: 'DELETED' });
});

for (const [what, verbs] of [
  ['lost', ['report-lost']],
  ['blocked and lost', ['block', 'report-lost']],
  ['stolen', ['report-stolen']],
  ['lost, then stolen', ['report-lost', 'report-stolen']],
  ['lost, then removed', ['report-lost', 'remove']],
] as const)
  test(`Wallet tokens: replacement re-points, of a card that is ${what}: none that was given up comes back, none is taken into use by it`, async () => {
    const id = await onDevices();
    for (const verb of verbs) done(await post(`/cards/${verb}/${id}`));
    const old = await idsByDevice(id);
    const next = await post(`/cards/replace-lost-stolen/${id}`, {});
    assert.equal(next.status, 200, next.text);
    assert.deepEqual(await tokensOf(id), { sold: 'DELETED' }, 'one id stands for one card');
    assert.deepEqual(await tokensOf(next.body.id), { phone: 'ACTIVE', watch: 'REQUESTED' });
    const { phone, watch } = await idsByDevice(next.body.id);
    assert.deepEqual({ phone, watch }, { phone: old.phone, watch: old.watch }, 'the device keeps its token');
    const tap = { channel: 'contactless', walletTokenId: phone };
    assert.equal((await purchase(florin, next.body.id, 100, tap)).responseCode, '51', 'the card has no money');
    // And once more, from the replacement on.
    done(await post(`/cards/report-stolen/${next.body.id}`));
    const third = await post(`/cards/replace-lost-stolen/${next.body.id}`, {});
    assert.deepEqual(await tokensOf(third.body.id), { phone: 'ACTIVE', watch: 'REQUESTED' });
  });

test('Card number and CVV in responses are one-time reveal tokens, unless the session is stepped up and the tenant marked as PCI-scoped', async () => {
  const id = await newCard(ada, { tag: 'reveal' });
  const { number, cvv } = await numberOf(id);
  const clear = ({ body }: Reply) => [body.cardNumber.value, body.cvv.value];
  const strong = await steppedUp(florin);
  for (const as of [ada, strong]) assert.notDeepEqual(clear(await as('GET', `/cards/${id}`)), [number, cvv]);
  await settings('', { pciScoped: true });
  assert.notEqual(clear(await ada('GET', `/cards/${id}`))[0], number, 'not stepped up');
  assert.deepEqual(clear(await strong('GET', `/cards/${id}`)), [number, cvv]);
  assert.deepEqual(clear(await strong('PATCH', `/cards/${id}`, { friendlyName: 'Seen' })), [number, cvv]);
  const { text } = await strong('GET', '/cards?tag=reveal');
  assert.equal(text.includes(number), false, 'a list has tokens');
  const made = await strong('POST', '/cards/request', cardRequest());
  assert.equal(made.body.data.cardNumber, undefined, 'creation echoes the request');
  // What is kept for repeats has tokens.
  const kept = await strong('PATCH', `/cards/${id}`, { friendlyName: 'Kept' }, { 'idempotency-ref': 'kept' });
  assert.equal((await reveal(kept.body.cardNumber.value, strong)).body.value, number);
  await settings('', { pciScoped: null });
});

test('a reveal token: one use, five minutes, never a cached answer', async () => {
  const id = await newCard(ada);
  const { number, cvv } = await numberOf(id);
  const { body } = await ada('GET', `/cards/${id}`);
  const first = await reveal(body.cardNumber.value);
  assert.deepEqual([first.status, first.body], [200, { value: number }]);
  assert.match(first.headers.get('cache-control') ?? '', /no-store/);
  const again = await reveal(body.cardNumber.value);
  assert.deepEqual([again.status, again.body.code], [404, 'RESOURCE_NOT_FOUND']);
  const many = await Promise.all(Array.from({ length: 15 }, () => reveal(body.cvv.value)));
  assert.deepEqual(
    many.filter(({ status }) => status === 200).map(({ body: { value } }) => value),
    [cvv],
  );
  const late = (await show(id)).cardNumber.value;
  const early = (await show(id)).cardNumber.value;
  await advance(florin, '4m');
  assert.equal((await reveal(early)).status, 200);
  await advance(florin, '1m');
  assert.equal((await reveal(late)).status, 404);
  assertInvalid(await post('/cards/reveal', {}), 'token REQUIRED');
  for (const token of ['x', 'A'.repeat(76), late.toUpperCase()]) assert.equal((await reveal(token)).status, 404);
});

test('a reveal is on record: card, user and what was shown, not what it was', async () => {
  const id = await newCard(ada);
  const count = async () =>
    (
      await florin.database.query<{ sequence: number; body: string }>(
        "select sequence, body from events where type = 'card.revealed' and subject_type = 'card' and subject_id = $1 order by sequence",
        [florin.app.permutation.inward(id)],
      )
    ).map(({ sequence, body }) => `${sequence} ${JSON.parse(body).data.operation.what}`);
  const { body } = await ada('GET', `/cards/${id}`);
  assert.deepEqual(await count(), []);
  await reveal(body.cvv.value);
  await reveal(body.cvv.value);
  assert.deepEqual(await count(), ['2 cvv']);
  await reveal(body.cardNumber.value);
  assert.deepEqual(await count(), ['2 cvv', '3 number']);
});

test('CVV is derived (card verification key, PAN, expiry, service code 000): three digits, the same each time', async () => {
  const id = await newCard(ada);
  const { cvv } = await numberOf(id);
  assert.match(cvv, /^\d{3}$/);
  assert.equal((await reveal((await show(id)).cvv.value)).body.value, cvv);
  assert.equal((await reveal((await show(id)).cvv.value)).body.value, cvv);
  await ada('POST', `/cards/remove/${id}`);
  assert.equal((await reveal((await show(id)).cvv.value)).body.value, cvv);
});

test('GET /cards/pin/{cardId}: a token for four digits that the card takes; refused by each state', async () => {
  const id = await plasticCard(ada, true);
  const { body, status } = await ada('GET', `/cards/pin/${id}`);
  assert.equal(status, 200);
  const { value } = (await reveal(body.pin.value)).body;
  assert.match(value, /^\d{4}$/);
  assert.equal((await reveal(body.pin.value)).status, 404, 'once');
  assert.equal((await purchase(florin, id, 0, { channel: 'chip', pin: value })).approved, true);
  assertConflict(await ada('GET', `/cards/pin/${await newCard(ada)}`), 'INSTRUMENT_NOT_PHYSICAL');
  done(await post(`/cards/block/${id}`));
  assertConflict(await ada('GET', `/cards/pin/${id}`), 'INSTRUMENT_BLOCKED');
  done(await post(`/cards/report-stolen/${id}`));
  assertConflict(await ada('GET', `/cards/pin/${id}`), 'INSTRUMENT_DESTROYED');
});

test('POST /cards/pin/unblock/{cardId}: three wrong PINs block it, its holder unblocks it', async () => {
  const id = await plasticCard(ada, true);
  const { pin } = await numberOf(id);
  const wrong = pin === '1234' ? '4321' : '1234';
  const chip = (given: string) => purchase(florin, id, 0, { channel: 'chip', pin: given });
  assertConflict(await post(`/cards/pin/unblock/${id}`), 'PIN_NOT_BLOCKED');
  for (let i = 0; i < 3; i++) assert.equal((await chip(wrong)).approved, false);
  assert.equal((await show(id)).physicalCardDetails.pinBlocked, true);
  assert.equal((await chip(pin)).approved, false);
  assertConflict(await ada('GET', `/cards/pin/${id}`), 'PIN_BLOCKED');
  done(await post(`/cards/pin/unblock/${id}`));
  assert.equal((await show(id)).physicalCardDetails.pinBlocked, false);
  assert.equal((await chip(pin)).approved, true);
  assertConflict(await post(`/cards/pin/unblock/${await newCard(ada)}`), 'INSTRUMENT_NOT_PHYSICAL');
  done(await post(`/cards/report-stolen/${id}`));
  assertConflict(await post(`/cards/pin/unblock/${id}`), 'INSTRUMENT_DESTROYED');
});

test('GET /cards/transactions/{cardId}: statement with running balances (JSON, CSV), both orders, pages, a period', async () => {
  const id = await fundedCard(ada, 10_000);
  const { authorizationId } = await purchase(florin, id, 3000, { merchantName: 'BAKERY' });
  await florin.operator('POST', `/simulator/authorizations/${authorizationId}/clear`, { amount: 2500 });
  const moment = (await show(id)).creationTimestamp;
  await advance(florin, '1h');
  ada = await customer(florin);
  await florin.operator('POST', '/simulator/refunds', { authorizationId, amount: 500 });
  const statement = (query = '') => get(`/cards/transactions/${id}${query}`);
  type Entry = Record<'transactionType' | 'sequence' | 'processedTimestamp', unknown> &
    Record<
      'amount' | 'availableBalanceAdjustment' | 'actualBalanceAfter' | 'availableBalanceAfter',
      { amount: number }
    >;
  const { entry, count, responseCount } = await statement();
  const rows = (entry as Entry[]).map((row) => [
    row.transactionType,
    row.amount.amount,
    row.availableBalanceAdjustment.amount,
    row.actualBalanceAfter.amount,
    row.availableBalanceAfter.amount,
  ]);
  assert.deepEqual([count, responseCount], [rows.length, rows.length]);
  assert.deepEqual(
    rows.slice(0, 2).map(([type]) => type),
    ['REFUND', 'SETTLEMENT'],
  );
  assert.deepEqual(rows.slice(-2), [
    ['AUTHORISATION', 0, -3000, 10_000, 7000],
    ['TRANSFER_IN', 10_000, 10_000, 10_000, 10_000],
  ]);
  const [last] = rows;
  assert.deepEqual(last?.slice(3), [8000, 8000]);
  // Each balance is the one before and the change.
  let [actual, available] = [0, 0];
  for (const [, amount, adjustment, after, left] of rows.toReversed() as [string, number, number, number, number][]) {
    [actual, available] = [actual + amount, available + adjustment];
    assert.deepEqual([after, left], [actual, available]);
  }
  const ascending = await statement('?orderByTimestamp=ASC');
  assert.deepEqual(ascending.entry, entry.toReversed());
  const page = await statement('?offset=1&limit=1');
  assert.deepEqual([page.entry, page.count, page.responseCount], [[entry[1]], rows.length, 1]);
  assert.equal((await statement(`?fromTimestamp=${moment + 1_800_000}`)).count, 1);
  assert.equal((await statement(`?toTimestamp=${moment + 1_800_000}`)).count, rows.length - 1);
  for (const [query, accept, type] of [
    ['?format=csv', '*/*', 'text/csv'],
    ['?format=csv', 'text/csv', 'text/csv'],
    ['', 'text/csv', 'text/csv'],
    ['', 'text/csv;q=0.9, text/html', 'text/csv'],
    ['?format=json', 'text/csv', 'application/json'],
    ['', 'application/json, text/csv', 'application/json'],
    ['', '*/*', 'application/json'],
  ] as const) {
    const reply = await ada('GET', `/cards/transactions/${id}${query}`, undefined, { accept });
    assert.equal(reply.headers.get('content-type')?.split(';')[0], type, `${query} ${accept}`);
    if (type === 'application/json') continue;
    assert.equal(reply.text.trimEnd().split('\r\n').length, rows.length + 1);
    assert.match(reply.text, /^sequence,processedAt,transactionType,/);
    assert.match(reply.text, /AUTHORISATION,\d+,EUR,0,-3000,10000,7000,BAKERY/);
  }
  const html = await ada('GET', `/cards/transactions/${id}`, undefined, { accept: 'text/html' });
  assert.equal(html.status, 406);
  assert.equal(html.body.message, 'Only application/json and text/csv can be answered');
  assertInvalid(
    await ada('GET', `/cards/transactions/${id}?orderByTimestamp=UP&limit=0`),
    'limit RANGE',
    'orderByTimestamp NOT_IN',
  );
});

test('GET /cards/payments/{cardId}: the newest first, page by page; every decision keeps its explanation', async () => {
  const id = await fundedCard(ada, 1000);
  for (const amount of [100, 200, 5000]) await purchase(florin, id, amount);
  const { payments, responseCount } = await get(`/cards/payments/${id}`);
  assert.equal(responseCount, 3);
  assert.deepEqual(
    (payments as { approved: boolean; responseCode: string; transactionAmount: object; cardId: string }[]).map(
      ({ approved, responseCode, transactionAmount, cardId }) => [approved, responseCode, transactionAmount, cardId],
    ),
    [
      [false, '51', { currency: 'EUR', amount: 5000 }, id],
      [true, '00', { currency: 'EUR', amount: 200 }, id],
      [true, '00', { currency: 'EUR', amount: 100 }, id],
    ],
  );
  const checks = payments[0].explanation.map(({ check }: { check: string }) => check);
  assert.deepEqual([checks[0], checks.at(-1)], ['CARD', 'FUNDS']);
  const first = await get(`/cards/payments/${id}?limit=2`);
  assert.deepEqual([first.payments, first.responseCount], [payments.slice(0, 2), 2]);
  const rest = await get(`/cards/payments/${id}?limit=2&before=${first.payments.at(-1).id}`);
  assert.deepEqual(rest.payments, payments.slice(2));
  assert.deepEqual((await get(`/cards/payments/${await newCard(ada)}`)).payments, []);
  assertInvalid(await ada('GET', `/cards/payments/${id}?limit=101`), 'limit RANGE');
  assertInvalid(await ada('GET', `/cards/payments/${id}?before=x`), 'before REGEX');
});

test('the books hold', () => assertBooksHold(florin));
