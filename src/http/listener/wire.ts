// The body of an answer that goes on: written as something comes, for as long as client and server stay.
// Rule: what waits here for a client is bounded. Who doesn't take it in time is cut, and nobody beside him feels it.
import { Readable } from 'node:stream';
import type { Clock } from '../../base/index.ts';

export interface Wire {
  /** Ends with the client, with the server, and when the client is cut. */
  readonly signal: AbortSignal;
  /** Behind the end it goes nowhere. */
  write(text: string): void;
  /** Resolves when there is room for more, or at the end. To be waited for after each piece. */
  taken(): Promise<void>;
}

/** Where nobody listens. */
export const DEAD_WIRE: Wire = {
  signal: AbortSignal.abort(new Error('nobody listens')),
  write: () => undefined,
  taken: async () => undefined,
};

export interface WireBody {
  readonly body: Readable;
  readonly wire: Wire;
  /** What was written still goes out, if the client takes it soon. */
  end(): void;
}

export interface WireOptions {
  readonly clock: Clock;
  /** Aborted when the server closes. */
  readonly closing: AbortSignal;
  /** So long a client may take until there is room again. */
  readonly takeMs: number;
  /** The connection, for who is not to be waited for. */
  readonly cut: () => void;
}

/** So much waits here for a client, beside one piece. */
const MOST_BYTES = 64 * 1024;
/** At the end what was written has so long to go out. */
const LAST_MS = 500;

export function openWire({ clock, closing, takeMs, cut }: WireOptions): WireBody {
  const ended = new AbortController();
  let makeRoom: () => void = () => undefined;
  const body = new Readable({ highWaterMark: MOST_BYTES, read: () => makeRoom() });
  const stop = (): void => ended.abort(new Error('the end of the answer'));
  closing.addEventListener('abort', stop, { once: true });
  if (closing.aborted) stop();
  // Its failure is the client's: he is gone, or was cut.
  body
    .on('error', () => undefined)
    .once('close', () => {
      closing.removeEventListener('abort', stop);
      stop();
    });
  ended.signal.addEventListener('abort', () => makeRoom(), { once: true });

  async function waited(): Promise<void> {
    const inTime = new AbortController();
    const late = clock.sleep(takeMs, inTime.signal).then(
      () => void body.destroy(),
      () => undefined,
    );
    await Promise.race([late, new Promise<void>((resolve) => (makeRoom = resolve))]);
    makeRoom = () => undefined;
    inTime.abort(new Error('taken'));
  }

  return {
    body,
    wire: {
      signal: ended.signal,
      write(text) {
        if (!ended.signal.aborted) body.push(text);
      },
      async taken() {
        if (!ended.signal.aborted && body.readableLength >= MOST_BYTES) await waited();
      },
    },
    end() {
      if (body.destroyed) return;
      body.push(null);
      clock.sleep(LAST_MS).then(cut, cut);
    },
  };
}
