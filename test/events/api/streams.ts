// Readers of streams of events, on real sockets: what has come, as Server-Sent Events are read (WHATWG HTML, 9.2.6).
import { type ClientRequest, type IncomingMessage, request } from 'node:http';
import { systemClock } from '../../../src/base/index.ts';
import type { TestDatabase } from '../../support/database.ts';
import { atEnd } from '../../support/ends.ts';

export interface Message {
  readonly event: string;
  readonly data: string;
}

export interface Read {
  readonly messages: readonly Message[];
  /** What a reader goes on from; null: none was told. */
  readonly lastEventId: string | null;
  readonly comments: number;
}

/** All that a text dispatches. What has no end is dropped. */
export function readMessages(text: string): Read {
  const messages: Message[] = [];
  let lastEventId: string | null = null;
  const blocks = text.split('\n\n').slice(0, -1);
  for (const block of blocks) {
    const of = (field: string): string[] =>
      block.split('\n').flatMap((line) => (line.startsWith(`${field}: `) ? [line.slice(field.length + 2)] : []));
    lastEventId = of('id').at(-1) ?? lastEventId;
    const data = of('data');
    if (data.length > 0) messages.push({ event: of('event').join(), data: data.join('\n') });
  }
  return { messages, lastEventId, comments: text.split('\n').filter((line) => line.startsWith(':')).length };
}

export interface Stream {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  readonly text: () => string;
  readonly bytes: () => number;
  /** How it ended; null: it goes on. */
  readonly ended: () => 'whole' | 'cut' | null;
  readonly closed: Promise<unknown>;
  readonly response: IncomingMessage;
  readonly close: () => void;
}

/** Resolves with the head. `most`: of so many bytes the reader cuts it himself. */
export async function openStream(url: string, headers: Record<string, string>, most = Infinity): Promise<Stream> {
  let asked: ClientRequest | undefined;
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    asked = request(url, { headers, agent: false }, resolve).once('error', reject);
    asked.end();
  });
  asked?.on('error', () => undefined);
  let [text, ended] = ['', null as 'whole' | 'cut' | null];
  const closed = new Promise((resolve) => response.once('close', resolve));
  response
    .setEncoding('latin1')
    .on('data', (part: string) => {
      text += part.slice(0, most - text.length);
      if (text.length >= most) response.destroy();
    })
    .on('error', () => undefined)
    .once('close', () => {
      ended = response.complete ? 'whole' : 'cut';
    });
  const close = (): void => void response.destroy();
  if (most === Infinity) atEnd(async () => close());
  return {
    status: response.statusCode ?? 0,
    headers: response.headers,
    text: () => Buffer.from(text, 'latin1').toString('utf8'),
    bytes: () => text.length,
    ended: () => ended,
    closed,
    response,
    close,
  };
}

export async function until(what: string, condition: () => boolean | Promise<boolean>): Promise<void> {
  for (let tries = 0; tries < 5_000; tries++) {
    if (await condition()) return;
    await systemClock.sleep(2);
  }
  throw new Error(`not within ten seconds: ${what}`);
}

/** Events of an owner as if something had happened: their ids, in the order of their places. */
export async function tellEvents(
  database: TestDatabase,
  owner: bigint,
  { from, count, bytes = 200, type = 'order.created' }: { from: number; count: number; bytes?: number; type?: string },
): Promise<string[]> {
  const values = [owner, from, from + count - 1, type, bytes];
  await database.query(
    `with told as (
       insert into events (owner_id, id, subject_id, sequence, subject_type, type, body, created_at)
       select $1, i, i, 1, 'order', $4::text, '{"id":"' || i || '","type":"' || $4::text || '","data":"' || repeat('ü', $5::int) || '"}', now()
       from generate_series($2::int8, $3::int8) i returning id)
     insert into event_queue (owner_id, event_id, subject_id, type, created_at) select $1, id, id, $4::text, now() from told order by id`,
    values,
  );
  return Array.from({ length: count }, (_, i) => String(from + i));
}

export const idsOf = ({ messages }: Read): string[] =>
  messages
    .filter(({ event }) => event !== 'secret')
    .map(({ data }) => (JSON.parse(data.split('\n', 1).join()) as { id: string }).id);
