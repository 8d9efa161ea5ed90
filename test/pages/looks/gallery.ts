// Every page that a payer or cardholder can be shown, each with the way to it. Rule: a state is reached as a payer and a shop reach it,
// over HTTP and in the browser, never by a row.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { BrowserContext, Page } from 'playwright-core';
import { payment, type TestApp } from '../../support/app.ts';
import { sharedBrowser } from '../../support/chromium.ts';
import { customer, fundedCard } from '../../support/issuing.ts';
import { openPage, typed } from '../../support/page.ts';
import { challenge, orderOf, shopOf } from '../../support/shop.ts';
import { CARDS } from '../cards.ts';

export const SIZES = [
  { name: '360', width: 360, height: 740 },
  { name: '1280', width: 1280, height: 800 },
] as const;

const IN_PAGE = [createRequire(import.meta.url).resolve('axe-core/axe.min.js'), new URL('./looks.js', import.meta.url)]
  .map((file) => readFileSync(file, 'utf8'))
  .join('\n');

/** A measure of looks.js, taken on the page as it stands. */
export const look = (page: Page, measure: 'overhang' | 'cut' | 'faults' | 'skeleton'): Promise<string[]> =>
  page.evaluate(`looks.${measure}()`);

/** A page, and everything that a browser had to complain about. */
export interface Watched {
  readonly page: Page;
  readonly complaints: string[];
  /** `spoilt`: something is left in the page that the next visitor would meet. */
  readonly close: (spoilt?: boolean) => Promise<void>;
}

type Options = Parameters<Awaited<ReturnType<typeof sharedBrowser>>['newContext']>[0];

/** A browser's page that is used by one visitor after the other; what it complains about goes to the one who is there. */
interface Seat {
  readonly page: Page;
  origins: readonly string[];
  complaints: string[];
}

