// A payer's ways through the payment page, in a real browser against a whole Florin; those by way of the bank stand in
// journeys-bank.test.ts. Rule: state is made and read over the API; each journey ends with what the merchant is told of the order.
import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import { simulated } from '../support/app.ts';
import { openPage, typed } from '../support/page.ts';
import { CARDS, checkoutWorld, heading, type Payer, pay, payButton, typeCard } from './browser.ts';

const { journey, booksHold } = checkoutWorld();

const AUTHORIZED = 'authorize success 12.50: 0.00 0.00 0.00 0.00';
const REFUSED = 'authorize failure 12.50';
/** Approved, and so slowly that a second click meets the first one's payment on its way. */
const SLOW = simulated('10', '912');
const CHARGED = 'charge success 12.50: 12.50 0.66 0.62 11.22';

const problem = (page: Page) => page.getByRole('alert').innerText();
const receiptRow = (page: Page, name: string) => page.locator(`dt:text-is("${name}") + dd`).innerText();
const cancel = (page: Page) => page.getByRole('button', { name: 'Cancel payment' }).click();

journey('pays without a return_url: a receipt, which can be printed', async ({ payer, made, told }) => {
  const { id, url } = await made();
  const { page } = await payer();
  await page.addInitScript({ content: "window.print = () => document.body.setAttribute('data-printed', '')" });
  await page.goto(url);
  assert.equal(await page.title(), 'Pay Florin Sandbox');
  assert.equal(await payButton(page).innerText(), 'Pay €12.50');
  await pay(page, CARDS.approved);
  await heading(page, 'Payment received');
  assert.equal(page.url(), url);
  assert.deepEqual(await told(id), ['authorized', AUTHORIZED]);
  assert.equal(await receiptRow(page, 'Amount'), '€12.50');
  assert.equal(await receiptRow(page, 'Description'), 'Two books');
  assert.equal(await receiptRow(page, 'Card'), '411111******1111');
  assert.equal(await receiptRow(page, 'Order'), id);
  assert.match(await receiptRow(page, 'Authorization code'), /^\d{6}$/);
  await page.getByRole('button', { name: 'Print receipt' }).click();
  assert.equal(await page.locator('body[data-printed]').count(), 1);
  await page.emulateMedia({ media: 'print' });
  assert.ok(await page.getByText('411111******1111').isVisible());
  assert.ok(!(await page.getByRole('button', { name: 'Print receipt' }).isVisible()));
});

journey('pays with a return_url: back at the shop, its own query kept', async ({ payer, made, told, store }) => {
  const { id, url } = await made({ return_url: `${store.origin}/done?basket=7` });
  const { page } = await payer();
  await page.goto(url);
  await pay(page, CARDS.approved);
  await heading(page, 'Thanks');
  assert.deepEqual(store.visits, [{ method: 'GET', path: '/done', query: { basket: '7', order_id: id }, body: {} }]);
  assert.deepEqual(await told(id), ['authorized', AUTHORIZED]);
  await page.goto(url);
  await heading(page, 'Thanks');
  assert.deepEqual(await told(id), ['authorized', AUTHORIZED], 'the link leads to the shop from now on');
});

journey('auto_charge: charged before the payer leaves', async ({ payer, made, told }) => {
  const { id, url } = await made({ auto_charge: 1 });
  const { page } = await payer();
  await page.goto(url);
  await pay(page, CARDS.approved);
  await heading(page, 'Payment received');
  assert.deepEqual(await told(id), ['charged', AUTHORIZED, CHARGED]);
});

journey('a decline, then another card: the attempts that are left are told', async ({ payer, made, told }) => {
  const { id, url } = await made();
  const { page } = await payer();
  await page.goto(url);
  await pay(page, CARDS.declined);
  assert.match(await problem(page), /declined this payment\. Nothing was charged\.\s+.*2 attempts left\./);
  assert.deepEqual(await told(id), ['new', REFUSED]);
  for (const name of ['Card number', 'Security code']) assert.equal(await page.getByLabel(name).inputValue(), '');
  await pay(page, CARDS.declined);
  await page.getByText('1 attempt left').waitFor();
  await pay(page, CARDS.approved);
  await heading(page, 'Payment received');
  assert.deepEqual(await told(id), ['authorized', REFUSED, REFUSED, AUTHORIZED]);
});

