// The contract's order endpoints as data: schema in, use case, answer out. Rule: nothing is decided here.
import Type from 'typebox';
import { type Answer, type AnyEndpoint, endpointOf, type Input, type Violation } from '../../http/index.ts';
import type { StoredAnswer } from '../../store/index.ts';
import { complete } from '../authorization/index.ts';
import { create } from '../checkout/index.ts';
import { cancel, charge, payout, refund, reverse } from '../operations/index.ts';
import { type Gateway, type Order, OrderNotFound } from '../orders/index.ts';
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

export const ordersAnswered = (answer: StoredAnswer): Answer => ({
  ...answer,
  replayed: (answer as { replayed?: boolean }).replayed === true,
});

export function orderEndpoints(gateway: Gateway): AnyEndpoint<Credential>[] {
  const wrongForProject =
    (wrong: typeof wrongInOrder) =>
    async (body: Readonly<Record<string, unknown>>, { project }: Credential): Promise<Violation[]> => {
      const template = templateIn(body);
      const unknown = template !== null && !(await isTemplate(gateway.db, project.id, template));
      return [...wrong(project, body), ...(unknown ? [unknownTemplate] : [])];
    };

  /** An order's id as the client wrote it; anything else names no order. */
  const idOf = (text: string): bigint => {
    const id = gateway.permutation.inward(text);
    if (id === null) throw new OrderNotFound();
    return id;
  };

  const write = (
    path: string,
    operation: string,
    right: string,
    summary: string,
    run: (input: Input<Credential, { id: string }, unknown, Body>) => Promise<StoredAnswer>,
    body = amountBody,
    method: 'PUT' | ['PUT', 'POST'] = 'PUT',
  ) =>
    endpoint({
      method,
      path: `/orders/:id/${path}`,
      operation,
      summary,
      right,
      params: orderParams,
      body: body as Body,
      answers: answered,
      handler: async (input) => ordersAnswered(await run(input as Input<Credential, { id: string }, unknown, Body>)),
    });

  const onOrder =
    (use: typeof charge) =>
    ({
      principal,
      params: { id },
      body,
      once,
    }: Input<Credential, { id: string }, unknown, Body>): Promise<StoredAnswer> =>
      use(gateway, {
        project: principal.project,
        orderId: idOf(id),
        amount: body.amount === undefined ? null : (order: Order) => minorOf(body.amount, order.currency),
        once,
      });

  const nothing = Type.Object({}, { additionalProperties: false });

  return [
    endpoint({
      method: 'POST',
      path: '/orders/create',
      operation: 'createOrder',
      summary: 'Create an order for the payment page',
      right: 'create',
      body: createBody,
      wrongIn: wrongForProject(wrongInCreate),
      answers: created,
      example: {
        amount: 12.5,
        currency: 'EUR',
        merchant_order_id: 'A-1001',
        options: { return_url: 'https://shop.example/thanks' },
      },
      handler: async ({ principal, body, once }) =>
        ordersAnswered(
          await create(gateway, {
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
      wrongIn: wrongForProject(wrongInAuthorize),
      answers: formOrOrder,
      example: {
        amount: 12.5,
        currency: 'EUR',
        pan: '4111111111111111',
        card: { cvv: '123', holder: 'Ada Example', expiration_month: 12, expiration_year: 2030 },
        location: { ip: '192.0.2.1' },
      },
      handler: async (input) =>
        ordersAnswered(await authorizeFrom(gateway, input as Input<Credential, unknown, unknown, Body>)),
    }),
    endpoint({
      method: 'POST',
      path: '/orders/credit',
      operation: 'creditCard',
      summary: 'Pay out to a card',
      right: 'payout',
      body: creditCardBody,
      wrongIn: wrongForProject((project, body) => [...wrongInOrder(project, body), ...wrongCard(body)]),
      answers: answered,
      handler: async ({ principal, body, once }) => {
        const pan = panOf((body as Body).pan);
        const card = (body as Body).card ?? {};
        const expiry =
          card.expiration_year && card.expiration_month ? `${card.expiration_year}${card.expiration_month}` : null;
        return ordersAnswered(
          await payout(gateway, {
            project: principal.project,
            draft: draftOf(principal.project, body as Body),
            parentOrderId: null,
            card: { pan, expiry, cvv: null, holder: card.holder ?? null },
            once,
          }),
        );
      },
    }),
    write('charge', 'charge', 'capture', 'Charge an authorized order', onOrder(charge)),
    write(
      'reverse',
      'reverse',
      'capture',
      'Release an authorization',
      onOrder(reverse),
      nothing as unknown as typeof amountBody,
    ),
    write('refund', 'refund', 'refund', 'Refund a charged order', onOrder(refund)),
    write('cancel', 'cancel', 'refund', 'Reverse, void or refund, whatever fits', onOrder(cancel), amountBody, [
      'PUT',
      'POST',
    ]),
    endpoint({
      method: 'POST',
      path: '/orders/:id/rebill',
      operation: 'rebill',
      summary: 'Merchant-initiated payment with the card of an order',
      right: 'create',
      params: orderParams,
      body: rebillBody,
      wrongIn: wrongForProject(wrongInOrder),
      answers: formOrOrder,
      handler: async (input) =>
        ordersAnswered(
          await rebillFrom(gateway, input as Input<Credential, { id: string }, unknown, Body>, idOf(input.params.id)),
        ),
    }),
    endpoint({
      method: 'POST',
      path: '/orders/:id/credit',
      operation: 'credit',
      summary: 'Pay out to the card of an order',
      right: 'payout',
      params: orderParams,
      body: creditBody,
      wrongIn: wrongForProject(wrongInOrder),
      answers: answered,
      handler: async ({ principal, params: { id }, body, once }) =>
        ordersAnswered(
          await payout(gateway, {
            project: principal.project,
            draft: draftOf(principal.project, body as Body),
            parentOrderId: idOf(id),
            card: null,
            once,
          }),
        ),
    }),
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
          await complete(gateway, { project: principal.project, orderId: idOf(id), returned: body as Body, once }),
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
            await complete(gateway, { project: principal.project, orderId: idOf(id), returned: {}, once }),
          ),
      }),
    ),
  ];
}
