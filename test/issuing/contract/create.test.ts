// POST /cards/request, GET and PATCH /cards: what is answered, in which order refusals come, and that limits hold under load.
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import fc from 'fast-check';
import { isLuhn } from '../../../src/base/index.ts';
import { permuted } from '../../../src/issuing/cards/numbers.ts';
import { creationConflict, type Facts } from '../../../src/issuing/creation/conflicts.ts';
import { type Client, type TestApp, testApp } from '../../support/app.ts';
import {
  ADDRESS,
  assertConflict,
  cardRequest,
  customer,
  DEBIT,
  issuingClient,
  newCard,
  tokenOf,
} from '../../support/issuing.ts';

let florin: TestApp;
let ada: Client;
before(async () => {
  florin = await testApp();
  ada = await customer(florin);
});
const request = (fields: Record<string, unknown> = {}, type = 'consumer', headers = {}) =>
  ada('POST', '/cards/request', cardRequest(fields, type), headers);
const settings = (path: string, changes: object) =>
  florin.operator('PATCH', `/operator/tenants/sandbox${path}`, { settings: changes });

test('Response 200: object with type and data; data echoes the request fields; id in data and at top level', async () => {
  const fields = {
    tag: 'trip-1',
    nameOnCardLine2: 'Second line',
    digitalWallets: { pushProvisioningEnabled: true, walletsEnabled: true, artworkReference: 'florin-black' },
    authForwardingDefaultTimeoutDecision: 'APPROVE',
    threeDSecureAuthConfig: { linkedUserId: '3001', primaryChannel: 'BIOMETRICS', fallbackChannel: 'OTP_SMS' },
    externalData: [{ name: 'ref', value: '7' }],
  };
  const { status, body } = await request(fields);
  assert.equal(status, 200);
  const { data: sent } = cardRequest(fields);
  assert.deepEqual(body, { id: body.id, type: 'consumer', data: { id: body.id, ...sent } });
});

test('parentManagedAccountId: echoed for DEBIT_MODE; with PREPAID_MODE ignored and not echoed, unless the tenant is strict', async () => {
  assert.equal((await request(DEBIT)).body.data.parentManagedAccountId, '2001');
  assert.equal((await request({ parentManagedAccountId: '2001' })).body.data.parentManagedAccountId, undefined);
  await settings('', { strictParentAccount: true });
  assertConflict(await request({ parentManagedAccountId: '2001' }), 'PAYMENT_MODEL_CONSTRAINTS_VIOLATED');
  await settings('', { strictParentAccount: null });
  assert.equal((await request({ parentManagedAccountId: '2001' })).status, 200);
});

test('GET /cards/{cardId}: the Card object; number and CVV are one-time reveal tokens', async () => {
  const id = await newCard(ada, { cardholderMobileNumber: '+35699000777' });
  const { body } = await ada('GET', `/cards/${id}`);
  const { number, cvv, expiryMmyy } = (await florin.operator('GET', `/operator/cards/${id}/number`)).body;
  assert.ok(isLuhn(number));
  assert.deepEqual(
    { ...body, cardNumber: null, cvv: null, creationTimestamp: 0, startMmyy: '' },
    {
      id,
      profileId: '1001',
      friendlyName: 'Travel',
      nameOnCard: 'Ada Example',
      cardholderMobileNumber: '+35699000777',
      billingAddress: ADDRESS,
      digitalWallets: { pushProvisioningEnabled: false, walletsEnabled: false },
      mode: 'PREPAID_MODE',
      currency: 'EUR',
      externalData: [],
      state: { state: 'ACTIVE' },
      type: 'VIRTUAL',
      cardBrand: 'MASTERCARD',
      cardNumber: null,
      cvv: null,
      cardNumberFirstSix: number.slice(0, 6),
      cardNumberLastFour: number.slice(-4),
      startMmyy: '',
      expiryMmyy,
      cardLevelClassification: 'CONSUMER',
      expiryPeriodMonths: 36,
      renewalType: 'AUTO_RENEW',
      creationTimestamp: 0,
      balances: { availableBalance: 0, actualBalance: 0 },
    },
  );
  const reveal = async (token: string) => ada('POST', '/cards/reveal', { token });
  assert.equal((await reveal(body.cardNumber.value)).body.value, number);
  assert.equal((await reveal(body.cvv.value)).body.value, cvv);
  assert.equal((await reveal(body.cvv.value)).status, 404, 'once');
  assert.ok(Number.isInteger(body.creationTimestamp));
});

