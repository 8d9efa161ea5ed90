// A payer's ways by his bank, and in a shop's frame, in a real browser against a whole Florin.
// Rule: state is made and read over the API; each journey ends with what the merchant is told of the order.
import assert from 'node:assert/strict';
import type { FrameLocator, Page } from 'playwright-core';
import { simulated } from '../support/app.ts';
import { customer, fundedCard } from '../support/issuing.ts';
import { CARDS, checkoutWorld, heading, pay, payButton, typeCard, type World } from './browser.ts';

const { journey, booksHold } = checkoutWorld();

const AUTHORIZED = 'authorize success 12.50: 0.00 0.00 0.00 0.00';
const REFUSED = 'authorize failure 12.50';
const CHARGED = 'charge success 12.50: 12.50 0.66 0.62 11.22';

type Seen = Page | FrameLocator;

const atTheBank = (page: Seen) => heading(page, 'Confirm your payment');
const codeField = (page: Seen) => page.getByLabel(/^Code that we sent/);
const onToTheBank = (page: Seen) => page.getByRole('button', { name: /^Continue( to your bank)?$/ });

async function answer(page: Seen, code: string): Promise<void> {
  await codeField(page).fill(code);
  await page.getByRole('button', { name: 'Confirm' }).click();
}

/** A payer whose bank has opened its page. */
async function challenged(world: World, options: Readonly<Record<string, unknown>> = {}) {
  const made = await world.made({ auto_charge: 1, ...options });
  const payer = await world.payer();
  await payer.page.goto(made.url);
  await pay(payer.page, CARDS.challenge);
  await atTheBank(payer.page);
  assert.deepEqual(await world.told(made.id), ['prepared']);
  return { ...made, ...payer };
}

const authentication = async ({ shop }: World, id: string): Promise<readonly string[]> => {
  const { scenario, authorization_status: letter } = (await shop.get(id, 'secure3d')).secure3d;
  return [scenario, letter];
};

journey('authenticated without being asked, or not: no detour', async (world) => {
  for (const [outcome, by, title, told] of [
    ['921', ['frictionless', 'Y'], 'Payment received', ['authorized', AUTHORIZED]],
    ['922', ['attempt', 'A'], 'Payment received', ['authorized', AUTHORIZED]],
    ['923', ['frictionless', 'N'], 'Payment not made', ['rejected']],
    ['924', ['frictionless', 'R'], 'Payment not made', ['rejected']],
  ] as const) {
    const { id, url } = await world.made({ force3d: 1 });
    const { page } = await world.payer();
    await page.goto(url);
    await pay(page, simulated('10', outcome));
    await heading(page, title);
    assert.equal(page.url(), url);
    assert.deepEqual(await world.told(id), told, outcome);
    assert.deepEqual(await authentication(world, id), by, outcome);
  }
});

journey('the right code: authorized and charged; a receipt, or back at the shop', async (world) => {
  for (const options of [{}, { return_url: `${world.store.origin}/done?a=1` }]) {
    const { id, url, page } = await challenged(world, options);
    await answer(page, '1234');
    await heading(page, 'return_url' in options ? 'Thanks' : 'Payment received');
    assert.deepEqual(await world.told(id), ['charged', AUTHORIZED, CHARGED]);
    assert.deepEqual(await authentication(world, id), ['challenge', 'Y']);
    if ('return_url' in options) assert.deepEqual(world.store.visits.at(-1)?.query, { a: '1', order_id: id });
    await page.goto(url);
    await heading(page, 'return_url' in options ? 'Thanks' : 'Payment received');
  }
});

journey('a wrong code three times: rejected, and the tries that are left are told', async (world) => {
  const { id, page } = await challenged(world);
  for (const left of ['2 tries left', '1 try left']) {
    await answer(page, '9999');
    assert.match(await page.getByRole('alert').innerText(), new RegExp(`not right. ${left}`));
    assert.deepEqual(await world.told(id), ['prepared']);
  }
  await answer(page, '9999');
  await heading(page, 'Payment not made');
  assert.deepEqual(await world.told(id), ['rejected']);
});

