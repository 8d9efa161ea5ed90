// Every operation of the operator API and of the simulator once as it should go: what the examples of their reference are.
import assert from 'node:assert/strict';
import { payment, type TestApp } from '../../support/app.ts';

const TERMINAL = { descriptor: 'SHOP*BERLIN', currencies: ['EUR'], link: 'simulator', merchant_id: 'M1', mcc: '5942' };
const ADDRESS = { addressLine1: '1 Example Street', city: 'Valletta', postCode: 'VLT 1000', country: 'MT' };

export type Ask = (
  method: string,
  path: string,
  body?: object,
) => Promise<Record<string, never> & { readonly id: string }>;

async function projects(ask: Ask): Promise<void> {
  const shop = '/operator/projects/bookshop';
  await ask('POST', '/operator/projects', { login: 'bookshop', name: 'Bookshop', accounting_currency: 'EUR' });
  await ask('GET', '/operator/projects');
  await ask('GET', shop);
  await ask('PATCH', shop, { name: 'The Bookshop' });
  await ask('GET', '/operator/project-settings');
  await ask('GET', `${shop}/settings`);
  await ask('PATCH', `${shop}/settings`, { capture_delay: '1d', allowed_addresses: ['192.0.2.0/24'] });
  await ask('PUT', `${shop}/pricing`, {
    rules: [{ operation: 'charge', percent: '2.9', fixed: '0.30' }],
    reserve: { percent: '5', days: 30 },
  });
  await ask('GET', `${shop}/pricing`);
  await ask('PUT', `${shop}/terminals/1`, TERMINAL);
  await ask('GET', `${shop}/terminals/1`);
  await ask('GET', `${shop}/terminals`);
  const { id } = await ask('POST', `${shop}/credentials`, { label: 'shop server', rights: ['read', 'create'] });
  const certificates = [
    '9F:86:D0:81:88:4C:7D:65:9A:2F:EA:A0:C5:5A:D0:15:A3:BF:4F:1B:2B:0B:82:2C:D1:5D:6C:15:B0:F0:0A:08',
  ];
  await ask('PUT', `${shop}/credentials/${id}/certificates`, { certificates });
  await ask('POST', `${shop}/credentials/${id}/rotate`, { overlap: '1h' });
  await ask('GET', `${shop}/credentials`);
  await ask('PUT', `${shop}/templates/blue`, { brand: '#0b3c6b', radius: 8 });
  await ask('GET', `${shop}/templates/blue`);
  await ask('GET', `${shop}/templates`);
  await ask('POST', `${shop}/links`, { amount: '49.90', currency: 'EUR', description: 'Invoice 1001' });
  await ask('PUT', `${shop}/rules/big`, { class: 'amount', expression: 'amount > 100000', action: 'refuse' });
  await ask('GET', `${shop}/rules`);
}

async function installation(florin: TestApp, ask: Ask): Promise<void> {
  await ask('POST', '/operator/rates', { rates: [{ from: 'EUR', to: 'USD', rate: '1.0850' }], source: 'treasury' });
  await ask('GET', '/operator/rates?per_page=2');
  await ask('PUT', '/operator/bins/42424242', {
    brand: 'visa',
    subtype: 'debit',
    title: 'Example Bank',
    country: 'DEU',
  });
  await ask('GET', '/operator/bins');
  await ask('GET', '/operator/invariants');
  await ask('GET', '/operator/invariants?full=true');
  await ask('GET', '/operator/page-check');
  await ask('GET', '/operator/due');
  const { body } = await florin.merchant('POST', '/gateway/orders/authorize', payment());
  await ask('GET', `/operator/orders/${body.orders[0].id}/trace`);
  await ask('POST', '/operator/keys/rotate');
  await ask('GET', '/operator/audit?per_page=2');
}

/** A charge that nobody answers until it is an operator's task, and what the acquirer told by telephone. */
async function stuck(florin: TestApp, ask: Ask): Promise<void> {
  const { body } = await florin.merchant('POST', '/gateway/orders/authorize', payment());
  const schedule = ['charge', 'inquire'].flatMap((operation) =>
    Array.from({ length: 20 }, (_, i) => ({ operation, ordinal: i + 1, fault: '910' })),
  );
  await ask('PUT', '/simulator/faults', { seed: 7, schedule });
  await ask('GET', '/simulator/faults');
  await florin.merchant('PUT', `/gateway/orders/${body.orders[0].id}/charge`, {});
  await ask('POST', '/simulator/clock/advance', { by: '20m' });
  const found = (await florin.operator('GET', '/operator/operations/stuck')).body.operations[0];
  await ask('POST', `/operator/operations/${found.id}/resolve`, { outcome: 'approved', reason: 'J. Doe, 14:05' });
  await ask('PUT', '/simulator/faults', {});
}

