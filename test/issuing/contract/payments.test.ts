// What an issued card's payments are answered, over HTTP with the simulator's merchant and a tenant's own server:
// docs/contract/issuing.md#authorization, the table of reasons and the sentences behind it. Rule: a test is named by the words it proves.
import assert from 'node:assert/strict';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, beforeEach, test } from 'node:test';
import { Webhook } from 'standardwebhooks';
import { addDays, systemClock } from '../../../src/base/index.ts';
import { type Client, type TestApp, testApp } from '../../support/app.ts';
import { canary } from '../../support/canary.ts';
import {
  advance,
  assertBooksHold,
  customer,
  DEBIT,
  fundedCard,
  newCard,
  plasticCard,
  purchase,
  UPGRADE,
} from '../../support/issuing.ts';

let florin: TestApp;
let ada: Client;
const asked: string[] = [];
let askedWith: http.IncomingHttpHeaders = {};
let answer: (response: http.ServerResponse) => void = () => undefined;
const tenant = http.createServer((request, response) => {
  let text = '';
  request.on('data', (chunk: Buffer) => (text += chunk.toString()));
  request.on('end', () => {
    asked.push(text);
    askedWith = request.headers;
    answer(response);
  });
});
const saying =
  (text: string, status = 200): typeof answer =>
  (response) =>
    response.writeHead(status).end(text);

before(async () => {
  florin = await testApp();
  await new Promise<void>((resolve) => tenant.listen(0, '127.0.0.1', resolve));
});
after(() => {
  tenant.closeAllConnections();
  tenant.close();
});
beforeEach(async () => {
  ada = await customer(florin);
});

type Fields = Readonly<Record<string, unknown>>;
const post = async (target: string, body?: unknown): Promise<void> => {
  const reply = await ada('POST', target, body);
  assert.ok(reply.status < 300, reply.text);
};
const settings = async (path: string, changes: object): Promise<void> => {
  const reply = await florin.operator('PATCH', `/operator/tenants/sandbox${path}`, { settings: changes });
  assert.equal(reply.status, 200, reply.text);
};
const balances = async (id: string): Promise<[available: number, actual: number]> => {
  const { availableBalance, actualBalance } = (await ada('GET', `/cards/${id}`)).body.balances;
  return [availableBalance, actualBalance];
};
const follow = async (authorizationId: string, verb: string, body: object = {}) =>
  (await florin.operator('POST', `/simulator/authorizations/${authorizationId}/${verb}`, body)).body;
const refund = async (body: object) => (await florin.operator('POST', '/simulator/refunds', body)).body;
const numberOf = async (id: string) => (await florin.operator('GET', `/operator/cards/${id}/number`)).body;
const plastic = async (): Promise<string> => {
  const id = await plasticCard(ada, true);
  await post('/transfers', {
    source: { type: 'managed_accounts', id: '2001' },
    destination: { type: 'managed_cards', id },
    destinationAmount: { currency: 'EUR', amount: 10_000 },
  });
  return id;
};
const other = (code: string): string => (code.startsWith('1') ? code.replace(/^1/, '2') : code.replace(/^./, '1'));

/** What is declined, with which code: each on a card of its own with 100.00 on it. */
const DECLINED: readonly (readonly [what: string, code: string, make: () => Promise<string>, fields?: Fields])[] = [
  ['destroyed', '14', () => gone('remove')],
  ['blocked', '62', () => after_('block')],
  ['lost', '41', () => after_('report-lost')],
  ['stolen', '43', () => after_('report-stolen')],
  ['CVV wrong', '82', plastic, { cvv: true }],
  ['PIN wrong', '55', plastic, { channel: 'chip', pin: true }],
  ['expiry wrong', '54', plastic, { expiry: '3001' }],
  ...(['atm', 'chip', 'cashback'] as const).flatMap((channel): typeof DECLINED => [
    [`${channel} with a card whose plastic was never ordered`, '57', () => fundedCard(ada, 10_000), { channel }],
    [`${channel} with plastic that waits for activation`, '78', () => plasticCard(ada, false), { channel }],
  ]),
  [
    'contactless with plastic that waits for activation',
    '78',
    () => plasticCard(ada, false),
    { channel: 'contactless' },
  ],
  ['funds', '51', plastic, { amount: 10_001 }],
  ['max amount', '61', () => limited({ maxTransactionAmount: 99 })],
  ['channel', '57', () => limited({ allowECommerce: false })],
  ['other rule', '57', () => limited({ blockedMerchantCategories: ['5999'] })],
  ['country', '57', plastic, { country: 'PRK' }],
  ['missing rate', '57', plastic, { currency: 'KRW' }],
  ['SCA required', 'A1', plastic, { threeDs: false }],
];
const after_ = async (verb: string): Promise<string> => {
  const id = await plastic();
  await post(`/cards/${verb}/${id}`);
  return id;
};
const gone = async (verb: string): Promise<string> => {
  const id = await newCard(ada);
  await post(`/cards/${verb}/${id}`);
  return id;
};
const limited = async (data: object): Promise<string> => {
  const id = await plastic();
  assert.equal((await ada('PUT', `/cards/limits/${id}`, { data })).status, 204);
  return id;
};

