// What no database can keep, in every field of every form that a payer's browser posts: the field is wrong, nothing is stored, no attempt is
// counted, and nothing is a fault of ours.
import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { type TestApp, testApp } from '../support/app.ts';
import { type OpenPage, openPage, typed } from '../support/page.ts';
import { ADDRESS_POISONS } from '../support/poison.ts';
import { orderOf, type Shop, shopOf } from '../support/shop.ts';
import { CARDS } from './cards.ts';

let florin: TestApp;
let shop: Shop;
before(async () => {
  florin = await testApp();
  shop = shopOf(florin);
  await florin.operator('PATCH', '/operator/projects/sandbox/settings', { static_links: true });
});

/** As they stand in a body; bytes of their own kind as Latin-1. */
const UNSTORABLE = ['%00', 'Ada%00', 'Ada%ED%A0%80', 'Ada%FF', 'Ada%C0%80', 'Ada\u00ff', '%zz'];

const inputsOf = (html: string): string[] => [
  ...new Set([...html.matchAll(/<input[^>]* name="([^"]+)"/g)].map(([, name]) => name as string)),
];

/** Posts fields with one of them as it stands. */
async function post(
  { html }: Pick<OpenPage, 'html'>,
  url: string,
  fields: Record<string, string>,
  name: string,
  poison: string,
): Promise<Response> {
  const form = /name="form" value="([^"]*)"/.exec(html)?.[1] ?? '';
  const good = new URLSearchParams({ form, ...fields });
  good.delete(name);
  return fetch(url, {
    method: 'POST',
    redirect: 'manual',
    headers: { 'content-type': 'application/x-www-form-urlencoded', origin: florin.url },
    body: Buffer.from(`${good}&${name}=${poison}`, 'latin1'),
  });
}

async function made(fields: Record<string, unknown> = {}): Promise<{ id: string; url: string; page: OpenPage }> {
  const reply = await shop.create({ currency: 'EUR', ...fields });
  assert.equal(reply.status, 201, reply.text);
  const url = reply.headers.get('location') as string;
  return { id: orderOf(reply).id, url, page: await openPage(url) };
}

const noOperation = async (id: string): Promise<void> => {
  const { body } = await florin.operator('GET', `/operator/orders/${id}/trace`);
  assert.deepEqual([body.operations, body.order.status, body.messages], [[], 'new', []]);
};

