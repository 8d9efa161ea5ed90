// GET /simulator/scenarios: for every documented error of the issuing API one request that provokes it.
import type { Authorizer } from '../authorization/index.ts';
import type { IssuingDeps } from '../requests/index.ts';
import { sandboxTenants } from '../tenants/index.ts';
import { accountScenarios } from './accounts.ts';
import { cardScenarios, creationRequests } from './cards.ts';
import { type EndpointsOf, endpointScenarios } from './endpoints.ts';
import { fieldScenarios, requestCard } from './fields.ts';
import { peopleScenarios } from './people.ts';
import { type Caller, refused, type Scenario, scenario } from './scenario.ts';
import { SECRET, stageFor, type UsedRef } from './stage.ts';

export async function issuingScenarios(
  deps: IssuingDeps,
  authorizer: Authorizer,
  usedRef: UsedRef,
  endpointsOf: EndpointsOf,
): Promise<Scenario[]> {
  const stage = stageFor(deps, authorizer);
  const token = await stage.token('consumer@sandbox.test');
  const consumer: Caller = { secret: SECRET, token };
  return [
    ...(await creationRequests(stage)),
    ...fieldScenarios(consumer),
    ...(await cardScenarios(stage, consumer)),
    ...(await accountScenarios(stage, consumer)),
    ...(await peopleScenarios(deps, stage, consumer)),
    ...(await endpointScenarios(deps, endpointsOf)),
    ...service(consumer, await usedRef(await stage.session('consumer@sandbox.test'), '/cards/request')),
  ];
}

/** What has nothing to do with the endpoint; some tenants answer nothing else. */
function service(consumer: Caller, usedRef: string): Scenario[] {
  const secretOf = (name: string): string => sandboxTenants.find((tenant) => tenant.name === name)?.secret ?? '';
  const from = (name: string): Caller => ({ secret: secretOf(name), token: consumer.token });
  const good = requestCard({});
  const [method, path, body] = good;
  return [
    scenario('service.TOO_MANY_REQUESTS', 'Too many requests', from('sandbox-limited'), good, {
      status: 429,
      code: 'TOO_MANY_REQUESTS',
    }),
    scenario('service.SERVER_ERROR', 'Server problem', from('sandbox-failing'), good, {
      status: 500,
      code: 'SERVER_ERROR',
    }),
    refused('MAINTENANCE', 'service', from('sandbox-maintenance'), good),
    scenario(
      'service.IDEMPOTENCY_REF_REUSED',
      'The idempotency-ref was used for another request',
      consumer,
      [method, path, body, { 'idempotency-ref': usedRef }],
      { status: 409, errorCode: 'IDEMPOTENCY_REF_REUSED' },
    ),
    scenario('service.RESOURCE_NOT_FOUND', 'No such path', consumer, ['GET', '/no/such/path'], {
      status: 404,
      code: 'RESOURCE_NOT_FOUND',
    }),
    scenario('service.METHOD_NOT_ALLOWED', 'A verb that the path does not have', consumer, ['GET', '/cards/request'], {
      status: 405,
      code: 'METHOD_NOT_ALLOWED',
    }),
    scenario(
      'service.UNSUPPORTED_MEDIA_TYPE',
      'Not application/json',
      consumer,
      [method, path, body, { 'content-type': 'text/plain' }],
      { status: 415, code: 'UNSUPPORTED_MEDIA_TYPE' },
    ),
    scenario(
      'service.NOT_ACCEPTABLE',
      'Something else than JSON is wanted',
      consumer,
      ['GET', '/cards', null, { accept: 'image/png' }],
      { status: 406, code: 'NOT_ACCEPTABLE' },
    ),
    scenario('service.REQUEST_TOO_LARGE', 'More than 64 KiB', consumer, [method, path, `"${'x'.repeat(65_536)}"`], {
      status: 413,
      code: 'REQUEST_TOO_LARGE',
    }),
  ];
}
