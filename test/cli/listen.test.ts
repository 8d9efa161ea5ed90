// Events on the command line: printed as they come, and sent on to an address with a signature that libraries take.
import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { before, test } from 'node:test';
import { systemClock } from '../../src/base/index.ts';
import { CliError, type Options } from '../../src/cli/command.ts';
import { eventsTail, listen } from '../../src/cli/events/commands.ts';
import { secretKey, signatureProblem } from '../../src/events/index.ts';
import { payment, type TestApp, testApp } from '../support/app.ts';
import { atEnd } from '../support/ends.ts';
import { orderOf } from '../support/shop.ts';

let app: TestApp;
before(async () => {
  app = await testApp({ WORKERS: 'on' });
});

const to = () => ({ url: app.url, secret: 'sandbox-operator' });

/** A command that goes on until the test's end; what it has printed. */
function begun(spec: typeof listen, options: Options): { readonly out: () => string; end(): Promise<void> } {
  let out = '';
  const ending = new AbortController();
  const running = spec.live(to(), options, (text) => void (out += text), ending.signal);
  const end = async (): Promise<void> => {
    ending.abort(new Error('the end'));
    await running;
  };
  atEnd(end);
  return { out: () => out, end };
}

async function until(condition: () => boolean): Promise<void> {
  for (let tries = 0; tries < 1_000; tries++) {
    if (condition()) return;
    await systemClock.sleep(10);
  }
  assert.fail('not within ten seconds');
}

const pay = async () => orderOf(await app.merchant('POST', '/gateway/orders/authorize', payment()));

test('ready, then one line an event; nothing of before', async () => {
  const past = await pay();
  // Now is where the log ends: what has no place in it yet is still to come.
  const listed = () => app.operator('GET', `/operator/projects/sandbox/events?resource=${past.id}`);
  for (let tries = 0; (await listed()).body.events.length === 0; tries++) assert.ok(tries < 1_000);
  const { out } = begun(eventsTail, { project: 'sandbox' });
  await until(() => out() === 'ready\n');
  const { id } = await pay();
  await until(() => out().includes(id));
  const [, line = '', rest] = out().split('\n');
  assert.match(line, new RegExp(`^\\d\\d:\\d\\d:\\d\\d {2}order\\.authorized +order ${id} #1$`));
  assert.equal(rest, '', 'one line');
});

test('with what was told before, and only the types that are asked for', async () => {
  const { id } = await pay();
  const { out } = begun(eventsTail, { project: 'sandbox', since: '1h', events: 'order.authorized' });
  await until(() => out().includes(id));
  const none = begun(eventsTail, { project: 'sandbox', since: '1h', events: 'settlement.*' });
  await until(() => none.out() === 'ready\n');
});

test('sent on to an address, signed with the secret that is printed; its answer stands on the line', async () => {
  const got: { headers: Record<string, string>; body: string }[] = [];
  let status = 200;
  const server = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8').on('data', (part: string) => {
      body += part;
    });
    request.once('end', () => {
      got.push({ headers: request.headers as Record<string, string>, body });
      response.writeHead(status).end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  atEnd(async () => {
    server.closeAllConnections();
    server.close();
  });
  const forwardTo = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hooks`;
  const options = { forwardTo, project: 'sandbox', state: mkdtempSync(path.join(tmpdir(), 'florin-listen-')) };
  const first = begun(listen, options);
  const { out } = first;
  await until(() => out().includes('ready'));
  const { id } = await pay();
  await until(() => out().includes(id));
  assert.match(out(), /order\.authorized .* 200 {2}\d+ ms\n$/);
  const key = secretKey(/secret {2}(whsec_\S+)/.exec(out())?.[1] ?? '');
  assert.ok(key);
  const [message] = got;
  assert.ok(message);
  const now = systemClock.now();
  assert.equal(signatureProblem(message.headers, Buffer.from(message.body), { keys: [key], now }), null);
  const told = await app.operator('GET', `/operator/projects/sandbox/events?resource=${id}`);
  assert.equal(message.body, JSON.stringify(told.body.events[0]), 'the bytes of the event');
  status = 500;
  await pay();
  await until(() => / 500 {2}\d+ ms\n$/.test(out()));
  await first.end();
  const missed = await pay();
  const before = got.length;
  const second = begun(listen, options);
  await until(() => second.out().includes(missed.id));
  assert.equal(got.length, before + 1, 'what was answered is not sent again');
  assert.equal(second.out().split('\n')[0], out().split('\n')[0], 'the same secret');
  await second.end();
  // As it is where the server's data were thrown away.
  const [file = ''] = readdirSync(options.state);
  writeFileSync(path.join(options.state, file), Buffer.from('["999999999"]').toString('base64url'));
  const third = begun(listen, options);
  await until(() => third.out().includes('ready'));
  assert.match(third.out(), /another server/);
});

test('what is wrong is said, and nothing goes on', async () => {
  const live = (options: Options) => listen.live(to(), options, () => undefined);
  const forwardTo = 'http://127.0.0.1:1/';
  for (const [options, says] of [
    [{ forwardTo: 'somewhere' }, /Not an address/],
    [{ forwardTo, project: 'a', tenant: 'b' }, /Either --project or --tenant/],
    [{ forwardTo, since: 'yesterday' }, /Not a time/],
    [{ forwardTo, project: 'nobody' }, /404/],
    [{ forwardTo, project: 'sandbox', events: 'order.lost' }, /422/],
  ] as const)
    await assert.rejects(live(options), (error) => error instanceof CliError && says.test(error.message));
});
