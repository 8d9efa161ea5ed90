// What became of events on their way to an endpoint, by HTTP in any API's form: each with its tries; and having one sent again.
// Rule: looking shows what was answered as it is kept, card numbers masked; sending again is a delivery like any other.
import Type, { type TSchema } from 'typebox';
import { type AnyEndpoint, Choice, endpointOf as endpointIn, Id, Nullable, Shape } from '../../http/index.ts';
import { NOBODY, onceCommand } from '../../store/index.ts';
import { type DeliveryShown, deliveriesPage, deliveryOf, resend } from '../delivery/index.ts';
import {
  type EndpointsDesk,
  endpointOf,
  endpointRefusal,
  endpointsOf,
  keptAnswer,
  typesOf,
} from '../endpoints/index.ts';
import { eventText } from '../log/index.ts';
import type { Asking, EventsGround, Form } from './form.ts';
import type { Style } from './shapes.ts';

export const DELIVERY_STATES = ['waiting', 'retrying', 'delivered', 'given_up', 'skipped'] as const;
const trigger = Choice(['first', 'retry', 'resend', 'replay', 'test']);
const text = Type.String();
const whole = Type.Integer({ minimum: 0 });

/** Absent or null, as the API has it. */
const perhaps = ({ nulls }: Style, schema: TSchema): TSchema => (nulls ? Nullable(schema) : Type.Optional(schema));

export function deliveryShape(style: Style): TSchema {
  const attempt = Shape(
    {
      [style.name('sent_at')]: style.time,
      trigger,
      attempt: Type.Integer({ minimum: 1 }),
      ms: whole,
      address: perhaps(style, Type.String({ description: 'Where it was sent.' })),
      status: perhaps(style, Type.Integer({ description: 'Of the answer; absent: there was none.' })),
      cause: perhaps(style, Type.String({ description: 'Why there was none.' })),
      response: Type.String({ description: 'The beginning of the answer, card numbers masked.' }),
    },
    { title: style.title('DeliveryAttempt') },
  );
  return Shape(
    {
      event: Id(),
      type: text,
      state: Choice(DELIVERY_STATES),
      trigger,
      tries: whole,
      [style.name('next_try_at')]: perhaps(style, style.time),
      attempts: Type.Array(attempt, { description: 'The newest first; in a list the last one alone.' }),
    },
    { title: style.title('Delivery') },
  );
}

export function deliveryShownBy(style: Style, outward: (id: bigint) => string, time: (at: Date) => unknown) {
  const known = (fields: object): object =>
    style.nulls ? fields : Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null));
  return ({ event, type, state, trigger: by, tries, nextAt, attempts }: DeliveryShown): object =>
    known({
      event: outward(event),
      type,
      state,
      trigger: by,
      tries,
      [style.name('next_try_at')]: nextAt && time(nextAt),
      attempts: attempts.map(({ sent_at, trigger: why, attempt, ms, address, status, cause, response }) =>
        known({ [style.name('sent_at')]: time(sent_at), trigger: why, attempt, ms, address, status, cause, response }),
      ),
    });
}

interface Listed {
  readonly state?: (typeof DELIVERY_STATES)[number];
  readonly after?: string;
  readonly per_page?: number;
  readonly limit?: number;
}

const EXAMPLE = { event: '1000000002', type: 'order.charged', state: 'delivered', trigger: 'first', tries: 1 };