test('corporate cards are CORPORATE; USD goes to the other provider', async () => {
  const cor = await customer(florin, 'corporate@sandbox.test');
  const id = await newCard(cor, { profileId: '1003' }, 'corporate');
  assert.equal((await cor('GET', `/cards/${id}`)).body.cardLevelClassification, 'CORPORATE');
  const dollars = await newCard(ada, { currency: 'USD' });
  const { body } = await ada('GET', `/cards/${dollars}`);
  assert.deepEqual([body.cardBrand, body.cardNumberFirstSix], ['VISA', '459999']);
});

test('EXTERNAL_AUTHY has a configurable alias', async () => {
  const config = (primaryChannel: string) => ({ threeDSecureAuthConfig: { linkedUserId: '3001', primaryChannel } });
  assert.equal((await request(config('EXAMPLE_AUTHENTICATOR'))).status, 400);
  await settings('', { authenticatorAlias: 'EXAMPLE_AUTHENTICATOR' });
  assert.equal((await request(config('EXAMPLE_AUTHENTICATOR'))).status, 200);
  assert.equal((await request(config('ANOTHER_PRODUCT'))).status, 400);
  assert.equal((await request(config('EXTERNAL_AUTHY'))).status, 200);
});

test('physicalByDefault upgrades at creation, and the activation code is sent', async () => {
  const id = await newCard(ada, { profileId: '1013' });
  const { body } = await ada('GET', `/cards/${id}`);
  assert.equal(body.type, 'VIRTUAL');
  assert.deepEqual(
    [body.physicalCardDetails.pendingActivation, body.physicalCardDetails.manufacturingState],
    [true, 'REQUESTED'],
  );
  const { messages } = (await florin.operator('GET', '/simulator/messages?to=%2B35699003100')).body;
  const [code] = /^\d{6}/.exec(messages[0].text) ?? [];
  assert.equal((await ada('POST', `/cards/activate/${id}`, { activationCode: code })).body.type, 'PHYSICAL');
});

test('idempotency-ref: the same bytes again, another payload 409, kept 24 h', async () => {
  const headers = { 'idempotency-ref': 'create-1' };
  const first = await request({}, 'consumer', headers);
  const again = await request({}, 'consumer', headers);
  assert.deepEqual([again.status, again.text], [200, first.text]);
  assert.equal(again.headers.get('idempotent-replay'), 'true');
  const other = await request({ friendlyName: 'Other' }, 'consumer', headers);
  assert.deepEqual([other.status, other.body.errorCode], [409, 'IDEMPOTENCY_REF_REUSED']);
  const many = await Promise.all(
    Array.from({ length: 30 }, () => request({}, 'consumer', { 'idempotency-ref': 'create-2' })),
  );
  const ids = new Set(many.filter(({ status }) => status === 200).map(({ body }) => body.id));
  assert.equal(ids.size, 1);
  assert.ok(many.every(({ status }) => status === 200 || status === 409));
  await florin.operator('POST', '/simulator/clock/advance', { by: '24h' });
  ada = await customer(florin);
  assert.notEqual((await request({}, 'consumer', headers)).body.id, first.body.id);
});

test('a refusal leaves the idempotency-ref free', async () => {
  const headers = { 'idempotency-ref': 'refused-1' };
  assertConflict(await request({ profileId: '1005' }, 'consumer', headers), 'PROFILE_INACTIVE');
  assert.equal((await request({}, 'consumer', headers)).status, 200);
});

/** Everything right; a fault each is put on top. */
const PROFILE = {
  mode: 'PREPAID_MODE',
  ownerType: 'consumer',
  currencies: ['EUR'],
  providers: ['MASTERCARD'],
  routing: [],
  countries: { allowed: null, excluded: null },
  wallets: { enabled: true, pushProvisioning: true, artworks: ['a'], defaultArtwork: null },
  threeDs: { required: false, primaryChannels: ['OTP_SMS'], fallbackChannels: ['OTP_SMS'], frictionlessBelow: 0 },
  authForwarding: true,
};

