// One event that is made up, sent to an endpoint at once, to see whether it arrives (docs/contract/events.md#api).
// Rule: it is shown among the endpoint's deliveries and nowhere else: it stands in no log, is never tried again, and no circuit hears of it.
import { Busy, idFrom, idMoment } from '../../base/index.ts';
import { type AnyEndpoint, endpointOf as endpointIn } from '../../http/index.ts';
import { type Command, NOBODY, type Once, onceCommand, type StoredAnswer } from '../../store/index.ts';
import {
  attemptPut,
  type DeliveryRow,
  type DeliveryShown,
  deliveryPut,
  needTests,
  type Posted,
  testsKind,
  verdictOf,
} from '../delivery/index.ts';
import {
  type Endpoint,
  type EndpointsDesk,
  endpointOf,
  endpointRefusal,
  endpointsKind,
  keptAnswer,
  needEndpoints,
} from '../endpoints/index.ts';
import { type EventType, exampleObject, type Noun, typesFor } from '../log/index.ts';
import { deliveryShape, deliveryShownBy } from './delivery-endpoints.ts';
import type { Asking, EventsGround, Form } from './form.ts';

/** Of one endpoint, by real time. */
const ONE_IN_MS = 10_000;

/** A test that was begun: noted, and not sent yet. */
interface Begun {
  readonly row: DeliveryRow;
  readonly text: string;
  readonly endpoint: Endpoint;
}
type BegunAnswer = StoredAnswer & { readonly begun?: Begun };

/** Refusal: webhook_unknown. Busy: another test was a moment ago. */
function begin(
  desk: EndpointsDesk,
  id: bigint,
  type: EventType,
  { now: real, outward }: { readonly now: Date; readonly outward: (id: bigint) => string },
): Command<Begun> {
  const { owner, events, show } = desk;
  const tests = { owner, webhook: id, since: idFrom(new Date(real.getTime() - ONE_IN_MS)) };
  return {
    name: 'webhook.test',
    owner: owner === NOBODY ? null : owner,
    needs: [needEndpoints(owner), needTests(tests)],
    decide(loaded, told) {
      const endpoint = loaded.get(endpointsKind, owner)?.find((one) => one.id === id);
      if (!endpoint) throw endpointRefusal('webhook_unknown');
      const last = loaded.get(testsKind, tests);
      if (last !== undefined) {
        const restMs = idMoment(last).getTime() + ONE_IN_MS - real.getTime();
        if (restMs > 0) throw new Busy(1, Math.min(Math.ceil(restMs / 1_000), ONE_IN_MS / 1_000));
      }
      const [noun] = type.split('.') as [Noun];
      const own = noun === 'webhook';
      const subject = own ? id : told.ids.next();
      const { id: event, body } = events.text(told, {
        owner,
        type,
        resource: { type: noun, id: subject, sequence: own ? endpoint.events : 1 },
        object: own ? show(endpoint) : exampleObject(noun, outward(subject)),
        before: null,
      });
      const row: DeliveryRow = {
        owner_id: owner,
        webhook_id: id,
        event_id: event,
        position: 0n,
        // Nothing waits for it, and it waits for nothing.
        subject_id: event,
        type,
        // Nobody sends it but this request: where that ends, nothing more comes of it.
        state: 'given_up',
        trigger: 'test',
        tries: 0,
        next_at: null,
        created_at: told.now,
        updated_at: told.now,
      };
      return { value: { row, text: body, endpoint }, changes: [deliveryPut(row)] };
    },
  };
}

const shownOf = ({ event_id, type, state, trigger, tries }: DeliveryRow): DeliveryShown => ({
  event: event_id,
  type,
  state,
  trigger,
  tries,
  nextAt: null,
  attempts: [],
});

