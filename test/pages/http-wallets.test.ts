// A wallet's button on the payment page: the sandbox's own token pays, and of tokens that come from elsewhere only one that was approved
// for this merchant, this amount and this currency, not long ago, and once.
import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { systemRandom } from '../../src/base/index.ts';
import { type WalletSandbox, walletSandbox } from '../../src/wallets/index.ts';
import { type TestApp, testApp } from '../support/app.ts';
import { openPage } from '../support/page.ts';
import { orderOf, type Shop, shopOf } from '../support/shop.ts';
import { CARDS } from './cards.ts';

const RECIPIENT = 'gateway:florin';
const MERCHANT = 'merchant.florin.sandbox';
const GOOGLE_MERCHANT = 'florin-sandbox';
const DUE = { minor: 500n, currencyNumeric: '978' };
const CARD = { digits: CARDS.approved, expiry: '3012', eci: '05' };
const MINUTE_MS = 60_000;

let florin: TestApp;
let shop: Shop;
/** With the keys of the running sandbox, and with somebody else's. */
let ours: WalletSandbox;
const strangers = walletSandbox({ seed: Buffer.alloc(32, 7), random: systemRandom, recipientId: RECIPIENT });
before(async () => {
  florin = await testApp();
  shop = shopOf(florin);
  const seed = florin.app.vault.keyed('sandbox.wallets', '');
  ours = walletSandbox({ seed, random: systemRandom, recipientId: RECIPIENT });
});

type Wallet = 'apple_pay' | 'google_pay';

async function made(fields: Record<string, unknown> = {}): Promise<{ id: string; url: string }> {
  const options = { apple_pay_enabled: 1, google_pay_enabled: 1 };
  const reply = await shop.create({ amount: 5, currency: 'EUR', options, ...fields });
  assert.equal(reply.status, 201, reply.text);
  return { id: orderOf(reply).id, url: reply.headers.get('location') as string };
}

const now = (minutes = 0): Date => new Date(florin.app.clock.now().getTime() + minutes * MINUTE_MS);
const apple = (by = ours, merchant = MERCHANT, approved = DUE, at = now()): string =>
  by.applePayToken(merchant, CARD, approved, at);
const google = (by = ours, merchant: string | null = GOOGLE_MERCHANT, at = now()): string =>
  by.googlePayToken(merchant, CARD, at);

/** With one character of a field of the token changed. */
function tampered(token: string, name: string): string {
  const change = (value: unknown): unknown => {
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(
      Object.entries(value).map(([key, part]) => {
        if (key !== name || typeof part !== 'string') return [key, change(part)];
        const at = Math.floor(part.length / 2);
        // Of hexadecimal digits a and A are the same.
        return [key, part.slice(0, at) + (/a/i.test(part[at] ?? '') ? 'B' : 'A') + part.slice(at + 1)];
      }),
    );
  };
  const text = JSON.stringify(change(JSON.parse(token)));
  assert.notEqual(text, token, `${name} is in the token`);
  return text;
}

const operationsOf = async (id: string): Promise<[string, string][]> =>
  (await shop.get(id)).operations.map(({ type, status }: { type: string; status: string }) => [type, status]);

const pay = async (url: string, wallet: string, token?: string): Promise<Response> =>
  (await openPage(url)).post({ wallet, ...(token === undefined ? {} : { token }) }, '/wallet');

describe('pays', () => {
  const TOKENS: readonly (readonly [what: string, wallet: Wallet, token: () => string | undefined])[] = [
    ['the sandbox’s own button, Apple Pay', 'apple_pay', () => undefined],
    ['the sandbox’s own button, Google Pay', 'google_pay', () => undefined],
    ['a token of Apple Pay', 'apple_pay', () => apple()],
    ['a token of Apple Pay of four minutes ago', 'apple_pay', () => apple(ours, MERCHANT, DUE, now(-4))],
    ['a token of Google Pay', 'google_pay', () => google()],
  ];
  for (const [what, wallet, token] of TOKENS)
    test(what, async () => {
      const { id, url } = await made();
      const page = await openPage(url);
      const given = token();
      const press = () => page.post({ wallet, ...(given === undefined ? {} : { token: given }) }, '/wallet');
      const answer = await press();
      assert.equal(answer.status, 303, await answer.text());
      const order = await shop.get(id);
      assert.deepEqual(
        [order.status, order.amount_charged ?? '0.00', order.pan],
        ['authorized', '0.00', '411111******1111'],
      );
      assert.deepEqual(await operationsOf(id), [['authorize', 'success']]);
      assert.equal((await press()).status, 303, 'again: nothing is paid twice');
      assert.deepEqual(await operationsOf(id), [['authorize', 'success']]);
    });
});