// Long: a table of faults, one a line, in the documented order.
test('conflicts come in the documented order: of two at once the earlier is answered', () => {
  // biome-ignore lint/suspicious/noExplicitAny: faults reach into facts of every shape
  type Fault = readonly [code: string, spoil: (facts: any) => void];
  const faults: readonly Fault[] = [
    ['PROFILE_NOT_FOUND', (f) => (f.profile.kind = 'account')],
    ['PROFILE_INACTIVE', (f) => (f.profile.active = false)],
    ['PAYMENT_MODEL_CONSTRAINTS_VIOLATED', (f) => (f.wanted.type = 'corporate')],
    ['CURRENCY_NOT_SUPPORTED_BY_PROFILE', (f) => (f.profile.settings.currencies = ['GBP'])],
    [
      'PROVIDER_NOT_SUPPORTED_BY_PROFILE',
      (f) => (f.profile.settings.routing = [{ currency: 'EUR', provider: 'VISA' }]),
    ],
    ['OWNER_IDENTITY_NOT_VERIFIED', (f) => (f.identity.kyc_state = 'PENDING_REVIEW')],
    ['IDENTITY_KYC_LEVEL_STEPUP_REQUIRED', (f) => (f.programme.settings.kyc.KYC_LEVEL_2.cards = 0)],
    ['COUNTRY_INVALID', (f) => (f.wanted.country = 'ZZ')],
    [
      'AUTH_FORWARDING_NOT_ENABLED',
      (f) => ((f.wanted.timeoutDecision = 'APPROVE'), (f.programme.settings.authForwarding = false)),
    ],
    ['WALLETS_NOT_ENABLED', (f) => ((f.wanted.wallets.enabled = true), (f.profile.settings.wallets.enabled = false))],
    [
      'PUSHPROVISIONING_NOT_ENABLED',
      (f) => ((f.wanted.wallets.push = true), (f.profile.settings.wallets.pushProvisioning = false)),
    ],
    ['WALLET_ARTWORK_INVALID', (f) => ((f.wanted.wallets.enabled = true), (f.wanted.wallets.artwork = 'unknown'))],
    ['THREEDS_DETAILS_NOT_PROVIDED', (f) => (f.profile.settings.threeDs.required = true)],
    ['MOBILE_NUMBER_ALREADY_EXISTS', (f) => (f.mobileTaken = true)],
  ];
  const good = (): Facts =>
    structuredClone({
      wanted: {
        type: 'consumer',
        mode: 'PREPAID_MODE',
        currency: 'EUR',
        country: 'MT',
        timeoutDecision: null,
        wallets: { enabled: false, push: false, artwork: null },
        threeDs: null,
        mobile: null,
        parentGiven: false,
      },
      tenant: { strictParentAccount: false },
      programme: {
        id: 1n,
        settings: {
          authForwarding: true,
          countries: { allowed: null, excluded: null },
          kyc: { KYC_LEVEL_2: { cards: null, debitCards: true } },
        },
      },
      profile: { kind: 'card', programmeId: 1n, active: true, settings: PROFILE },
      identity: { type: 'consumer', kyc_state: 'APPROVED', kyc_level: 'KYC_LEVEL_2' },
      liveCards: 0n,
      parent: null,
      linked: null,
      factors: [],
      mobileTaken: false,
    }) as unknown as Facts;
  assert.equal(creationConflict(good()), null);
  for (const [i, [earlier, spoil]] of faults.entries()) {
    const one = good();
    spoil(one);
    assert.equal(creationConflict(one), earlier);
    for (const [later, spoilToo] of faults.slice(i + 1)) {
      const both = good();
      spoil(both);
      spoilToo(both);
      assert.equal(creationConflict(both), earlier, `${earlier} before ${later}`);
    }
  }
});

test('the order of checks: 429, 401, 403, 400, 404, then 409', async () => {
  const token = await tokenOf(florin);
  const bad = { type: 'nobody' };
  const send = (secret: string, key: string | null, body: unknown) =>
    issuingClient(florin, secret, key)('POST', '/cards/request', body);
  assert.equal((await send('sandbox-limited-secret', null, bad)).status, 429);
  assert.equal((await send('sandbox-secret', null, bad)).status, 401);
  assert.equal((await send('sandbox-secret', 'x'.repeat(54), bad)).status, 403);
  assert.equal((await send('sandbox-secret', token, { ...bad, data: { profileId: '1005' } })).status, 400);
  assert.equal((await send('sandbox-secret', token, cardRequest({ profileId: '1005' }))).status, 409);
});