journey('a wrong code, then the right one', async (world) => {
  const { id, page } = await challenged(world);
  await answer(page, '9999');
  await page.getByText('That code is not right').waitFor();
  await answer(page, '1234');
  await heading(page, 'Payment received');
  assert.deepEqual(await world.told(id), ['charged', AUTHORIZED, CHARGED]);
});

journey('cancelled at the bank: rejected, here and at the shop', async (world) => {
  for (const options of [{}, { return_url: `${world.store.origin}/done` }]) {
    const { id, page } = await challenged(world, options);
    await page.getByRole('button', { name: 'Cancel' }).click();
    await heading(page, 'return_url' in options ? 'Thanks' : 'Payment not made');
    assert.deepEqual(await world.told(id), ['rejected']);
  }
});

journey('abandoned at the bank until the time is over: rejected; a late code changes nothing', async (world) => {
  const { id, url, page, context } = await challenged(world);
  await world.shop.advance('11m');
  assert.deepEqual(await world.told(id), ['rejected']);
  const tab = await context.newPage();
  await tab.goto(url);
  await heading(tab, 'Payment not made');
  await answer(page, '1234');
  await heading(page, 'Payment not made');
  assert.deepEqual(await world.told(id), ['rejected']);
});

journey('another code: not at once, three times at most', async (world) => {
  const { id, page } = await challenged(world);
  const resend = page.getByRole('button', { name: 'Send a new code' });
  await resend.click();
  await page.getByText(/^Please wait \d+ seconds? before/).waitFor();
  for (let sent = 1; sent <= 3; sent++) {
    await world.shop.advance('16s');
    await resend.click();
    await page.getByText('A new code is on its way.').waitFor();
  }
  assert.ok(await page.getByRole('button', { name: 'No more codes' }).isDisabled());
  await answer(page, '1234');
  await heading(page, 'Payment received');
  assert.deepEqual(await world.told(id), ['charged', AUTHORIZED, CHARGED]);
});

journey('back in the challenge: our page waits for a click, and it goes on from there', async (world) => {
  const { id, page, url, announce } = await challenged(world);
  await page.goBack();
  assert.equal(page.url(), url);
  await heading(page, 'Confirm with your bank');
  assert.deepEqual(await world.told(id), ['prepared']);
  await onToTheBank(page).click();
  await atTheBank(page);
  await answer(page, '1234');
  await heading(page, 'Payment received');
  // The bank's page was the answer to a post: the browser asks before it sends that again, and the bank knows how it ended.
  announce(/ERR_CACHE_MISS/);
  await assert.rejects(page.goBack(), /ERR_CACHE_MISS/);
  await page.waitForFunction("location.protocol === 'chrome-error:' && document.readyState === 'complete'");
  await page.reload();
  await heading(page, 'Payment received');
  assert.deepEqual(await world.told(id), ['charged', AUTHORIZED, CHARGED]);
});

journey('back in the challenge and cancelled there: the open page of the bank changes nothing', async (world) => {
  const { id, page, url, context } = await challenged(world);
  const tab = await context.newPage();
  await tab.goto(url);
  await atTheBank(tab);
  await page.goBack();
  await page.getByRole('button', { name: 'Cancel payment' }).click();
  await heading(page, 'Payment not made');
  assert.deepEqual(await world.told(id), ['rejected']);
  await answer(tab, '1234');
  await heading(tab, 'Payment not made');
  assert.deepEqual(await world.told(id), ['rejected']);
});

journey('reload in the challenge: the same page, and no try is lost', async (world) => {
  const { id, page } = await challenged(world);
  await page.reload();
  await atTheBank(page);
  await page.getByText('3 tries left').waitFor();
  await answer(page, '9999');
  await page.getByText('2 tries left. This page').waitFor();
  await page.reload();
  await page.getByText('This page had been answered before.').waitFor();
  await page.getByText('2 tries left. This page').waitFor();
  await answer(page, '1234');
  await heading(page, 'Payment received');
  await page.reload();
  await heading(page, 'Payment received');
  assert.deepEqual(await world.told(id), ['charged', AUTHORIZED, CHARGED]);
});

