// What was told in a span, told to one endpoint once more: begun, looked at, stopped (docs/contract/events.md#api).
// Rule: a replay is begun for what is kept and what the endpoint is told, and never more of them than a few at once.
import Type, { type TSchema } from 'typebox';
import { Busy } from '../../base/index.ts';
import { type Answer, type AnyEndpoint, Choice, endpointOf as endpointIn, Id, Shape } from '../../http/index.ts';
import { type Command, NOBODY, onceCommand, type StoredAnswer } from '../../store/index.ts';
import {
  needReplays,
  REPLAY_STATES,
  type Replay,
  type ReplayAsked,
  replayInsert,
  replayOf,
  replayRow,
  replaySpan,
  replaysKind,
  replaysOf,
  replayUpdate,
} from '../delivery/index.ts';
import {
  type Endpoint,
  type EndpointsDesk,
  endpointOf,
  endpointRefusal,
  endpointsKind,
  keptAnswer,
  needEndpoints,
  typesNamed,
  typesOf,
} from '../endpoints/index.ts';
import { goneAt } from '../log/index.ts';
import { typesWrong } from './faults.ts';
import type { Asking, EventsGround, FieldFault, Form } from './form.ts';
import type { Style } from './shapes.ts';

/** Of one endpoint, at once. */
const MOST_RUNNING = 4;
const SHOWN = 100;

interface Given {
  readonly from: unknown;
  readonly to?: unknown;
  readonly types?: readonly string[];
  readonly only?: 'failed' | 'all';
}

const whole = Type.Integer({ minimum: 0 });

function replayShape({ title, time, created, updated }: Style): TSchema {
  return Shape(
    {
      id: Id(),
      state: Choice(REPLAY_STATES, { description: 'done: all of it is on its way, or was.' }),
      from: time,
      to: time,
      types: Type.Array(Type.String(), { description: 'None: all that the endpoint is told.' }),
      only: Choice(['failed', 'all']),
      looked: Type.Integer({ minimum: 0, description: 'Events of the span that were looked at so far.' }),
      sent: Type.Integer({ minimum: 0, description: 'Of these, those that are sent once more.' }),
      total: { ...whole, description: 'Events of the span, whether they are for the endpoint or not.' },
      [created]: time,
      [updated]: time,
    },
    { title: title('Replay') },
  );
}

const shownBy =
  ({ created, updated }: Style, outward: (id: bigint) => string, time: (at: Date) => unknown) =>
  (replay: Replay): object => ({
    id: outward(replay.id),
    state: replay.state,
    from: time(replay.from_at),
    to: time(replay.to_at),
    types: replay.types,
    only: replay.only_failed ? 'failed' : 'all',
    looked: Number(replay.looked),
    sent: Number(replay.taken),
    total: Number(replay.looked + replay.until - replay.position),
    [created]: time(replay.created_at),
    [updated]: time(replay.updated_at),
  });

/** Every wrong field. */
async function faultsOf(desk: EndpointsDesk, endpoint: Endpoint, { from, to }: ReplayAsked, names: readonly string[]) {
  const { ownerType, db, owner } = desk;
  const told = typesOf(endpoint);
  const wrong = names.length === 0 ? [] : typesWrong(ownerType, 'types', names);
  const others = names.flatMap((name, i): FieldFault[] => {
    const types = typesNamed(ownerType, name);
    const misses = types.length > 0 && !types.some((type) => told.has(type));
    return misses ? [{ path: ['types', `${i}`], fault: 'unknown', says: 'a type that this endpoint is told' }] : [];
  });
  const gone = await goneAt(db, owner);
  const span: FieldFault[] = from < to ? [] : [{ path: ['to'], fault: 'range', says: 'later than from' }];
  if (gone !== null && from <= gone) {
    const says = `later than ${gone.toISOString()}: events until then are kept no more`;
    span.unshift({ path: ['from'], fault: 'range', says });
  }
  const inOrder = [...wrong, ...others].sort((a, b) => Number(a.path[1]) - Number(b.path[1]));
  return [...span, ...inOrder];
}

interface Beginning extends ReplayAsked {
  readonly webhook: bigint;
}

/** Refusal: webhook_unknown. Busy: as many run as may. */
async function begin({ db, owner }: EndpointsDesk, asked: Beginning): Promise<Command<Replay>> {
  const { webhook } = asked;
  const span = await replaySpan(db, owner, webhook, asked);
  return {
    name: 'webhook.replay',
    owner: owner === NOBODY ? null : owner,
    needs: [needEndpoints(owner), needReplays(owner, webhook)],
    decide(loaded, { ids, now }) {
      if (!loaded.get(endpointsKind, owner)?.some(({ id }) => id === webhook)) throw endpointRefusal('webhook_unknown');
      const running = loaded.get(replaysKind, { owner, webhook }) ?? [];
      if (running.length >= MOST_RUNNING) throw new Busy(MOST_RUNNING, 60);
      const replay = replayRow({ owner, webhook, id: ids.next(), now }, asked, span);
      return { value: replay, changes: [replayInsert(replay)] };
    },
  };
}

/** Nothing more of it is begun. One that is over stays what it is. */
const stop = ({ owner }: EndpointsDesk, found: Replay): Command<Replay> => ({
  name: 'webhook.replay.stop',
  owner: owner === NOBODY ? null : owner,
  needs: [needReplays(owner, found.webhook_id)],
  decide(loaded, { now }) {
    const running = loaded.get(replaysKind, { owner, webhook: found.webhook_id }) ?? [];
    const replay = running.find(({ id }) => id === found.id);
    if (!replay) return { value: found, changes: [] };
    const stopped: Replay = { ...replay, state: 'stopped', updated_at: now };
    return { value: stopped, changes: [replayUpdate(stopped)] };
  },
});

