// What is done with endpoints: made, changed, given a new key, removed; and what their senders find out about them. Each change is one commit
// with its event.
// Rule: an owner sees its own and no other; a secret is told by the call that makes its key, and stored nowhere, not even with a kept answer.
import { assert, jsonText, refuserOf } from '../../base/index.ts';
import {
  type Change,
  type Command,
  type Committer,
  type Db,
  type Loaded,
  NOBODY,
  type Once,
  onceCommand,
  type StoredAnswer,
  type Told,
} from '../../store/index.ts';
import type { EventMaker } from '../log/index.ts';
import { EVENTS_VERSION, type EventType, headOf, type OwnerType } from '../log/index.ts';
import {
  type DisabledReason,
  disabled,
  type Endpoint,
  type EndpointInput,
  type EndpointPatch,
  MOST_ENDPOINTS,
  made,
  patched,
  rotated,
  told as withEvent,
} from './model.ts';
import { endpointInsert, endpointRemove, endpointsKind, endpointUpdate, needEndpoints } from './queries.ts';

export const endpointRefusal = refuserOf({
  webhook_unknown: ['not_found', 'No such endpoint'],
  webhooks_full: ['conflict', `There are ${MOST_ENDPOINTS} endpoints, as many as there may be: remove one first`],
});

/** Whose endpoints, and how they are told of. */
export interface EndpointsDesk {
  readonly db: Db;
  readonly committer: Committer;
  readonly events: EventMaker;
  readonly owner: bigint;
  readonly ownerType: OwnerType;
  /** What a GET of it answers. */
  readonly show: (endpoint: Endpoint) => object;
  /** Port, of the senders: where they begin with an endpoint, or go on. To be written with the change. */
  readonly begins: Begins;
  /** Memory is brought up to what was committed. */
  readonly refresh: () => Promise<void>;
}

/** `position`: what is told stands behind it; null: the endpoint is no more. */
export type Begins = (owner: bigint, endpoint: bigint, position: bigint | null) => Change;

/** What a change has come to. */
export interface Changed {
  readonly answer: StoredAnswer;
  /** null: the answer is that of an earlier request with the same key, which is told no secret again. */
  readonly endpoint: Endpoint | null;
}

interface Ending {
  readonly changes: readonly Change[];
  readonly endpoint: Endpoint;
}

/** Makes of the endpoint the body that goes out, and that is kept: without any secret. */
export interface Answering {
  readonly once: Once | null;
  readonly answerOf: (endpoint: Endpoint) => StoredAnswer;
}

/** What is kept of an answer. */
export const keptAnswer = (status: number, body: object | null, location: string | null = null): StoredAnswer => ({
  status,
  body: body === null ? '' : jsonText(body),
  location,
});

async function committed(
  { committer, owner, refresh }: EndpointsDesk,
  { once, answerOf }: Answering,
  name: string,
  decide: (endpoints: readonly Endpoint[], told: Told) => Ending,
): Promise<Changed> {
  const command: Command<Ending> = {
    name,
    owner: owner === NOBODY ? null : owner,
    needs: [needEndpoints(owner)],
    decide(loaded: Loaded, told) {
      const ending = decide(loaded.get(endpointsKind, owner) ?? [], told);
      return { value: ending, changes: ending.changes };
    },
  };
  const answer: StoredAnswer & { readonly endpoint?: Endpoint } = await committer.submit(
    onceCommand(command, once, ({ endpoint }) => ({ ...answerOf(endpoint), endpoint })),
  );
  await refresh();
  return { answer, endpoint: answer.endpoint ?? null };
}

/** The event of a change of an endpoint. */
function eventOf(
  { events, owner, show }: Pick<EndpointsDesk, 'events' | 'owner' | 'show'>,
  told: Told,
  type: EventType<'webhook'>,
  { before, after }: { readonly before: Endpoint | null; readonly after: Endpoint },
): Change[] {
  return events.of(told, {
    owner,
    type,
    resource: { type: 'webhook', id: after.id, sequence: after.events },
    object: show(after),
    before: before && show(before),
  });
}

const known = (endpoints: readonly Endpoint[], id: bigint): Endpoint => {
  const found = endpoints.find((endpoint) => endpoint.id === id);
  if (!found) throw endpointRefusal('webhook_unknown');
  return found;
};