journey(
  'answered at the bank and the way back was cut: it goes on where the page is opened or reloaded',
  async (world) => {
    for (const again of ['open', 'reload'] as const) {
      const { id, url, page, context, announce } = await challenged(world);
      const tab = await context.newPage();
      await tab.goto(url);
      await atTheBank(tab);
      await page.goBack();
      await heading(page, 'Confirm with your bank');
      await context.route('**/threeds/term', (route) => route.abort('connectionreset'));
      announce(/ERR_CONNECTION_RESET/);
      const cut = tab.waitForEvent('requestfailed');
      await answer(tab, '1234');
      await cut;
      assert.deepEqual(await world.told(id), ['prepared'], 'the bank has answered and we have not heard of it');
      if (again === 'open') await page.goto(url);
      else {
        await page.reload();
        await page.getByText('Your bank has answered.').waitFor();
        await page.getByRole('button', { name: 'Finish payment' }).click();
      }
      await heading(page, 'Payment received');
      assert.deepEqual(await world.told(id), ['charged', AUTHORIZED, CHARGED]);
    }
  },
);

journey('a double click on the code and two tabs at the bank: one answer', async (world) => {
  const { id, url, page, context } = await challenged(world);
  const tab = await context.newPage();
  await tab.goto(url);
  await atTheBank(tab);
  await codeField(page).fill('1234');
  await page.getByRole('button', { name: 'Confirm' }).dblclick();
  await heading(page, 'Payment received');
  await answer(tab, '1111');
  await heading(tab, 'Payment received');
  assert.deepEqual(await world.told(id), ['charged', AUTHORIZED, CHARGED]);
});

journey('refused by the issuer after the challenge: another card may pay', async (world) => {
  const { id, url } = await world.made({ force3d: 1 });
  const { page } = await world.payer();
  await page.goto(url);
  for (const left of ['2 attempts left', '1 attempt left']) {
    await pay(page, CARDS.declined);
    await atTheBank(page);
    await answer(page, '1234');
    await page.getByText(left).waitFor();
  }
  assert.deepEqual(await world.told(id), ['new', REFUSED, REFUSED]);
  await pay(page, CARDS.approved);
  await atTheBank(page);
  await page.goBack();
  await onToTheBank(page).click();
  await atTheBank(page);
  await answer(page, '1234');
  await heading(page, 'Payment received');
  assert.deepEqual(await world.told(id), ['authorized', REFUSED, REFUSED, AUTHORIZED]);
  await page.goto(url);
  await heading(page, 'Payment received');
});

journey(
  "the bank's time is over and the session's isn't: after a refusal the session's counts again",
  async (world) => {
    const { id, url } = await world.made({ force3d: 1, expiration_timeout: '30m' });
    const { page } = await world.payer();
    await page.goto(url);
    await pay(page, CARDS.declined);
    await atTheBank(page);
    await answer(page, '1234');
    await page.getByText('2 attempts left').waitFor();
    await world.shop.advance('15m');
    assert.deepEqual(await world.told(id), ['new', REFUSED]);
    await world.shop.advance('15m');
    assert.deepEqual(await world.told(id), ['declined', REFUSED]);
    await page.reload();
    await heading(page, 'Payment declined');
  },
);

journey(
  'refused by the issuer after each challenge until the attempts are used up: declined, at the shop',
  async (world) => {
    await world.shop.withSettings({ page_attempts: 2 }, async () => {
      const { id, url } = await world.made({ force3d: 1, return_url: `${world.store.origin}/done` });
      const { page } = await world.payer();
      await page.goto(url);
      for (const last of [false, true]) {
        await pay(page, CARDS.declined);
        await atTheBank(page);
        await answer(page, '1234');
        if (!last) await page.getByText('1 attempt left').waitFor();
      }
      await heading(page, 'Thanks');
      assert.deepEqual(await world.told(id), ['declined', REFUSED, REFUSED]);
    });
  },
);

journey('a slow issuer behind the bank: pressed twice and looked at meanwhile, paid once', async (world) => {
  const { id, url } = await world.made({ force3d: 1, auto_charge: 1 });
  const { page, context } = await world.payer();
  await page.goto(url);
  await pay(page, simulated('10', '912'));
  await atTheBank(page);
  const tab = await context.newPage();
  await tab.goto(url);
  await atTheBank(tab);
  await codeField(page).fill('1234');
  await codeField(tab).fill('1234');
  const confirm = (of: Page) => of.getByRole('button', { name: 'Confirm' });
  await Promise.all([confirm(page).dblclick(), confirm(tab).click()]);
  for (const one of [page, tab]) await heading(one, 'Payment received');
  assert.deepEqual(await world.told(id), ['charged', AUTHORIZED, CHARGED]);
});