journey('attempts used up: declined, here and at the shop', async ({ payer, made, told, store }) => {
  for (const options of [{}, { return_url: `${store.origin}/done` }]) {
    const { id, url } = await made(options);
    const { page } = await payer();
    await page.goto(url);
    for (const left of ['2 attempts left', '1 attempt left']) {
      await pay(page, CARDS.declined);
      await page.getByText(left).waitFor();
    }
    await pay(page, CARDS.declined);
    await heading(page, 'return_url' in options ? 'Thanks' : 'Payment declined');
    assert.deepEqual(await told(id), ['declined', REFUSED, REFUSED, REFUSED]);
  }
  assert.equal(store.visits.length, 1);
});

journey('cancels: rejected, here and at the shop', async ({ payer, made, told, store }) => {
  for (const options of [{}, { return_url: `${store.origin}/done` }]) {
    const { id, url } = await made(options);
    const { page } = await payer();
    await page.goto(url);
    await page.getByLabel('Card number').fill('4');
    await cancel(page);
    await heading(page, 'return_url' in options ? 'Thanks' : 'Payment not made');
    assert.deepEqual(await told(id), ['rejected']);
  }
  assert.equal(store.visits.length, 1);
});

journey('declined, and then cancelled or left alone: the class of the last failure', async (world) => {
  for (const end of ['cancelled', 'expired'] as const) {
    const { id, url } = await world.made({ expiration_timeout: '15m' });
    const { page } = await world.payer();
    await page.goto(url);
    await pay(page, CARDS.declined);
    await page.getByText('2 attempts left').waitFor();
    if (end === 'cancelled') await cancel(page);
    else {
      await world.shop.advance('16m');
      await page.reload();
    }
    await heading(page, 'Payment declined');
    assert.deepEqual(await world.told(id), ['declined', REFUSED]);
    const { failure_type, failure_message } = await world.shop.get(id);
    assert.deepEqual([failure_type, failure_message], ['declined', 'Insufficient funds']);
  }
});

journey('fraud: not accepted, and no reason is given', async ({ payer, made, told }) => {
  const { id, url } = await made();
  const { page } = await payer();
  await page.goto(url);
  await pay(page, CARDS.fraud);
  await heading(page, 'Payment declined');
  assert.ok(!/fraud/i.test(await page.locator('main').innerText()));
  assert.deepEqual(await told(id), ['fraud'], 'nothing was sent to the issuer');
});

journey('no answer from the bank: not paid, and said so', async ({ payer, made, told }) => {
  const { id, url } = await made();
  const { page } = await payer();
  await page.goto(url);
  await pay(page, simulated('10', '911'));
  await page.getByText('We could not reach your bank.').waitFor();
  assert.deepEqual(await told(id), ['error', 'authorize error 12.50']);
});

journey('what is wrong is told at the field, before anything is sent', async ({ payer, made, told }) => {
  const { id, url } = await made();
  const { page } = await payer();
  await page.goto(url);
  await typeCard(page, '4111111111111112');
  await page.getByLabel('Month').fill('1');
  await page.getByLabel('Year').fill('20');
  await payButton(page).click();
  await page.getByText('This is not a valid card number.').waitFor();
  await page.getByText('This card has expired.').waitFor();
  const focused = () => page.evaluate('document.activeElement.id');
  assert.equal(await focused(), 'number');
  assert.equal(await page.getByLabel('Card number').getAttribute('aria-invalid'), 'true');
  assert.deepEqual(await told(id), ['new']);
  await pay(page, CARDS.approved);
  await heading(page, 'Payment received');
  assert.deepEqual(await told(id), ['authorized', AUTHORIZED]);
});

journey('a double click pays once, with and without script', async ({ payer, made, told }) => {
  for (const javaScriptEnabled of [true, false]) {
    const { id, url } = await made({ auto_charge: 1 });
    const { page } = await payer({ javaScriptEnabled });
    await page.goto(url);
    await typeCard(page, SLOW);
    await payButton(page).dblclick();
    await heading(page, 'Payment received');
    assert.deepEqual(await told(id), ['charged', AUTHORIZED, CHARGED]);
  }
});