async function newSeat(options: Options): Promise<Seat> {
  const context: BrowserContext = await (await sharedBrowser()).newContext({ locale: 'en-GB', ...options });
  // Scripts that the browser itself puts there are not the page's, so its policy doesn't speak about them.
  await context.addInitScript({ content: IN_PAGE });
  const page = await context.newPage();
  page.setDefaultTimeout(20_000);
  const seat: Seat = { page, origins: [], complaints: [] };
  page.on('console', (message) => {
    // Chromium says this of a whole page, too, that is answered 403, 404 or 422.
    const isStatus = /status of (400|403|404|422)/.test(message.text());
    if (['error', 'warning'].includes(message.type()) && !isStatus) seat.complaints.push(`console: ${message.text()}`);
  });
  page.on('pageerror', (error) => seat.complaints.push(`error: ${error.message}`));
  page.on('dialog', (dialog) => {
    seat.complaints.push(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  context.on('request', (request) => {
    const { origin, pathname } = new URL(request.url());
    if (pathname === '/csp-report') seat.complaints.push(`policy: ${request.postData()}`);
    if (!seat.origins.includes(origin) && !request.url().startsWith('data:'))
      seat.complaints.push(`request to ${request.url().slice(0, 80)}`);
  });
  return seat;
}

/** By the options that they were made with. A browser's page costs more than most visits. */
const empty = new Map<string, Seat[]>();

/** A browser without a past; what it asks of anybody but `origins` is a complaint. */
export async function watched(origins: readonly string[], options: Options = {}): Promise<Watched> {
  const kind = JSON.stringify(options);
  const seats = empty.get(kind) ?? [];
  empty.set(kind, seats);
  const seat = seats.pop() ?? (await newSeat(options));
  const { page } = seat;
  Object.assign(seat, { origins, complaints: [] });
  return {
    page,
    complaints: seat.complaints,
    async close(spoilt = false) {
      try {
        if (spoilt) throw new Error('spoilt');
        await page.unrouteAll({ behavior: 'ignoreErrors' });
        await page.goto('about:blank');
        await page.context().clearCookies();
        await page.emulateMedia({ media: null, colorScheme: options.colorScheme ?? null });
        if (options.viewport) await page.setViewportSize(options.viewport);
        seats.push(seat);
      } catch {
        // Also a page that can't be led away is nobody's any more.
        await page.context().close();
      }
    },
  };
}

/** Requests there get an answer that leads nowhere: the page stays as it is. */
export async function hold(page: Page, url: RegExp, method = 'POST'): Promise<void> {
  await page.route(url, async (route) => {
    await (route.request().method() === method ? route.fulfill({ status: 204 }) : route.fallback());
  });
}

export interface Exhibit {
  readonly name: string;
  /** Leads the page there. */
  readonly go: (page: Page) => Promise<unknown>;
  /** What must be read there. */
  readonly says: RegExp;
  /** It leaves something in the browser. */
  readonly spoils?: boolean;
}

/** `ended`: every payment that it began has been answered. Long: a table of exhibits, each with the way to it. */
export async function gallery(
  florin: TestApp,
): Promise<{ readonly exhibits: readonly Exhibit[]; readonly ended: () => Promise<unknown> }> {
  const shop = shopOf(florin);
  const ORDER = { currency: 'EUR', amount: 1249.5, description: 'Two tickets, Riga – Vilnius, 14 March' };
  const settings = (body: object) => florin.operator('PATCH', '/operator/projects/sandbox/settings', body);

  /** Of payments that are still on their way. */
  const answers: Promise<Response>[] = [];

  interface Made {
    readonly id: string;
    readonly url: string;
  }
  async function made(fields: Record<string, unknown> = {}): Promise<Made> {
    const reply = await shop.create({ ...ORDER, ...fields });
    assert.equal(reply.status, 201, reply.text);
    return { id: orderOf(reply).id, url: reply.headers.get('location') as string };
  }
  /** Pays without a browser; the page that it leads to. */
  async function paid(number: string, fields: Record<string, unknown> = {}): Promise<Made> {
    const order = await made(fields);
    const answer = await (await openPage(order.url)).post(typed(number));
    assert.equal(answer.status, 303, await answer.text());
    return order;
  }
  /** With settings for as long as the way takes. */
  const under =
    (body: Record<string, unknown>, go: (page: Page) => Promise<unknown>) =>
    async (page: Page): Promise<void> => {
      const reply = await settings(body);
      assert.equal(reply.status, 200, reply.text);
      try {
        await go(page);
      } finally {
        await settings(Object.fromEntries(Object.keys(body).map((name) => [name, null])));
      }
    };
  const one = { page_attempts: 1 };
  const open =
    (fields: Record<string, unknown> = {}) =>
    async (page: Page) =>
      page.goto((await made(fields)).url);
  const refused = (number: string) => under(one, async (page) => page.goto((await paid(number, { options: {} })).url));
  const linkOf = async (fields: object): Promise<string> => {
    const reply = await florin.operator('POST', '/operator/projects/sandbox/links', { currency: 'EUR', ...fields });
    assert.equal(reply.status, 201, reply.text);
    return reply.body.url;
  };

  /** To a page that leads on by itself, and no further. */
  async function stay(page: Page, url: string, next: RegExp): Promise<void> {
    await hold(page, next);
    await Promise.all([page.waitForRequest(next), page.goto(url, { waitUntil: 'commit' })]);
  }
  /** Only who arrives is taken on by the script; after a reload the button waits. */
  async function reload(page: Page): Promise<void> {
    await page.evaluate('location.reload()');
    await page.waitForFunction(
      `performance.getEntriesByType('navigation')[0].type === 'reload' && document.readyState === 'complete'`,
    );
  }
  /** Comes to the bank's page by the payment page's own form. */
  async function toBank(page: Page, number: string = CARDS.challenge): Promise<void> {
    await page.goto((await paid(number)).url);
    await page.waitForURL(/\/acs/);
  }
  async function issued(page: Page, channel: string): Promise<void> {
    const ada = await customer(florin);
    const threeds = { linkedUserId: '3001', primaryChannel: channel, fallbackChannel: 'OTP_SMS' };
    const id = await fundedCard(ada, 200_000, { threeDSecureAuthConfig: threeds });
    const { number, cvv, expiryMmyy } = (await florin.operator('GET', `/operator/cards/${id}/number`)).body;
    const order = await made({ options: { force3d: 1 } });
    const form = await openPage(order.url);
    await form.post(typed(number, { cvv, month: expiryMmyy.slice(0, 2), year: expiryMmyy.slice(2) }));
    await page.goto(order.url);
    await page.waitForURL(/\/acs/);
  }
  async function answered(page: Page): Promise<void> {
    const reply = await shop.authorize(payment({ ...ORDER, pan: CARDS.challenge }));
    assert.equal(reply.status, 201, reply.text);
    const order = await paid(CARDS.challenge);
    const html = await (await fetch(order.url)).text();
    const field = (name: string): string => new RegExp(`name="${name}" value="([^"]*)"`).exec(html)?.[1] ?? '';
    const action = /id="form3d" action="([^"]*)"/.exec(html)?.[1] ?? '';
    await challenge({ form3d: { action, MD: field('MD'), PaReq: field('PaReq'), TermUrl: field('TermUrl') } }, '1234');
    await stay(page, order.url, /\/finish$/);
    await reload(page);
  }
  const acsWith =
    (code: string) =>
    async (page: Page): Promise<void> => {
      await toBank(page);
      await page.fill('#code', code);
      await page.click('button[value=submit]');
    };

  const exhibits: Exhibit[] = [
    { name: 'form', go: open(), says: /1,249\.50/ },
    { name: 'form-wallets', go: open({ options: { apple_pay_enabled: 1, google_pay_enabled: 1 } }), says: /Apple Pay/ },
    {
      name: 'form-wrong-fields',
      async go(page) {
        await open()(page);
        await page.click('#card button');
      },
      says: /not a valid card number/,
    },
    {
      name: 'form-wrong-fields-from-server',
      async go(page) {
        await open()(page);
        await page.evaluate(`looks.send('#card')`);
        await page.waitForSelector('.problem');
      },
      says: /check the fields/,
    },
    {
      name: 'form-declined-attempts',
      go: async (page) => page.goto((await paid(CARDS.declined)).url),
      says: /2 attempts left/,
    },
    { name: 'form-amount', go: async (page) => page.goto(await linkOf({ static_link: true })), says: /Amount to pay/ },
    {
      name: 'form-optional-fields',
      go: under({ cvv_required: false, holder_required: false }, open()),
      says: /\(optional\)/,
    },
    { name: 'form-mobile', go: open({ options: { mobile: 1 } }), says: /1,249\.50/ },
    {
      name: 'form-long-texts',
      go: open({
        amount: 9999999.99,
        description: 'Überlebensgroße-Donaudampfschifffahrtsgesellschaftskapitänsmütze '.repeat(6),
      }),
      says: /9,999,999\.99/,
    },
    {
      name: 'form-time-running-out',
      go: open({ options: { expiration_timeout: '4m' } }),
      says: /Time left/,
    },
    {
      name: 'bank',
      async go(page) {
        await stay(page, (await paid(CARDS.challenge)).url, /\/acs$/);
        await reload(page);
      },
      says: /Confirm with your bank/,
    },
    {
      name: 'closed',
      async go(page) {
        await shop.terminal('closing', {});
        const { url } = await made({ options: { terminal: 'closing' } });
        await florin.operator('DELETE', '/operator/projects/sandbox/terminals/closing');
        await page.goto(url);
      },
      says: /cannot take payments/,
    },
    { name: 'answered', go: answered, says: /Your bank has answered/ },
    {
      name: 'working',
      async go(page) {
        const order = await made();
        const form = await openPage(order.url);
        const answer = form.post(typed(CARDS.lost));
        const isWorking = async (): Promise<boolean> =>
          (await (await fetch(order.url)).text()).includes('role="status"');
        while (!(await isWorking()));
        // It looks again every two seconds, which no picture survives: long timers don't go off here.
        await page.addInitScript({
          content:
            'const real = setTimeout; setTimeout = (work, ms, ...more) => (ms >= 1500 ? 0 : real(work, ms, ...more));',
        });
        await page.goto(order.url);
        answers.push(answer);
      },
      says: /is being processed/,
      spoils: true,
    },
    { name: 'paid', go: async (page) => page.goto((await paid(CARDS.approved)).url), says: /Payment received/ },
    { name: 'declined', go: refused(CARDS.declined), says: /Payment declined/ },
    { name: 'fraud', go: refused(CARDS.fraud), says: /not accepted/ },
    { name: 'error', go: refused(CARDS.broken), says: /could not reach your bank/ },
    {
      name: 'rejected',
      async go(page) {
        await open()(page);
        await page.click('button.plain');
        await page.waitForSelector('dl');
      },
      says: /Payment not made/,
    },
    {
      name: 'refunded',
      async go(page) {
        const order = await paid(CARDS.approved, { options: { auto_charge: 1 } });
        assert.equal((await shop.act(order.id, 'refund')).status, 200);
        await page.goto(order.url);
      },
      says: /Payment refunded/,
    },
    {
      name: 'reversed',
      async go(page) {
        const order = await paid(CARDS.approved);
        assert.equal((await shop.act(order.id, 'reverse')).status, 200);
        await page.goto(order.url);
      },
      says: /cancelled by the shop/,
    },
    {
      name: 'return',
      async go(page) {
        const order = await paid(CARDS.challenge, { options: { return_url: 'http://shop.test/back' } });
        await hold(page, /shop\.test/, 'GET');
        await page.goto(order.url);
        await page.waitForURL(/\/acs/);
        await page.fill('#code', '1234');
        await page.click('button[value=submit]');
        await page.waitForSelector('a[data-onward]');
      },
      says: /Return to the shop/,
    },
    { name: 'not-found', go: (page) => page.goto(`${florin.url}/pay/${'x'.repeat(22)}`), says: /Not found/ },
    {
      name: 'forbidden',
      async go(page) {
        await open()(page);
        await page.evaluate(`looks.fill('form', 'x')`);
        await page.click('button.plain');
        await page.waitForSelector('h1:has-text("Not allowed")');
      },
      says: /too old/,
    },
    {
      name: 'left',
      async go(page) {
        await page.goto(await linkOf({ amount: 5, static_link: true }));
        await page.click('button.plain');
        await page.waitForSelector('h1:has-text("Payment not made")');
      },
      says: /Nothing was charged/,
    },
    { name: 'acs-challenge', go: toBank, says: /Confirm your payment/ },
    {
      name: 'acs-wrong-code',
      async go(page) {
        await acsWith('9999')(page);
        await page.waitForSelector('.bad');
      },
      says: /2 tries left/,
    },
    { name: 'acs-out-of-band', go: (page) => issued(page, 'BIOMETRICS'), says: /I have confirmed/ },
    {
      name: 'acs-device-data',
      async go(page) {
        await stay(page, (await paid(CARDS.device)).url, /\/acs\/device$/);
      },
      says: /looks at the device/,
    },
    {
      name: 'acs-finished',
      async go(page) {
        await hold(page, /\/threeds\/term$/);
        await acsWith('1234')(page);
        await page.waitForSelector('#return');
      },
      says: /Back to the shop/,
    },
    {
      name: 'acs-refused',
      async go(page) {
        await toBank(page);
        await page.evaluate(`looks.fill('MD', 'x')`);
        await page.fill('#code', '1234');
        await page.click('button[value=submit]');
        await page.waitForSelector('.bad');
      },
      says: /can't be continued/,
    },
  ];
  return { exhibits, ended: () => Promise.all(answers) };
}