journey('the bank looks at the device first, then asks: with script by itself, without by buttons', async (world) => {
  for (const javaScriptEnabled of [true, false]) {
    const { id, url } = await world.made({ force3d: 1, return_url: `${world.store.origin}/done` });
    const { page } = await world.payer({ javaScriptEnabled });
    await page.goto(url);
    await pay(page, simulated('10', '928'));
    if (!javaScriptEnabled) {
      await onToTheBank(page).click();
      await heading(page, 'One moment');
      await onToTheBank(page).click();
      await page.getByRole('button', { name: 'Back to the shop' }).click();
      await heading(page, 'Confirm with your bank');
      assert.deepEqual(await world.told(id), ['prepared']);
      await onToTheBank(page).click();
    }
    await atTheBank(page);
    await answer(page, '1234');
    if (!javaScriptEnabled) await page.getByRole('button', { name: 'Back to the shop' }).click();
    await heading(page, 'Thanks');
    assert.deepEqual(await world.told(id), ['authorized', AUTHORIZED]);
    assert.deepEqual(await authentication(world, id), ['challenge', 'Y']);
  }
});

journey('a bank that keeps waiting: said so, and over with its time', async (world) => {
  const { id, url } = await world.made({ force3d: 1 });
  const { page } = await world.payer();
  await page.goto(url);
  await pay(page, simulated('10', '927'));
  await atTheBank(page);
  await answer(page, '1234');
  await page.getByText('We are still waiting for an answer.').waitFor();
  assert.deepEqual(await world.told(id), ['prepared']);
  await world.shop.advance('11m');
  await answer(page, '1234');
  await heading(page, 'Payment not made');
  assert.deepEqual(await world.told(id), ['rejected']);
});

journey(
  'the issuer wants a challenge after all: asked at once where the project says so, else declined',
  async (world) => {
    const card = simulated('10', '901');
    const asked = await world.made();
    const { page } = await world.payer();
    await world.shop.withSettings({ step_up_automatically: true }, async () => {
      await page.goto(asked.url);
      await pay(page, card);
      await atTheBank(page);
      await answer(page, '1234');
      await heading(page, 'Payment received');
      assert.deepEqual(await world.told(asked.id), ['authorized', REFUSED, AUTHORIZED]);
    });
    const declined = await world.made();
    await page.goto(declined.url);
    await pay(page, card);
    await page.getByText('2 attempts left').waitFor();
    assert.deepEqual(await world.told(declined.id), ['new', REFUSED]);
  },
);

journey('a static link by way of the bank: an order of his own, refused once', async (world) => {
  await world.shop.withSettings({ static_links: true }, async () => {
    const { id, url } = await world.made({ static_link: 1, force3d: 1 });
    const { page } = await world.payer();
    await page.goto(url);
    await pay(page, CARDS.declined);
    await atTheBank(page);
    await answer(page, '1234');
    await page.getByText('2 attempts left').waitFor();
    await pay(page, CARDS.approved);
    await atTheBank(page);
    await answer(page, '1234');
    await heading(page, 'Payment received');
    const own = await page.locator('dt:text-is("Order") + dd').innerText();
    assert.deepEqual(await world.told(own), ['authorized', REFUSED, AUTHORIZED]);
    assert.deepEqual(await world.told(id), ['new']);
  });
});

journey('without script: every step by its button', async (world) => {
  const { id, url } = await world.made({ return_url: `${world.store.origin}/done`, auto_charge: 1 });
  const { page } = await world.payer({ javaScriptEnabled: false });
  await page.goto(url);
  await pay(page, CARDS.challenge);
  await heading(page, 'Confirm with your bank');
  await onToTheBank(page).click();
  await atTheBank(page);
  await answer(page, '9999');
  await page.getByText('2 tries left. This page').waitFor();
  await answer(page, '1234');
  await page.getByRole('button', { name: 'Back to the shop' }).click();
  await heading(page, 'Thanks');
  assert.deepEqual(
    world.store.visits.map(({ path, query }) => [path, query.order_id]),
    [['/done', id]],
  );
  assert.deepEqual(await world.told(id), ['charged', AUTHORIZED, CHARGED]);
});

