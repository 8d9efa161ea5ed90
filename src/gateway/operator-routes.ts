// Every endpoint by which operators set the gateway up and look after its orders: those of its rooms together.
import type { OperatorEndpoint } from '../http/index.ts';
import { type TraceDesk, traceOperatorEndpoints } from './api/index.ts';
import { type LinksDesk, linkOperatorEndpoints } from './checkout/index.ts';
import { type StuckDesk, stuckOperatorEndpoints } from './flight/index.ts';
import { type ProjectsDesk, projectOperatorEndpoints } from './projects/index.ts';
import { type RulesDesk, ruleOperatorEndpoints } from './risk/index.ts';
import { type TemplatesDesk, templateOperatorEndpoints } from './templates/index.ts';

export type GatewayDesk = ProjectsDesk & TemplatesDesk & RulesDesk & LinksDesk & StuckDesk & TraceDesk;

export const gatewayOperatorEndpoints = (desk: GatewayDesk): OperatorEndpoint[] => [
  ...projectOperatorEndpoints(desk),
  ...templateOperatorEndpoints(desk),
  ...ruleOperatorEndpoints(desk),
  ...linkOperatorEndpoints(desk),
  ...stuckOperatorEndpoints(desk),
  ...traceOperatorEndpoints(desk),
];
