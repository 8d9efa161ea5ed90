// The contract's order endpoints as data: schema in, use case, answer out. Rule: nothing is decided here.
import Type, { type TSchema } from 'typebox';
import { type Answer, type AnyEndpoint, endpointOf, type Input, type Violation } from '../../http/index.ts';
import type { StoredAnswer } from '../../store/index.ts';
import { complete } from '../authorization/index.ts';
import { create } from '../checkout/index.ts';
import { cancel, charge, payout, refund, reverse } from '../operations/index.ts';
import { type GatewayDeps, type Order, refuse } from '../orders/index.ts';
import type { Credential } from '../projects/index.ts';
import { isTemplate } from '../templates/index.ts';
import { answered, created, formOrOrder } from './answer-schemas.ts';
import {
  templateIn,
  unknownTemplate,
  wrongCard,
  wrongInAuthorize,
  wrongInCreate,
  wrongInOrder,
} from './request-rules.ts';
import {
  amountBody,
  authorizeBody,
  completeBody,
  createBody,
  creditBody,
  creditCardBody,
  orderParams,
  rebillBody,
} from './request-schemas.ts';
import { authorizeFrom, type Body, createDraftOf, draftOf, minorOf, panOf, rebillFrom } from './requests.ts';

const endpoint = endpointOf<Credential>();

const ordersAnswered = (answer: StoredAnswer): Answer => ({
  ...answer,
  replayed: (answer as { replayed?: boolean }).replayed === true,
});

type OnOrder = Input<Credential, { id: string }, unknown, Body>;

/** What the schema can't say, with the template that the request names: whether it is one of the project's. */
const wrongForProject =
  (deps: Pick<GatewayDeps, 'db'>, wrong: typeof wrongInOrder) =>
  async (body: Readonly<Record<string, unknown>>, { project }: Credential): Promise<Violation[]> => {
    const template = templateIn(body);
    const unknown = template !== null && !(await isTemplate(deps.db, project.id, template));
    return [...wrong(project, body), ...(unknown ? [unknownTemplate] : [])];
  };

/** An order's id as the client wrote it; anything else names no order. */
function idOf({ permutation }: Pick<GatewayDeps, 'permutation'>, text: string): bigint {
  const id = permutation.inward(text);
  if (id === null) throw refuse('not_found');
  return id;
}

const nothing = Type.Object({}, { additionalProperties: false });

export const orderEndpoints = (deps: GatewayDeps): AnyEndpoint<Credential>[] => [
  ...newOrders(deps),
  ...operations(deps),
  ...furtherPayments(deps),
  ...completions(deps),
];

/** What makes an order. */
const newOrders = (deps: GatewayDeps): AnyEndpoint<Credential>[] => [
  endpoint({
    method: 'POST',
    path: '/orders/create',
    operation: 'createOrder',
    summary: 'Create an order for the payment page',
    right: 'create',
    body: createBody,
    wrongIn: wrongForProject(deps, wrongInCreate),
    answers: created,
    example: {
      amount: 12.5,
      currency: 'EUR',
      merchant_order_id: 'A-1001',
      options: { return_url: 'https://shop.example/thanks' },
    },
    handler: async ({ principal, body, once }) =>
      ordersAnswered(
        await create(deps, {
          project: principal.project,
          draft: createDraftOf(principal.project, body as Body),
          once,
        }),
      ),
  }),
  endpoint({
    method: 'POST',
    path: '/orders/authorize',
    operation: 'authorize',
    summary: 'Authorize a card payment',
    right: 'create',
    body: authorizeBody,
    wrongIn: wrongForProject(deps, wrongInAuthorize),
    answers: formOrOrder,
    example: {
      amount: 12.5,
      currency: 'EUR',
      pan: '4111111111111111',
      card: { cvv: '123', holder: 'Ada Example', expiration_month: 12, expiration_year: 2030 },
      location: { ip: '192.0.2.1' },
    },
    handler: async (input) =>
      ordersAnswered(await authorizeFrom(deps, input as Input<Credential, unknown, unknown, Body>)),
  }),
  endpoint({
    method: 'POST',
    path: '/orders/credit',
    operation: 'creditCard',
    summary: 'Pay out to a card',
    right: 'payout',
    body: creditCardBody,
    wrongIn: wrongForProject(deps, (project, body) => [...wrongInOrder(project, body), ...wrongCard(body)]),
    answers: answered,
    handler: async ({ principal, body, once }) => {
      const pan = panOf((body as Body).pan);
      const card = (body as Body).card ?? {};
      const expiry =
        card.expiration_year && card.expiration_month ? `${card.expiration_year}${card.expiration_month}` : null;
      return ordersAnswered(
        await payout(deps, {
          project: principal.project,
          draft: draftOf(principal.project, body as Body),
          parentOrderId: null,
          card: { pan, expiry, cvv: null, holder: card.holder ?? null },
          once,
        }),
      );
    },
  }),
];