journey('two tabs: the second shows the outcome; a stale form and a stale cancel change nothing', async (world) => {
  const { id, url } = await world.made({ auto_charge: 1 });
  const { context, page } = await world.payer();
  const others = await Promise.all([context.newPage(), context.newPage(), context.newPage()]);
  const [reloading, paying, cancelling] = others;
  for (const tab of [page, ...others]) await tab.goto(url);
  await typeCard(paying, CARDS.declined);
  await pay(page, CARDS.approved);
  await heading(page, 'Payment received');
  const outcome = ['charged', AUTHORIZED, CHARGED];
  assert.deepEqual(await world.told(id), outcome);
  await reloading.reload();
  await payButton(paying).click();
  await cancel(cancelling);
  for (const tab of others) await heading(tab, 'Payment received');
  assert.deepEqual(await world.told(id), outcome);
});

journey('two tabs pay at the same moment: one of them pays, both show it', async ({ payer, made, told }) => {
  const { id, url } = await made({ auto_charge: 1 });
  const { context, page } = await payer();
  const tabs = [page, await context.newPage()];
  for (const tab of tabs) {
    await tab.goto(url);
    await typeCard(tab, SLOW);
  }
  await Promise.all(tabs.map((tab) => payButton(tab).click()));
  for (const tab of tabs) await heading(tab, 'Payment received');
  assert.deepEqual(await told(id), ['charged', AUTHORIZED, CHARGED]);
});

journey('reload and back after paying: the receipt again, and nothing more', async ({ payer, made, told }) => {
  const { id, url } = await made({ auto_charge: 1 });
  const { page } = await payer();
  await page.goto(url);
  await pay(page, CARDS.declined);
  await page.getByText('2 attempts left').waitFor();
  await pay(page, CARDS.approved);
  await heading(page, 'Payment received');
  await page.reload();
  await heading(page, 'Payment received');
  await page.goBack();
  await heading(page, 'Payment received');
  assert.deepEqual(await told(id), ['charged', REFUSED, AUTHORIZED, CHARGED]);
});

journey('an expired session: a form that waited too long pays nothing', async ({ payer, made, told, shop }) => {
  const { id, url } = await made({ expiration_timeout: '15m' });
  const { page } = await payer();
  await page.goto(url);
  await typeCard(page, CARDS.approved);
  await shop.advance('16m');
  await payButton(page).click();
  await heading(page, 'Payment not made');
  await page.goto(url);
  await heading(page, 'Payment not made');
  assert.deepEqual(await told(id), ['rejected']);
});

journey('the time that is left counts down in its last minutes, and its end is shown', async (world) => {
  const { id, url } = await world.made({ expiration_timeout: '10m' });
  const { page } = await world.payer();
  await page.clock.install();
  await page.goto(url);
  const left = page.getByRole('timer');
  assert.ok(!(await left.isVisible()));
  await page.clock.fastForward('06:00');
  await page.getByText(/^Time left to pay: (4:00|3:5\d|3:4\d)$/).waitFor();
  await page.clock.fastForward('03:00');
  await page.getByText(/^Time left to pay: (1:00|0:5\d|0:4\d)$/).waitFor();
  await world.shop.advance('10m');
  await page.clock.fastForward('01:00');
  await heading(page, 'Payment not made');
  assert.deepEqual(await world.told(id), ['rejected']);
});

journey('without script: wrong fields, a decline, success', async ({ payer, made, told, store }) => {
  const { id, url } = await made({ return_url: `${store.origin}/done` });
  const { page, announce } = await payer({ javaScriptEnabled: false });
  await page.goto(url);
  announce(/status of 422/);
  await typeCard(page, '4111111111111112');
  await page.getByLabel('Year').fill('20');
  await payButton(page).click();
  await page.getByText('This is not a valid card number.').waitFor();
  await page.getByText('This card has expired.').waitFor();
  assert.equal(await page.getByLabel('Name on card').inputValue(), 'Ada Example');
  for (const name of ['Card number', 'Security code']) assert.equal(await page.getByLabel(name).inputValue(), '');
  assert.deepEqual(await told(id), ['new']);
  await pay(page, CARDS.declined);
  await page.getByText('2 attempts left').waitFor();
  await pay(page, CARDS.approved);
  await heading(page, 'Thanks');
  assert.deepEqual(
    store.visits.map(({ query }) => query.order_id),
    [id],
  );
  assert.deepEqual(await told(id), ['authorized', REFUSED, AUTHORIZED]);
});

