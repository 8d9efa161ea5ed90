// What every world begins with, made once over the operator's API and copied: projects beside the sandbox's, and a card of our own
// issuer that shops take. Rule: over HTTP only.
import assert from 'node:assert/strict';
import { OPERATOR } from '../lives/orders.ts';
import type { ProjectName } from '../plan/orders.ts';

export interface CardOnFile {
  readonly id: string;
  readonly pan: string;
  readonly cvv: string;
  readonly month: number;
  readonly year: number;
}

export interface Town {
  readonly secrets: Readonly<Record<ProjectName, string>>;
  /** Shops take it; the bank asks 123456. */
  readonly ownCard: CardOnFile;
}

const MOBILE = '+35699120001';
const SECRET = 'sandbox-secret';
const EMAIL = 'consumer@sandbox.test';
const PASSWORD = 'Sandbox-12345';
const RIGHTS = ['read', 'create', 'capture', 'refund', 'payout'];
const PRICING = {
  rules: [
    { operation: 'charge', percent: '2.9', fixed: '0.30' },
    { operation: 'refund', percent: '0', fixed: '0.15' },
    { operation: 'chargeback', percent: '0', fixed: '5.00' },
  ],
  reserve: { percent: '5', days: 30 },
};
const SETTINGS: Readonly<Record<'world' | 'world-later', object>> = {
  world: { unlinked_credit: true, step_up_automatically: true, page_attempts: 4 },
  'world-later': { capture_delay: '30m', unique_merchant_order_id: true },
};

// biome-ignore lint/suspicious/noExplicitAny: answers of many shapes
type Told = (method: string, path: string, body?: object, headers?: Record<string, string>) => Promise<any>;

const toldBy =
  (url: string): Told =>
  async (method, path, body, headers = OPERATOR) => {
    const response = await fetch(`${url}${path}`, {
      method,
      headers: { ...headers, ...(body ? { 'content-type': 'application/json' } : {}) },
      ...(body ? { body: JSON.stringify(body) } : {}),
    });
    const text = await response.text();
    assert.ok(response.status < 300, `${method} ${path}: ${response.status} ${text}`);
    return text === '' ? null : JSON.parse(text);
  };

/** A project with two terminals, one of which takes several charges; its secret. */
async function project(told: Told, login: 'world' | 'world-later'): Promise<string> {
  await told('POST', '/operator/projects', { login, name: login, accounting_currency: 'EUR' });
  await told('PATCH', `/operator/projects/${login}/settings`, SETTINGS[login]);
  await told('PUT', `/operator/projects/${login}/pricing`, PRICING);
  for (const [id, multicapture] of [
    ['1', false],
    ['several', true],
  ] as const)
    await told('PUT', `/operator/projects/${login}/terminals/${id}`, {
      descriptor: 'WORLD',
      currencies: ['EUR', 'USD', 'GBP', 'PLN', 'RUB', 'JPY'],
      link: 'simulator',
      merchant_id: 'WORLD1',
      mcc: '5999',
      multicapture,
    });
  return (await told('POST', `/operator/projects/${login}/credentials`, { label: 'shop', rights: RIGHTS })).secret;
}

/** A prepaid card with 5,000.00 on it. */
async function card(told: Told): Promise<CardOnFile> {
  await told('POST', '/simulator/accounts/2001/deposit', { amount: 100_000_000 });
  const login = { email: EMAIL, password: { value: PASSWORD } };
  const { token } = await told('POST', '/issuing/auth/login', login, { 'x-secret': SECRET });
  const customer = { 'x-secret': SECRET, 'authorization-key': token as string };
  const data = {
    profileId: '1001',
    friendlyName: 'Home',
    nameOnCard: 'Ada Example',
    billingAddress: { addressLine1: '1 Example Street', city: 'Valletta', postCode: 'VLT 1000', country: 'MT' },
    mode: 'PREPAID_MODE',
    currency: 'EUR',
    cardholderMobileNumber: MOBILE,
  };
  const { id } = await told('POST', '/issuing/cards/request', { type: 'consumer', data }, customer);
  const transfer = {
    source: { type: 'managed_accounts', id: '2001' },
    destination: { type: 'managed_cards', id },
    destinationAmount: { currency: 'EUR', amount: 500_000 },
  };
  await told('POST', '/issuing/transfers', transfer, customer);
  const { number, cvv, expiryMmyy } = await told('GET', `/operator/cards/${id}/number`);
  return {
    id,
    pan: number,
    cvv,
    month: Number(expiryMmyy.slice(0, 2)),
    year: 2000 + Number(expiryMmyy.slice(2)),
  };
}

export async function settle(url: string): Promise<Town> {
  const told = toldBy(url);
  const secrets = {
    sandbox: 'sandbox-secret',
    'sandbox-two': 'sandbox-two-secret',
    world: await project(told, 'world'),
    'world-later': await project(told, 'world-later'),
  };
  return { secrets, ownCard: await card(told) };
}
