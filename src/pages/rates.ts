// How often pages may be asked for and cards be tried on them: token buckets by link, by the network that asks, by card.
// Rule: a bucket is keyed by what we see of a browser, never by what it or a merchant says; and honest crowds pass: a television spot behind
// one link, a mobile carrier behind one network.
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { addressOf } from '../base/index.ts';
import type { Rate, RateLimiter, Server, Taken } from '../http/index.ts';
import { messagePage } from './checkout/other-views.ts';
import { wordsFor } from './checkout/routes.ts';

export interface PageRates {
  readonly link: Rate;
  /** /24 or /48. */
  readonly net: Rate;
  /** One card number with one project. */
  readonly card: Rate;
}

export const PAGE_RATES: Readonly<Record<'live' | 'sandbox', PageRates>> = {
  live: {
    link: { perSecond: 20, burst: 200 },
    net: { perSecond: 10, burst: 100 },
    // A payer who is declined tries a few times, then looks for another card.
    card: { perSecond: 1 / 30, burst: 6 },
  },
  // Test programs press pages faster than people, all from one machine and with one card.
  sandbox: {
    link: { perSecond: 50, burst: 500 },
    net: { perSecond: 200, burst: 2000 },
    card: { perSecond: 10, burst: 300 },
  },
};

export interface PageThrottle {
  /** One page, or one form; `link`: the token of its address, null where none stands in it. */
  page(address: string, link: string | null): Promise<Taken>;
  /** Seconds until this card may be tried again with this project; 0: now. */
  card(projectId: bigint, fingerprint: string): Promise<number>;
}

export function pageThrottle(
  limiter: () => RateLimiter,
  { link: ofLink, net: ofNet, card: ofCard }: PageRates,
): PageThrottle {
  // Apart, so that a flood of made-up links makes nobody's network or card forgotten.
  const [links, nets, cards] = [limiter(), limiter(), limiter()];
  return {
    async page(address, link) {
      const taken = await nets.take(`net ${addressOf(address)?.net ?? address}`, ofNet);
      return taken.allowed && link !== null ? links.take(`link ${link}`, ofLink) : taken;
    },
    async card(projectId, fingerprint) {
      const taken = await cards.take(`card ${projectId} ${fingerprint}`, ofCard);
      return taken.allowed ? 0 : taken.retryAfterSeconds;
    },
  };
}

/** Every page that `app` serves from now on, before its form is read. */
export function throttlePages(
  app: FastifyInstance,
  throttle: PageThrottle,
  { remoteAddressOf }: Pick<Server, 'remoteAddressOf'>,
): void {
  app.addHook('onRequest', async (request, reply) => {
    const { allowed, retryAfterSeconds } = await throttle.page(remoteAddressOf(request), linkIn(request));
    if (allowed) return;
    const page = messagePage(wordsFor(request), 'too_often_title', 'too_often_text', ['*']);
    return reply
      .code(429)
      .headers({ ...page.headers, 'retry-after': String(retryAfterSeconds) })
      .send(page.html);
  });
}

/** Cut: nobody's memory holds a long one. */
const linkIn = ({ params }: FastifyRequest): string | null => {
  const { token, ticket } = params as { readonly token?: string; readonly ticket?: string };
  return (token ?? ticket)?.slice(0, 64) ?? null;
};
