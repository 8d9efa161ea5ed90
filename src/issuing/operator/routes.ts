// All of the operator's endpoints for issuing.
import type { OperatorEndpoint } from '../../http/index.ts';
import { setupHold } from '../tenants/index.ts';
import type { IssuingOffice } from './office.ts';
import { holdingEndpoints } from './routes-holdings.ts';
import { instrumentEndpoints } from './routes-instruments.ts';
import { loginEndpoints } from './routes-logins.ts';
import { peopleEndpoints } from './routes-people.ts';
import { setupEndpoints } from './routes-setup.ts';
import { tenantEndpoints } from './routes-tenants.ts';

/** Changes of what is set up come one after another: each reads what the one before it has left, and no name or number is taken twice. */
const inTurn = (office: IssuingOffice): IssuingOffice => ({
  ...office,
  change: (asked, owner, action, target, work) =>
    office.change(asked, owner, action, target, async (db) => {
      await setupHold(db);
      return work(db);
    }),
});

export function operatorEndpoints(office: IssuingOffice): OperatorEndpoint[] {
  const setup = inTurn(office);
  return [
    ...tenantEndpoints(setup),
    ...setupEndpoints(setup),
    ...peopleEndpoints(setup),
    ...loginEndpoints(office),
    ...holdingEndpoints(office),
    ...instrumentEndpoints(office),
  ];
}