journey('without script: cancelled, and a time that runs out by itself', async ({ payer, made, told }) => {
  const [left, late] = [await made(), await made({ expiration_timeout: '1s' })];
  const { context, page } = await payer({ javaScriptEnabled: false });
  const waiting = await context.newPage();
  await waiting.goto(late.url);
  await page.goto(left.url);
  await cancel(page);
  await heading(page, 'Payment not made');
  assert.deepEqual(await told(left.id), ['rejected']);
  await heading(waiting, 'Payment not made');
  assert.deepEqual(await told(late.id), ['rejected']);
});

journey('by keyboard only', async ({ payer, made, told }) => {
  const { id, url } = await made();
  const { page } = await payer();
  await page.goto(url);
  const focus = () => page.evaluate('document.activeElement.id || document.activeElement.textContent');
  const seen: unknown[] = [];
  const texts = [CARDS.declined, '12', '30', '123', 'Ada Example'];
  for (const text of texts) {
    await page.keyboard.press('Tab');
    seen.push(await focus());
    await page.keyboard.type(text);
  }
  for (let i = 0; i < 2; i++) {
    await page.keyboard.press('Tab');
    seen.push(await focus());
  }
  assert.deepEqual(seen, ['number', 'month', 'year', 'cvv', 'holder', 'Pay €12.50', 'Cancel payment']);
  await page.keyboard.press('Shift+Tab');
  await page.keyboard.press('Space');
  await page.getByText('2 attempts left').waitFor();
  for (const text of ['4111', '12', '30', '123', 'Ada Example']) {
    await page.keyboard.press('Tab');
    await page.keyboard.type(text);
  }
  await page.keyboard.press('Enter');
  await page.getByText('This is not a valid card number.').waitFor();
  assert.equal(await focus(), 'number');
  await page.keyboard.press('End');
  await page.keyboard.type('111111111111');
  assert.equal(await page.getByLabel('Card number').inputValue(), '4111 1111 1111 1111');
  await page.keyboard.press('Enter');
  await heading(page, 'Payment received');
  assert.deepEqual(await told(id), ['authorized', REFUSED, AUTHORIZED]);
});

journey('on a phone of 360 px and on a screen of 1280 px', async ({ payer, made, told }) => {
  const sizes = [
    { viewport: { width: 360, height: 640 }, isMobile: true, hasTouch: true },
    { viewport: { width: 1280, height: 800 } },
  ];
  for (const size of sizes) {
    const { id, url } = await made({ mobile: size.isMobile ? 1 : 0 });
    const { page } = await payer(size);
    const fits = async (): Promise<void> => {
      assert.equal(await page.evaluate('document.documentElement.scrollWidth'), size.viewport.width);
    };
    const press = () => (size.hasTouch ? payButton(page).tap() : payButton(page).click());
    await page.goto(url);
    await fits();
    for (const number of [CARDS.declined, CARDS.approved]) {
      await typeCard(page, number);
      await press();
      if (number === CARDS.declined) await page.getByText('2 attempts left').waitFor();
      else await heading(page, 'Payment received');
      await fits();
    }
    assert.deepEqual(await told(id), ['authorized', REFUSED, AUTHORIZED]);
  }
});

/** What a payer of a static link has after paying: an order of his own, in a page of its own. */
async function ownOrder({ page }: Payer, link: string): Promise<string> {
  await heading(page, 'Payment received');
  assert.notEqual(page.url(), link);
  return receiptRow(page, 'Order');
}

journey('a static link: two payers, two orders, and the link stays', async ({ payer, made, told, shop }) => {
  await shop.withSettings({ static_links: true }, async () => {
    const { id, url } = await made({ static_link: 1 });
    const [first, second, leaving] = [await payer(), await payer(), await payer()];
    for (const { page } of [first, second, leaving]) await page.goto(url);
    await pay(second.page, CARDS.declined);
    await second.page.getByText('2 attempts left').waitFor();
    await pay(first.page, CARDS.approved);
    await pay(second.page, CARDS.approved);
    const [one, other] = [await ownOrder(first, url), await ownOrder(second, url)];
    await cancel(leaving.page);
    await heading(leaving.page, 'Payment not made');
    assert.equal(new Set([id, one, other]).size, 3);
    assert.deepEqual(await told(one), ['authorized', AUTHORIZED]);
    assert.deepEqual(await told(other), ['authorized', REFUSED, AUTHORIZED]);
    assert.deepEqual(await told(id), ['new']);
    await leaving.page.goto(url);
    await payButton(leaving.page).waitFor();
  });
});

