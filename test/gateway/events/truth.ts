// Is what was told of orders true? The newest event of an order has what a GET answers, each event the difference to the one before it, and
// none is missing. Rule: the event is compared with what a merchant reads, never with our own rows.
import assert from 'node:assert/strict';
import { isDeepStrictEqual } from 'node:util';
import { typesFor } from '../../../src/events/log/catalogue.ts';
import type { Db } from '../../../src/store/index.ts';
import type { TestApp } from '../../support/app.ts';

type Json = Readonly<Record<string, unknown>>;

/** An event as its receivers read it. */
export interface EventTold {
  readonly id: string;
  readonly type: string;
  readonly timestamp: string;
  readonly resource: { readonly type: string; readonly id: string; readonly sequence: number };
  readonly cause: { readonly by: string };
  readonly data: { readonly object: Json; readonly previous: Json; readonly operation?: Json };
}

export const EXPAND = 'card,client,location,custom_fields,issuer,secure3d';

const KNOWN: ReadonlySet<string> = new Set(typesFor('project'));

/** A moment has come: the hold will end in a day; behind the device data the cardholder is asked. It may show nothing new. */
const OF_A_MOMENT: ReadonlySet<string> = new Set(['order.authorization_expiring', 'order.prepared']);

/** What a receiver must be told to have been there before: old values of members that differ, lists left out. */
function difference(old: Json, now: Json): Json {
  const changed = [...new Set([...Object.keys(old), ...Object.keys(now)])].filter(
    (name) => !Array.isArray(now[name]) && !Array.isArray(old[name]) && !isDeepStrictEqual(old[name], now[name]),
  );
  return Object.fromEntries(changed.map((name) => [name, old[name] ?? null]));
}

/** A sentence about the first thing that is not true of one resource's events, in their order; null: all is. `shown`: what its GET answers. */
export function untruth(events: readonly EventTold[], shown: Json): string | null {
  let before: EventTold | null = null;
  for (const event of events) {
    const { type, resource, data } = event;
    const at = `event ${resource.sequence}, ${type}`;
    if (!KNOWN.has(type)) return `${at}: there is no such type`;
    if (resource.sequence !== (before?.resource.sequence ?? 0) + 1)
      return `${at}: follows ${before?.resource.sequence}`;
    if (before && event.timestamp < before.timestamp) return `${at}: is older than the one before it`;
    const previous = before ? difference(before.data.object, data.object) : {};
    if (!isDeepStrictEqual(data.previous, previous))
      return `${at}: previous is ${JSON.stringify(data.previous)}, and ${JSON.stringify(previous)} changed`;
    if (before && !OF_A_MOMENT.has(type) && isDeepStrictEqual(before.data.object, data.object))
      return `${at}: nothing has changed`;
    before = event;
  }
  if (!before) return shown.status === 'new' ? null : `is ${shown.status}, and nothing was told of it`;
  const { object } = before.data;
  if (isDeepStrictEqual(object, shown)) return null;
  const differing = JSON.stringify(difference(shown, object));
  return `event ${before.resource.sequence}, ${before.type}: GET shows ${differing === '{}' ? 'other operations' : differing}`;
}

/** All events about orders, by the order's id as merchants know it. */
export async function eventsOfOrders({ database }: { readonly database: Db }): Promise<Map<string, EventTold[]>> {
  const rows = await database.query<{ body: string }>(
    `select body from events where subject_type = 'order' order by subject_id, sequence, id`,
  );
  return Map.groupBy(
    rows.map(({ body }) => JSON.parse(body) as EventTold),
    ({ resource }) => resource.id,
  );
}

/** Of every order of project `sandbox`, or the newest ones: what was told of it is what a GET answers, whatever is under way. */
export async function truthIsTold(
  florin: Pick<TestApp, 'database' | 'merchant'>,
  { newest = 2000 } = {},
): Promise<void> {
  const told = await eventsOfOrders(florin);
  const list = await florin.merchant('GET', `/gateway/orders/?per_page=${newest}`);
  const wrong = await Promise.all(
    list.body.orders.map(async ({ id }: { id: string }) => {
      const { body } = await florin.merchant('GET', `/gateway/orders/${id}?expand=${EXPAND}`);
      const sentence = untruth(told.get(id) ?? [], body.orders[0]);
      return sentence && `order ${id}: ${sentence}`;
    }),
  );
  assert.deepEqual(
    wrong.filter((sentence) => sentence !== null),
    [],
  );
}