for (const [what, code, make, fields = {}] of DECLINED)
  test(`${what}: ${code}, nothing is held, and its explanation is kept`, async () => {
    const id = await make();
    const money = await balances(id);
    const { cvv, pin } = await numberOf(id);
    const wrong = { ...(fields.cvv ? { cvv: other(cvv) } : {}), ...(fields.pin ? { pin: other(pin) } : {}) };
    const refused = await purchase(florin, id, 100, { ...fields, ...wrong });
    assert.deepEqual([refused.approved, refused.responseCode], [false, code], JSON.stringify(refused));
    assert.deepEqual(await balances(id), money);
    const { payments } = (await ada('GET', `/cards/payments/${id}`)).body;
    assert.deepEqual(
      [payments[0].responseCode, payments[0].reason, payments[0].explanation],
      [code, refused.reason, refused.explanation],
    );
    assert.equal(payments[0].explanation.at(-1).result, 'FAILED');
  });

test("A card without plastic pays contactless as a device's token, e-commerce by its number", async () => {
  const id = await fundedCard(ada, 10_000);
  assert.equal(
    (await purchase(florin, id, 100, { channel: 'contactless' })).approved,
    true,
    'walletTokenId is optional',
  );
  assert.equal((await purchase(florin, id, 100)).approved, true);
});

test('purchases take `walletTokenId`: the device stands for the card while it is active', async () => {
  const on = { walletsEnabled: true, pushProvisioningEnabled: true };
  const id = await fundedCard(ada, 10_000, { digitalWallets: on });
  const token = await ada('POST', `/cards/wallet-tokens/${id}`, { wallet: 'APPLE', device: 'phone' });
  const walletTokenId: string = token.body.id;
  const pay = (fields: Fields = {}) => purchase(florin, id, 100, { channel: 'contactless', walletTokenId, ...fields });
  const answered = async (code: string, reason: string | null, fields: Fields = {}): Promise<void> => {
    const { responseCode, reason: why } = await pay(fields);
    assert.deepEqual([responseCode, why], [code, reason]);
  };
  await answered('57', 'WALLET_TOKEN_NOT_ACTIVE');
  const device = { cardId: id, result: 'success' };
  assert.equal((await florin.operator('POST', `/simulator/wallet-tokens/${walletTokenId}`, device)).status, 204);
  await answered('00', null);
  await answered('00', null, { channel: 'ecommerce' });
  await answered('00', null, { dryRun: true });
  await answered('14', 'WALLET_TOKEN_NOT_FOUND', { walletTokenId: '12345' });
  for (const channel of ['chip', 'atm', 'cashback', 'credit']) {
    const body = { cardId: id, amount: 1, currency: 'EUR', channel, walletTokenId };
    assert.equal((await florin.operator('POST', '/simulator/purchases', body)).status, 422, channel);
  }

  // Plastic on its way keeps nobody from paying with a telephone, and what follows is the same device's.
  assert.equal((await ada('POST', `/cards/upgrade/${id}`, UPGRADE)).status, 200);
  const { authorizationId, approved } = await pay();
  assert.equal(approved, true);
  assert.equal((await follow(authorizationId, 'increment', { amount: 50 })).approved, true);
  const { payments } = (await ada('GET', `/cards/payments/${id}`)).body;
  assert.equal(payments[0].walletTokenId, walletTokenId);

  await post(`/cards/block/${id}`);
  await answered('62', 'CARD_BLOCKED');
  await post(`/cards/unblock/${id}`);
  await answered('00', null);
  assert.equal((await ada('DELETE', `/cards/wallet-tokens/${id}/${walletTokenId}`)).status, 204);
  await answered('14', 'WALLET_TOKEN_NOT_FOUND');
});