journey('a static link, pressed again before the answer: one order, with and without script', async (world) => {
  const { payer, made, told, shop } = world;
  // The merchant's own id is the link's: it stands in the way of nobody.
  await shop.withSettings({ static_links: true, unique_merchant_order_id: true }, async () => {
    for (const javaScriptEnabled of [true, false]) {
      const reference = `rent-${javaScriptEnabled}`;
      const { url } = await made({ static_link: 1 }, { merchant_order_id: reference });
      const { page, context } = await payer({ javaScriptEnabled });
      await page.goto(url);
      await typeCard(page, SLOW);
      const first = context.waitForEvent('request', (request) => request.method() === 'POST');
      await payButton(page).click({ noWaitAfter: true });
      await first;
      await payButton(page)
        .click({ noWaitAfter: true, force: true, timeout: 1000 })
        .catch(() => null);
      await heading(page, 'Payment received');
      const { orders } = (await shop.list(`orders/?merchant_order_id=${reference}`)).body;
      const paid = orders.filter(({ status }: { status: string }) => status !== 'new');
      assert.equal(paid.length, 1);
      assert.deepEqual(await told(paid[0].id), ['authorized', AUTHORIZED]);
      assert.equal(orders.length, 2, 'the link, and the one order that was paid');
    }
    // A connection that breaks makes browsers send the same form again, at any time.
    const { url } = await made({ static_link: 1 });
    const form = await openPage(url);
    const send = async () => (await form.post(typed(SLOW))).headers.get('location');
    const [first, again] = await Promise.all([send(), send()]);
    assert.match(first ?? '', /^\/pay\/[\w-]{32}$/);
    assert.deepEqual([again, await send()], [first, first]);
    const another = await (await openPage(url)).post(typed(SLOW));
    assert.notEqual(another.headers.get('location'), first, 'a form of its own is a payment of its own');
  });
});

journey("a static link without an amount: each payer's own", async ({ payer, made, told, shop }) => {
  await shop.withSettings({ static_links: true }, async () => {
    const { id, url } = await made({ static_link: 1 }, { amount: 0 });
    for (const [amount, wrong, minor] of [
      ['7,5', '0', '7.50'],
      ['20', '1.234', '20.00'],
    ] as const) {
      const somebody = await payer();
      await somebody.page.goto(url);
      await somebody.page.getByLabel('Amount to pay').fill(wrong);
      await pay(somebody.page, CARDS.approved);
      await somebody.page.getByText('Enter an amount above zero').waitFor();
      await somebody.page.getByLabel('Amount to pay').fill(amount);
      await payButton(somebody.page).click();
      const own = await ownOrder(somebody, url);
      assert.deepEqual(await told(own), ['authorized', `authorize success ${minor}: 0.00 0.00 0.00 0.00`]);
    }
    assert.deepEqual(await told(id), ['new']);
  });
});

journey('test wallets: Apple Pay and Google Pay, authenticated by the device', async ({ payer, made, told, shop }) => {
  for (const [option, name] of [
    ['apple_pay_enabled', 'Apple Pay (Test wallet)'],
    ['google_pay_enabled', 'Google Pay (Test wallet)'],
  ] as const) {
    const { id, url } = await made({ [option]: 1 });
    const { page } = await payer();
    await page.goto(url);
    assert.equal(await page.getByRole('button', { name: /Test wallet/ }).count(), 1);
    await page.getByRole('button', { name }).click();
    await heading(page, 'Payment received');
    assert.deepEqual(await told(id), ['authorized', AUTHORIZED]);
    const { scenario, authorization_status } = (await shop.get(id, 'secure3d')).secure3d;
    assert.deepEqual([scenario, authorization_status], ['external', 'Y']);
    const { operations } = (await shop.list(`operations/?expand=extra`)).body;
    const { extra } = operations.find(({ order_id }: { order_id: string }) => order_id === id);
    assert.deepEqual([extra.eci, extra.cvv_result], ['05', null], "the device's proof, and no security code");
  }
});

booksHold();