journey('by keyboard only, on a phone of 360 px', async (world) => {
  const { id, url } = await world.made();
  const { page } = await world.payer({ viewport: { width: 360, height: 640 }, isMobile: true });
  await page.goto(url);
  await typeCard(page, CARDS.challenge);
  await page.keyboard.press('Enter');
  await atTheBank(page);
  assert.equal(await page.evaluate('document.documentElement.scrollWidth'), 360);
  assert.equal(await page.evaluate('document.activeElement.id'), 'code');
  await page.keyboard.type('1234');
  await page.keyboard.press('Enter');
  await heading(page, 'Payment received');
  assert.equal(await page.evaluate('document.documentElement.scrollWidth'), 360);
  assert.deepEqual(await world.told(id), ['authorized', AUTHORIZED]);
});

journey("a shop's own page with form3d_html, and secure3d20_return_url", async (world) => {
  const { shop, store } = world;
  const order = await shop.authorize({
    pan: CARDS.challenge,
    options: { secure3d20_return_url: `${store.origin}/back` },
  });
  const { id, form3d_html: form } = order.body.orders[0];
  const { page } = await world.payer();
  await page.goto(store.origin);
  await page.evaluate((text) => {
    const place = (globalThis as unknown as { document: { body: { innerHTML: string } } }).document;
    place.body.innerHTML = text;
  }, form);
  await onToTheBank(page).click();
  await atTheBank(page);
  await answer(page, '1234');
  await heading(page, 'Thanks');
  assert.deepEqual(store.visits.at(-1), { method: 'POST', path: '/back', query: {}, body: { order_id: id } });
  assert.deepEqual(await world.told(id), ['prepared']);
  await shop.post(id, 'complete3d20');
  assert.deepEqual(await world.told(id), ['authorized', AUTHORIZED]);
});

journey('these browsers keep no cookies of third parties', async ({ payer, store }) => {
  const { page, context } = await payer();
  const hosts = async () => (await context.cookies()).map(({ domain }) => domain).sort();
  await page.goto(`${store.origin}/frame?page=${store.strangerOrigin}`);
  assert.deepEqual(await hosts(), ['shop.localhost']);
  await page.goto(store.strangerOrigin);
  assert.deepEqual(await hosts(), ['shop.localhost', 'stranger.localhost'], 'as a first party it keeps one');
});

/** The payment page in a frame of this site. */
async function framed(page: Page, origin: string, url: string): Promise<FrameLocator> {
  await page.goto(`${origin}/frame?page=${encodeURIComponent(url)}`);
  return page.frameLocator('iframe');
}

journey("in a shop's frame: pay, challenge, and out of it to the shop", async (world) => {
  const { shop, store } = world;
  await shop.withSettings({ frame_origins: [store.origin] }, async () => {
    for (const number of [CARDS.approved, CARDS.challenge]) {
      const { id, url } = await world.made({ return_url: `${store.origin}/done`, auto_charge: 1 });
      const { page, context, announce } = await world.payer();
      const frame = await framed(page, store.origin, url);
      await pay(frame, CARDS.declined);
      await frame.getByText('2 attempts left').waitFor();
      await pay(frame, number);
      if (number === CARDS.challenge) {
        // Browsers give no focus to a frame of another site; the field is there to be clicked.
        announce(/Blocked autofocusing/);
        await atTheBank(frame);
        await answer(frame, '1234');
      }
      await page.waitForURL(`${store.origin}/done?order_id=${id}`);
      assert.deepEqual(await world.told(id), ['charged', REFUSED, AUTHORIZED, CHARGED]);
      const cookies = (await context.cookies()).filter(({ domain }) => domain === new URL(url).hostname);
      assert.deepEqual(cookies, [], 'no cookie was kept, and none was missed');
    }
  });
});

