// An owner's endpoints by HTTP, in any API's form: made, shown, changed, given a new key, removed.
// Rule: a secret stands in the answers of POST and rotate alone, and a repeat of them under an idempotency key is told none.
import { type Answer, type AnyEndpoint, endpointOf as endpointIn, type Violation } from '../../http/index.ts';
import { endpointKey, secretText } from '../egress/index.ts';
import {
  type Changed,
  type Endpoint,
  type EndpointInput,
  type EndpointPatch,
  type EndpointsDesk,
  endpointCreate,
  endpointDelete,
  endpointOf,
  endpointPatch,
  endpointRefusal,
  endpointRotate,
  endpointsOf,
  keptAnswer,
  newestOf,
} from '../endpoints/index.ts';
import { endpointWrong } from './faults.ts';
import type { Asking, EventsGround, FieldFault, Form } from './form.ts';
import { shownWithStanding } from './standing.ts';

/** What makes answers of changes. */
function answering<Principal>(ground: EventsGround, form: Form<Principal>) {
  const { keyed } = ground;

  /** What goes out: that which is kept, and for who has made a key its secret. */
  function answerOf(desk: EndpointsDesk, { answer, endpoint }: Changed, tells: boolean): Answer {
    const { status, body, location } = answer;
    if (!endpoint) return { status, body: body === '' ? null : body, location, replayed: true };
    if (!tells) return { status, body: body === '' ? null : body, location };
    const secret = secretText(endpointKey(keyed, endpoint.owner_id, endpoint.id, newestOf(endpoint)));
    return { status, body: form.one({ ...form.shown(desk, endpoint), secret }), location };
  }

  return async function changed(
    asking: Asking<Principal>,
    told: { readonly action: string; readonly of: string; readonly status: number; readonly tells?: true },
    work: (desk: EndpointsDesk, ending: Parameters<typeof endpointCreate>[2]) => Promise<Changed>,
  ): Promise<Answer> {
    const desk = await form.desk(asking);
    const { action, of, status, tells = false } = told;
    const kept = (endpoint: Endpoint) =>
      keptAnswer(
        status,
        status === 204 ? null : form.one(form.shown(desk, endpoint)),
        status === 201 ? form.locationOf(asking, ground.permutation.outward(endpoint.id)) : null,
      );
    const done = await form.change(asking, { action, desk, of }, (changing) =>
      work(changing, { once: asking.once, answerOf: kept }),
    );
    return answerOf(desk, done, tells);
  };
}

/** What a schema can't say of a body: told with its faults, or by the handler of an API that reads in its own way. */
function judging<Principal>(ground: EventsGround, { refused, ownerType, overlapMs }: Form<Principal>) {
  async function faultsOf(given: Given): Promise<FieldFault[]> {
    const faults = await endpointWrong(ground, ownerType, given);
    const ranged = given.overlap !== undefined && overlapMs(given) === null;
    return ranged ? [...faults, { path: ['overlap'], fault: 'range', says: 'from nothing to 7 days' }] : faults;
  }
  const wrongIn = async (given: Given): Promise<Violation[]> =>
    (await faultsOf(given)).map(({ path, says }) => ({
      path: [...path],
      message: 'Not allowed',
      attribute: 'rule',
      details: [says],
    }));
  return {
    judged: refused ? {} : { wrongIn },
    async judge(body: Given): Promise<void> {
      const faults = refused ? await faultsOf(body) : [];
      if (refused && faults.length > 0) throw refused(faults);
    },
  };
}

type Given = Readonly<Record<string, unknown>>;