/** Long: a list of endpoints, each a few lines. */
export function deliveryEndpoints<Principal>(ground: EventsGround, form: Form<Principal>): AnyEndpoint<Principal>[] {
  const endpoint = endpointIn<Principal>();
  const { shapes, at, tag, operation, read, write, unknown, style } = form;
  const { permutation, reader } = ground;
  const example = { ...EXAMPLE, ...(style.nulls ? { [style.name('next_try_at')]: null } : {}), attempts: [] };
  const idOf = (named: string): bigint => permutation.inward(named) ?? 0n;
  const shownIn = (asking: Asking<Principal>) => deliveryShownBy(style, permutation.outward, form.timeOf(asking));

  async function whose(asking: Asking<Principal>): Promise<readonly [EndpointsDesk, bigint]> {
    const desk = await form.desk(asking);
    const found = await endpointOf(desk.db, desk.owner, idOf((asking.params as { id: string }).id));
    if (!found) throw endpointRefusal('webhook_unknown');
    return [desk, found.id];
  }

  return [
    endpoint({
      method: 'GET',
      path: `${at}/webhooks/:id/deliveries`,
      operation: operation('deliveryList'),
      summary: 'What became of events on their way to an endpoint, the newest first',
      description: 'Each with its last try. The next page is behind the `event` that this one ends with: `after`.',
      right: read,
      tag,
      params: shapes.ofOne,
      query: shapes.deliveries,
      answers: {
        200: {
          description: 'Deliveries',
          schema: form.listOf('deliveries', deliveryShape(style)),
          example: form.list('deliveries', [example]),
        },
        ...unknown,
      },
      async handler(asking) {
        const [desk, webhook] = await whose(asking);
        const { state = null, after, per_page, limit = per_page ?? 100 } = asking.query as Listed;
        const before = after === undefined ? null : idOf(after);
        const page = await deliveriesPage(desk.db, desk.owner, webhook, { state, before, limit });
        return { status: 200, body: form.list('deliveries', page.map(shownIn(asking))) };
      },
    }),
    endpoint({
      method: 'GET',
      path: `${at}/webhooks/:id/deliveries/:delivery`,
      operation: operation('deliveryGet'),
      summary: 'One event on its way to an endpoint, with all its tries',
      right: read,
      tag,
      params: shapes.ofDelivery,
      answers: {
        200: {
          description: 'The delivery',
          schema: form.single('deliveries', deliveryShape(style)),
          example: form.shownOne('deliveries', example),
        },
        ...unknown,
      },
      async handler(asking) {
        const [desk, webhook] = await whose(asking);
        const event = idOf((asking.params as { delivery: string }).delivery);
        const found = await deliveryOf(desk.db, desk.owner, webhook, event);
        if (!found) throw form.unknownEvent();
        return { status: 200, body: form.shownOne('deliveries', shownIn(asking)(found)) };
      },
    }),
    endpoint({
      method: 'POST',
      path: `${at}/events/:id/resend`,
      operation: operation('eventResend'),
      summary: 'Has an event sent again, to every endpoint that is enabled and wants it',
      description: 'With the same id and the same bytes; tried as if it were new.',
      right: write,
      tag,
      params: shapes.ofOne,
      answers: { 204: { description: 'It will be' }, ...unknown },
      async handler(asking) {
        const desk = await form.desk(asking);
        const { owner, db } = desk;
        const id = idOf((asking.params as { id: string }).id);
        const body = await eventText(reader.db, owner, id);
        if (body === null) throw form.unknownEvent();
        const { type, resource } = JSON.parse(body) as {
          readonly type: string;
          readonly resource: { readonly id: string };
        };
        const wanting = (await endpointsOf(db, owner)).filter(
          (one) => one.enabled && typesOf(one).has(type) && permutation.outward(one.id) !== resource.id,
        );
        const changes = await resend(
          db,
          owner,
          id,
          wanting.map((one) => one.id),
          ground.business.now(),
        );
        if (!changes) throw form.unknownEvent();
        const of = `/events/${(asking.params as { id: string }).id}`;
        await form.change(asking, { action: 'event.resend', desk, of }, ({ committer }) =>
          committer.submit(
            onceCommand(
              {
                name: 'event.resend',
                owner: owner === NOBODY ? null : owner,
                needs: [],
                decide: () => ({ value: null, changes }),
              },
              asking.once,
              () => keptAnswer(204, null),
            ),
          ),
        );
        return { status: 204, body: null };
      },
    }),
  ];
}
