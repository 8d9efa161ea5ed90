// Every stage of an order against every step that a payer's browser can send: the back button, a reload, a second tab, a stale form.
// What the table in page-states.ts doesn't allow changes nothing and shows the stage; what it allows does it once; every post is answered 303.
import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { mayDo, type PageAction, type Stage } from '../../src/gateway/checkout/page-states.ts';
import { type TestApp, testApp } from '../support/app.ts';
import { type OpenPage, openPage, typed } from '../support/page.ts';
import { challenge, orderOf, type Shop, shopOf } from '../support/shop.ts';
import { CARDS } from './cards.ts';

let florin: TestApp;
let shop: Shop;
before(async () => {
  // A lost answer takes long enough for every step to be tried meanwhile.
  florin = await testApp({}, { link: { answerTimeoutMs: 20_000, lostAfterMs: 5000, slowMs: 100, lateAfterMs: 30 } });
  shop = shopOf(florin);
});

interface At {
  readonly id: string;
  readonly url: string;
  /** The form as it was opened when the order was new: what a second tab still holds. */
  readonly stale: OpenPage;
  /** Of the payment that is on its way. */
  readonly pending?: Promise<Response>;
}

async function fresh(fields: Record<string, unknown> = {}): Promise<At> {
  const reply = await shop.create({ currency: 'EUR', description: 'Stages', ...fields });
  assert.equal(reply.status, 201, reply.text);
  const url = reply.headers.get('location') as string;
  return { id: orderOf(reply).id, url, stale: await openPage(url) };
}

async function paidWith(number: string, fields: Record<string, unknown> = {}): Promise<At> {
  const at = await fresh(fields);
  const answer = await at.stale.post(typed(number));
  assert.equal(answer.status, 303, await answer.text());
  return at;
}

const htmlOf = async (url: string): Promise<string> => (await fetch(url)).text();

/** What is seen in a stage, and in no other. */
const SEEN: Readonly<Record<Stage, RegExp>> = {
  form: /<form id="card"/,
  closed: />No payments at the moment</,
  bank: /<form id="form3d"/,
  answered: /action="[^"]*\/finish"/,
  working: /data-again=/,
  paid: />Payment received</,
  failed: />Payment (not made|declined)</,
  undone: />Payment (refunded|cancelled)</,
  finished: />Payment completed</,
};

const stageOf = async (url: string): Promise<Stage[]> => {
  const html = await htmlOf(url);
  return (Object.keys(SEEN) as Stage[]).filter((stage) => SEEN[stage].test(html.replace(/<title>[^<]*/, '')));
};

/** Its bank has answered, and the browser has not come back. */
async function answered(): Promise<At> {
  const at = await paidWith(CARDS.challenge);
  const html = await htmlOf(at.url);
  const field = (name: string): string => new RegExp(`name="${name}" value="([^"]*)"`).exec(html)?.[1] ?? '';
  const action = /id="form3d" action="([^"]*)"/.exec(html)?.[1] ?? '';
  await challenge({ form3d: { action, MD: field('MD'), PaReq: field('PaReq'), TermUrl: field('TermUrl') } }, '1234');
  return at;
}

async function working(): Promise<At> {
  const at = await fresh();
  const pending = at.stale.post(typed(CARDS.lost));
  while ((await stageOf(at.url))[0] !== 'working');
  return { ...at, pending };
}

async function undone(): Promise<At> {
  const at = await paidWith(CARDS.approved, { options: { auto_charge: 1 } });
  assert.equal((await shop.act(at.id, 'refund')).status, 200);
  return at;
}

async function finished(): Promise<At> {
  const at = await paidWith(CARDS.approved, { options: { auto_charge: 1 } });
  await shop.arrives(at.id, 'chargeback');
  return at;
}

/** Its terminal is gone. */
async function closed(): Promise<At> {
  const terminal = `t${Math.trunc(performance.now())}`;
  await shop.terminal(terminal, {});
  const at = await fresh({ options: { apple_pay_enabled: 1, terminal } });
  await florin.operator('DELETE', `/operator/projects/sandbox/terminals/${terminal}`);
  return at;
}

async function failed(): Promise<At> {
  const at = await fresh();
  assert.equal((await at.stale.post({}, '/cancel')).status, 303);
  return at;
}