const answered = ({ status, body, location }: StoredAnswer): Answer => ({ status, body, location });

/** Long: a list of endpoints, each a few lines. */
export function replayEndpoints<Principal>(ground: EventsGround, form: Form<Principal>): AnyEndpoint<Principal>[] {
  const endpoint = endpointIn<Principal>();
  const { shapes, at, tag, operation, read, write, unknown, wrong, style } = form;
  const { permutation, business } = ground;
  const shape = replayShape(style);
  const idOf = (named: string): bigint => permutation.inward(named) ?? 0n;
  const shownIn = (asking: Asking<Principal>) => shownBy(style, permutation.outward, form.timeOf(asking));
  const example = form.shownOne('replays', form.replayExample);
  const one = { schema: form.single('replays', shape), example };

  async function whose(asking: Asking<Principal>): Promise<readonly [EndpointsDesk, Endpoint]> {
    const desk = await form.desk(asking);
    const found = await endpointOf(desk.db, desk.owner, idOf((asking.params as { id: string }).id));
    if (!found) throw endpointRefusal('webhook_unknown');
    return [desk, found];
  }

  async function named(asking: Asking<Principal>): Promise<readonly [EndpointsDesk, Replay]> {
    const [desk, { id }] = await whose(asking);
    const found = await replayOf(desk.db, desk.owner, id, idOf((asking.params as { replay: string }).replay));
    if (!found) throw form.unknownEvent();
    return [desk, found];
  }

  function askedIn(asking: Asking<Principal>, { ownerType }: EndpointsDesk): ReplayAsked {
    const { from, to, types = [], only = 'failed' } = asking.body as Given;
    return {
      from: form.momentOf(asking, 'from', from),
      to: to === undefined ? business.now() : form.momentOf(asking, 'to', to),
      types: [...new Set(types.flatMap((name) => typesNamed(ownerType, name)))],
      onlyFailed: only === 'failed',
    };
  }

  return [
    endpoint({
      method: 'POST',
      path: `${at}/webhooks/:id/replay`,
      operation: operation('webhookReplay'),
      summary: 'Has what was told in a span sent to an endpoint once more',
      description: `With the same ids and bytes, on half of the endpoint's places, beside what is new. \`failed\`, unless told: what did not arrive. What is still to be sent to it is left out, and so is what it is not told any more; while it is disabled a replay waits. ${MOST_RUNNING} run at once, more are 429.`,
      right: write,
      tag,
      params: shapes.ofOne,
      body: shapes.replay,
      example: shapes.examples.replay,
      answers: { 201: { description: 'The replay, begun', ...one, ...shapes.located }, ...unknown, ...wrong },
      async handler(asking) {
        const [desk, found] = await whose(asking);
        const asked = askedIn(asking, desk);
        const faults = await faultsOf(desk, found, asked, (asking.body as Given).types ?? []);
        if (faults.length > 0) throw form.bad(faults);
        const of = permutation.outward(found.id);
        const place = form.locationOf(asking, of);
        const kept = (replay: Replay): StoredAnswer =>
          keptAnswer(
            201,
            form.shownOne('replays', shownIn(asking)(replay)),
            place && `${place}/replays/${permutation.outward(replay.id)}`,
          );
        const command = await begin(desk, { ...asked, webhook: found.id });
        return form.change(asking, { action: 'webhook.replay', desk, of: `/${of}` }, async ({ committer }) =>
          answered(await committer.submit(onceCommand(command, asking.once, kept))),
        );
      },
    }),
    endpoint({
      method: 'GET',
      path: `${at}/webhooks/:id/replays`,
      operation: operation('replayList'),
      summary: `The last ${SHOWN} replays of an endpoint, the newest first`,
      right: read,
      tag,
      params: shapes.ofOne,
      answers: {
        200: {
          description: 'Replays',
          schema: form.listOf('replays', shape),
          example: form.list('replays', [form.replayExample]),
        },
        ...unknown,
      },
      async handler(asking) {
        const [desk, { id }] = await whose(asking);
        const replays = await replaysOf(desk.db, desk.owner, id, SHOWN);
        return { status: 200, body: form.list('replays', replays.map(shownIn(asking))) };
      },
    }),
    endpoint({
      method: 'GET',
      path: `${at}/webhooks/:id/replays/:replay`,
      operation: operation('replayGet'),
      summary: 'One replay, and how far it is',
      right: read,
      tag,
      params: shapes.ofReplay,
      answers: { 200: { description: 'The replay', ...one }, ...unknown },
      async handler(asking) {
        const [, found] = await named(asking);
        return { status: 200, body: form.shownOne('replays', shownIn(asking)(found)) };
      },
    }),
    endpoint({
      method: 'POST',
      path: `${at}/webhooks/:id/replays/:replay/stop`,
      operation: operation('replayStop'),
      summary: 'Stops a replay: nothing more of it is begun',
      description: 'What is on its way goes on. One that is over stays as it is.',
      right: write,
      tag,
      params: shapes.ofReplay,
      answers: { 200: { description: 'The replay', ...one }, ...unknown },
      async handler(asking) {
        const [desk, found] = await named(asking);
        const of = `/${permutation.outward(found.webhook_id)}/replays/${permutation.outward(found.id)}`;
        const kept = (replay: Replay): StoredAnswer =>
          keptAnswer(200, form.shownOne('replays', shownIn(asking)(replay)));
        return form.change(asking, { action: 'webhook.replay.stop', desk, of }, async ({ committer }) =>
          answered(await committer.submit(onceCommand(stop(desk, found), asking.once, kept))),
        );
      },
    }),
  ];
}