/** What it came to, written with the answer that a repeat gets from now on. */
const end = (
  { row }: Begun,
  { posted, sentAt, once }: { readonly posted: Posted; readonly sentAt: Date; readonly once: Once | null },
  answerOf: (shown: DeliveryShown) => StoredAnswer,
): Command<StoredAnswer> => ({
  name: 'webhook.test.sent',
  owner: row.owner_id === NOBODY ? null : row.owner_id,
  needs: once ? [once.need] : [],
  finishes: true,
  decide(_loaded, { ids, now }) {
    const { owner_id, webhook_id, event_id, type, trigger } = row;
    const { status, cause, address, ms, response } = posted;
    const state = verdictOf(posted) === 'delivered' ? 'delivered' : 'given_up';
    const ended: DeliveryRow = { ...row, state, tries: 1, updated_at: now };
    const named = { owner_id, webhook_id, event_id, type, trigger, attempt: 1, id: ids.real(), sent_at: sentAt };
    const attempt = { ...named, status, cause, address, ms, response };
    const value = answerOf({ ...shownOf(ended), attempts: [attempt] });
    return { value, changes: [deliveryPut(ended), attemptPut(attempt), ...(once?.finish(value, now) ?? [])] };
  },
});

/** Of the reference. */
const exampleOf = ({ shapes, style }: Pick<Form<unknown>, 'shapes' | 'style'>): object => ({
  event: '1000000002',
  ...shapes.examples.test,
  state: 'delivered',
  trigger: 'test',
  tries: 1,
  ...(style.nulls ? { [style.name('next_try_at')]: null } : {}),
  attempts: [],
});

export function testEndpoint<Principal>(ground: EventsGround, form: Form<Principal>): AnyEndpoint<Principal> {
  const endpoint = endpointIn<Principal>();
  const { shapes, style, unknown, wrong } = form;
  const { permutation, time, send } = ground;
  const { outward } = permutation;

  function typeIn({ body }: Asking<Principal>, { ownerType }: EndpointsDesk): EventType {
    const type = typesFor(ownerType).find((one) => one === (body as { type: string }).type);
    if (!type) throw form.bad([{ path: ['type'], fault: 'unknown', says: 'a type that can be told here' }]);
    return type;
  }

  return endpoint({
    method: 'POST',
    path: `${form.at}/webhooks/:id/test`,
    operation: form.operation('webhookTest'),
    summary: 'Sends an endpoint one event that is made up, and shows what came of it',
    description:
      'Of a type that its owner has, whether the endpoint wants it or not, and while it is disabled, too. Signed like any other; `florin-trigger` says `test`. It is tried once, stands in no list of events and does not change how the endpoint stands. One in 10 seconds, more are 429.',
    right: form.write,
    tag: form.tag,
    params: shapes.ofOne,
    body: shapes.test,
    example: shapes.examples.test,
    answers: {
      201: {
        description: 'The delivery with its try',
        schema: form.single('deliveries', deliveryShape(style)),
        example: form.shownOne('deliveries', exampleOf(form)),
        ...shapes.located,
      },
      ...unknown,
      ...wrong,
    },
    async handler(asking) {
      const desk = await form.desk(asking);
      const { once } = asking;
      const id = permutation.inward((asking.params as { id: string }).id) ?? 0n;
      if (!(await endpointOf(desk.db, desk.owner, id))) throw endpointRefusal('webhook_unknown');
      const type = typeIn(asking, desk);
      const shown = deliveryShownBy(style, outward, form.timeOf(asking));
      const place = form.locationOf(asking, outward(id));
      const answerOf = (delivery: DeliveryShown): StoredAnswer =>
        keptAnswer(
          201,
          form.shownOne('deliveries', shown(delivery)),
          place && `${place}/deliveries/${outward(delivery.event)}`,
        );
      const command = begin(desk, id, type, { now: time.now(), outward });
      // What an operator does is told with the beginning: the try is not his to undo.
      const entry = { action: 'webhook.test', desk, of: `/${outward(id)}` };
      const { begun, ...answer }: BegunAnswer = await form.change(asking, entry, ({ committer }) =>
        committer.submit(onceCommand(command, once, (value) => ({ ...answerOf(shownOf(value.row)), begun: value }))),
      );
      if (!begun) return answer;
      const sentAt = time.now();
      const { event_id: event, trigger } = begun.row;
      const posted = await send(begun.endpoint, { event, text: begun.text, trigger, attempt: 1, at: sentAt });
      const { status, body, location } = await desk.committer.submit(end(begun, { posted, sentAt, once }, answerOf));
      return { status, body, location };
    },
  });
}
