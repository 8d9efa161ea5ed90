// What an event may be called, and what is left of it without its data.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { typesFor } from '../../src/events/log/catalogue.ts';
import { thinOf } from '../../src/events/log/event.ts';

test('a merchant is told of orders, a tenant of cards, each of his own endpoints', () => {
  const [project, tenant, operator] = [typesFor('project'), typesFor('tenant'), typesFor('operator')];
  assert.ok(project.includes('order.represented') && !project.includes('card.created'));
  assert.ok(tenant.includes('authorization.approved') && !tenant.includes('order.created'));
  assert.ok(operator.includes('link.down') && !operator.includes('order.created'));
  for (const types of [project, tenant, operator]) {
    assert.ok(types.includes('webhook.disabled'));
    assert.equal(new Set(types).size, types.length);
    for (const type of types) assert.match(type, /^[a-z_]+\.[a-z_]+$/);
  }
});

test('thin: the same event without data, whatever its texts say', () => {
  const body = JSON.stringify({
    id: '1',
    owner: { id: ',"data":{' },
    data: { object: { description: ',"data":{"object":1}' } },
  });
  assert.deepEqual(JSON.parse(thinOf(body)), { id: '1', owner: { id: ',"data":{' } });
});
