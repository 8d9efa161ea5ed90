// The end of 3-D Secure over HTTP: TermUrl, the page that it leads to, and where browsers report what the pages' policies refused.
import type { FastifyInstance } from 'fastify';
import type { Log } from '../../base/index.ts';
import { isOver, type Landing, type PageView } from '../../gateway/checkout/index.ts';
import { REPORT_PATH } from '../document.ts';
import { bankStepPage, endPage, leadsToShop, messagePage, notifyPage, onwardPage, workingPage } from './other-views.ts';
import { isFramed, send, wordsFor } from './routes.ts';

export interface LandingOptions {
  readonly land: (fields: Readonly<Record<string, unknown>>) => Promise<Landing | null>;
  readonly landed: (ticket: string) => Promise<PageView | null>;
  readonly publicUrl: string;
  readonly log: Log;
}

/** Fields of a report that tell what was refused and where, and nothing that a page holds. */
const REPORTED = ['document-uri', 'violated-directive', 'effective-directive', 'blocked-uri', 'source-file'];

export function landingRoutes(options: LandingOptions): (app: FastifyInstance) => Promise<void> {
  const { origin } = new URL(options.publicUrl);
  const FRAMED = ['*'];
  return async (app) => {
    // The access control server posts across sites, so no cookie comes with it: MD alone says which order this is.
    app.post('/threeds/term', async (request, reply) => {
      const fields =
        typeof request.body === 'object' && request.body !== null ? (request.body as Record<string, unknown>) : {};
      const landing = await options.land(fields);
      const words = wordsFor(request);
      if (!landing) return send(reply, messagePage(words, 'not_found_title', 'not_found_text', FRAMED), 400);
      if (landing.kind === 'bank') return send(reply, bankStepPage(words, landing.form, origin));
      if (landing.kind === 'notify') return send(reply, notifyPage(words, landing.url, landing.orderId));
      return reply
        .code(303)
        .headers({ location: `/threeds/end/${landing.ticket}`, 'cache-control': 'no-store' })
        .send();
    });
    app.get<{ Params: { ticket: string } }>('/threeds/end/:ticket', async (request, reply) => {
      const view = await options.landed(request.params.ticket);
      if (!view) return send(reply, messagePage(wordsFor(request), 'not_found_title', 'not_found_text', FRAMED), 404);
      const words = wordsFor(request, view.language);
      const path = `/threeds/end/${request.params.ticket}`;
      if (view.stage === 'working')
        return send(reply, workingPage({ view: { ...view, frameOrigins: FRAMED }, words }, path));
      // The issuer refused and another card may pay, or the bank is asked again: the story goes on at the payment page.
      if (!isOver(view.stage))
        return reply
          .code(303)
          .headers({ location: `/pay/${request.params.ticket}`, 'cache-control': 'no-store' })
          .send();
      // A redirect to the shop right after a form post would meet the form-action of the page before: this page moves on by itself.
      return send(
        reply,
        leadsToShop(view)
          ? onwardPage(words, view.returnUrl, isFramed(request))
          : endPage({ view: { ...view, frameOrigins: FRAMED }, words }),
      );
    });
    app.addContentTypeParser(
      ['application/csp-report', 'application/reports+json'],
      { parseAs: 'string', bodyLimit: 16 * 1024 },
      (_request, body, done) => done(null, body),
    );
    app.post(REPORT_PATH, async (request, reply) => {
      let report: Readonly<Record<string, unknown>> = {};
      try {
        report = (JSON.parse(String(request.body)) as { 'csp-report'?: Record<string, unknown> })['csp-report'] ?? {};
      } catch {
        // No report: nothing to tell.
      }
      const told = REPORTED.flatMap((name) =>
        typeof report[name] === 'string'
          ? [
              [
                name,
                String(report[name])
                  .replace(/\/pay\/[\w-]+/, '/pay/…')
                  .slice(0, 200),
              ],
            ]
          : [],
      );
      if (told.length > 0)
        options.log.warn({ report: Object.fromEntries(told) }, 'a page met its content security policy');
      return reply.code(204).send();
    });
  };
}