/** A new endpoint; what was told before it is not for it. Its input was judged before (checks.ts). Refusal: webhooks_full. */
export async function endpointCreate(
  desk: EndpointsDesk,
  input: EndpointInput,
  answering: Answering,
  reason?: DisabledReason,
): Promise<Changed> {
  const { owner, ownerType, db, begins } = desk;
  const position = await headOf(db, owner);
  return committed(desk, answering, 'webhook.create', (endpoints, told) => {
    const slot = Array.from({ length: MOST_ENDPOINTS }, (_, i) => i + 1).find((place) =>
      endpoints.every((endpoint) => endpoint.slot !== place),
    );
    if (slot === undefined) throw endpointRefusal('webhooks_full');
    const named = { owner, ownerType, id: told.ids.next(), slot, version: EVENTS_VERSION, now: told.now };
    const endpoint = made(input, named, reason);
    return {
      endpoint,
      changes: [
        endpointInsert(endpoint),
        begins(owner, endpoint.id, position),
        ...eventOf(desk, told, 'webhook.created', { before: null, after: endpoint }),
      ],
    };
  });
}

/** `resume`: what an endpoint that is enabled again goes on with. Refusal: webhook_unknown. */
export async function endpointPatch(
  desk: EndpointsDesk,
  id: bigint,
  { resume = 'missed', ...patch }: EndpointPatch & { readonly resume?: 'missed' | 'now' | undefined },
  answering: Answering,
): Promise<Changed> {
  const { owner, db, begins } = desk;
  const position = await headOf(db, owner);
  return committed(desk, answering, 'webhook.patch', (endpoints, told) => {
    const before = known(endpoints, id);
    const after = patched(before, patch, told.now);
    if (after === before) return { endpoint: before, changes: [] };
    const starts = after.enabled && !before.enabled && resume === 'now';
    const type = before.enabled && !after.enabled ? 'webhook.disabled' : 'webhook.updated';
    return {
      endpoint: after,
      changes: [
        endpointUpdate(after),
        ...(starts ? [begins(owner, id, position)] : []),
        ...eventOf(desk, told, type, { before, after }),
      ],
    };
  });
}

/** A new key. What was never anybody's yet is enabled by it. Refusal: webhook_unknown. */
export const endpointRotate = (
  desk: EndpointsDesk,
  id: bigint,
  overlapMs: number,
  answering: Answering,
): Promise<Changed> =>
  committed(desk, answering, 'webhook.rotate', (endpoints, told) => {
    const before = known(endpoints, id);
    const turned = rotated(before, overlapMs, told.now);
    const after = before.disabled_reason === 'legacy' ? { ...turned, enabled: true, disabled_reason: null } : turned;
    return {
      endpoint: after,
      changes: [endpointUpdate(after), ...eventOf(desk, told, 'webhook.updated', { before, after })],
    };
  });

/** Nothing is sent to it any more: its last event says so to the others. Refusal: webhook_unknown. */
export const endpointDelete = (desk: EndpointsDesk, id: bigint, answering: Answering): Promise<Changed> =>
  committed(desk, answering, 'webhook.remove', (endpoints, told) => {
    const before = known(endpoints, id);
    const after = disabled(before, 'removed', told.now);
    return {
      endpoint: after,
      changes: [
        endpointRemove(before),
        desk.begins(desk.owner, id, null),
        ...eventOf(desk, told, 'webhook.disabled', { before, after }),
      ],
    };
  });

/** What senders find out. An endpoint that is gone, or is disabled already when it is to be, is told of by nobody. */
export async function endpointTell(
  desk: EndpointsDesk,
  id: bigint,
  found:
    | { readonly type: 'webhook.failing' | 'webhook.recovered' | 'webhook.delivery_given_up' }
    | { readonly type: 'webhook.disabled'; readonly reason: 'gone' | 'given_up' },
): Promise<void> {
  const { owner, committer, refresh } = desk;
  await committer.submit({
    name: found.type,
    owner: owner === NOBODY ? null : owner,
    needs: [needEndpoints(owner)],
    decide(loaded, told) {
      const before = loaded.get(endpointsKind, owner)?.find((endpoint) => endpoint.id === id);
      if (!before || (found.type === 'webhook.disabled' && !before.enabled)) return { value: null, changes: [] };
      const after =
        found.type === 'webhook.disabled' ? disabled(before, found.reason, told.now) : withEvent(before, told.now);
      return { value: null, changes: [endpointUpdate(after), ...eventOf(desk, told, found.type, { before, after })] };
    },
  });
  if (found.type === 'webhook.disabled') await refresh();
}

/** The newest key of an endpoint that was made or rotated. */
export function newestOf({ keys: [newest] }: Endpoint): number {
  assert(newest, 'an endpoint has a key');
  return newest.generation;
}
