// Gives what a script says on the wire. Rule: whoever is made to wait is bounded in time and number, holds up no other connection, and
// the end of the server cuts him at once.
import { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Clock } from '../base/index.ts';
import type { Server } from '../http/index.ts';
import type { ScriptedAnswer } from './inbox.ts';

export const MOST_WAIT_MS = 60_000;
/** In one process. */
const MOST_WAITING = 64;
const HUGE_BYTES = 16 * 1024 * 1024;
const PIECE = Buffer.alloc(64 * 1024, 'a');

export interface Answers {
  /** No more can be made to wait. */
  busy(): boolean;
  give(request: FastifyRequest, reply: FastifyReply, answer: ScriptedAnswer): Promise<FastifyReply>;
}

export function inboxAnswers(server: Pick<Server, 'goesOn'>, time: Clock): Answers {
  let waiting = 0;

  /** False: nobody waits any more, for he is gone or the server ends. */
  async function waited(request: FastifyRequest, reply: FastifyReply, ms: number): Promise<boolean> {
    // No request under way any more: the end of the server doesn't wait for it.
    const { wire, body } = server.goesOn(request, reply);
    const gone = new AbortController();
    const leave = (): void => gone.abort(new Error('gone'));
    request.raw.socket.once('close', leave);
    waiting++;
    try {
      await time.sleep(ms, AbortSignal.any([wire.signal, gone.signal]));
      return true;
    } catch {
      return false;
    } finally {
      waiting--;
      request.raw.socket.off('close', leave);
      body.destroy();
    }
  }

  function cut(request: FastifyRequest, reply: FastifyReply, how: 'destroy' | 'resetAndDestroy'): FastifyReply {
    reply.hijack();
    const { socket } = request.raw;
    // Behind TLS there is no reset of one's own.
    if (how === 'resetAndDestroy' && !('encrypted' in socket)) socket.resetAndDestroy();
    else socket.destroy();
    return reply;
  }

  return {
    busy: () => waiting >= MOST_WAITING,
    async give(request, reply, answer) {
      const { redirect, delay_ms = 0 } = answer;
      reply.code(answer.status ?? (redirect === undefined ? 200 : 302)).headers({ 'cache-control': 'no-store' });
      if (answer.hang) {
        await waited(request, reply, MOST_WAIT_MS);
        return cut(request, reply, 'destroy');
      }
      if (delay_ms > 0 && !(await waited(request, reply, delay_ms))) return cut(request, reply, 'destroy');
      if (answer.reset) {
        // Nothing is answered, so it is counted here.
        if (delay_ms === 0) server.goesOn(request, reply).body.destroy();
        return cut(request, reply, 'resetAndDestroy');
      }
      if (redirect !== undefined) reply.header('location', redirect);
      reply.header('content-type', 'text/plain; charset=utf-8');
      return reply.send(answer.huge ? Readable.from(hugeBody(), { objectMode: false }) : 'received\n');
    },
  };
}

function* hugeBody(): Generator<Buffer> {
  for (let sent = 0; sent < HUGE_BYTES; sent += PIECE.length) yield PIECE;
}
