// What the APIs whose schemas are closed have in common, the gateway's and the operator's: shapes of requests, lists with their links.
import Type, { type TSchema } from 'typebox';
import { parseDuration } from '../../base/index.ts';
import {
  type Answer,
  Choice,
  Digits,
  Flag,
  Integer,
  invalid,
  List,
  listAnswer,
  listOf,
  Optional,
  paged,
  pointerOf,
  Shape,
  Text,
} from '../../http/index.ts';
import { MOST_CONCURRENCY, MOST_OVERLAP_S, OVERLAP_S, PAYLOADS, SIGNATURES } from '../endpoints/index.ts';
import type { EventsPage } from '../log/index.ts';
import { DELIVERY_STATES } from './delivery-endpoints.ts';
import type { Asking, FieldFault, Form } from './form.ts';
import type { Style } from './shapes.ts';

const url = Text({ max: 2048, description: 'https, on port 443 or from 1024; at an address that is public.' });
const events = Type.Array(Text({ max: 64 }), { maxItems: 200, description: 'Types, `order.*`, `*`.' });
const more = {
  description: Optional(Text({ max: 255 })),
  enabled: Optional(Flag()),
  payload: Optional(Choice(PAYLOADS, { description: 'thin: ids alone.' })),
  signature: Optional(Choice(SIGNATURES)),
  concurrency: Optional(Integer(1, MOST_CONCURRENCY, { description: 'Messages under way at once, at most; 8.' })),
  ordered: Optional(Flag({ description: 'What failed holds the next of its resource.' })),
};

export const createShape = Shape({ url, events, ...more }, { title: 'WebhookCreate' });
export const patchShape = Shape(
  {
    url: Optional(url),
    events: Optional(events),
    ...more,
    resume: Optional(Choice(['missed', 'now'], { description: 'What it goes on with when it is enabled again.' })),
  },
  { title: 'WebhookPatch' },
);
export const rotateShape = Shape(
  { overlap: Optional(Text({ max: 16, description: '`0` to `7d`; a day unless told.' })) },
  { title: 'WebhookRotate' },
);
export const EXAMPLES = {
  create: { url: 'https://shop.example/events', events: ['order.*', 'payout.paid'], description: 'Shop' },
  rotate: { overlap: '1h' },
};

export const replayAskedShape = (time: TSchema, title: string): TSchema =>
  Shape(
    {
      from: time,
      to: Optional(time),
      types: Optional(events),
      only: Optional(Choice(['failed', 'all'], { description: 'failed: what did not arrive; unless told.' })),
    },
    { title },
  );

export const testShape = Shape(
  { type: Text({ max: 64, description: 'Of the events that its owner has.' }) },
  { title: 'WebhookTest' },
);

/** A replay in the reference. */
export const replayExample = (
  { created, updated }: Pick<Style, 'created' | 'updated'>,
  [from, to, begun]: readonly [unknown, unknown, unknown],
): object => ({
  id: '1000000003',
  state: 'running',
  from,
  to,
  types: [],
  only: 'failed',
  looked: 1280,
  sent: 12,
  total: 4711,
  [created]: begun,
  [updated]: begun,
});

export const listShape = (time: TSchema, perPage: number): TSchema =>
  Shape({
    type: Optional(List()),
    resource: Optional(Digits({ max: 20, description: 'Id of what they are about.' })),
    created_from: Optional(time),
    created_to: Optional(time),
    since: Optional(Text({ max: 400, description: 'A place: what came behind it, the oldest first.' })),
    wait: Optional(Integer(0, 25, { description: 'Seconds, with since: so long for the first.' })),
    after: Optional(Text({ max: 400 })),
    per_page: Optional(Integer(1, 2000, { description: `${perPage} unless told.` })),
  });

export const streamShape = (time: TSchema): TSchema =>
  Shape({
    type: Optional(List()),
    resource: Optional(Digits({ max: 20, description: 'Id of what they are about.' })),
    since: Optional(Text({ max: 400, description: 'A place to go on from; the field Last-Event-ID goes before it.' })),
    created_from: Optional(time),
    signed: Optional(Flag({ description: 'With the header fields of a webhook beside each event.' })),
  });

export const LISTED = {
  ...paged,
  mayHave: { 'Event-Cursor': 'What `since` takes to go on behind the newest that is shown.' },
};

/** Nothing, or what an interval says; null: longer than a week, or none. */
export function overlapOf({ overlap }: { readonly overlap?: unknown }): number | null {
  if (overlap === undefined) return OVERLAP_S * 1000;
  if (typeof overlap !== 'string') return null;
  const ms = /^0(ms|s|m|h|d)?$/.test(overlap) ? 0 : parseDuration(overlap);
  return ms !== null && ms <= MOST_OVERLAP_S * 1000 ? ms : null;
}

const told = (...faults: readonly FieldFault[]) =>
  invalid(
    ...faults.map(({ path, says }) => ({
      message: 'Not allowed',
      uri: pointerOf(path),
      attribute: 'rule',
      details: [says],
    })),
  );

/** What is the same in both. */
export const plainForm: Pick<Form<unknown>, 'refused' | 'overlapMs' | 'bad' | 'badCursor' | 'badTypes'> = {
  refused: null,
  overlapMs: overlapOf,
  badCursor: (name) => told({ path: [name], fault: 'unknown', says: 'as an earlier answer of this list told it' }),
  bad: (faults) => told(...faults),
  badTypes: ([fault]) => told(fault as FieldFault),
};

export function plainList(
  { query }: Pick<Asking<unknown>, 'query'>,
  { publicUrl, path }: { readonly publicUrl: string; readonly path: string },
  { since, ...page }: EventsPage,
): Answer {
  const given = query as Readonly<Record<string, unknown>>;
  const going = given.since === undefined ? {} : { next: null, prev: null };
  const answer = listAnswer({ name: 'events', publicUrl, path, query: given }, { ...page, ...going, total: null });
  return since === null ? answer : { ...answer, headers: { 'event-cursor': since } };
}

export const deliveriesShape = Shape({
  state: Optional(Choice(DELIVERY_STATES)),
  after: Optional(Digits({ max: 20, description: 'The event that the page before ended with.' })),
  per_page: Optional(Integer(1, 500, { description: '100 unless told.' })),
});

/** Lists are objects with one member. */
export const listing: Pick<Form<unknown>, 'list' | 'listOf'> = {
  list: (name, shown) => ({ [name]: shown }),
  listOf: (name, schema) => listOf(name, schema),
};
