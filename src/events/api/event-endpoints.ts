// An owner's events by HTTP, in any API's form: a page of them, what came behind a place, one.
// Rule: an event goes out as the text that was written, and nobody reads another one's.
import { type Answer, type AnyEndpoint, endpointOf as endpointIn } from '../../http/index.ts';
import { typesNamed } from '../endpoints/index.ts';
import { type EventsPlace, eventsListed, eventsPlaceOf, eventsSince, eventText } from '../log/index.ts';
import { typesWrong } from './faults.ts';
import type { Asking, EventsAsked, EventsGround, Form } from './form.ts';

/** Names of a filter as the types that they mean. */
export function typesOf<Principal>(form: Form<Principal>, names: readonly string[] | null): readonly string[] | null {
  if (names === null) return null;
  const faults = typesWrong(form.ownerType, 'type', names).filter(({ fault }) => fault === 'unknown');
  if (faults.length > 0) throw form.badTypes([{ path: ['type'], fault: 'unknown', says: faults[0]?.says ?? '' }]);
  return [...new Set(names.flatMap((name) => typesNamed(form.ownerType, name)))];
}

export function placeIn<Principal>(
  form: Form<Principal>,
  name: 'after' | 'since' | 'last-event-id',
  cursor: string | undefined,
): EventsPlace | null {
  const place = cursor === undefined ? null : eventsPlaceOf(cursor);
  if (cursor !== undefined && (!place || (name !== 'after' && place.back))) throw form.badCursor(name);
  return place;
}

export function eventEndpoints<Principal>(ground: EventsGround, form: Form<Principal>): AnyEndpoint<Principal>[] {
  const endpoint = endpointIn<Principal>();
  const { shapes, at, tag, operation, read, nobody, unknown } = form;
  const { reader, permutation } = ground;

  async function since(asking: Asking<Principal>, asked: EventsAsked): Promise<Answer> {
    const place = placeIn(form, 'since', asked.since);
    const filter = { ...asked, types: typesOf(form, asked.types) };
    const { owner } = await form.desk(asking);
    const from = { position: place?.position ?? 0n, limit: asked.limit };
    const patience = { ms: asked.waitMs, isAwaited: () => asking.isAwaited() };
    return form.listed(asking, await eventsSince(reader, owner, filter, from, patience));
  }

  async function* page(asking: Asking<Principal>, asked: EventsAsked) {
    const after = placeIn(form, 'after', asked.after);
    const filter = { ...asked, types: typesOf(form, asked.types) };
    const { owner } = await form.desk(asking);
    return form.listed(asking, yield* eventsListed(reader, owner, filter, { after, limit: asked.limit }));
  }

  return [
    endpoint({
      method: 'GET',
      path: `${at}/events`,
      operation: operation('eventList'),
      summary: 'Events, the newest first; or those behind a place, as they come',
      description:
        'With `since`, a place that an earlier answer told, the oldest come first, and with `wait` the answer may take up to 25 seconds: until there is one. `type` takes `order.*` and `*`, too.',
      right: read,
      tag,
      ...(shapes.ofAll ? { params: shapes.ofAll } : {}),
      query: shapes.list,
      answers: { 200: { description: 'Events', schema: shapes.events, ...shapes.listed }, ...nobody },
      // Who goes on from a place may wait long, and that in nobody's way.
      cost: (query) => {
        const { since: going, per_page, limit } = query as Readonly<Record<string, number | undefined>>;
        return going === undefined ? (per_page ?? limit ?? 100) : 0;
      },
      handler(asking) {
        const asked = form.asked(asking);
        return asked.since === undefined ? page(asking, asked) : since(asking, asked);
      },
    }),
    endpoint({
      method: 'GET',
      path: `${at}/events/:id`,
      operation: operation('eventGet'),
      summary: 'One event',
      right: read,
      tag,
      params: shapes.ofOne,
      answers: { 200: { description: 'The event, as it was sent', schema: shapes.event }, ...unknown },
      async handler(asking) {
        const { owner } = await form.desk(asking);
        const id = permutation.inward((asking.params as { id: string }).id);
        const text = id === null ? null : await eventText(reader.db, owner, id);
        if (text === null) throw form.unknownEvent();
        return { status: 200, body: form.event(text) };
      },
    }),
  ];
}
