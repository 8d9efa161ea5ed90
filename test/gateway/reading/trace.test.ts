// What an operator finds out about an order, a refusal, a wrong secret. Of fraud the class of the rule, never its detail
// (docs/contract/gateway.md#errors); one trace from the request to the ledger, both halves of it where the card is issued here
// (docs/contract/sandbox.md#operator).
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { basic, CARD, type TestApp, testApp } from '../../support/app.ts';
import { customer, fundedCard } from '../../support/issuing.ts';
import { orderOf, refusedAs, type Shop, shopOf, uris } from '../../support/shop.ts';

let florin: TestApp;
let shop: Shop;
before(async () => {
  florin = await testApp();
  shop = shopOf(florin);
});

const trace = async (id: string) => (await florin.operator('GET', `/operator/orders/${id}/trace`)).body;
const rule = (id: string, fields: object) =>
  florin.operator('PUT', `/operator/projects/sandbox/rules/${id}`, { action: 'refuse', ...fields });

test('a fraud rule refuses with its class as failure_message; the trace has every finding, in the order of the rules', async () => {
  const put = await rule('far', {
    class: 'country',
    expression: 'amount > 400.0',
    name: 'Far away',
    position: 2,
  });
  assert.deepEqual([put.status, put.body.name, put.body.position, put.body.version], [200, 'Far away', 2, 1]);
  await rule('near', { class: 'amount', expression: 'amount > 300.0', action: 'force3d', position: 1 });
  await rule('dry', { class: 'list', expression: 'amount > 100.0', dry_run: true, position: 3 });
  const reply = await shop.authorize({ amount: 500 });
  assert.deepEqual(refusedAs(reply), [402, 'fraud', true]);
  assert.equal(reply.body.failure_message, 'Refused by fraud rules: country');
  const made = await shop.get(reply.body.order_id);
  assert.deepEqual(
    [made.status, made.failure_message, made.operations],
    ['fraud', 'Refused by fraud rules: country', []],
  );
  const { findings, issuer, messages } = await trace(reply.body.order_id);
  assert.deepEqual(
    findings.map(({ rule: id, class: of, action, dry_run }: Record<string, unknown>) => [id, of, action, dry_run]),
    [
      ['near', 'amount', 'force3d', false],
      ['far', 'country', 'refuse', false],
      ['dry', 'list', 'refuse', true],
    ],
  );
  assert.deepEqual([issuer, messages], [[], []], 'nothing was sent');
  for (const id of ['far', 'near', 'dry']) await florin.operator('DELETE', `/operator/projects/sandbox/rules/${id}`);
});

test('a rule that is wrong is refused with each wrong field', async () => {
  const reply = await rule('bad%20id', { class: 'amount', expression: 'amount >' });
  assert.deepEqual(uris(reply), ['#/expression', '#/id']);
});

test('a card that is issued here: the trace tells both sides, the issuer’s with every check', async () => {
  const as = await customer(florin);
  const id = await fundedCard(as, 5000);
  const { number, cvv, expiryMmyy } = (await florin.operator('GET', `/operator/cards/${id}/number`)).body;
  const expiry = { expiration_month: expiryMmyy.slice(0, 2), expiration_year: expiryMmyy.slice(2) };
  // A merchant's own repetition: nobody has to be asked.
  const paid = await shop.authorize({
    pan: number,
    card: { ...CARD, cvv, ...expiry },
    options: { exemption_mit: 1 },
    recurring_details: { indicator: 'U', trace_id: '123456789012345' },
  });
  const { issuer, messages } = await trace(orderOf(paid).id);
  assert.deepEqual([messages.length, issuer.length], [2, 1]);
  assert.deepEqual([issuer[0].cardId, issuer[0].approved, issuer[0].held], [id, true, 1250]);
  assert.deepEqual(issuer[0].explanation.map(({ check }: { check: string }) => check).slice(0, 4), [
    'CARD',
    'STATE',
    'EXPIRY',
    'CVV',
  ]);
  assert.ok(!JSON.stringify({ issuer, messages }).includes(number));
});

test('wrong secrets of merchants and of issuing tenants are audited, by address, without what was sent', async () => {
  await florin.clientWith(basic('sandbox', 'a-mistyped-secret'))('GET', '/gateway/ping');
  await florin.clientWith(null)('GET', '/issuing/cards', undefined, { 'x-secret': 'a-mistyped-secret' });
  await florin.clientWith('Bearer a-mistyped-secret')('GET', '/operator/audit');
  const logins = async () =>
    (await florin.operator('GET', '/operator/audit')).body.audit.filter(
      ({ action }: { action: string }) => action === 'login',
    );
  while ((await logins()).length < 3) await new Promise((resolve) => setImmediate(resolve));
  const rows = await logins();
  assert.deepEqual(rows.map(({ target }: { target: string }) => target).sort(), ['gateway', 'issuing', 'operator']);
  for (const { origin, result } of rows) assert.deepEqual([origin, result], ['127.0.0.1', 'unauthenticated']);
  assert.ok(!JSON.stringify(rows).includes('mistyped'));
});
