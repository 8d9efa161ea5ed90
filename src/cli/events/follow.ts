// An owner's events as they come, by the stream of the operator API.
// Rule: it goes on behind the last event that was dealt with, whatever happens to server or connection meanwhile.
import { systemClock } from '../../base/index.ts';
import { type Connection, streamOf } from '../client.ts';
import { Refused } from '../command.ts';

export interface ToldEvent {
  readonly id: string;
  readonly type: string;
  readonly timestamp: string;
  readonly resource: { readonly type: string; readonly id: string; readonly sequence: number };
  /** As every receiver gets it. */
  readonly text: string;
}

export interface Following {
  /** Below /operator: `/projects/shop`, `/tenants/acme`, or nothing for the operator's own. */
  readonly at: string;
  readonly types: readonly string[];
  /** Behind which it goes on; null: it begins. */
  readonly place: string | null;
  /** Begins with what was told from then on; null: with what comes now. */
  readonly from: Date | null;
  /** Wants the key that streams of this owner are signed with. */
  readonly signed: boolean;
  readonly signal?: AbortSignal;
}

export interface Listener {
  /** Connected, and about to be told what comes; again after each loss of the server. */
  ready(place: string): Promise<void>;
  lost(): void;
  secret(text: string): void;
  /** The place moves on when it resolves. */
  event(event: ToldEvent, place: string): Promise<void>;
  /** The place that was given is none of this server's: it begins anew. */
  unknownPlace(): void;
}

const AGAIN_MS = 1_000;

/** Ends with the signal. Throws when the server refuses: wrong secret, unknown name, unknown type. */
export async function follow(to: Connection, following: Following, listener: Listener): Promise<void> {
  const { at, types, from, signed, signal } = following;
  let { place } = following;
  const query = new URLSearchParams(types.map((type) => ['type', type]));
  if (from) query.set('created_from', from.toISOString());
  if (signed) query.set('signed', '1');
  const ended = (): boolean => signal?.aborted === true;
  while (!ended()) {
    const texts = await streamOf(to, `${at}/events/stream?${query.toString()}`, { place, signal }).catch(
      (error: unknown) => {
        if (place === null || place !== following.place || !isOfPlace(error)) throw error;
        listener.unknownPlace();
        place = null;
        return null;
      },
    );
    let connected = false;
    for await (const message of messagesIn(texts ?? none())) {
      if (message.event === 'secret') listener.secret(message.data);
      if (!connected) await listener.ready(message.place);
      connected = true;
      if (message.data !== '' && message.event !== 'secret') await listener.event(toldOf(message.data), message.place);
      ({ place } = message);
      if (ended()) return;
    }
    if (connected && !ended()) listener.lost();
    await systemClock.sleep(AGAIN_MS, signal).catch(() => undefined);
  }
}

async function* none(): AsyncGenerator<string> {}

const isOfPlace = (error: unknown): boolean =>
  error instanceof Refused && (error.problem.errors ?? []).some(({ uri }) => uri === '#/last-event-id');

/** The text stands in the first line; what a signed stream says beside it is made too early to be sent on. */
function toldOf(data: string): ToldEvent {
  const text = data.split('\n', 1).join();
  return { ...(JSON.parse(text) as Omit<ToldEvent, 'text'>), text };
}

interface Message {
  readonly event: string;
  /** Empty: it says a place alone. */
  readonly data: string;
  readonly place: string;
}

/** Server-Sent Events, as this server writes them. What has no end is dropped. */
async function* messagesIn(texts: AsyncGenerator<string>): AsyncGenerator<Message> {
  let [open, place] = ['', ''];
  for await (const text of texts) {
    const blocks = (open + text).split('\n\n');
    open = blocks.pop() ?? '';
    for (const block of blocks) {
      const lines = block.split('\n');
      const of = (field: string): string[] =>
        lines.flatMap((line) => (line.startsWith(`${field}: `) ? [line.slice(field.length + 2)] : []));
      place = of('id').at(-1) ?? place;
      yield { event: of('event').join(), data: of('data').join('\n'), place };
    }
  }
}