test("another card's token is none of this card's", async () => {
  const on = { digitalWallets: { walletsEnabled: true, pushProvisioningEnabled: true } };
  const [mine, other_] = [await fundedCard(ada, 100, on), await fundedCard(ada, 100, on)];
  const { body } = await ada('POST', `/cards/wallet-tokens/${other_}`, { wallet: 'GOOGLE', device: 'watch' });
  await florin.operator('POST', `/simulator/wallet-tokens/${body.id}`, { cardId: other_, result: 'success' });
  const paid = await purchase(florin, mine, 1, { channel: 'contactless', walletTokenId: body.id });
  assert.equal(paid.responseCode, '14');
});

test('unknown number: 14; ATM limit: 61', async () => {
  const unknown = { pan: canary('559999000000000'), amount: 1, currency: 'EUR', threeDs: true };
  const reply = await florin.operator('POST', '/simulator/purchases', unknown);
  assert.deepEqual([reply.body.responseCode, reply.body.authorizationId], ['14', null]);
  await settings('/profiles/1001', { atmDailyLimit: 500 });
  const id = await plastic();
  const atm = (amount: number) => purchase(florin, id, amount, { channel: 'atm' });
  assert.equal((await atm(400)).approved, true);
  const refused = await atm(101);
  assert.deepEqual([refused.responseCode, refused.reason], ['61', 'ATM_LIMIT_EXCEEDED']);
  assert.equal((await atm(100)).approved, true);
  await advance(florin, '1d');
  ada = await customer(florin);
  assert.equal((await atm(500)).approved, true);
  await settings('/profiles/1001', { atmDailyLimit: null });
});

test('KYC-level limits: level 1 may spend 150.00 at once and 500.00 a month', async () => {
  const lev = await customer(florin, 'level1@sandbox.test');
  const id = await newCard(lev);
  const opened = await lev('POST', '/managed-accounts', { profileId: '1011', friendlyName: 'Lev', currency: 'EUR' });
  await florin.operator('POST', `/simulator/accounts/${opened.body.id}/deposit`, { amount: 90_000 });
  const moved = await lev('POST', '/transfers', {
    source: { type: 'managed_accounts', id: opened.body.id },
    destination: { type: 'managed_cards', id },
    destinationAmount: { currency: 'EUR', amount: 90_000 },
  });
  assert.equal(moved.status, 200, moved.text);
  const refused = await purchase(florin, id, 15_001);
  assert.deepEqual([refused.responseCode, refused.reason], ['61', 'KYC_LIMIT_EXCEEDED']);
  for (let i = 0; i < 3; i++) assert.equal((await purchase(florin, id, 15_000)).approved, true);
  assert.equal((await purchase(florin, id, 5001)).responseCode, '61');
  assert.equal((await purchase(florin, id, 5000)).approved, true);
});

test("funds: the card's balance or the active parent's", async () => {
  const opened = await ada('POST', '/managed-accounts', { profileId: '1011', friendlyName: 'Own', currency: 'EUR' });
  const account = opened.body.id;
  await florin.operator('POST', `/simulator/accounts/${account}/deposit`, { amount: 500 });
  const cards = [
    await newCard(ada, { ...DEBIT, parentManagedAccountId: account }),
    await newCard(ada, { ...DEBIT, parentManagedAccountId: account }),
  ] as const;
  assert.equal((await purchase(florin, cards[0], 300)).approved, true);
  assert.equal((await purchase(florin, cards[1], 201)).responseCode, '51');
  assert.equal((await purchase(florin, cards[1], 200)).approved, true);
  const { body } = await ada('GET', `/managed-accounts/${account}`);
  assert.deepEqual(body.balances, { availableBalance: 0, actualBalance: 500 });
  await florin.operator('POST', `/simulator/accounts/${account}/deposit`, { amount: 500 });
  await post(`/managed-accounts/block/${account}`);
  assert.equal((await purchase(florin, cards[0], 1)).approved, false);
  await post(`/managed-accounts/unblock/${account}`);
  assert.equal((await purchase(florin, cards[0], 1)).approved, true);
});

