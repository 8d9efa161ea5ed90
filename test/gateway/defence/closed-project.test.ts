// A project that an operator has closed, and a terminal that was removed: no new money by any door, in any process, within seconds; what
// was begun goes on to its end.
import assert from 'node:assert/strict';
import { before, beforeEach, describe, test } from 'node:test';
import type { App } from '../../../src/app.ts';
import { systemClock } from '../../../src/base/index.ts';
import { CARDS } from '../../pages/cards.ts';
import { type TestApp, testApp } from '../../support/app.ts';
import { type OpenPage, openPage, typed } from '../../support/page.ts';
import { challenge, deviceData, orderOf, type Shop, shopOf } from '../../support/shop.ts';

let florin: TestApp;
let other: App;
let shop: Shop;
before(async () => {
  florin = await testApp();
  other = await florin.another();
  shop = shopOf(florin);
});

async function setOpen(active: boolean): Promise<void> {
  const reply = await florin.operator('PATCH', '/operator/projects/sandbox', { active });
  assert.equal(reply.status, 200, reply.text);
}

/** Of every order and operation of the project: nothing was sent and nothing was made if it is the same. */
async function known(): Promise<unknown> {
  const [orders, operations, books] = await Promise.all([
    florin.database.query('select id, status, amount_charged, held from orders order by id'),
    florin.database.query('select id, status, type from operations order by id'),
    florin.operator('GET', '/simulator/books'),
  ]);
  return { orders, operations, books: books.body };
}

interface Page {
  readonly id: string;
  readonly url: string;
  readonly form: OpenPage;
}

async function page(fields: Record<string, unknown> = {}): Promise<Page> {
  const reply = await shop.create({ currency: 'EUR', ...fields });
  assert.equal(reply.status, 201, reply.text);
  const url = reply.headers.get('location') as string;
  return { id: orderOf(reply).id, url, form: await openPage(url) };
}

async function link(): Promise<Page> {
  const reply = await florin.operator('POST', '/operator/projects/sandbox/links', {
    currency: 'EUR',
    amount: '5.00',
    static_link: true,
  });
  assert.equal(reply.status, 201, reply.text);
  return { id: reply.body.order_id, url: reply.body.url, form: await openPage(reply.body.url) };
}

const isClosed = (html: string): boolean => html.includes('>No payments at the moment<');
const isForm = (html: string): boolean => html.includes('<form id="card"');
const orderIn = async (id: string): Promise<{ status: string }> => {
  const [row] = await florin.database.query<{ status: string }>('select status from orders where id = $1', [
    florin.app.permutation.inward(id),
  ]);
  assert.ok(row);
  return row;
};

/** The first answer for which `is` holds, within what a process may remember a project. */
async function soon(ask: () => Promise<Response>, is: (response: Response, text: string) => boolean): Promise<void> {
  const startedAt = systemClock.elapsed();
  for (;;) {
    const response = await ask();
    const text = await response.text();
    if (is(response, text)) return;
    assert.ok(systemClock.elapsed() - startedAt < 3000, `still ${response.status} after three seconds`);
    await systemClock.sleep(50);
  }
}

