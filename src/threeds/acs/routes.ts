// The access control server over HTTP. Form posts only (the app reads them), no cookie, every answer a page.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Log } from '../../base/index.ts';
import { type AcsOptions, answerChallenge, type Body, collectDevice, openPage, type View } from './acs.ts';
import { pageHeaders, refusedPage, render } from './pages.ts';

export interface AcsRouteOptions extends AcsOptions {
  readonly log: Log;
  readonly remoteAddressOf: (request: FastifyRequest) => string;
}

/** Well above what our own forms hold. */
const BODY_LIMIT = 16 * 1024;

/** A plugin: `app.register(acsRoutes(options))`. Errors inside it answer with a page too, never with an API's envelope. */
export function acsRoutes(options: AcsRouteOptions): (app: FastifyInstance) => Promise<void> {
  const headers = pageHeaders(options.publicUrl);
  const bodyOf = (body: unknown): Body => (typeof body === 'object' && body !== null ? (body as Body) : {});

  const send = (reply: FastifyReply, view: View): FastifyReply => {
    if (view.kind === 'refused') options.log.info({ reason: view.reason }, 'challenge refused');
    return reply
      .code(view.kind === 'refused' ? 400 : 200)
      .headers(headers)
      .send(render(view, options.publicUrl));
  };

  return async (app) => {
    app.setErrorHandler((error, _request, reply) => {
      const status = (error as { statusCode?: number }).statusCode ?? 500;
      if (status >= 500) options.log.error({ err: error }, 'challenge page failed');
      return reply.code(status).headers(headers).send(refusedPage());
    });
    await app.register(
      async (acs) => {
        const config = { bodyLimit: BODY_LIMIT };
        acs.post('/', config, async (request, reply) => send(reply, await openPage(options, bodyOf(request.body))));
        acs.post('/method', config, async (request, reply) =>
          send(reply, await openPage(options, bodyOf(request.body))),
        );
        acs.post('/answer', config, async (request, reply) =>
          send(reply, await answerChallenge(options, bodyOf(request.body))),
        );
        acs.post('/device', config, async (request, reply) => {
          const { headers: sent } = request;
          const ip = options.remoteAddressOf(request);
          const visit = { ip, userAgent: sent['user-agent'], accept: sent.accept };
          return send(reply, await collectDevice(options, bodyOf(request.body), visit));
        });
        for (const path of ['/', '/method', '/answer', '/device']) {
          acs.get(path, (_request, reply) =>
            reply
              .code(405)
              .headers({ ...headers, allow: 'POST' })
              .send(refusedPage()),
          );
        }
      },
      { prefix: '/acs' },
    );
  };
}
