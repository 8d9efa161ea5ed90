// All that operators do with orders.
import type { OperatorEndpoint } from '../../http/index.ts';
import { type LinksDesk, linkEndpoints } from './routes-links.ts';
import { type StuckDesk, stuckEndpoints } from './routes-stuck.ts';
import { type TraceDesk, traceEndpoints } from './routes-trace.ts';

export type OrdersDesk = LinksDesk & StuckDesk & TraceDesk;

export const orderOperatorEndpoints = (desk: OrdersDesk): OperatorEndpoint[] => [
  ...linkEndpoints(desk),
  ...stuckEndpoints(desk),
  ...traceEndpoints(desk),
];