journey(
  "in a shop's frame, refused by the issuer after the challenge, then paid: the receipt stays in the frame",
  async (world) => {
    const { shop, store } = world;
    await shop.withSettings({ frame_origins: [store.origin] }, async () => {
      const { id, url } = await world.made({ force3d: 1 });
      const { page, announce } = await world.payer();
      announce(/Blocked autofocusing/);
      const frame = await framed(page, store.origin, url);
      for (const number of [CARDS.declined, CARDS.approved]) {
        await pay(frame, number);
        await atTheBank(frame);
        await answer(frame, '1234');
        if (number === CARDS.declined) await frame.getByText('2 attempts left').waitFor();
      }
      await heading(frame, 'Payment received');
      assert.equal(new URL(page.url()).pathname, '/frame');
      assert.deepEqual(await world.told(id), ['authorized', REFUSED, AUTHORIZED]);
    });
  },
);

journey("in a shop's frame without script: a link leads out of it", async (world) => {
  const { shop, store } = world;
  await shop.withSettings({ frame_origins: [store.origin] }, async () => {
    const options = { return_url: `${store.origin}/done` };
    const [one, other] = [await world.made(options), await world.made(options)];
    const { page, announce } = await world.payer({ javaScriptEnabled: false });
    announce(/Blocked autofocusing/);
    const frame = await framed(page, store.origin, one.url);
    await pay(frame, CARDS.approved);
    await frame.getByRole('link', { name: 'Return to the shop' }).click();
    await page.waitForURL(`${options.return_url}?order_id=${one.id}`);
    await pay(await framed(page, store.origin, other.url), CARDS.challenge);
    await onToTheBank(frame).click();
    await answer(frame, '1234');
    await frame.getByRole('button', { name: 'Back to the shop' }).click();
    await frame.getByRole('link', { name: 'Return to the shop' }).click();
    await page.waitForURL(`${options.return_url}?order_id=${other.id}`);
    for (const { id } of [one, other]) assert.deepEqual(await world.told(id), ['authorized', AUTHORIZED]);
  });
});

journey("in a foreign site's frame: refused", async (world) => {
  const { shop, store } = world;
  const { id, url } = await world.made();
  await shop.withSettings({ frame_origins: [store.origin] }, async () => {
    const { page, announce } = await world.payer();
    announce(/frame-ancestors|ERR_BLOCKED_BY_RESPONSE/);
    const frame = await framed(page, store.strangerOrigin, url);
    assert.equal(await payButton(frame).count(), 0);
    assert.deepEqual(await world.told(id), ['new']);
  });
  const { page, announce } = await world.payer();
  announce(/frame-ancestors|ERR_BLOCKED_BY_RESPONSE/);
  assert.equal(await payButton(await framed(page, store.origin, url)).count(), 0, 'by default nobody may');
});

journey("a card that is issued here: its own bank's challenge, by the code that it sent", async (world) => {
  const { florin } = world;
  const ada = await customer(florin);
  const mobile = '+35699222001';
  const card = await fundedCard(ada, 20_000, { cardholderMobileNumber: mobile });
  const { number, cvv, expiryMmyy } = (await florin.operator('GET', `/operator/cards/${card}/number`)).body;
  const { id, url } = await world.made({ force3d: 1, auto_charge: 1 });
  const { page } = await world.payer();
  await page.goto(url);
  await typeCard(page, number);
  await page.getByLabel('Month').fill(expiryMmyy.slice(0, 2));
  await page.getByLabel('Year').fill(expiryMmyy.slice(2));
  await page.getByLabel('Security code').fill(cvv);
  await payButton(page).click();
  await atTheBank(page);
  await answer(page, '1234');
  await page.getByText('That code is not right').waitFor();
  const { messages } = (await florin.operator('GET', `/simulator/messages?to=${encodeURIComponent(mobile)}`)).body;
  await answer(page, /^\d+/.exec(messages[0].text)?.[0] ?? '');
  await heading(page, 'Payment received');
  assert.deepEqual(await world.told(id), ['charged', AUTHORIZED, CHARGED]);
  assert.equal((await ada('GET', `/cards/${card}`)).body.balances.availableBalance, 18_750);
});

booksHold();