test('available = actual - open holds: increment, partial reversal, partial and over-clearing, refund', async () => {
  const id = await fundedCard(ada, 10_000);
  const { authorizationId } = await purchase(florin, id, 1000, { final: false });
  assert.deepEqual(await balances(id), [9000, 10_000]);
  assert.equal((await follow(authorizationId, 'increment', { amount: 500 })).approved, true);
  assert.deepEqual(await balances(id), [8500, 10_000]);
  assert.equal((await follow(authorizationId, 'reverse', { amount: 300 })).approved, true);
  assert.deepEqual(await balances(id), [8800, 10_000]);
  assert.equal((await follow(authorizationId, 'clear', { amount: 400, final: false })).approved, true);
  assert.deepEqual(await balances(id), [8800, 9600]);
  assert.equal((await follow(authorizationId, 'clear', { amount: 1000 })).approved, true);
  assert.deepEqual(await balances(id), [8600, 8600], '200 above the hold');
  assert.equal((await refund({ authorizationId, amount: 1400 })).approved, true);
  assert.deepEqual(await balances(id), [10_000, 10_000]);
  assert.equal((await refund({ authorizationId, amount: 1 })).approved, false, 'no more than was cleared');
});

test('refund without original', async () => {
  const id = await fundedCard(ada, 100);
  assert.equal((await refund({ cardId: id, amount: 250, currency: 'EUR' })).approved, true);
  assert.deepEqual(await balances(id), [350, 350]);
});

test('Holds: final 7 days, pre-authorization 30, by category; expiry releases once, a later clearing still posts', async () => {
  const id = await fundedCard(ada, 10_000);
  await settings('/profiles/1001', { holdDays: { final: 7, preAuthorization: 30, categories: { '7011': 60 } } });
  const final = await purchase(florin, id, 100);
  const early = await purchase(florin, id, 200, { final: false });
  await purchase(florin, id, 400, { mcc: '7011' });
  const held = async (): Promise<number> => {
    ada = await customer(florin);
    const [available, actual] = await balances(id);
    return actual - available;
  };
  assert.equal(await held(), 700);
  await advance(florin, '167h');
  assert.equal(await held(), 700);
  await advance(florin, '2h');
  assert.equal(await held(), 600, 'after 7 days');
  assert.equal((await follow(final.authorizationId, 'expire')).approved, false, 'once');
  await advance(florin, '23d');
  assert.equal(await held(), 400, 'after 30 days');
  await advance(florin, '30d');
  assert.equal(await held(), 0, 'after 60 days');
  assert.equal((await follow(early.authorizationId, 'clear', { amount: 150 })).approved, true);
  assert.deepEqual(await balances(id), [9850, 9850]);
  await settings('/profiles/1001', { holdDays: null });
});

const SIGNING = 'whsec_YSBrZXkgb2YgdGhlIHRlbmFudCB0aGF0IG5vYm9keSBrbm93cw==';

/** Forwarding is on for these; with the tenant's server off, unless a test turns it on. */
async function forwarded(how: typeof answer, work: () => Promise<void>): Promise<void> {
  const { port } = tenant.address() as AddressInfo;
  // A path of its own: a server that failed a test before is not asked again for a while.
  const url = `http://127.0.0.1:${port}/${asked.length}`;
  await settings('', { forwarding: { url, secret: SIGNING } });
  answer = how;
  try {
    await work();
  } finally {
    await settings('', { forwarding: null });
  }
}

test('Forwarding: hold first, release on denial; denial, no reason: 05', async () => {
  const id = await fundedCard(ada, 1000);
  let during: number[] = [];
  const declining: typeof answer = (response) =>
    void balances(id).then((money) => {
      during = money;
      saying('{"decision":"DECLINE"}')(response);
    });
  await forwarded(declining, async () => {
    const refused = await purchase(florin, id, 300);
    assert.deepEqual([refused.responseCode, refused.reason], ['05', 'FORWARDING_DECLINED']);
  });
  assert.deepEqual(during, [700, 1000], 'held while the tenant is asked');
  assert.deepEqual(await balances(id), [1000, 1000]);
});

test('Forwarding: approved by the tenant, who is asked last and told no number; what is declined before is not asked', async () => {
  const id = await fundedCard(ada, 1000);
  const { number } = await numberOf(id);
  await forwarded(saying('{"decision":"APPROVE"}'), async () => {
    const before_ = asked.length;
    assert.equal((await purchase(florin, id, 1001)).responseCode, '51');
    assert.equal(asked.length, before_);
    const paid = await purchase(florin, id, 400, { merchantId: 'SHOP1' });
    assert.deepEqual([paid.approved, asked.length], [true, before_ + 1]);
    const text = asked.at(-1) ?? '';
    const { type, data } = JSON.parse(text);
    assert.deepEqual(
      [type, data.cardId, data.authorizationId, data.amount, data.hold, data.merchant.id],
      ['authorization.request', id, paid.authorizationId, { currency: 'EUR', amount: 400 }, 400, 'SHOP1'],
    );
    assert.equal(text.includes(number), false);
  });
});

