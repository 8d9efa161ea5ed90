// From a payment to a receiver: an endpoint is made by its merchant, and what is paid arrives there, signed, with the order as it stands.
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { before, test } from 'node:test';
import { systemClock } from '../../src/base/index.ts';
import { secretKey, signatureProblem } from '../../src/events/index.ts';
import { basic, type Client, payment, type TestApp, testApp } from '../support/app.ts';
import { atEnd } from '../support/ends.ts';
import { orderOf } from '../support/shop.ts';

interface Message {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly event: {
    readonly id: string;
    readonly type: string;
    readonly resource: { readonly id: string; readonly sequence: number };
    readonly data: { readonly object: object };
  };
}

let florin: TestApp;
let merchant: Client;
const messages: Message[] = [];
let url = '';
let status = 204;

before(async () => {
  const server = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8').on('data', (part: string) => {
      body += part;
    });
    request.once('end', () => {
      messages.push({
        headers: request.headers as Message['headers'],
        body,
        event: JSON.parse(body) as Message['event'],
      });
      response.writeHead(status).end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  atEnd(async () => {
    server.closeAllConnections();
    server.close();
  });
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hooks`;
  florin = await testApp({ WORKERS: 'on' });
  const made = await florin.operator('POST', '/operator/projects/sandbox/credentials', {
    label: 'events',
    rights: ['read', 'create', 'capture', 'webhooks'],
  });
  merchant = florin.clientWith(basic('sandbox', made.body.secret));
});

async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  for (let tries = 0; tries < 1_000; tries++) {
    if (await condition()) return;
    await systemClock.sleep(10);
  }
  assert.fail('not within ten seconds');
}

test('a payment is told within a second, signed with the secret that was shown, as a GET shows it', async () => {
  const made = await merchant('POST', '/gateway/webhooks', { url, events: ['order.*'] });
  assert.equal(made.status, 201, made.text);
  const [{ secret, id: webhook }] = made.body.webhooks;
  const paid = orderOf(await merchant('POST', '/gateway/orders/authorize', payment()));
  await until(() => messages.length > 0);
  const [message] = messages;
  assert.ok(message);
  assert.equal(message.event.type, 'order.authorized');
  assert.equal(message.event.resource.id, paid.id);
  const key = secretKey(secret);
  assert.ok(key);
  const problem = (now: Date, body = message.body) =>
    signatureProblem(message.headers, Buffer.from(body), { keys: [key], now });
  assert.equal(problem(systemClock.now()), null);
  assert.equal(problem(systemClock.now(), `${message.body} `), 'wrong');
  const expand = 'card,client,location,custom_fields,issuer,secure3d';
  const shown = orderOf(await merchant('GET', `/gateway/orders/${paid.id}?expand=${expand}`));
  assert.deepEqual(message.event.data.object, shown);
  const [{ keys }] = (await merchant('GET', `/gateway/webhooks/${webhook}`)).body.webhooks;
  assert.deepEqual(keys, [{ generation: 1 }]);
});

test('a receiver that refuses for good is disabled, and its owner is told', async () => {
  status = 410;
  messages.length = 0;
  await merchant('POST', '/gateway/orders/authorize', payment());
  await until(async () => (await merchant('GET', '/gateway/webhooks')).body.webhooks[0].enabled === false);
  const [{ disabled_reason }] = (await merchant('GET', '/gateway/webhooks')).body.webhooks;
  assert.equal(disabled_reason, 'gone');
  await until(async () => {
    const { body } = await merchant('GET', '/gateway/events?type=webhook.disabled');
    return body.events.length === 1;
  });
});
