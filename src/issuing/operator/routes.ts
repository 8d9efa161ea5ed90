// All of the operator's endpoints for issuing.
import type { AnyEndpoint } from '../../http/index.ts';
import type { IssuingOffice } from './office.ts';
import { instrumentEndpoints } from './routes-instruments.ts';
import { peopleEndpoints } from './routes-people.ts';
import { setupEndpoints } from './routes-setup.ts';
import { tenantEndpoints } from './routes-tenants.ts';

export const operatorEndpoints = (office: IssuingOffice): AnyEndpoint<{ readonly name: string }>[] => [
  ...tenantEndpoints(office),
  ...setupEndpoints(office),
  ...peopleEndpoints(office),
  ...instrumentEndpoints(office),
];