for (const [level, path, code] of [
  ['identity', '/identities/4001', 'IDENTITY_LIMITS_EXCEEDED'],
  ['programme', '/programmes/5001', 'PROGRAMME_LIMITS_EXCEEDED'],
  ['tenant', '', 'INNOVATOR_LIMITS_EXCEEDED'],
] as const) {
  test(`50 parallel creations at a limit of 10 left of the ${level} give exactly 10`, async () => {
    const { count } = (await ada('GET', '/cards?state=ACTIVE&limit=1&currency=GBP')).body;
    await settings(path, { cardLimits: { total: null, currencies: { GBP: count + 10 } } });
    const replies = await Promise.all(Array.from({ length: 50 }, () => request({ currency: 'GBP' })));
    assert.equal(replies.filter(({ status }) => status === 200).length, 10);
    const refused = replies.filter(({ status }) => status === 409);
    assert.equal(refused.length, 40);
    for (const reply of refused) assertConflict(reply, code);
    const [made] = replies.filter(({ status }) => status === 200);
    assert.equal((await ada('POST', `/cards/remove/${made?.body.id}`)).status, 204);
    assert.equal((await request({ currency: 'GBP' })).status, 200, 'a destroyed card leaves its place');
    await settings(path, { cardLimits: null });
  });
}

test('a level 1 identity has one card, whatever is tried at once', async () => {
  const lev = await customer(florin, 'level1@sandbox.test');
  const replies = await Promise.all(Array.from({ length: 20 }, () => lev('POST', '/cards/request', cardRequest())));
  assert.equal(replies.filter(({ status }) => status === 200).length, 1);
  for (const reply of replies.filter(({ status }) => status !== 200))
    assertConflict(reply, 'IDENTITY_KYC_LEVEL_STEPUP_REQUIRED');
});

test('a mobile number is one identity’s in a programme with unique mobiles, also when two come at once', async () => {
  const [sam, ola] = [await customer(florin, 'small@sandbox.test'), await customer(florin, 'other@sandbox.test')];
  const ask = (as: Client) =>
    as('POST', '/cards/request', cardRequest({ profileId: '1021', cardholderMobileNumber: '+35699555000' }));
  const replies = await Promise.all([ask(sam), ask(ola), ask(sam), ask(ola)]);
  const owners = new Set(replies.flatMap(({ status }, i) => (status === 200 ? [i % 2] : [])));
  assert.equal(owners.size, 1);
  assert.equal(replies.filter(({ body }) => body.errorCode === 'MOBILE_NUMBER_ALREADY_EXISTS').length, 2);
});

test('card numbers: from the range, Luhn, unique, the last of a range too, then INSTRUMENT_NOT_FOUND', async () => {
  const range = { name: 'tiny', brand: 'MASTERCARD', prefix: '5599990001', size: 7 };
  assert.equal((await florin.operator('POST', '/operator/card-ranges', range)).status, 409, 'overlaps 559999');
  const made = await florin.operator('POST', '/operator/card-ranges', { ...range, prefix: '5488880001' });
  assert.equal(made.status, 201, made.text);
  await settings('/profiles/1014', { ranges: { MASTERCARD: 'tiny', VISA: 'tiny' } });
  const replies = await Promise.all(Array.from({ length: 12 }, () => request({ profileId: '1014' })));
  const cards = replies.filter(({ status }) => status === 200);
  assert.equal(cards.length, 7);
  for (const reply of replies.filter(({ status }) => status !== 200)) assertConflict(reply, 'INSTRUMENT_NOT_FOUND');
  const numbers = new Set<string>();
  for (const { body } of cards) {
    const { number } = (await florin.operator('GET', `/operator/cards/${body.id}/number`)).body;
    assert.match(number, /^5488880001\d{6}$/);
    assert.ok(isLuhn(number));
    numbers.add(number);
  }
  assert.equal(numbers.size, 7);
});

