// What people see, put together: the bank's pages, the payment page and the way back, with the rates that all of them have.
import { type Random, systemClock } from './base/index.ts';
import { checkoutDoor, land, landingView } from './gateway/checkout/index.ts';
import type { Gateway } from './gateway/orders/index.ts';
import { formBodies, type Server } from './http/index.ts';
import {
  checkoutRoutes,
  formTokens,
  landingRoutes,
  type PageRates,
  pageThrottle,
  throttlePages,
} from './pages/index.ts';
import { acsRoutes, type Cardholders } from './threeds/index.ts';

export interface PagesOptions {
  readonly server: Server;
  readonly gateway: Gateway;
  readonly cardholders: Cardholders;
  readonly random: Random;
  readonly rates: PageRates;
}

export async function servePages({ server, gateway, cardholders, random, rates }: PagesOptions): Promise<void> {
  const { db, clock, vault: keys, permutation: ids, publicUrl, log } = gateway;
  const { remoteAddressOf } = server;
  // Forms are for pages only: a parser beside the APIs would take their bodies away from them.
  await server.app.register(async (pages) => {
    const throttle = pageThrottle(systemClock, rates);
    throttlePages(pages, throttle, server);
    formBodies(pages);
    await pages.register(acsRoutes({ db, clock, keys, ids, log, publicUrl, cardholders, remoteAddressOf }));
    const tokens = formTokens({
      keyed: (purpose, data) => keys.keyed(purpose, data),
      random,
      clock: systemClock,
      publicUrl,
    });
    const checkout = checkoutDoor(gateway, throttle.card);
    await pages.register(checkoutRoutes({ checkout, tokens, publicUrl, remoteAddressOf }));
    await pages.register(
      landingRoutes({
        land: (fields) => land(gateway, fields),
        landed: (ticket) => landingView(gateway, ticket),
        publicUrl,
        log,
      }),
    );
  });
}
