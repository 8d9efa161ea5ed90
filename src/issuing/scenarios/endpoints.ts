// Errors of a tenant's endpoints. The stage is a tenant that has as many as it may.
import { type EndpointsDesk, endpointCreate, endpointsOf as endpointsListed, keptAnswer } from '../../events/index.ts';
import type { IssuingDeps } from '../requests/index.ts';
import { eventsSecretOf, sandboxTenantId } from '../tenants/index.ts';
import { type Caller, invalid, refused, type Scenario, scenario } from './scenario.ts';

/** The endpoints of a tenant. */
export type EndpointsOf = (tenant: { readonly id: bigint }) => EndpointsDesk;

const FULL = 'sandbox-full';
/** Nobody is called there: what is made for the stage is disabled. */
const good = { url: 'https://10.0.0.7/events', events: ['card.*'], enabled: false };

export async function endpointScenarios(
  { permutation }: Pick<IssuingDeps, 'permutation'>,
  endpointsOf: EndpointsOf,
): Promise<Scenario[]> {
  const desk = endpointsOf({ id: sandboxTenantId(permutation, FULL) });
  const { length } = await endpointsListed(desk.db, desk.owner);
  const answering = { once: null, answerOf: () => keptAnswer(204, null) };
  for (let made = length; made < 16; made++) await endpointCreate(desk, good, answering);
  const caller: Caller = { secret: eventsSecretOf(FULL), token: null };
  return [
    refused('WEBHOOKS_LIMIT_EXCEEDED', 'webhooks', caller, ['POST', '/webhooks', good]),
    scenario(
      'webhooks.NOT_IN',
      'A type that nobody is told',
      caller,
      ['POST', '/webhooks', { ...good, events: ['card.lost'] }],
      invalid(['events'], '0', 'NOT_IN'),
    ),
  ];
}