/** Long: a list of endpoints, each a few lines. */
export function webhookEndpoints<Principal>(ground: EventsGround, form: Form<Principal>): AnyEndpoint<Principal>[] {
  const endpoint = endpointIn<Principal>();
  const { shapes, at, tag, operation, read, write, nobody, unknown, full, wrong } = form;
  const { permutation } = ground;
  const changed = answering(ground, form);
  const { judged, judge } = judging(ground, form);
  const ofAll = { tag, ...(shapes.ofAll ? { params: shapes.ofAll } : {}) };
  const ofOne = { tag, params: shapes.ofOne };
  const idOf = ({ params }: Asking<Principal>): bigint => {
    const id = permutation.inward((params as { id: string }).id);
    if (id === null) throw endpointRefusal('webhook_unknown');
    return id;
  };
  const standing = (asking: Asking<Principal>, desk: EndpointsDesk, those: readonly Endpoint[]): Promise<object[]> =>
    shownWithStanding(desk, those, {
      style: form.style,
      time: ground.time,
      shown: (one) => form.shown(desk, one),
      timeOf: form.timeOf(asking),
    });
  const namedIn = ({ params }: Asking<Principal>): string => `/${(params as { id: string }).id}`;

  return [
    endpoint({
      method: 'POST',
      path: `${at}/webhooks`,
      operation: operation('webhookCreate'),
      summary: 'Makes an endpoint, and shows its secret, once',
      description:
        'Events are sent to it from now on, signed after Standard Webhooks. A repeat with the same idempotency key shows the endpoint without its secret: who has lost it rotates.',
      right: write,
      ...ofAll,
      body: shapes.create,
      ...judged,
      example: shapes.examples.create,
      answers: {
        201: { description: 'The endpoint with its secret', schema: shapes.newEndpoint, ...shapes.located },
        ...nobody,
        ...full,
        ...wrong,
      },
      async handler(asking) {
        await judge(asking.body as Given);
        return changed(asking, { action: 'webhook.create', of: '', status: 201, tells: true }, (desk, ending) =>
          endpointCreate(desk, asking.body as EndpointInput, ending),
        );
      },
    }),
    endpoint({
      method: 'GET',
      path: `${at}/webhooks`,
      operation: operation('webhookList'),
      summary: 'Endpoints, in their order',
      right: read,
      ...ofAll,
      answers: { 200: { description: 'All of them, 16 at most', schema: shapes.endpoints }, ...nobody },
      async handler(asking) {
        const desk = await form.desk(asking);
        const all = await endpointsOf(desk.db, desk.owner);
        return { status: 200, body: form.many(await standing(asking, desk, all)) };
      },
    }),
    endpoint({
      method: 'GET',
      path: `${at}/webhooks/:id`,
      operation: operation('webhookGet'),
      summary: 'One endpoint, without its secret',
      right: read,
      ...ofOne,
      answers: { 200: { description: 'The endpoint', schema: shapes.endpoint }, ...unknown },
      async handler(asking) {
        const desk = await form.desk(asking);
        const found = await endpointOf(desk.db, desk.owner, idOf(asking));
        if (!found) throw endpointRefusal('webhook_unknown');
        const [shown] = await standing(asking, desk, [found]);
        return { status: 200, body: form.one(shown as object) };
      },
    }),
    endpoint({
      method: 'PATCH',
      path: `${at}/webhooks/:id`,
      operation: operation('webhookPatch'),
      summary: 'Changes an endpoint, or disables and enables it',
      description: 'Enabled again it is told what it has missed, or with `resume` `now` what comes from now on.',
      right: write,
      ...ofOne,
      body: shapes.patch,
      ...judged,
      example: { enabled: true, resume: 'now' },
      answers: { 200: { description: 'The endpoint', schema: shapes.endpoint }, ...unknown, ...wrong },
      async handler(asking) {
        await judge(asking.body as Given);
        const id = idOf(asking);
        const of = namedIn(asking);
        return changed(asking, { action: 'webhook.patch', of, status: 200 }, (desk, ending) =>
          endpointPatch(desk, id, asking.body as EndpointPatch, ending),
        );
      },
    }),
    endpoint({
      method: 'POST',
      path: `${at}/webhooks/:id/rotate`,
      operation: operation('webhookRotate'),
      summary: 'Makes a new key, and shows its secret, once',
      description:
        'The keys before it sign beside it for the overlap, a day unless told, and no longer; three sign at most. An endpoint that came from a setting is enabled by it. A repeat with the same idempotency key shows no secret.',
      right: write,
      ...ofOne,
      body: shapes.rotate,
      ...judged,
      example: shapes.examples.rotate,
      answers: {
        200: { description: 'The endpoint with its new secret', schema: shapes.newEndpoint },
        ...unknown,
        ...wrong,
      },
      async handler(asking) {
        await judge(asking.body as Given);
        const id = idOf(asking);
        const of = namedIn(asking);
        const overlapMs = form.overlapMs(asking.body as Given) ?? 0;
        return changed(asking, { action: 'webhook.rotate', of, status: 200, tells: true }, (desk, ending) =>
          endpointRotate(desk, id, overlapMs, ending),
        );
      },
    }),
    endpoint({
      method: 'DELETE',
      path: `${at}/webhooks/:id`,
      operation: operation('webhookDelete'),
      summary: 'Removes an endpoint; what waits for it is never sent',
      right: write,
      ...ofOne,
      answers: { 204: { description: 'Removed' }, ...unknown },
      async handler(asking) {
        const id = idOf(asking);
        const of = namedIn(asking);
        return changed(asking, { action: 'webhook.remove', of, status: 204 }, (desk, ending) =>
          endpointDelete(desk, id, ending),
        );
      },
    }),
  ];
}
