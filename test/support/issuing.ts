// Customers of the sandbox's issuing tenants: logged in over HTTP, with both headers, and what they ask for most.
import assert from 'node:assert/strict';
import type { Client, Reply, TestApp } from './app.ts';

export const PASSWORD = 'Sandbox-12345';

/** A client of /issuing with these headers, null ones left out. */
export function issuingClient(
  florin: Pick<TestApp, 'url'>,
  secret: string | null = 'sandbox-secret',
  token: string | null = null,
): Client {
  return async (method, target, body, headers = {}) => {
    const response = await fetch(`${florin.url}/issuing${target}`, {
      method,
      headers: {
        ...(secret === null ? {} : { 'x-secret': secret }),
        ...(token === null ? {} : { 'authorization-key': token }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    const text = await response.text();
    const json = response.headers.get('content-type')?.includes('json') ?? false;
    return {
      status: response.status,
      headers: response.headers,
      text,
      body: json && text !== '' ? JSON.parse(text) : null,
    };
  };
}

export async function tokenOf(
  florin: Pick<TestApp, 'url'>,
  email = 'consumer@sandbox.test',
  secret = 'sandbox-secret',
): Promise<string> {
  const reply = await issuingClient(florin, secret)('POST', '/auth/login', { email, password: { value: PASSWORD } });
  assert.equal(reply.status, 200, reply.text);
  return reply.body.token;
}

/** Logged in; calls carry both headers. */
export const customer = async (
  florin: Pick<TestApp, 'url'>,
  email = 'consumer@sandbox.test',
  secret = 'sandbox-secret',
): Promise<Client> => issuingClient(florin, secret, await tokenOf(florin, email, secret));

export const ADDRESS = { addressLine1: '1 Example Street', city: 'Valletta', postCode: 'VLT 1000', country: 'MT' };

type Fields = Record<string, unknown>;

/** A good request for a card; fields of `data` on top, undefined ones left out. */
export const cardRequest = (fields: Fields = {}, type = 'consumer'): { type: string; data: Fields } => ({
  type,
  data: {
    profileId: '1001',
    friendlyName: 'Travel',
    nameOnCard: 'Ada Example',
    billingAddress: ADDRESS,
    mode: 'PREPAID_MODE',
    currency: 'EUR',
    ...fields,
  },
});

export const DEBIT = { profileId: '1002', mode: 'DEBIT_MODE', parentManagedAccountId: '2001' };

/** A new card's id. */
export async function newCard(as: Client, fields: Fields = {}, type = 'consumer'): Promise<string> {
  const reply = await as('POST', '/cards/request', cardRequest(fields, type));
  assert.equal(reply.status, 200, reply.text);
  return reply.body.id;
}

/** A prepaid card with money on it, out of account 2001. */
export async function fundedCard(as: Client, amount: number, fields: Fields = {}): Promise<string> {
  const id = await newCard(as, fields);
  const reply = await as('POST', '/transfers', {
    source: { type: 'managed_accounts', id: '2001' },
    destination: { type: 'managed_cards', id },
    destinationAmount: { currency: 'EUR', amount },
  });
  assert.equal(reply.status, 200, reply.text);
  return id;
}

export const UPGRADE = {
  activationCode: '004711',
  productReference: 'FLORIN-STANDARD',
  carrierType: 'FLORIN-CARRIER',
  deliveryMethod: 'STANDARD_DELIVERY',
  deliveryAddress: { name: 'Ada', surname: 'Example', ...ADDRESS },
};

/** A card whose plastic was ordered, and activated if asked for. */
export async function plasticCard(as: Client, activated: boolean, fields: Fields = {}): Promise<string> {
  const id = await newCard(as, fields);
  assert.equal((await as('POST', `/cards/upgrade/${id}`, UPGRADE)).status, 200);
  if (activated)
    assert.equal((await as('POST', `/cards/activate/${id}`, { activationCode: UPGRADE.activationCode })).status, 200);
  return id;
}

/** Exactly this conflict, in the shape that the contract gives it. */
export function assertConflict(reply: Reply, errorCode: string): void {
  assert.equal(reply.status, 409, reply.text);
  assert.equal(reply.body.errorCode, errorCode, reply.text);
  assert.deepEqual(Object.keys(reply.body).sort(), ['errorCode', 'message']);
}

/** 400 with exactly these wrong fields: `data.billingAddress.city REQUIRED`. */
export function assertInvalid(reply: Reply, ...expected: string[]): void {
  assert.equal(reply.status, 400, reply.text);
  assert.equal(reply.body.message, 'Invalid request');
  const found = (reply.body.syntaxErrors.invalidFields as { params: string[]; fieldName: string; error: string }[]).map(
    ({ params, fieldName, error }) => `${[...params, fieldName].join('.')} ${error}`,
  );
  assert.deepEqual(found, expected);
}

/** Time goes on, and with it every session of before: log in again. */
export async function advance(florin: Pick<TestApp, 'operator'>, by: string): Promise<void> {
  const reply = await florin.operator('POST', '/simulator/clock/advance', { by });
  assert.equal(reply.status, 200, reply.text);
}

/** A session that is stepped up; the sandbox's code is the published one. */
export async function steppedUp(
  florin: Pick<TestApp, 'url'>,
  email = 'consumer@sandbox.test',
  secret = 'sandbox-secret',
): Promise<Client> {
  const as = await customer(florin, email, secret);
  assert.equal((await as('POST', '/auth/stepup/send-otp', {})).status, 204);
  assert.equal((await as('POST', '/auth/stepup/verify-otp', { verificationCode: '123456' })).status, 204);
  return as;
}

/** A purchase at a foreign merchant: authenticated e-commerce unless the fields say otherwise. */
export async function purchase(
  florin: Pick<TestApp, 'operator'>,
  cardId: string,
  amount: number,
  fields: Fields = {},
): Promise<Reply['body']> {
  const body = { cardId, amount, currency: 'EUR', channel: 'ecommerce', threeDs: true, ...fields };
  const reply = await florin.operator('POST', '/simulator/purchases', body);
  assert.equal(reply.status, 200, reply.text);
  return reply.body;
}

export async function assertBooksHold(florin: Pick<TestApp, 'operator'>): Promise<void> {
  const { body } = await florin.operator('GET', '/operator/invariants?full=true');
  assert.deepEqual(
    body.checks.filter(({ ok }: { ok: boolean }) => !ok),
    [],
  );
  assert.equal(body.ok, true);
}
