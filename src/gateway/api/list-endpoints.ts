// What merchants read of orders as endpoints: one order, the orders list, the operations list.
import { addMs, parseDateTime } from '../../base/index.ts';
import { type AnyEndpoint, endpointOf, listAnswer, pagingOf } from '../../http/index.ts';
import { afterOf, type ListingDeps, listOperations, listOrders, readOrder } from '../listing/index.ts';
import { expandsIn, type GatewayDeps } from '../orders/index.ts';
import type { Credential, Project } from '../projects/index.ts';
import { listedOperations, listedOrders, shown } from './answer-schemas.ts';
import { wrongInOrders } from './request-rules.ts';
import { operationsQuery, orderParams, orderQuery, ordersQuery } from './request-schemas.ts';

const endpoint = endpointOf<Credential>();

type PageDeps = ListingDeps & Pick<GatewayDeps, 'publicUrl'>;

export const readEndpoints = (deps: PageDeps & Pick<GatewayDeps, 'orderOf'>): AnyEndpoint<Credential>[] => [
  oneOrder(deps),
  ordersList(deps),
  operationsList(deps),
];

const oneOrder = (deps: Pick<GatewayDeps, 'db' | 'orderOf' | 'permutation'>): AnyEndpoint<Credential> =>
  endpoint({
    method: 'GET',
    path: '/orders/:id',
    operation: 'getOrder',
    summary: 'One order',
    right: 'read',
    params: orderParams,
    query: orderQuery,
    answers: shown,
    handler: async ({ principal, params: { id }, query }) => ({
      status: 200,
      body: await readOrder(deps, principal.project, deps.permutation.inward(id), expandsIn(query.expand ?? [])),
    }),
  });

const ordersList = (deps: PageDeps): AnyEndpoint<Credential> =>
  endpoint({
    method: 'GET',
    path: '/orders/',
    operation: 'listOrders',
    summary: 'Orders, newest first',
    right: 'read',
    query: ordersQuery,
    wrongIn: wrongInOrders,
    answers: listedOrders,
    cost: ({ per_page = 2000, expand = [] }) => per_page * (1 + expand.length),
    async *handler({ principal, query }) {
      const { project } = principal;
      const listing = yield* listOrders(
        deps,
        project,
        {
          status: query.status,
          createdFrom: dateOf(project, query.created_from),
          createdTo: endOf(dateOf(project, query.created_to)),
          merchantOrderId: query.merchant_order_id,
          cardType: query['card.type'],
          cardSubtype: query['card.subtype'],
          ip: query['location.ip'],
          clientName: query['client.name'],
          clientEmail: query['client.email'],
          issuerCountry: query['issuer.country'],
          issuerBin: query['issuer.bin'],
          issuerTitle: query['issuer.title'],
        },
        expandsIn(query.expand ?? []),
        pagingOf(query, afterOf),
      );
      return listAnswer({ name: 'orders', publicUrl: deps.publicUrl, path: '/gateway/orders/', query }, listing);
    },
  });

const operationsList = (deps: PageDeps): AnyEndpoint<Credential> =>
  endpoint({
    method: 'GET',
    path: '/operations/',
    operation: 'listOperations',
    summary: 'Operations, newest first',
    right: 'read',
    query: operationsQuery,
    answers: listedOperations,
    cost: ({ per_page = 2000, expand = [] }) => per_page * (1 + expand.length),
    async *handler({ principal, query }) {
      const { project } = principal;
      const filter = {
        status: query.status,
        type: query.type,
        createdFrom: dateOf(project, query.created_from),
        createdTo: endOf(dateOf(project, query.created_to)),
      };
      const page = pagingOf(query, afterOf);
      const listing = yield* listOperations(deps, project, filter, query.expand ?? [], page);
      return listAnswer(
        { name: 'operations', publicUrl: deps.publicUrl, path: '/gateway/operations/', query },
        listing,
      );
    },
  });

const dateOf = (project: Project, text: string | undefined): Date | undefined =>
  text === undefined ? undefined : (parseDateTime(text, project.settings.time_zone) ?? undefined);

/** Date-times are shown in whole seconds: a period ends with its last second, so that it holds what is shown with that second. */
const endOf = (date: Date | undefined): Date | undefined => date && addMs(date, 999);
