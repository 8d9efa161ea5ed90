// A tenant whose cards come from one range, made by an operator, and cards of it.
import assert from 'node:assert/strict';
import type { Client, Reply, TestApp } from '../../support/app.ts';

export interface Tenant {
  readonly id: bigint;
  readonly name: string;
  /** Asks for a card, on the server of this client. */
  card(operator?: Client): Promise<Reply>;
}

const ADDRESS = { addressLine1: '1 Example Street', city: 'Valletta', postCode: 'VLT 1000', country: 'MT' };

export async function tenantWithCards(florin: TestApp, name: string, range: string): Promise<Tenant> {
  const made = async (path: string, body: object): Promise<string> => {
    const reply = await florin.operator('POST', `/operator${path}`, body);
    assert.equal(reply.status, 201, reply.text);
    return reply.body.id;
  };
  await made('/tenants', { name });
  const at = `/tenants/${name}`;
  const programmeId = await made(`${at}/programmes`, { name: 'consumers' });
  const settings = { ranges: { MASTERCARD: range } };
  const profileId = await made(`${at}/profiles`, { programmeId, name: 'cards', kind: 'card', settings });
  const verified = { type: 'consumer', name: 'Ada Example', kycState: 'APPROVED', kycLevel: 'KYC_LEVEL_2' };
  const identity = await made(`${at}/identities`, { programmeId, ...verified });
  const data = {
    profileId,
    friendlyName: 'Card',
    nameOnCard: 'Ada Example',
    billingAddress: ADDRESS,
    mode: 'PREPAID_MODE',
    currency: 'EUR',
  };
  const [row] = await florin.database.query<{ id: bigint }>('select id from tenants where name = $1', [name]);
  assert.ok(row);
  return {
    id: row.id,
    name,
    card: (operator = florin.operator) => operator('POST', `/operator${at}/identities/${identity}/cards`, { data }),
  };
}
