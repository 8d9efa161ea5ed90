// Endpoints and their deliveries from the command line, against a running server: whose they are, and a secret that is printed once.
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { runCli } from '../../src/cli/index.ts';
import { toldOf } from '../events/api/asking.ts';
import { type TestApp, testApp } from '../support/app.ts';

let server: TestApp;
before(async () => {
  server = await testApp({ WORKERS: 'on' });
});

async function florin(...args: string[]): Promise<{ readonly code: number; readonly out: string }> {
  let out = '';
  const write = (text: string): void => {
    out += text;
  };
  const never = () => Promise.reject(new Error('not here'));
  const connection = () => ({ url: server.url, secret: 'sandbox-operator' });
  const actions = { serve: never, migrate: never, distribute: never, connection, write, writeError: write };
  return { code: await runCli(args, actions), out };
}

// biome-ignore lint/suspicious/noExplicitAny: a test says what it expects of an answer
async function json(...args: string[]): Promise<any> {
  const { code, out } = await florin(...args, '--json');
  assert.equal(code, 0, out);
  return JSON.parse(out);
}

for (const [whose, at] of [
  [['--project', 'sandbox'], '/operator/projects/sandbox'],
  [['--tenant', 'sandbox'], '/operator/tenants/sandbox'],
  [[], '/operator'],
] as const)
  test(`endpoints of ${whose[0] ?? 'the operator'}: made, listed, changed, turned, sent to again and removed`, async () => {
    const to = 'https://127.0.0.1:8443/events';
    const make = ['webhook', 'create', '--to', to, '--events', 'webhook.*', ...whose];
    const { id, secret } = await json(...make, '--description', 'Shop');
    assert.match(secret, /^whsec_/);
    const other = await json(...make);
    const listed = await florin('webhook', 'list', ...whose);
    assert.match(listed.out, new RegExp(`${id} +${to} +Shop +webhook\\.\\*`));
    assert.ok(!listed.out.includes(secret));
    const changed = await json('webhook', 'update', id, '--enabled', 'false', '--concurrency', '3', ...whose);
    assert.deepEqual([changed.enabled, changed.concurrency], [false, 3]);
    assert.notEqual((await json('webhook', 'rotate', id, '--overlap', '1h', ...whose)).secret, secret);
    const [event] = await toldOf(server.operator, at, id, 1);
    assert.equal((await florin('delivery', 'resend', String(event?.id), ...whose)).code, 0);
    const { deliveries } = await json('delivery', 'list', other.id, ...whose);
    assert.ok(deliveries.some((one: { event: string }) => one.event === event?.id));
    const shown = await json('delivery', 'show', other.id, String(event?.id), ...whose);
    assert.equal(shown.type, 'webhook.created');
    for (const gone of [id, other.id]) assert.equal((await florin('webhook', 'remove', gone, ...whose)).code, 0);
    assert.equal((await florin('webhook', 'remove', id, ...whose)).code, 1);
  });

test('of one alone', async () => {
  const { code, out } = await florin('webhook', 'list', '--project', 'sandbox', '--tenant', 'sandbox');
  assert.deepEqual([code, out], [1, 'Either --project or --tenant.\n']);
});
