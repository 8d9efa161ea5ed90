// `florin operations`: what the acquirer was asked for in vain, and settling it as the acquirer told.
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { runCli } from '../../src/cli/index.ts';
import { type TestApp, testApp } from '../support/app.ts';
import { type Shop, shopOf } from '../support/shop.ts';

let at: TestApp;
let shop: Shop;
before(async () => {
  at = await testApp();
  shop = shopOf(at);
});

async function florin(...args: string[]): Promise<{ code: number; out: string; err: string }> {
  let out = '';
  let err = '';
  const elsewhere = (): Promise<never> => Promise.reject(new Error('not here'));
  const code = await runCli(args, {
    serve: elsewhere,
    migrate: elsewhere,
    distribute: elsewhere,
    connection: () => ({ url: at.url, secret: 'sandbox-operator' }),
    write: (text) => {
      out += text;
    },
    writeError: (text) => {
      err += text;
    },
  });
  return { code, out, err };
}

test('operations stuck lists what waits, operations resolve settles it once', async () => {
  assert.match((await florin('operations', 'stuck')).out, /^id +order_id +project +type +amount.*\n$/);
  const { id } = await shop.authorized();
  const schedule = [
    { operation: 'charge', ordinal: 1, fault: '911' },
    ...Array.from({ length: 10 }, (_, i) => ({ operation: 'inquire', ordinal: i + 1, fault: '910' })),
  ];
  await at.operator('PUT', '/simulator/faults', { schedule });
  assert.equal((await shop.act(id, 'charge')).status, 500);
  await shop.advance('3m');
  const [stuck] = JSON.parse((await florin('operations', 'stuck', '--json')).out).operations;
  assert.deepEqual([stuck.order_id, stuck.project, stuck.type, stuck.why], [id, 'sandbox', 'charge', 'no_answer']);
  assert.match((await florin('operations', 'stuck')).out, new RegExp(`\n${stuck.id} +${id} +sandbox +charge +12\\.50`));

  const resolve = (...flags: string[]) => florin('operations', 'resolve', stuck.id, ...flags);
  assert.equal((await resolve('--outcome', 'approved')).code, 2, 'without a reason');
  const wrong = await resolve('--outcome', 'maybe', '--reason', 'x');
  assert.deepEqual([wrong.code, /outcome/.test(wrong.err)], [1, true], wrong.err);
  const told = ['--outcome', 'approved', '--auth-code', 'A1B2C3', '--reason', 'J. Doe, 14:05'];
  const done = await resolve(...told);
  assert.equal(done.code, 0, done.err);
  assert.match(done.out, /^status +success$/m);
  assert.match(done.out, /^auth_code +A1B2C3$/m);
  assert.equal((await shop.get(id)).status, 'charged');
  const twice = await resolve(...told);
  assert.deepEqual([twice.code, /settled already/.test(twice.err)], [1, true], twice.err);
  await shop.booksHold();
});