describe('is refused: the page says so, and the order waits as it did', () => {
  const TOKENS: readonly (readonly [what: string, wallet: string, token: () => string])[] = [
    ...['data', 'signature', 'ephemeralPublicKey', 'publicKeyHash', 'transactionId'].map(
      (name) => [`Apple Pay: ${name} changed`, 'apple_pay', () => tampered(apple(), name)] as const,
    ),
    ...['signature', 'signedMessage', 'signedKey'].map(
      (name) => [`Google Pay: ${name} changed`, 'google_pay', () => tampered(google(), name)] as const,
    ),
    ['Apple Pay of another installation', 'apple_pay', () => apple(strangers)],
    ['Google Pay of another installation', 'google_pay', () => google(strangers)],
    ['Apple Pay for another merchant', 'apple_pay', () => apple(ours, 'merchant.somebody.else')],
    ['Google Pay for another merchant', 'google_pay', () => google(ours, 'somebody-else')],
    ['Google Pay for no merchant', 'google_pay', () => google(ours, null)],
    ['a cent more', 'apple_pay', () => apple(ours, MERCHANT, { ...DUE, minor: 501n })],
    ['a cent less', 'apple_pay', () => apple(ours, MERCHANT, { ...DUE, minor: 499n })],
    ['another currency', 'apple_pay', () => apple(ours, MERCHANT, { ...DUE, currencyNumeric: '840' })],
    ['six minutes old', 'apple_pay', () => apple(ours, MERCHANT, DUE, now(-6))],
    ['of the future', 'apple_pay', () => apple(ours, MERCHANT, DUE, now(6))],
    ['over', 'google_pay', () => google(ours, GOOGLE_MERCHANT, now(-61))],
    ['a token of the other wallet', 'apple_pay', () => google()],
    ['a token of the other wallet, the other way', 'google_pay', () => apple()],
    ['no token at all', 'apple_pay', () => 'x'],
    ['JSON that is none', 'google_pay', () => '{"__proto__":{"a":1},"signature":[]}'],
    ['deep JSON', 'apple_pay', () => '['.repeat(4000)],
  ];
  for (const [what, wallet, token] of TOKENS)
    test(what, async () => {
      const { id, url } = await made();
      const answer = await pay(url, wallet, token());
      const html = await answer.text();
      assert.equal(answer.status, 422, html);
      assert.match(html, /The wallet could not be used/);
      assert.equal((await shop.get(id)).status, 'new');
      assert.deepEqual(await operationsOf(id), []);
      // A card still pays.
      assert.match(html, /<form id="card"/);
    });

  test('a wallet that the order doesn’t offer, and one that there is not', async () => {
    const { id, url } = await made({ options: { apple_pay_enabled: 1 } });
    assert.equal((await pay(url, 'google_pay')).status, 422);
    assert.equal((await pay(url, 'google_pay', google())).status, 422);
    for (const wallet of ['', 'samsung_pay', '__proto__']) assert.equal((await pay(url, wallet)).status, 404, wallet);
    assert.equal((await shop.get(id)).status, 'new');
  });

  test('where the payer says how much, no wallet is offered and none pays', async () => {
    const link = await florin.operator('POST', '/operator/projects/sandbox/links', {
      currency: 'EUR',
      static_link: true,
    });
    await shop.withSettings({ wallets: true }, async () => {
      assert.doesNotMatch((await openPage(link.body.url)).html, /class="wallet"/);
      assert.equal((await pay(link.body.url, 'apple_pay')).status, 422);
    });
  });
});

for (const [wallet, token] of [
  ['apple_pay', () => apple()],
  ['google_pay', () => google()],
] as const)
  test(`${wallet}: a token pays once, whichever order it is brought to`, async () => {
    const same = token();
    const [first, second] = [await made(), await made()];
    assert.equal((await pay(first.url, wallet, same)).status, 303);
    assert.equal((await shop.get(first.id)).status, 'authorized');
    const answer = await pay(second.url, wallet, same);
    assert.equal(answer.status, 422);
    assert.match(await answer.text(), /The wallet could not be used/);
    assert.equal((await shop.get(second.id)).status, 'new', 'a card may still pay it');
    assert.deepEqual(
      (await operationsOf(second.id)).filter(([, status]) => status === 'success'),
      [],
    );
    const both = await Promise.all([made(), made()]);
    const once = token();
    await Promise.all(both.map(({ url }) => pay(url, wallet, once)));
    const statuses = await Promise.all(both.map(async ({ id }) => (await shop.get(id)).status));
    assert.equal(statuses.filter((status) => status === 'authorized').length, 1, statuses.join(', '));
  });
