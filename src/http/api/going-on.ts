// Answers that go on behind their head (docs/contract/events.md#live).
// Rule: what was taken for one is given back whatever becomes of it, and the server is not closed before.
import type { FastifyReply, FastifyRequest } from 'fastify';
import { API_HEADERS, describeError } from '../failure.ts';
import { DEAD_WIRE, type MediaType, type Server } from '../listener/index.ts';
import type { Answer } from './endpoint.ts';

interface GoingOn extends Answer {
  readonly live: NonNullable<Answer['live']>;
  readonly media: MediaType;
  /** Throws when who asks may not any more. */
  readonly again: () => Promise<unknown>;
}

/** What was to go on is told that nobody listens, so that it gives back what it has taken. */
export function unheard({ live }: Pick<Answer, 'live'>): void {
  void live?.({ ...DEAD_WIRE, again: async () => null }).catch(() => undefined);
}

/** The head goes out at once; what runs behind it has to end before the server is closed. */
export function goOn(
  server: Server,
  request: FastifyRequest,
  reply: FastifyReply,
  { status, headers, live, media, again }: GoingOn,
): FastifyReply {
  // The connection serves nothing else, and ends with it.
  const told = { ...API_HEADERS, 'content-type': `${media}; charset=utf-8`, connection: 'close', ...headers };
  reply.code(status).headers(told);
  if (request.method === 'HEAD') {
    unheard({ live });
    return reply.send('');
  }
  const { body, wire, end } = server.goesOn(request, reply);
  const failed = (error: unknown): void => {
    if (!wire.signal.aborted) server.log.warn({ requestId: request.id, ...describeError(error) }, 'a stream ended');
  };
  server.work.begin();
  live({ ...wire, again: () => again().catch(() => null) })
    .catch(failed)
    .finally(() => {
      server.work.end();
      end();
    });
  return reply.send(body);
}
