// An owner's events as they come, by HTTP: Server-Sent Events (WHATWG HTML). `id` is a place in the log, `event` the type, `data` the text.
// Rule: an id goes out with the event that ends there, in one message, or when all before it is out. So who goes on from it misses none.
import type { Clock } from '../../base/index.ts';
import { type AnyEndpoint, endpointOf as endpointIn, Failure, type LiveWire } from '../../http/index.ts';
import { secretText, signatureHeaders, streamKey } from '../egress/index.ts';
import {
  type EventFilter,
  eventsCursor,
  type FollowedEvent,
  type Following,
  headOf,
  positionAt,
} from '../log/index.ts';
import { placeIn, typesOf } from './event-endpoints.ts';
import type { Asking, EventsGround, Form, StreamPace } from './form.ts';

/** After it was cut, a reader that goes by itself comes back so soon. */
const RETRY_MS = 1_000;
/** While much is told, what came meanwhile is told together. */
const TOGETHER_MS = 50;

/** Type and id stand at the beginning of each text. */
const HEAD = /^\{"id":"(\d+)","type":"([a-z_.]+)"/;

type Sign = (id: string, text: string) => object;

/** One message. With a key its data have a second line, the header fields as JSON; the text has none of its own. */
function messageOf({ position, text }: FollowedEvent, sign: Sign | null): string {
  const [, id = '', type = ''] = HEAD.exec(text) ?? [];
  const more = sign ? `data: ${JSON.stringify(sign(id, text))}\n` : '';
  return `id: ${eventsCursor(position)}\nevent: ${type}\ndata: ${text}\n${more}\n`;
}

const PIECE_CHARACTERS = 16 * 1024;

/** Messages as they are written: short ones together. */
function* piecesOf(events: readonly FollowedEvent[], sign: Sign | null): Generator<string> {
  let piece = '';
  for (const event of events) {
    piece += messageOf(event, sign);
    if (piece.length < PIECE_CHARACTERS) continue;
    yield piece;
    piece = '';
  }
  if (piece !== '') yield piece;
}

/** Says a place alone: nothing is dispatched, but a reader goes on from there. */
const placeMessage = (position: bigint): string => `:\nid: ${eventsCursor(position)}\n\n`;

interface Told {
  readonly filter: EventFilter;
  readonly from: bigint;
  readonly sign: Sign | null;
  readonly secret: string | null;
  readonly mayStill: () => Promise<boolean>;
}

/** Runs until the wire ends, or who reads may not any more. */
async function tell(
  { clock, beatMs, checkMs }: StreamPace,
  following: Following,
  wire: LiveWire,
  { filter, from, sign, secret, mayStill }: Told,
): Promise<void> {
  const { signal } = wire;
  let position = from;
  let checked = clock.elapsed();
  let written = clock.elapsed();
  const write = (text: string): void => {
    wire.write(text);
    written = clock.elapsed();
  };
  write(
    `retry: ${RETRY_MS}\n${secret === null ? '' : `event: secret\ndata: ${secret}\n`}id: ${eventsCursor(from)}\n\n`,
  );
  while (!signal.aborted) {
    const step = await following.step(filter, position);
    for (const piece of piecesOf(step.events, sign)) {
      write(piece);
      await wire.taken();
      if (signal.aborted) return;
    }
    ({ position } = step);
    if (clock.elapsed() - checked >= checkMs) {
      if (!(await mayStill())) return;
      checked = clock.elapsed();
    }
    if (clock.elapsed() - written >= beatMs) {
      write(placeMessage(position));
      await wire.taken();
    }
    if (step.more) continue;
    if (step.events.length > 0) await pause(clock, signal);
    const now = clock.elapsed();
    const untilMs = Math.min(written + beatMs, checked + checkMs) - now;
    await following.grown(position, Math.max(1, untilMs), signal);
  }
}

const pause = (clock: Clock, signal: AbortSignal): Promise<void> =>
  clock.sleep(TOGETHER_MS, signal).catch(() => undefined);

export function streamEndpoints<Principal>(ground: EventsGround, form: Form<Principal>): AnyEndpoint<Principal>[] {
  const endpoint = endpointIn<Principal>();
  const { shapes, at, tag, operation, read, nobody } = form;
  const { reader, followed, keyed, pace } = ground;

  /** Behind which place it begins: what the reader had last, or a place or moment that he names, or now. */
  async function beginning(asking: Asking<Principal>, owner: bigint): Promise<bigint> {
    const { since, from } = form.asked(asking);
    const place = placeIn(form, 'last-event-id', asking.lastEventId ?? undefined) ?? placeIn(form, 'since', since);
    if (!place && from) return positionAt(reader.db, owner, from);
    const head = await headOf(reader.db, owner);
    // Of another log: who went on from there would hear nothing for long, and never know.
    if (place && place.position > head) throw form.badCursor(asking.lastEventId === null ? 'since' : 'last-event-id');
    return place?.position ?? head;
  }

  return [
    endpoint({
      method: 'GET',
      path: `${at}/events/stream`,
      operation: operation('eventStream'),
      summary: 'Events as they come',
      description:
        'Server-Sent Events: `event` is the type, `data` the event as it was written, `id` a place that `Last-Event-ID` or `since` goes on behind. Without either from now on, or from `created_from`. With `signed` the first message, `secret`, tells the key, and the data of each event have a second line: the header fields of a webhook as JSON; it needs what changing endpoints needs.',
      right: read,
      tag,
      ...(shapes.ofAll ? { params: shapes.ofAll } : {}),
      query: shapes.stream,
      media: 'text/event-stream',
      answers: { 200: { description: 'Events, until either side ends it' }, ...nobody },
      async handler(asking) {
        const { signed } = asking.query as { readonly signed?: unknown };
        const signs = signed === true || signed === '1';
        if (signs && !form.maySign(asking.principal)) throw new Failure('forbidden');
        const { types, resource } = form.asked(asking);
        const filter = { types: typesOf(form, types), resource, from: null, to: null };
        const { owner } = await form.desk(asking);
        const from = await beginning(asking, owner);
        const key = signs ? streamKey(keyed, owner) : null;
        const following = followed.follow(owner);
        return {
          status: 200,
          body: null,
          live: (wire) =>
            tell(pace, following, wire, {
              filter,
              from,
              secret: key && secretText(key),
              sign:
                key &&
                ((id, body) => signatureHeaders({ id, at: pace.clock.now(), body, keys: [key], scheme: 'hmac' })),
              async mayStill() {
                const principal = (await wire.again()) as Principal | null;
                if (principal === null || (signs && !form.maySign(principal))) return false;
                return form.desk({ ...asking, principal }).then(
                  () => true,
                  () => false,
                );
              },
            }).finally(following.end),
        };
      },
    }),
  ];
}
