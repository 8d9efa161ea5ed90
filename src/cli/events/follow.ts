// An owner's events as they come, by the operator API: a long poll behind the last one that was dealt with.
// Rule: it goes on from the place that the server told with what was dealt with last, whatever happens to server or connection meanwhile.
import { systemClock } from '../../base/index.ts';
import { askedOf, type Connection } from '../client.ts';

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
  /** Begins with what was told from then on; null: with what comes now. */
  readonly from: Date | null;
  readonly signal?: AbortSignal;
}

export interface Listener {
  /** Connected, and about to be told what comes; again after each loss of the server. */
  ready(): void;
  lost(): void;
  /** The place moves on when it resolves. */
  event(event: ToldEvent): Promise<void>;
}

const WAIT_S = 25;
const AGAIN_MS = 1_000;
/** The place before the first: a cursor as the server writes them. */
const BEGINNING = Buffer.from('["0"]').toString('base64url');

interface Told {
  readonly events: readonly ToldEvent[];
  readonly cursor: string;
}

/** Ends with the signal. Throws when the server refuses: wrong secret, unknown name, unknown type. */
export async function follow(to: Connection, following: Following, listener: Listener): Promise<void> {
  const { at, types, from, signal } = following;
  let cursor: string | null = from ? BEGINNING : null;
  let connected = false;
  while (signal?.aborted !== true) {
    const query = new URLSearchParams(types.map((type) => ['type', type]));
    if (cursor === null) query.set('per_page', '1');
    else {
      query.set('since', cursor);
      if (connected) query.set('wait', String(WAIT_S));
      if (from) query.set('created_from', from.toISOString());
    }
    const told = await ask(to, `${at}/events?${query.toString()}`, signal);
    if (!told) {
      if (connected) listener.lost();
      connected = false;
      await systemClock.sleep(AGAIN_MS, signal).catch(() => undefined);
      continue;
    }
    if (!connected) listener.ready();
    connected = true;
    // Without a place yet the answer is the past: only where it ends is of use.
    if (cursor !== null) for (const event of told.events) await listener.event(event);
    cursor = told.cursor;
  }
}

/** null: nobody answers, or not now. */
async function ask(to: Connection, path: string, signal: AbortSignal | undefined): Promise<Told | null> {
  const asked = await askedOf(to, path, signal);
  if (!asked) return null;
  const events = (asked.answer.events ?? []) as readonly Omit<ToldEvent, 'text'>[];
  return {
    events: events.map((event) => ({ ...event, text: JSON.stringify(event) })),
    cursor: asked.headers.get('event-cursor') ?? BEGINNING,
  };
}