async function issuing(ask: Ask): Promise<void> {
  const tenant = '/operator/tenants/example';
  await ask('POST', '/operator/tenants', { name: 'example', settings: { pciScoped: true } });
  await ask('GET', '/operator/tenants');
  await ask('GET', tenant);
  await ask('PATCH', tenant, { settings: { webhookUrl: 'https://example.org/hook' } });
  const { id: secret } = await ask('POST', `${tenant}/secrets`, { label: 'app' });
  await ask('PUT', `${tenant}/secrets/${secret}/certificates`, {
    certificates: ['9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08'],
  });
  await ask('POST', `${tenant}/secrets/${secret}/rotate`, { overlap: '1h' });
  await ask('GET', `${tenant}/secrets`);
  const { id: programmeId } = await ask('POST', `${tenant}/programmes`, { name: 'consumers' });
  await ask('PATCH', `${tenant}/programmes/${programmeId}`, { settings: { biometrics: true } });
  await ask('GET', `${tenant}/programmes`);
  await ask('POST', '/operator/card-ranges', { name: 'example', brand: 'MASTERCARD', prefix: '51000001' });
  await ask('GET', '/operator/card-ranges');
  const { id: cards } = await ask('POST', `${tenant}/profiles`, { programmeId, name: 'cards', kind: 'card' });
  const { id: accounts } = await ask('POST', `${tenant}/profiles`, { programmeId, name: 'accounts', kind: 'account' });
  await ask('PATCH', `${tenant}/profiles/${cards}`, { settings: { ranges: { MASTERCARD: 'example' } } });
  await ask('GET', `${tenant}/profiles`);
  await ask('PATCH', '/operator/issuing-settings', { settings: { rules: { allowAtm: true } } });
  await ask('GET', '/operator/issuing-settings');
  const verified = { kycState: 'APPROVED', kycLevel: 'KYC_LEVEL_2' };
  const { id } = await ask('POST', `${tenant}/identities`, { programmeId, type: 'consumer', name: 'Ada', ...verified });
  const identity = `${tenant}/identities/${id}`;
  await ask('GET', identity);
  await ask('PATCH', identity, { name: 'Ada Example' });
  await ask('GET', `${tenant}/identities`);
  const ada = { kind: 'root', name: 'Ada', surname: 'Example', email: 'ada@example.org', mobile: '+35699000001' };
  const { id: user } = await ask('POST', `${identity}/users`, ada);
  await ask('PATCH', `${tenant}/users/${user}`, { surname: 'Sample' });
  await ask('POST', `${tenant}/users/${user}/password`, { value: 'four-Quiet-otters-9' });
  await ask('PUT', `${tenant}/users/${user}/factors/BIOMETRICS`, { active: true });
  await ask('GET', `${identity}/users`);
  await ask('POST', `${identity}/accounts`, { profileId: accounts, friendlyName: 'Travel', currency: 'EUR' });
  await ask('GET', `${identity}/accounts`);
  const card = {
    profileId: cards,
    friendlyName: 'Travel',
    nameOnCard: 'Ada Example',
    billingAddress: ADDRESS,
    mode: 'PREPAID_MODE',
    currency: 'EUR',
  };
  const { id: cardId } = await ask('POST', `${identity}/cards`, { data: card });
  await ask('GET', `${identity}/cards`);
  await ask('GET', `/operator/cards/${cardId}/number`);
}

/** Asks as the operator, and is not refused. */
export const asking =
  (florin: TestApp): Ask =>
  async (method, path, body) => {
    const reply = await florin.operator(method, path, body);
    assert.ok(reply.status < 300, `${method} ${path}: ${reply.status} ${reply.text}`);
    return reply.body;
  };

export async function walkOperator(florin: TestApp, ask: Ask = asking(florin)): Promise<void> {
  await projects(ask);
  await installation(florin, ask);
  await issuing(ask);
  await stuck(florin, ask);
  await ask('GET', '/simulator/scenarios');
  await ask('GET', '/simulator/books');
  const next = [{ status: 503 }, { delay_ms: 2_000, status: 200 }, { redirect: 'https://shop.example/hooks' }];
  await ask('PUT', '/simulator/inbox/shop/script', { next, default: { status: 204 } });
  await ask('GET', '/simulator/inbox/shop');
  await ask('GET', '/simulator/clock');
}
