// A receiver that is this server itself: by its own names it isn't called, by others it answers 508 before anything looks at what came.
import assert from 'node:assert/strict';
import net from 'node:net';
import { before, test } from 'node:test';
import { systemClock } from '../../src/base/index.ts';
import { createForwarding } from '../../src/events/index.ts';
import { type TestApp, testApp } from '../support/app.ts';
import { silent } from '../support/database.ts';
import { listen, sandboxDoor } from './egress/doors.ts';

let florin: TestApp;
before(async () => {
  florin = await testApp();
});

const MARK = { 'florin-delivery': '7.1' };
const SECRET = 'whsec_YSBrZXkgb2YgdGhlIHRlbmFudCB0aGF0IG5vYm9keSBrbm93cw==';

test('what bears our mark is refused by every API, in its shape, with credentials or without', async () => {
  const { merchant, operator, clientWith } = florin;
  const refused = [
    await merchant('GET', '/gateway/orders/', undefined, MARK),
    await merchant('POST', '/gateway/orders/authorize', { amount: 1 }, MARK),
    await clientWith(null)('POST', '/issuing/auth/login', {}, MARK),
    await operator('GET', '/operator/projects', undefined, MARK),
    await operator('POST', '/simulator/clock/advance', { by: '1h' }, MARK),
    await clientWith(null)('GET', '/healthz', undefined, MARK),
    await clientWith(null)('POST', '/nowhere', 'x', MARK),
    await clientWith(null)('POST', '/simulator/inboxes', 'x', MARK),
  ];
  assert.deepEqual(
    refused.map(({ status }) => status),
    refused.map(() => 508),
  );
  assert.equal(refused[0]?.body.failure_type, 'rejected');
  assert.equal(refused[2]?.body.code, 'LOOP_DETECTED');
  assert.equal((await merchant('GET', '/gateway/orders/')).status, 200);
});

test('but by the inbox of the sandbox', async () => {
  const { status } = await florin.clientWith(null)('POST', '/simulator/inbox/shop', '{}', MARK);
  assert.notEqual(status, 508);
});

test('forwarding that leads back here, through somebody in between, ends at the door', async () => {
  const { port } = new URL(florin.url);
  const between = await listen((socket) => {
    const onward = net.connect(Number(port), '127.0.0.1');
    onward.on('error', () => socket.destroy()).pipe(socket);
    socket.pipe(onward);
  });
  const egress = sandboxDoor({ own: () => [florin.url] });
  const forward = createForwarding({ clock: systemClock, log: silent, egress });
  const ask = (url: string) => forward({ url, secret: SECRET, id: '42', body: {} });
  const around = await ask(`http://127.0.0.1:${between.port}/simulator/clock/advance`);
  assert.deepEqual(around, { decision: null, cause: 'status 508' });
  assert.equal((await ask(`${florin.url}/operator`)).cause, 'own_host');
  await between.emptied();
  await between.close();
});