test('Forwarding: webhook-timestamp is the real time, never the virtual clock', async () => {
  const earlier = florin.app.clock.now();
  for (let i = 0; i < 2; i++) await advance(florin, '200d');
  assert.ok(florin.app.clock.now() >= addDays(earlier, 400));
  ada = await customer(florin);
  const id = await fundedCard(ada, 1000);
  await forwarded(saying('{"decision":"APPROVE"}'), async () => {
    assert.equal((await purchase(florin, id, 100)).approved, true);
  });
  const askedAt = Number(askedWith['webhook-timestamp']) * 1000;
  assert.ok(Math.abs(askedAt - systemClock.now().getTime()) < 60_000, new Date(askedAt).toISOString());
  const told = new Webhook(SIGNING).verify(asked.at(-1) ?? '', askedWith as Record<string, string>);
  assert.equal((told as { type: string }).type, 'authorization.request', 'the library that receivers use takes it');
});

for (const [what, how] of [
  ['non-200', saying('{"decision":"APPROVE"}', 202)],
  ['malformed', saying('APPROVE')],
  ['timeout', () => undefined],
] as const)
  test(`Forwarding: ${what}: the card's default decision, else the profile's, with the cause in the trace`, async () => {
    const approving = await fundedCard(ada, 1000, { authForwardingDefaultTimeoutDecision: 'APPROVE' });
    const declining = await fundedCard(ada, 1000, { authForwardingDefaultTimeoutDecision: 'DECLINE' });
    const unsaid = await fundedCard(ada, 1000);
    await settings('/profiles/1001', { forwardingDefault: 'APPROVE' });
    await forwarded(how, async () => {
      const [yes, no, profile] = await Promise.all(
        [approving, declining, unsaid].map((id) => purchase(florin, id, 100)),
      );
      assert.equal(yes.approved, true);
      assert.deepEqual([no.responseCode, no.reason], ['91', 'FORWARDING_UNANSWERED']);
      assert.equal(profile.approved, true);
      assert.match(no.explanation.at(-1).note, /DECLINE by default/);
      await settings('/profiles/1001', { forwardingDefault: 'DECLINE' });
      assert.equal((await purchase(florin, unsaid, 100)).responseCode, '91');
    });
    await settings('/profiles/1001', { forwardingDefault: null });
    assert.deepEqual(
      [await balances(approving), await balances(declining), await balances(unsaid)],
      [
        [900, 1000],
        [1000, 1000],
        [900, 1000],
      ],
    );
  });

test('a dry run answers the same question without moving money, and asks no tenant', async () => {
  const id = await fundedCard(ada, 1000);
  await forwarded(saying('{"decision":"DECLINE"}'), async () => {
    const before_ = asked.length;
    const dry = await purchase(florin, id, 100, { dryRun: true });
    assert.deepEqual([dry.authorizationId, asked.length], [null, before_]);
    assert.equal((await purchase(florin, id, 1001, { dryRun: true })).responseCode, '51');
  });
  assert.deepEqual(await balances(id), [1000, 1000]);
});

test('conversion, fees, padding: held together, padding is never taken', async () => {
  await settings('/profiles/1001', {
    fees: { purchasePercent: '1', atmFixed: 0, fxPercent: '2', paddingPercent: '5' },
  });
  const id = await fundedCard(ada, 100_000);
  const { authorizationId } = await purchase(florin, id, 10_000, { currency: 'USD' });
  const [payment] = (await ada('GET', `/cards/payments/${id}`)).body.payments;
  const { amount } = payment.cardAmount;
  assert.deepEqual(
    [payment.transactionAmount, payment.cardAmount.currency],
    [{ currency: 'USD', amount: 10_000 }, 'EUR'],
  );
  const [available] = await balances(id);
  assert.equal(100_000 - available, amount + Math.round(amount * 0.03) + Math.round(amount * 0.05));
  assert.equal((await follow(authorizationId, 'clear')).approved, true);
  const taken = amount + Math.round(amount * 0.03);
  assert.deepEqual(await balances(id), [100_000 - taken, 100_000 - taken]);
  await settings('/profiles/1001', { fees: null });
});

test('the books hold', () => assertBooksHold(florin));