describe('a payment form', () => {
  test('marks the field, stores nothing and counts no attempt', async () => {
    const { id, url, page } = await made();
    for (const name of ['number', 'month', 'year', 'cvv', 'holder'])
      for (const poison of UNSTORABLE) {
        const answer = await post(page, url, typed(CARDS.approved), name, poison);
        const html = await answer.text();
        assert.equal(answer.status, 422, `${name} ${poison}`);
        assert.match(html, new RegExp(`id="bad-${name}">`), `${name} ${poison} is told`);
        assert.equal(html.match(/class="bad" id="[^"]*">/g)?.length, 1, 'and no other');
      }
    await noOperation(id);
    assert.equal((await (await openPage(url)).post(typed(CARDS.approved))).status, 303, 'and he may still pay');
  });

  test('a holder without a name that people read is a wrong one, also where none is asked for', () =>
    shop.withSettings({ holder_required: false }, async () => {
      const { id, url, page } = await made();
      for (const poison of [...UNSTORABLE, 'Ada%08', 'Ada%1B', 'Ada%7F', 'Ada%C2%85'])
        assert.equal((await post(page, url, typed(CARDS.approved), 'holder', poison)).status, 422, poison);
      await noOperation(id);
    }));

  test('of a static link with an amount to be entered makes no order', async () => {
    const link = await made({ amount: 0, options: { static_link: 1 } });
    const count = async (): Promise<number> =>
      Number((await florin.merchant('GET', '/gateway/orders/?count=1&per_page=1')).headers.get('x-total-count'));
    const orders = await count();
    for (const name of ['amount', 'holder'])
      for (const poison of UNSTORABLE) {
        const fields = { ...typed(CARDS.approved), amount: '5.00' };
        assert.equal((await post(link.page, link.url, fields, name, poison)).status, 422, `${name} ${poison}`);
      }
    assert.equal(await count(), orders);
  });

  test('what the browser tells of itself is left out where it is none, and never asked of the payer', async () => {
    const names = inputsOf((await made()).page.html).filter((name) => name.startsWith('browser_'));
    assert.ok(names.length >= 6);
    for (const name of names) {
      const { id, url, page } = await made({ options: { force3d: 1 } });
      assert.equal((await post(page, url, typed(CARDS.challenge), name, '%00')).status, 303, name);
      assert.equal((await shop.get(id)).status, 'prepared');
    }
  });

  test('a form’s own token is no longer one', async () => {
    const { id, url, page } = await made();
    for (const poison of UNSTORABLE) {
      assert.equal((await post(page, url, typed(CARDS.approved), 'form', poison)).status, 403);
      for (const step of ['cancel', 'finish', 'wallet'])
        assert.equal((await post(page, `${url}/${step}`, {}, 'form', poison)).status, 403);
    }
    await noOperation(id);
  });

  test('a wallet and its token', async () => {
    const { id, url, page } = await made({ options: { apple_pay_enabled: 1 } });
    for (const poison of UNSTORABLE) {
      assert.equal((await post(page, `${url}/wallet`, { wallet: 'apple_pay' }, 'token', poison)).status, 422);
      assert.equal((await post(page, `${url}/wallet`, {}, 'wallet', poison)).status, 404);
    }
    await noOperation(id);
  });
});

/** Hidden fields of a form, and where it leads. */
function formIn(html: string, id: string): { action: string; fields: Record<string, string> } {
  const form = new RegExp(`<form[^>]*id="${id}"[\\s\\S]*?</form>`).exec(html)?.[0] ?? '';
  const fields: Record<string, string> = {};
  for (const [input] of form.matchAll(/<input[^>]*type="hidden"[^>]*>/g))
    fields[/name="([^"]*)"/.exec(input)?.[1] ?? ''] = /value="([^"]*)"/.exec(input)?.[1] ?? '';
  return { action: /action="([^"]*)"/.exec(form)?.[1] ?? '', fields };
}

const noPage = { html: '' };

describe('the bank and the way back', () => {
  /** At the bank: its form as our page shows it, and the bank's own behind it. */
  async function atBank(number: string) {
    const { id, url, page } = await made();
    await page.post(typed(number));
    const front = formIn((await openPage(url)).html, 'form3d');
    const opened = await fetch(front.action, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams(front.fields),
    });
    return { id, url, front, html: await opened.text() };
  }

  test('the bank’s pages refuse, and the challenge is open as before', async () => {
    const { id, front, html } = await atBank(CARDS.challenge);
    const challenge = formIn(html, 'challenge');
    assert.deepEqual(Object.keys(challenge.fields), ['MD', 'PaReq', 'tries', 'resends']);
    for (const poison of UNSTORABLE) {
      for (const name of Object.keys(front.fields))
        for (const door of [front.action, `${front.action}/method`, challenge.action, `${florin.url}/acs/device`]) {
          const { status } = await post(noPage, door, { ...front.fields, do: 'submit', code: '1234' }, name, poison);
          assert.equal(status, 400, `${door} ${name} ${poison}`);
        }
      for (const name of ['tries', 'resends', 'do']) {
        const fields = { ...challenge.fields, do: 'submit', code: '1234' };
        const { status } = await post(noPage, challenge.action, fields, name, poison);
        assert.equal(status, name === 'do' ? 400 : 200, `${name} ${poison}`);
      }
    }
    assert.equal((await shop.get(id)).status, 'prepared');
    // A code that is none is a wrong code like another.
    const wrong = await post(noPage, challenge.action, { ...challenge.fields, do: 'submit' }, 'code', '12%0034');
    assert.match(await wrong.text(), /not right/);
  });

  test('the device-data page keeps nothing that is none', async () => {
    const { html } = await atBank(CARDS.device);
    const device = formIn(html, 'device');
    assert.ok(Object.keys(device.fields).length > 5);
    for (const name of Object.keys(device.fields).filter((one) => one !== 'MD' && one !== 'PaReq'))
      for (const poison of UNSTORABLE)
        assert.equal((await post(noPage, device.action, device.fields, name, poison)).status, 200, name);
  });

  test('TermUrl belongs to no order', async () => {
    const { id, front } = await atBank(CARDS.challenge);
    for (const name of ['MD', 'PaRes', 'cres', 'threeDSSessionData'])
      for (const poison of UNSTORABLE) {
        const { status } = await post(
          noPage,
          `${florin.url}/threeds/term`,
          { MD: front.fields.MD ?? '' },
          name,
          poison,
        );
        // An open challenge leads to its page, whatever a browser says of the result.
        assert.ok(status === 400 || (status === 303 && name !== 'MD'), `${name} ${poison} ${status}`);
      }
    assert.equal((await shop.get(id)).status, 'prepared');
  });

  test('a report of a policy is nobody’s', async () => {
    for (const body of [
      '{"csp-report":{"document-uri":"\\u0000\\ud800"}}',
      '\0',
      '{"csp-report":null}',
      'null',
      '[1]',
    ]) {
      const headers = { 'content-type': 'application/csp-report' };
      assert.equal((await fetch(`${florin.url}/csp-report`, { method: 'POST', headers, body })).status, 204, body);
    }
  });
});

test('every part of a page’s address', async () => {
  const { url } = await made();
  for (const poison of ADDRESS_POISONS) {
    for (const path of ['/pay/', '/threeds/end/']) {
      const { status } = await fetch(`${florin.url}${path}${poison}`, { redirect: 'manual' });
      assert.ok(status === 404 || status === 400, `${path} ${poison} ${status}`);
      const posted = await fetch(`${florin.url}${path}${poison}/cancel`, { method: 'POST', redirect: 'manual' });
      assert.ok([400, 403, 404].includes(posted.status), `${path} ${poison} ${posted.status}`);
    }
    for (const at of [`${url}?${poison}`, `${url}?lang=${poison}`])
      assert.equal((await fetch(at, { redirect: 'manual' })).status, 200, at);
  }
});
