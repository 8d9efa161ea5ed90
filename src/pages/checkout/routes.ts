// The payment page and the end of 3-D Secure over HTTP. Pages only: form posts in, HTML or a 303 out; no card data in any address.

import { createHash } from 'node:crypto';
import type { FastifyInstance, FastifyReply } from 'fastify';
import type { CheckoutDoor, Landing, PageCard, PageStep, PageView } from '../../gateway/orders/index.ts';
import { cssHash } from '../style.ts';
import { bankPage, endPage, formPage, messagePage, notifyPage, onwardPage } from './views.ts';

export interface CheckoutOptions {
  readonly checkout: CheckoutDoor;
  readonly land: (fields: Readonly<Record<string, unknown>>) => Promise<Landing | null>;
  readonly publicUrl: string;
}

/** Submits the one form of the page; the button stays for browsers without script. */
const SUBMIT = `document.forms[0].submit()`;
const submitHash = `'sha256-${createHash('sha256').update(SUBMIT).digest('base64')}'`;
const submitting = (page: string): string => page.replace('</body>', `<script>${SUBMIT}</script></body>`);

const policy = (formTargets: string, frames: string, script = ''): string =>
  `default-src 'none'; style-src ${cssHash};${script === '' ? '' : ` script-src ${script};`} form-action ${formTargets}; base-uri 'none'; frame-ancestors ${frames}`;

export function checkoutRoutes({
  checkout,
  land,
  publicUrl,
}: CheckoutOptions): (app: FastifyInstance) => Promise<void> {
  const bank = `'self' ${new URL(publicUrl).origin}`;
  const show = (reply: FastifyReply, page: string, csp: string, status = 200): FastifyReply =>
    reply
      .code(status)
      .headers({
        'content-type': 'text/html; charset=utf-8',
        'cache-control': 'no-store',
        'content-security-policy': csp,
      })
      .send(page);
  const closed = policy(`'self'`, `'none'`);
  const missing = (reply: FastifyReply): FastifyReply =>
    show(reply, messagePage('Not found', 'This payment link is not valid.'), closed, 404);

  const showView = (
    reply: FastifyReply,
    view: PageView,
    path: string,
    wrong: readonly (keyof PageCard)[] = [],
  ): FastifyReply => {
    // Chromium holds a form's target and every redirect behind it against form-action: the shop is where the 303 leads.
    const shop = view.returnUrl ? ` ${new URL(view.returnUrl).origin}` : '';
    if (view.open)
      return show(reply, formPage(view, path, wrong), policy(`'self'${shop}`, `'none'`), wrong.length > 0 ? 422 : 200);
    const over = view.status !== 'new' && view.status !== 'prepared';
    if (over && view.returnUrl)
      return reply.code(303).header('location', view.returnUrl).header('cache-control', 'no-store').send();
    return show(reply, endPage(view), closed);
  };
  const text = (fields: unknown, name: string): string => {
    const value = (fields as Record<string, unknown> | null)?.[name];
    return typeof value === 'string' ? value.trim() : '';
  };
  const sameOrigin = (origin: string | undefined): boolean =>
    origin === undefined || origin === 'null' || origin === new URL(publicUrl).origin;

  return async (app) => {
    app.get<{ Params: { token: string } }>('/pay/:token', async (request, reply) => {
      const view = await checkout.view(request.params.token);
      return view ? showView(reply, view, `/pay/${request.params.token}`) : missing(reply);
    });
    app.post<{ Params: { token: string } }>('/pay/:token', async (request, reply) => {
      if (!sameOrigin(request.headers.origin))
        return show(reply, messagePage('Not allowed', 'This form was sent from another site.'), closed, 403);
      const card: PageCard = {
        number: text(request.body, 'number'),
        month: text(request.body, 'month'),
        year: text(request.body, 'year'),
        cvv: text(request.body, 'cvv'),
        holder: text(request.body, 'holder'),
      };
      const step: PageStep | null = await checkout.pay(request.params.token, card, request.ip);
      if (!step) return missing(reply);
      if (step.kind === 'form') return show(reply, submitting(bankPage(step.html)), policy(bank, `'none'`, submitHash));
      return showView(reply, step.view, `/pay/${request.params.token}`, step.kind === 'invalid' ? step.fields : []);
    });
    app.post<{ Params: { token: string } }>('/pay/:token/cancel', async (request, reply) => {
      if (!sameOrigin(request.headers.origin))
        return show(reply, messagePage('Not allowed', 'This form was sent from another site.'), closed, 403);
      const view = await checkout.cancel(request.params.token);
      return view ? showView(reply, view, `/pay/${request.params.token}`) : missing(reply);
    });

    // The access control server posts across sites, so no cookie comes with it: MD alone says which order this is.
    app.post('/threeds/term', async (request, reply) => {
      const fields =
        typeof request.body === 'object' && request.body !== null ? (request.body as Record<string, unknown>) : {};
      const landing = await land(fields);
      if (!landing)
        return show(
          reply,
          messagePage('Not found', 'This confirmation is not valid any more.'),
          policy(`'none'`, '*'),
          400,
        );
      if (landing.form) return show(reply, submitting(bankPage(landing.form)), policy(bank, '*', submitHash));
      if (landing.notifyUrl)
        return show(
          reply,
          submitting(notifyPage(landing.notifyUrl, landing.orderId)),
          policy(new URL(landing.notifyUrl).origin, '*', submitHash),
        );
      // A redirect to the shop right after a form post would meet the form-action of the page before: an own page moves on.
      const page = landing.returnUrl
        ? onwardPage(landing.returnUrl)
        : endPage({ status: landing.status, orderId: landing.orderId, returnUrl: null });
      return show(reply, page, policy(`'none'`, '*'));
    });
  };
}
