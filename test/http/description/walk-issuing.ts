// Every operation of the issuing API once as it should go, and the simulator's half of a card's life: what the examples of its reference are.
import assert from 'node:assert/strict';
import { type Client, payment, type TestApp } from '../../support/app.ts';
import {
  cardRequest,
  customer,
  fundedCard,
  issuingClient,
  newCard,
  PASSWORD,
  plasticCard,
  purchase,
  steppedUp,
  UPGRADE,
} from '../../support/issuing.ts';

const NEW_PASSWORD = 'four-Quiet-otters-9';
const LIMITS = {
  data: { allowAtm: false, spendLimit: [{ value: { currency: 'EUR', amount: 50_000 }, interval: 'MONTHLY' }] },
};
const WALLET = { pushProvisioningEnabled: true, walletsEnabled: true };

async function cards(florin: TestApp, as: Client): Promise<void> {
  const request = cardRequest({ profileId: '1002', mode: 'DEBIT_MODE', parentManagedAccountId: '2001', tag: 'travel' });
  const { id } = (await as('POST', '/cards/request', request)).body;
  await as('PATCH', `/cards/${id}`, { friendlyName: 'Travel and taxi' });
  await as('PUT', `/cards/limits/${id}`, LIMITS);
  await as('GET', `/cards/limits/${id}`);
  const plastic = await newCard(as, { cardholderMobileNumber: '+35699000009' });
  await as('POST', `/cards/upgrade/${plastic}`, UPGRADE);
  const sent = { state: 'DISPATCHED', deliveryTrackingCode: 'MT1001', deliveryTrackingMethod: 'COURIER' };
  await florin.operator('PUT', `/operator/cards/${plastic}/manufacturing`, sent);
  await as('POST', `/cards/activate/${plastic}`, { activationCode: UPGRADE.activationCode });
  const { cardNumber } = (await as('GET', `/cards/${plastic}`)).body;
  await as('POST', '/cards/reveal', { token: cardNumber.value });
  await as('GET', `/cards/pin/${plastic}`);
  await as('POST', `/cards/replace-damaged/${plastic}`, { activationCode: '104711' });
  const lost = await plasticCard(as, true);
  await as('POST', `/cards/report-lost/${lost}`);
  await as('POST', `/cards/replace-lost-stolen/${lost}`, { activationCode: '104711' });
  const inWallet = await newCard(as, { digitalWallets: WALLET });
  const { body } = await as('POST', `/cards/wallet-tokens/${inWallet}`, { wallet: 'APPLE', device: 'phone-1' });
  const inUse = { cardId: inWallet, result: 'success' };
  assert.equal((await florin.operator('POST', `/simulator/wallet-tokens/${body.id}`, inUse)).status, 204);
  await as('GET', `/cards/wallet-tokens/${inWallet}`);
  await as('GET', '/cards');
}

/** Purchases of a card, from hold to refund, as a foreign merchant makes them. */
async function spending(florin: TestApp, as: Client): Promise<void> {
  const card = await fundedCard(as, 20_000);
  const follow = (id: string, what: string, body: object = {}) =>
    florin.operator('POST', `/simulator/authorizations/${id}/${what}`, body);
  const first = await purchase(florin, card, 1250);
  await follow(first.authorizationId, 'increment', { amount: 250 });
  await follow(first.authorizationId, 'clear', { amount: 1500 });
  await florin.operator('POST', '/simulator/refunds', { authorizationId: first.authorizationId, amount: 500 });
  await follow((await purchase(florin, card, 700)).authorizationId, 'reverse', { amount: 700 });
  await follow((await purchase(florin, card, 900)).authorizationId, 'expire');
  await purchase(florin, card, 99_999);
  await as('GET', `/cards/transactions/${card}`);
  await as('GET', `/cards/payments/${card}`);
  await florin.operator('GET', `/simulator/challenges?cardId=${card}`);
}

/** An e-commerce payment with the card that its cardholder confirms on a device. */
async function challenge(florin: TestApp, as: Client): Promise<void> {
  const device = { linkedUserId: '3001', primaryChannel: 'BIOMETRICS' };
  const card = await fundedCard(as, 5000, { threeDSecureAuthConfig: device });
  const { number, cvv, expiryMmyy } = (await florin.operator('GET', `/operator/cards/${card}/number`)).body;
  const expiry = { expiration_month: expiryMmyy.slice(0, 2), expiration_year: expiryMmyy.slice(2) };
  const paid = payment({ pan: number, card: { cvv, holder: 'Ada Example', ...expiry }, options: { force3d: 1 } });
  await florin.merchant('POST', '/gateway/orders/authorize', paid);
  const { challenges } = (await florin.operator('GET', `/simulator/challenges?cardId=${card}`)).body;
  const answer = await florin.operator('POST', `/simulator/challenges/${challenges[0].id}`, { result: 'success' });
  assert.equal(answer.status, 204, answer.text);
}

async function accountsAndTransfers(florin: TestApp, as: Client): Promise<void> {
  const opened = await as('POST', '/managed-accounts', { profileId: '1011', friendlyName: 'Travel', currency: 'EUR' });
  assert.equal(opened.status, 200, opened.text);
  await as('GET', '/managed-accounts');
  await as('GET', `/managed-accounts/${opened.body.id}`);
  await florin.operator('POST', `/simulator/accounts/${opened.body.id}/deposit`, { amount: 100_000 });
  const { body } = await as('POST', '/transfers', {
    source: { type: 'managed_accounts', id: opened.body.id },
    destination: { type: 'managed_accounts', id: '2001' },
    destinationAmount: { currency: 'EUR', amount: 1000 },
    description: 'Savings',
  });
  await as('GET', `/transfers/${body.id}`);
  await as('GET', '/transfers');
  await as('GET', `/managed-accounts/statement/${opened.body.id}`);
}

async function people(florin: TestApp): Promise<void> {
  const as = await steppedUp(florin);
  const { identity } = (
    await issuingClient(florin)('POST', '/auth/login', {
      email: 'consumer@sandbox.test',
      password: { value: PASSWORD },
    })
  ).body;
  await as('GET', `/identities/${identity.id}`);
  const grace = { name: 'Grace', surname: 'Example', email: 'grace@shop.example', mobileNumber: '+35699000002' };
  const { id } = (await as('POST', '/users', grace)).body;
  await as('GET', `/users/${id}`);
  await as('PATCH', `/users/${id}`, { surname: 'Sample' });
  await as('GET', '/users');
  await as('GET', '/factors');
  const changed = { oldPassword: { value: PASSWORD }, newPassword: { value: NEW_PASSWORD } };
  assert.equal((await as('POST', '/users/password', changed)).status, 204);
}

export async function walkIssuing(florin: TestApp): Promise<void> {
  const as = await customer(florin);
  await cards(florin, as);
  await spending(florin, as);
  await challenge(florin, as);
  await accountsAndTransfers(florin, as);
  await people(florin);
  await florin.operator('GET', '/simulator/messages');
}
