// Every endpoint by which operators set the gateway up and look after its orders: those of its rooms together.
import type { OperatorEndpoint } from '../http/index.ts';
import { type OrdersDesk, orderOperatorEndpoints } from './operator/index.ts';
import { type ProjectsDesk, projectOperatorEndpoints } from './projects/index.ts';
import { type RulesDesk, ruleOperatorEndpoints } from './risk/index.ts';
import { type TemplatesDesk, templateOperatorEndpoints } from './templates/index.ts';

export type GatewayDesk = ProjectsDesk & TemplatesDesk & RulesDesk & OrdersDesk;

export const gatewayOperatorEndpoints = (desk: GatewayDesk): OperatorEndpoint[] => [
  ...projectOperatorEndpoints(desk),
  ...templateOperatorEndpoints(desk),
  ...ruleOperatorEndpoints(desk),
  ...orderOperatorEndpoints(desk),
];
