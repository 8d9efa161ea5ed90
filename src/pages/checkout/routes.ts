// The payment page over HTTP. Pages only: form posts in, a 303 or HTML out, so that a reload never posts again; no card data in any address.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import {
  type CheckoutDoor,
  type PageCard,
  type PageStep,
  type PageView,
  type Payer,
  WALLETS,
} from '../../gateway/checkout/index.ts';
import { browserOf } from '../../threeds/index.ts';
import type { Page } from '../document.ts';
import { languageFor, type Words, wordsIn } from '../languages.ts';
import { checkedPage, PREVIEW_PATH } from '../self-check.ts';
import type { FormTokens } from './form-token.ts';
import { type FormState, formPage, NOTHING_TYPED } from './form-view.ts';
import {
  answeredPage,
  bankPage,
  closedPage,
  endPage,
  leadsToShop,
  leftPage,
  messagePage,
  onwardPage,
  workingPage,
} from './other-views.ts';

export interface CheckoutOptions {
  readonly checkout: CheckoutDoor;
  readonly tokens: FormTokens;
  readonly publicUrl: string;
  readonly remoteAddressOf: (request: FastifyRequest) => string;
}

type Of = FastifyRequest<{ Params: { token: string } }>;

export const send = (reply: FastifyReply, { html, headers }: Page, status = 200): FastifyReply =>
  reply.code(status).headers(headers).send(html);

export const wordsFor = (request: FastifyRequest, asked: string | null = null): Words =>
  wordsIn(languageFor(asked, request.headers['accept-language']));

const fieldsOf = ({ body }: FastifyRequest): Readonly<Record<string, unknown>> =>
  typeof body === 'object' && body !== null ? (body as Record<string, unknown>) : {};
const textIn = (fields: Readonly<Record<string, unknown>>, name: string): string => {
  const value = fields[name];
  return typeof value === 'string' ? value.trim() : '';
};

/** In a frame the way back to the shop leads out of it. */
export const isFramed = ({ headers }: FastifyRequest): boolean =>
  ['iframe', 'frame', 'embed', 'object'].includes(String(headers['sec-fetch-dest'] ?? ''));

/** Long: what all addresses of the page have in common, then the addresses, each a line or two. */
export function checkoutRoutes({
  checkout,
  tokens,
  publicUrl,
  remoteAddressOf,
}: CheckoutOptions): (app: FastifyInstance) => Promise<void> {
  const { origin } = new URL(publicUrl);
  const pathOf = (token: string): string => `/pay/${token}`;

  const missing = (request: FastifyRequest, reply: FastifyReply): FastifyReply =>
    send(reply, messagePage(wordsFor(request), 'not_found_title', 'not_found_text'), 404);

  const toShop = (request: FastifyRequest, reply: FastifyReply, words: Words, url: string): FastifyReply =>
    isFramed(request)
      ? send(reply, onwardPage(words, url, true))
      : reply.code(303).headers({ location: url, 'cache-control': 'no-store' }).send();

  function show(
    request: FastifyRequest,
    reply: FastifyReply,
    token: string,
    view: PageView,
    form: Partial<Pick<FormState, 'wrong' | 'walletRefused' | 'typed'>> = {},
  ): FastifyReply {
    const words = wordsFor(request, view.language);
    const path = pathOf(token);
    if (leadsToShop(view)) return toShop(request, reply, words, view.returnUrl);
    const issued = tokens.issue(token, request.headers, view.frameOrigins.length > 0);
    if (issued.cookie) reply.header('set-cookie', issued.cookie);
    const seen = { view, words };
    const formToken = issued.token;
    const { wrong = [], walletRefused = false, typed = NOTHING_TYPED } = form;
    // Stage → page; whatever is over has its end page.
    if (view.stage === 'form')
      return send(
        reply,
        formPage({ ...seen, path, formToken, wrong, walletRefused, typed }),
        wrong.length > 0 || walletRefused ? 422 : 200,
      );
    if (view.stage === 'closed') return send(reply, closedPage(seen, path, formToken));
    if (view.stage === 'bank') return send(reply, bankPage(seen, path, formToken, origin));
    if (view.stage === 'answered') return send(reply, answeredPage(seen, path, formToken));
    return send(reply, view.stage === 'working' ? workingPage(seen, path) : endPage(seen));
  }

  /** What every post has in common: the form is ours, then the step, then where it leads. */
  async function post(
    request: Of,
    reply: FastifyReply,
    step: (fields: Readonly<Record<string, unknown>>, payer: Payer) => Promise<PageStep | null>,
  ): Promise<FastifyReply> {
    const { token } = request.params;
    const fields = fieldsOf(request);
    const form = textIn(fields, 'form');
    if (!tokens.accepts(token, request.headers, form))
      return send(reply, messagePage(wordsFor(request), 'forbidden_title', 'forbidden_text'), 403);
    const ip = remoteAddressOf(request);
    const browser = browserOf(fields, {
      ip,
      userAgent: request.headers['user-agent'],
      accept: request.headers.accept,
    });
    const next = await step(fields, { ip, browser, form, session: tokens.sessionOf(form) });
    if (!next) return missing(request, reply);
    if (next.kind === 'too_often') {
      reply.header('retry-after', String(next.retryAfterSeconds));
      return send(reply, messagePage(wordsFor(request), 'too_often_title', 'too_often_text', ['*']), 429);
    }
    if (next.kind === 'moved')
      return reply
        .code(303)
        .headers({ location: pathOf(next.token), 'cache-control': 'no-store' })
        .send();
    if (next.kind === 'left') {
      const words = wordsFor(request, next.view.language);
      if (next.view.returnUrl) return toShop(request, reply, words, next.view.returnUrl);
      return send(reply, leftPage({ view: next.view, words }));
    }
    if (next.kind === 'wallet_refused') return show(request, reply, token, next.view, { walletRefused: true });
    const typed = {
      month: textIn(fields, 'month'),
      year: textIn(fields, 'year'),
      holder: textIn(fields, 'holder'),
      amount: textIn(fields, 'amount'),
    };
    return show(request, reply, token, next.view, { wrong: next.fields, typed });
  }

  return async (app) => {
    // The page that the self-check looks at: no token is as short as this name.
    app.get(PREVIEW_PATH, async (_request, reply) => send(reply, checkedPage()));
    app.get('/pay/:token', async (request: Of, reply) => {
      const view = await checkout.view(request.params.token);
      return view ? show(request, reply, request.params.token, view) : missing(request, reply);
    });
    app.post('/pay/:token', (request: Of, reply) =>
      post(request, reply, (fields, payer) => {
        const card: PageCard = {
          number: textIn(fields, 'number'),
          month: textIn(fields, 'month'),
          year: textIn(fields, 'year'),
          cvv: textIn(fields, 'cvv'),
          holder: textIn(fields, 'holder'),
          amount: textIn(fields, 'amount'),
        };
        return checkout.pay(request.params.token, card, payer);
      }),
    );
    app.post('/pay/:token/wallet', (request: Of, reply) =>
      post(request, reply, async (fields, payer) => {
        const wallet = WALLETS.find((known) => known === fields.wallet);
        const given = textIn(fields, 'token');
        if (!wallet) return null;
        return checkout.payByWallet(request.params.token, wallet, given === '' ? null : given, payer);
      }),
    );
    app.post('/pay/:token/cancel', (request: Of, reply) =>
      post(request, reply, () => checkout.cancel(request.params.token)),
    );
    app.post('/pay/:token/finish', (request: Of, reply) =>
      post(request, reply, () => checkout.finish(request.params.token)),
    );
  };
}