test('the permutation of a range gives each number once, and in no order', () => {
  const keyed = (purpose: string, data: string): Buffer => {
    let hash = 0n;
    for (const char of `${purpose}/${data}`)
      hash = (hash * 1_099_511_628_211n + BigInt(char.charCodeAt(0))) & ((1n << 64n) - 1n);
    const bytes = Buffer.alloc(8);
    bytes.writeBigUInt64BE(hash ^ (hash >> 17n));
    return bytes;
  };
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 700 }), fc.string(), (size, name) => {
      const seen = new Set<bigint>();
      for (let i = 0; i < size; i++) seen.add(permuted(keyed, name, BigInt(size), BigInt(i)));
      assert.equal(seen.size, size);
      assert.ok([...seen].every((number) => number >= 0n && number < BigInt(size)));
    }),
    { numRuns: 40 },
  );
  const first = Array.from({ length: 500 }, (_, i) => permuted(keyed, 'order', 1_000_000n, BigInt(i)));
  const rises = first.filter((number, i) => i > 0 && number > (first[i - 1] as bigint)).length;
  assert.ok(rises > 150 && rises < 350, `${rises} of 499 rise`);
});

test('GET /cards: offset, limit and every filter, the newest first', async () => {
  const lia = await customer(florin, 'linked@sandbox.test');
  const tag = 'list-of-its-own';
  const ids: string[] = [];
  for (let i = 0; i < 5; i++) ids.unshift(await newCard(lia, { tag, friendlyName: `Card ${i}` }));
  const list = async (query: string) => (await lia('GET', `/cards?tag=${tag}&${query}`)).body;
  const idsOf = ({ cards }: { cards: { id: string }[] }) => cards.map(({ id }) => id);
  const all = await list('');
  assert.deepEqual([idsOf(all), all.count, all.responseCount], [ids, 5, 5]);
  const page = await list('offset=1&limit=2');
  assert.deepEqual([idsOf(page), page.count, page.responseCount], [ids.slice(1, 3), 5, 2]);
  assert.deepEqual(idsOf(await list('friendlyName=Card+3')), [ids[1]]);
  assert.deepEqual(idsOf(await list('state=BLOCKED')), []);
  await lia('POST', `/cards/block/${ids[0]}`);
  assert.deepEqual(idsOf(await list('state=BLOCKED')), [ids[0]]);
  const shown = (await lia('GET', `/cards/${ids[2]}`)).body;
  assert.deepEqual(
    idsOf(await list(`cardNumberFirstSix=${shown.cardNumberFirstSix}&cardNumberLastFour=${shown.cardNumberLastFour}`)),
    [ids[2]],
  );
  const created = shown.creationTimestamp;
  assert.ok(idsOf(await list(`createdFrom=${created}&createdTo=${created}`)).includes(ids[2] as string));
  for (const none of [
    'mode=DEBIT_MODE',
    'currency=USD',
    'type=PHYSICAL',
    'profileId=1002',
    'parentManagedAccountId=2001',
  ])
    assert.deepEqual(idsOf(await list(none)), [], none);
  assert.equal(idsOf(await list('mode=PREPAID_MODE&currency=EUR&type=VIRTUAL&profileId=1001')).length, 5);
});

test('PATCH /cards/{cardId}: what is given changes, what is absent stays, conflicts as on creation', async () => {
  const id = await newCard(ada, { tag: 'before', cardholderMobileNumber: '+35699000888' });
  const patch = (body: object) => ada('PATCH', `/cards/${id}`, body);
  const changed = await patch({
    friendlyName: 'After',
    renewalType: 'NO_RENEW',
    externalData: [{ name: 'a', value: 'b' }],
  });
  assert.equal(changed.status, 200, changed.text);
  assert.deepEqual(
    [changed.body.friendlyName, changed.body.tag, changed.body.renewalType, changed.body.externalData],
    ['After', 'before', 'NO_RENEW', [{ name: 'a', value: 'b' }]],
  );
  assertConflict(
    await patch({ digitalWallets: { walletsEnabled: true, artworkReference: 'no' } }),
    'WALLET_ARTWORK_INVALID',
  );
  assertConflict(await patch({ billingAddress: { ...ADDRESS, country: 'ZZ' } }), 'COUNTRY_INVALID');
  const linked = await patch({ threeDSecureAuthConfig: { linkedUserId: '3001', primaryChannel: 'OTP_SMS' } });
  assert.equal(linked.status, 200, linked.text);
  assert.equal(linked.body.cardholderMobileNumber, undefined, 'one way replaces the other');
  assert.equal((await patch({ friendlyName: ' ' })).status, 400);
  await ada('POST', `/cards/remove/${id}`);
  assertConflict(await patch({ friendlyName: 'x' }), 'INSTRUMENT_DESTROYED');
});
