// The gateway's failures as the contract has them, for everything that goes wrong before a use case.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { gatewayEnvelope } from '../../../src/gateway/api/envelope.ts';
import type { FailureDetail, FailureKind } from '../../../src/http/index.ts';
import { SHOP, startService } from '../service.ts';

const table: readonly [
  kind: FailureKind,
  detail: FailureDetail,
  status: number,
  type: string,
  headers: Record<string, string>,
][] = [
  ['bad_request', {}, 400, 'rejected', {}],
  ['unauthenticated', {}, 401, 'rejected', { 'www-authenticate': 'Basic realm="gateway", charset="UTF-8"' }],
  ['forbidden', {}, 403, 'rejected', {}],
  ['not_found', {}, 404, 'rejected', {}],
  ['method_not_allowed', { allow: 'GET' }, 405, 'rejected', { allow: 'GET' }],
  ['not_acceptable', {}, 406, 'rejected', {}],
  ['conflict', { retryAfterSeconds: 1 }, 409, 'rejected', { 'retry-after': '1' }],
  ['too_large', {}, 413, 'rejected', {}],
  ['unsupported_media_type', {}, 415, 'rejected', {}],
  [
    'rate_limited',
    { retryAfterSeconds: 2, rate: { limit: 200, remaining: 0, windowSeconds: 2, resetSeconds: 2 } },
    429,
    'rejected',
    { 'retry-after': '2', ratelimit: '"default";r=0;t=2', 'ratelimit-policy': '"default";q=200;w=2' },
  ],
  ['internal', {}, 500, 'error', {}],
];

for (const [kind, detail, status, type, headers] of table) {
  test(`${kind} is ${status} ${type}, without errors and without an order`, () => {
    const answer = gatewayEnvelope.failure(kind, detail);
    assert.deepEqual([answer.status, answer.headers], [status, headers]);
    const { failure_message, ...rest } = answer.body as Record<string, unknown>;
    assert.deepEqual(rest, { failure_type: type, order_id: null });
    assert.ok(typeof failure_message === 'string' && failure_message !== '');
  });
}

test('a validation failure over HTTP is the contract’s', async () => {
  const service = await startService({ api: { envelope: gatewayEnvelope } });
  const response = await fetch(`${service.url}/test/orders/create`, {
    method: 'POST',
    headers: { authorization: SHOP, 'content-type': 'application/json' },
    body: '{"amount":1,"colour":2,"location":{}}',
  });
  assert.deepEqual(
    [response.status, await response.json()],
    [
      422,
      {
        failure_type: 'validation',
        failure_message: 'Validation failed',
        order_id: null,
        errors: [
          { message: 'Required', uri: '#/location/ip', attribute: 'required', details: ['a value is required'] },
          { message: 'Unknown property', uri: '#/colour' },
        ],
      },
    ],
  );
  await service.server.close();
});
