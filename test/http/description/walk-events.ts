// Every operation on events and endpoints once, in each API's form: what the examples of its reference are.
import assert from 'node:assert/strict';
import { basic, type Client, type TestApp } from '../../support/app.ts';
import { issuingClient } from '../../support/issuing.ts';

/** Made, read, changed and turned; `at`: the API's prefix, and whose they are. */
async function walk(as: Client, at: string): Promise<void> {
  const ask = async (method: string, path: string, body?: unknown) => {
    const reply = await as(method, `${at}${path}`, body);
    assert.ok(reply.status < 300, `${method} ${at}${path}: ${reply.status} ${reply.text}`);
    return reply.body;
  };
  const body = { url: 'https://10.0.0.7/events', events: ['webhook.*'], description: 'Shop', signature: 'both' };
  const made = await ask('POST', '/webhooks', body);
  const { id } = made.webhooks?.[0] ?? made;
  const told = await ask('GET', `/events?resource=${id}&since=WyIwIl0&wait=5`);
  await ask('GET', `/events/${told.events[0].id}`);
  await ask('POST', `/webhooks/${id}/rotate`, {});
  await ask('PATCH', `/webhooks/${id}`, { ordered: true });
  await ask('GET', '/webhooks');
  await ask('GET', `/webhooks/${id}`);
  await ask('DELETE', `/webhooks/${id}`);
}

export async function walkEvents(florin: TestApp): Promise<void> {
  const rights = { label: 'events', rights: ['read', 'webhooks'] };
  const { body } = await florin.operator('POST', '/operator/projects/sandbox/credentials', rights);
  await walk(florin.clientWith(basic('sandbox', body.secret)), '/gateway');
  await walk(florin.operator, '/operator');
  await walk(florin.operator, '/operator/projects/sandbox');
  await walk(issuingClient(florin, 'sandbox-events'), '');
  await walk(florin.operator, '/operator/tenants/sandbox');
}