const REACH: Readonly<Record<Stage, () => Promise<At>>> = {
  form: () => fresh({ options: { apple_pay_enabled: 1 } }),
  closed,
  bank: () => paidWith(CARDS.challenge),
  answered,
  working,
  paid: () => paidWith(CARDS.approved),
  failed,
  undone,
  finished,
};

interface Step {
  readonly name: string;
  readonly action: PageAction;
  readonly do: (at: At) => Promise<Response>;
  /** Stages that it may lead to. */
  readonly leadsTo: readonly Stage[];
}

const STEPS: readonly Step[] = [
  { name: 'pay', action: 'pay', do: ({ stale }) => stale.post(typed(CARDS.approved)), leadsTo: ['paid'] },
  { name: 'pay, declined', action: 'pay', do: ({ stale }) => stale.post(typed(CARDS.declined)), leadsTo: ['form'] },
  {
    name: 'pay by wallet',
    action: 'pay',
    do: ({ stale }) => stale.post({ wallet: 'apple_pay' }, '/wallet'),
    leadsTo: ['paid'],
  },
  { name: 'cancel', action: 'cancel', do: ({ stale }) => stale.post({}, '/cancel'), leadsTo: ['failed'] },
  { name: 'finish', action: 'finish', do: ({ stale }) => stale.post({}, '/finish'), leadsTo: ['paid'] },
];

/** All that the merchant can know of the order. */
const known = (id: string) => shop.get(id, 'card,client,location,custom_fields,issuer,secure3d');

for (const stage of Object.keys(REACH) as Stage[])
  describe(`in stage ${stage}`, () => {
    for (const step of STEPS)
      test(`${step.name} ${mayDo(step.action, stage) ? `leads to ${step.leadsTo}` : 'changes nothing'}`, async () => {
        const at = await REACH[stage]();
        assert.deepEqual(await stageOf(at.url), [stage], 'the stage is shown, and no other');
        const before = await known(at.id);
        const answer = await step.do(at);
        assert.equal(answer.status, 303, await answer.text());
        assert.equal(answer.headers.get('location'), new URL(at.url).pathname);
        assert.equal(answer.headers.get('cache-control'), 'no-store');
        const after = await known(at.id);
        if (mayDo(step.action, stage)) {
          assert.deepEqual(await stageOf(at.url), step.leadsTo);
          assert.notDeepEqual(after, before);
          // The same post again meets what it has made.
          if (step.leadsTo[0] !== 'form') {
            assert.equal((await step.do(at)).status, 303);
            assert.deepEqual(await known(at.id), after, 'once only');
          }
        } else {
          assert.deepEqual(await stageOf(at.url), [stage]);
          assert.deepEqual(after, before);
        }
        if (at.pending) assert.equal((await at.pending).status, 303);
      });
  });

test('a shop’s page: what is over leads to the shop, by 303 to any browser, whatever was posted', async () => {
  const at = await paidWith(CARDS.approved, { options: { return_url: 'https://shop.example/back?a=b' } });
  const target = `https://shop.example/back?a=b&order_id=${at.id}`;
  const seen = await fetch(at.url, { redirect: 'manual' });
  assert.deepEqual([seen.status, seen.headers.get('location')], [303, target]);
  for (const step of STEPS) {
    const answer = await step.do(at);
    assert.deepEqual([answer.status, answer.headers.get('location')], [303, new URL(at.url).pathname], step.name);
  }
  const framed = await fetch(at.url, { redirect: 'manual', headers: { 'sec-fetch-dest': 'iframe' } });
  assert.equal(framed.status, 200, 'in a frame a page leads out of it');
  assert.ok((await framed.text()).includes(`href="${target.replaceAll('&', '&amp;')}"`));
});

test('a session whose time is over ends before it is looked at or acted on, and the bank’s page with it', async () => {
  const form = await fresh({ options: { expiration_timeout: '15m' } });
  const bank = await fresh({ options: { expiration_timeout: '15m' } });
  await bank.stale.post(typed(CARDS.challenge));
  const posted = await fresh({ options: { expiration_timeout: '15m' } });
  await shop.advance('16m');
  for (const { url, id } of [form, bank]) {
    assert.deepEqual(await stageOf(url), ['failed']);
    assert.equal((await shop.get(id)).status, 'rejected');
  }
  assert.equal((await posted.stale.post(typed(CARDS.approved))).status, 303);
  assert.equal((await shop.get(posted.id)).status, 'rejected', 'a stale form pays nothing any more');
  assert.deepEqual(await stageOf(posted.url), ['failed']);
});