describe('a closed project', () => {
  beforeEach(() => setOpen(true));

  test('shows its open pages closed, and takes no card there', async () => {
    const pages = [await page(), await page({ options: { return_url: 'https://shop.example/' } }), await link()];
    await setOpen(false);
    const before = await known();
    for (const { url, form } of pages) {
      assert.ok(isClosed((await openPage(url)).html));
      const answer = await form.post(typed(CARDS.approved));
      assert.deepEqual([answer.status, answer.headers.get('location')], [303, new URL(url).pathname]);
      assert.equal((await form.post({ wallet: 'apple_pay' }, '/wallet')).status, 303);
    }
    assert.deepEqual(await known(), before, 'nothing was made and nothing was sent');
    await setOpen(true);
    const [first] = pages as [Page];
    assert.equal((await (await openPage(first.url)).post(typed(CARDS.approved))).status, 303);
    assert.equal((await orderIn(first.id)).status, 'authorized', 'opened again it sells again');
  });

  test('lets a payer leave: his order ends, and he gets back to the shop', async () => {
    const { id, url, form } = await page({ options: { return_url: 'https://shop.example/' } });
    await setOpen(false);
    assert.equal((await form.post({}, '/cancel')).status, 303);
    assert.equal((await orderIn(id)).status, 'rejected');
    const seen = await fetch(url, { redirect: 'manual' });
    assert.equal(seen.headers.get('location'), `https://shop.example/?order_id=${id}`);
  });

  test('ends a challenge that comes back as rejected, with nothing sent', async () => {
    const order = await shop.prepared({ pan: CARDS.challenge });
    const device = await shop.prepared({ pan: CARDS.device });
    await deviceData(device);
    const back = await challenge(order, '1234');
    await setOpen(false);
    const sent = async (): Promise<unknown> => florin.database.query('select id from operations order by id');
    const before = await sent();
    const answer = await fetch(back.action, {
      method: 'POST',
      redirect: 'manual',
      body: new URLSearchParams(back.fields),
    });
    assert.equal(answer.status, 303);
    const { MD } = device.form3d;
    await fetch(`${florin.url}/threeds/term`, { method: 'POST', body: new URLSearchParams({ MD }) });
    for (const { id } of [order, device]) assert.equal((await orderIn(id)).status, 'rejected');
    assert.deepEqual(await sent(), before);
    await shop.booksHold();
  });

  test('finishes no page whose bank has answered: it ends as rejected', async () => {
    const { id, url, form } = await page();
    await form.post(typed(CARDS.challenge));
    const { html } = await openPage(url);
    const field = (name: string): string => new RegExp(`name="${name}" value="([^"]*)"`).exec(html)?.[1] ?? '';
    const action = /id="form3d" action="([^"]*)"/.exec(html)?.[1] ?? '';
    await challenge({ form3d: { action, MD: field('MD'), PaReq: field('PaReq'), TermUrl: field('TermUrl') } }, '1234');
    const waiting = await openPage(url);
    await setOpen(false);
    assert.equal((await waiting.post({}, '/finish')).status, 303);
    assert.equal((await orderIn(id)).status, 'rejected');
    assert.ok((await openPage(url)).html.includes('>Payment not made<'));
  });

  test('shows no way to the bank', async () => {
    const { url, form } = await page();
    await form.post(typed(CARDS.challenge));
    assert.ok((await openPage(url)).html.includes('id="form3d"'));
    await setOpen(false);
    const { html } = await openPage(url);
    assert.ok(isClosed(html) && !html.includes('form3d'));
  });

  test('captures nothing by itself; holds expire, and an opened project captures what it still may', async () => {
    await shop.withSettings({ capture_delay: '1h' }, async () => {
      const [kept, left] = [await shop.authorized(), await shop.authorized({ merchant_order_id: 'left' })];
      await setOpen(false);
      await shop.advance('3h');
      assert.equal((await orderIn(kept.id)).status, 'authorized');
      await setOpen(true);
      assert.equal((await shop.act(left.id, 'reverse')).status, 200);
      await shop.advance('1h');
      assert.equal((await orderIn(kept.id)).status, 'charged');
      const forgotten = await shop.authorized();
      await setOpen(false);
      await shop.advance('8d');
      assert.equal((await orderIn(forgotten.id)).status, 'reversed', 'the hold is given back');
    });
    await setOpen(true);
    await shop.booksHold();
  });

  test('promised auto_charge is not done for an approval that comes after the closing', async () => {
    const pending = shop.authorize({ pan: CARDS.slow, options: { auto_charge: 1 } });
    const sent = "select id from operations where status = 'sent'";
    while ((await florin.database.query(sent)).length === 0);
    await setOpen(false);
    const reply = await pending;
    assert.deepEqual([reply.status, orderOf(reply).status], [200, 'authorized']);
    await setOpen(true);
    await shop.advance('1h');
    assert.equal((await orderIn(orderOf(reply).id)).status, 'charged');
  });

  test('is closed in another process within seconds, and open again', async () => {
    const { url } = await page();
    const there = `${other.url}${new URL(url).pathname}`;
    await soon(
      () => fetch(there),
      (_, text) => isForm(text),
    );
    await setOpen(false);
    await soon(
      () => fetch(there),
      (_, text) => isClosed(text),
    );
    await soon(
      () =>
        fetch(`${other.url}/gateway/orders/`, {
          headers: { authorization: `Basic ${btoa('sandbox:sandbox-secret')}` },
        }),
      ({ status }) => status === 401,
    );
    await setOpen(true);
    await soon(
      () => fetch(there),
      (_, text) => isForm(text),
    );
  });
});

describe('a terminal that was removed', () => {
  beforeEach(() => setOpen(true));

  test('takes nothing from open pages, links and challenges; what it authorized is charged', async () => {
    await shop.terminal('7', { currencies: ['GBP'] });
    const open = await page({ currency: 'GBP', options: { terminal: '7' } });
    const held = await shop.authorized({ currency: 'GBP', options: { terminal: '7' } });
    const order = await shop.prepared({ currency: 'GBP', pan: CARDS.challenge, options: { terminal: '7' } });
    const back = await challenge(order, '1234');
    assert.equal((await florin.operator('DELETE', '/operator/projects/sandbox/terminals/7')).status, 204);
    assert.ok(isClosed((await openPage(open.url)).html));
    await open.form.post(typed(CARDS.approved));
    assert.equal((await orderIn(open.id)).status, 'new');
    await fetch(back.action, { method: 'POST', redirect: 'manual', body: new URLSearchParams(back.fields) });
    assert.equal((await orderIn(order.id)).status, 'rejected');
    assert.equal((await shop.act(held.id, 'charge')).status, 200);
    await shop.booksHold();
  });
});