interface Operation {
  readonly name: 'charge' | 'reverse' | 'refund' | 'cancel';
  readonly right: string;
  readonly summary: string;
  readonly use: typeof charge;
  readonly body?: TSchema;
  readonly method?: 'PUT' | ['PUT', 'POST'];
}

const OPERATIONS: readonly Operation[] = [
  { name: 'charge', right: 'capture', summary: 'Charge an authorized order', use: charge },
  { name: 'reverse', right: 'capture', summary: 'Release an authorization', use: reverse, body: nothing },
  { name: 'refund', right: 'refund', summary: 'Refund a charged order', use: refund },
  {
    name: 'cancel',
    right: 'refund',
    summary: 'Reverse, void or refund, whatever fits',
    use: cancel,
    method: ['PUT', 'POST'],
  },
];

/** What is done to an order. */
const operations = (deps: GatewayDeps): AnyEndpoint<Credential>[] =>
  OPERATIONS.map(({ name, right, summary, use, body = amountBody, method = 'PUT' }) =>
    endpoint({
      method,
      path: `/orders/:id/${name}`,
      operation: name,
      summary,
      right,
      params: orderParams,
      body: body as Body,
      answers: answered,
      async handler(input) {
        const { principal, params, body: given, once } = input as OnOrder;
        return ordersAnswered(
          await use(deps, {
            project: principal.project,
            orderId: idOf(deps, params.id),
            amount: given.amount === undefined ? null : (order: Order) => minorOf(given.amount, order.currency),
            once,
          }),
        );
      },
    }),
  );

/** What uses the card of an order again. */
const furtherPayments = (deps: GatewayDeps): AnyEndpoint<Credential>[] => [
  endpoint({
    method: 'POST',
    path: '/orders/:id/rebill',
    operation: 'rebill',
    summary: 'Merchant-initiated payment with the card of an order',
    right: 'create',
    params: orderParams,
    body: rebillBody,
    wrongIn: wrongForProject(deps, wrongInOrder),
    answers: formOrOrder,
    handler: async (input) => ordersAnswered(await rebillFrom(deps, input as OnOrder, idOf(deps, input.params.id))),
  }),
  endpoint({
    method: 'POST',
    path: '/orders/:id/credit',
    operation: 'credit',
    summary: 'Pay out to the card of an order',
    right: 'payout',
    params: orderParams,
    body: creditBody,
    wrongIn: wrongForProject(deps, wrongInOrder),
    answers: answered,
    handler: async ({ principal, params: { id }, body, once }) =>
      ordersAnswered(
        await payout(deps, {
          project: principal.project,
          draft: draftOf(principal.project, body as Body),
          parentOrderId: idOf(deps, id),
          card: null,
          once,
        }),
      ),
  }),
];

/** What follows when the cardholder is back from the bank. */
const completions = (deps: GatewayDeps): AnyEndpoint<Credential>[] => [
  endpoint({
    method: 'POST',
    path: '/orders/:id/complete',
    operation: 'complete',
    summary: 'Finish a prepared order with PaRes',
    right: 'create',
    params: orderParams,
    body: completeBody,
    answers: formOrOrder,
    handler: async ({ principal, params: { id }, body, once }) =>
      ordersAnswered(
        await complete(deps, {
          project: principal.project,
          orderId: idOf(deps, id),
          returned: body as Body,
          once,
        }),
      ),
  }),
  ...(['complete3d20', 'resume'] as const).map((path) =>
    endpoint({
      method: 'POST',
      path: `/orders/:id/${path}`,
      operation: path,
      right: 'create',
      params: orderParams,
      body: nothing,
      summary:
        path === 'resume'
          ? 'Go on after the device-data step'
          : 'Finish a prepared order after a 3-D Secure 2 challenge',
      answers: formOrOrder,
      handler: async ({ principal, params: { id }, once }) =>
        ordersAnswered(
          await complete(deps, { project: principal.project, orderId: idOf(deps, id), returned: {}, once }),
        ),
    }),
  ),
];
