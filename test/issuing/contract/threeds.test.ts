// A card that is issued here pays at the gateway here, with 3-D Secure by its own bank:
// docs/contract/issuing.md#3-d-secure-of-issued-cards.
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { type Client, payment, type Reply, type TestApp, testApp } from '../../support/app.ts';
import { customer, fundedCard } from '../../support/issuing.ts';

let florin: TestApp;
let ada: Client;
before(async () => {
  florin = await testApp();
  ada = await customer(florin);
});

interface Issued {
  readonly id: string;
  readonly body: Record<string, unknown>;
}

/** A funded card, and what a shop's authorize says of it. */
async function issued(fields: Record<string, unknown> = {}): Promise<Issued> {
  const id = await fundedCard(ada, 20_000, fields);
  const { number, cvv, expiryMmyy } = (await florin.operator('GET', `/operator/cards/${id}/number`)).body;
  const card = {
    cvv,
    holder: 'Ada Example',
    expiration_month: Number(expiryMmyy.slice(0, 2)),
    expiration_year: 2000 + Number(expiryMmyy.slice(2)),
  };
  return { id, body: { pan: number, card } };
}

const linked = (primaryChannel: string, more: object = {}) => ({
  threeDSecureAuthConfig: { linkedUserId: '3001', primaryChannel, ...more },
});

const authorize = (card: Issued, fields: Record<string, unknown> = {}) =>
  florin.merchant('POST', '/gateway/orders/authorize', payment({ ...card.body, ...fields }));
const challenged = (card: Issued, fields: Record<string, unknown> = {}) =>
  authorize(card, { options: { force3d: 1 }, ...fields });

const messagesTo = async (mobile: string): Promise<string[]> =>
  (await florin.operator('GET', `/simulator/messages?to=${encodeURIComponent(mobile)}`)).body.messages.map(
    (message: { text: string }) => message.text,
  );

interface Form {
  readonly html: string;
  readonly action: string;
  readonly fields: Record<string, string>;
}

function formIn(html: string): Form {
  const form = /<form[^>]*>[\s\S]*?<\/form>/.exec(html)?.[0] ?? '';
  const fields: Record<string, string> = {};
  for (const [input] of form.matchAll(/<input[^>]*type="hidden"[^>]*>/g)) {
    const name = /name="([^"]*)"/.exec(input)?.[1];
    if (name) fields[name] = /value="([^"]*)"/.exec(input)?.[1] ?? '';
  }
  return { html, fields, action: /action="([^"]*)"/.exec(form)?.[1] ?? '' };
}

async function post(action: string, fields: Record<string, string>): Promise<Form> {
  const response = await fetch(new URL(action, florin.url), {
    method: 'POST',
    redirect: 'manual',
    body: new URLSearchParams(fields),
  });
  return formIn(await response.text());
}

/** The bank's page, as the shop's form leads to it. */
async function bankPage(reply: Reply): Promise<Form> {
  assert.equal(reply.status, 201, reply.text);
  const { action, MD, PaReq, TermUrl } = reply.body.orders[0].form3d;
  return post(action, { MD, PaReq, TermUrl });
}

/** Presses a button of the bank's page; when it leads back to the shop, goes there. */
async function press(page: Form, button: string, code = ''): Promise<Form> {
  const next = await post(page.action, { ...page.fields, do: button, code });
  if (!next.action.endsWith('/threeds/term')) return next;
  await post(next.action, next.fields);
  return next;
}

const statusOf = async (reply: Reply): Promise<string> =>
  (await florin.merchant('GET', `/gateway/orders/${reply.body.orders[0].id}`)).body.orders[0].status;
const availableOf = async ({ id }: Issued): Promise<number> =>
  (await ada('GET', `/cards/${id}`)).body.balances.availableBalance;

test('e-commerce without valid 3DS data: A1, and nothing is held', async () => {
  const card = await issued({ cardholderMobileNumber: '+35699111001' });
  const reply = await authorize(card);
  assert.equal(reply.status, 402);
  assert.equal(reply.body.failure_message, 'Soft-Decline');
  assert.equal(await availableOf(card), 20_000);
});

test('without threeDSecureAuthConfig OTP by SMS to cardholderMobileNumber; then charged, cleared, refunded in both books', async () => {
  const card = await issued({ cardholderMobileNumber: '+35699111002' });
  const reply = await challenged(card);
  const page = await bankPage(reply);
  assert.match(page.html, /Florin Sandbox/);
  assert.match(page.html, /12\.50 EUR/);
  assert.match(page.html, /\+356\*+002/);
  const [text] = await messagesTo('+35699111002');
  assert.match(text ?? '', /^123456 confirms your payment of 12\.50 EUR at Florin Sandbox/);
  await press(page, 'submit', '123456');
  assert.equal(await statusOf(reply), 'authorized');
  assert.equal(await availableOf(card), 18_750);
  const { id } = reply.body.orders[0];
  assert.equal((await florin.merchant('PUT', `/gateway/orders/${id}/charge`, {})).status, 200);
  assert.deepEqual((await ada('GET', `/cards/${card.id}`)).body.balances, {
    availableBalance: 18_750,
    actualBalance: 18_750,
  });
  assert.equal((await florin.merchant('PUT', `/gateway/orders/${id}/refund`, { amount: 2.5 })).status, 200);
  assert.deepEqual((await ada('GET', `/cards/${card.id}`)).body.balances, {
    availableBalance: 19_000,
    actualBalance: 19_000,
  });
  const trace = (await florin.operator('GET', `/operator/orders/${id}/trace`)).text;
  assert.ok(!trace.includes(String(card.body.pan)));
});

test('a wrong code three times: not authenticated, the order is rejected and nothing is held', async () => {
  const card = await issued({ cardholderMobileNumber: '+35699111003' });
  const reply = await challenged(card);
  let page = await bankPage(reply);
  for (const left of ['2 tries left', '1 try left']) {
    page = await press(page, 'submit', '000000');
    assert.match(page.html, new RegExp(left));
  }
  await press(page, 'submit', '000000');
  assert.equal(await statusOf(reply), 'rejected');
  assert.equal(await availableOf(card), 20_000);
});

test("codes of the sandbox's foreign cards mean nothing here", async () => {
  const reply = await challenged(await issued({ cardholderMobileNumber: '+35699111004' }));
  const page = await bankPage(reply);
  assert.ok(!page.html.includes('Test codes'));
  assert.match((await press(page, 'submit', '1234')).html, /not right/);
});

test('the code is valid for 5 minutes; resend after 15 s', async () => {
  const card = await issued({ cardholderMobileNumber: '+35699111005' });
  const reply = await challenged(card);
  let page = await bankPage(reply);
  page = await press(page, 'resend');
  assert.match(page.html, /Please wait/);
  await florin.operator('POST', '/simulator/clock/advance', { by: '16s' });
  page = await press(page, 'resend');
  assert.match(page.html, /new code is on its way/);
  assert.equal((await messagesTo('+35699111005')).length, 2);
  await florin.operator('POST', '/simulator/clock/advance', { by: '6m' });
  await press(page, 'submit', '123456');
  assert.equal(await statusOf(reply), 'rejected');
});

test('BIOMETRICS and EXTERNAL_AUTHY are pending challenges that a simulator call answers', async () => {
  ada = await customer(florin);
  for (const channel of ['BIOMETRICS', 'EXTERNAL_AUTHY']) {
    for (const [result, status] of [
      ['success', 'authorized'],
      ['invalid', 'rejected'],
      ['expired', 'rejected'],
    ] as const) {
      const card = await issued(linked(channel));
      const reply = await challenged(card);
      const page = await bankPage(reply);
      const waiting = await press(page, 'proceed');
      assert.match(waiting.html, /still waiting/);
      const { challenges } = (await florin.operator('GET', `/simulator/challenges?cardId=${card.id}`)).body;
      assert.equal(challenges[0].channel, channel);
      const answer = () => florin.operator('POST', `/simulator/challenges/${challenges[0].id}`, { result });
      assert.equal((await answer()).status, 204);
      assert.equal((await answer()).status, 409, 'once');
      await press(waiting, 'proceed');
      assert.equal(await statusOf(reply), status, `${channel} ${result}`);
    }
  }
  assert.equal((await florin.operator('POST', '/simulator/challenges/1', { result: 'success' })).status, 404);
});

test('challenge on the primary channel, then the fallback', async () => {
  const reply = await challenged(await issued(linked('BIOMETRICS', { fallbackChannel: 'OTP_SMS' })));
  const page = await bankPage(reply);
  const sms = await press(page, 'fallback');
  assert.match(sms.html, /Code that we sent to \+356\*+001/);
  await press(sms, 'submit', '123456');
  assert.equal(await statusOf(reply), 'authorized');
  const only = await bankPage(await challenged(await issued(linked('BIOMETRICS'))));
  assert.ok(!only.html.includes('by SMS instead'));
});

test('a user who is deactivated while he is asked answers for nobody, by no channel', async () => {
  const user = (active: boolean) => florin.operator('PATCH', '/operator/tenants/sandbox/users/3001', { active });
  for (const channel of ['OTP_SMS', 'BIOMETRICS']) {
    const card = await issued(linked(channel));
    const reply = await challenged(card);
    const page = await bankPage(reply);
    const { challenges } = (await florin.operator('GET', `/simulator/challenges?cardId=${card.id}`)).body;
    assert.equal((await user(false)).status, 200);
    const answer = await florin.operator('POST', `/simulator/challenges/${challenges[0].id}`, { result: 'success' });
    assert.equal(answer.status, 409);
    if (channel === 'OTP_SMS') await press(page, 'submit', '123456');
    assert.equal((await user(true)).status, 200);
    await press(page, channel === 'OTP_SMS' ? 'submit' : 'proceed', '123456');
    assert.equal(await statusOf(reply), 'rejected', channel);
  }
});

test('not enrolled: nobody is asked, and the proof of the attempt pays', async () => {
  const reply = await challenged(await issued());
  assert.equal(reply.status, 200, reply.text);
  assert.equal(reply.body.orders[0].secure3d.authorization_status, 'A');
});

test('frictionless by rule: below the limit of the profile, unless the merchant wants a challenge', async () => {
  const settings = {
    threeDs: { required: false, primaryChannels: ['OTP_SMS'], fallbackChannels: [], frictionlessBelow: 2000 },
  };
  const patched = await florin.operator('PATCH', '/operator/tenants/sandbox/profiles/1001', { settings });
  assert.equal(patched.status, 200, patched.text);
  const card = await issued({ cardholderMobileNumber: '+35699111006' });
  await florin.operator('PUT', '/operator/projects/sandbox/terminals/1', {
    descriptor: 'FLORIN*SANDBOX',
    currencies: ['EUR'],
    link: 'simulator',
    merchant_id: 'FLORIN000000001',
    mcc: '5999',
    secure3d: 'always',
  });
  const small = await authorize(card);
  assert.equal(small.status, 200, small.text);
  assert.equal(small.body.orders[0].secure3d.scenario, 'frictionless');
  assert.equal((await authorize(card, { amount: 20 })).status, 201, 'not below');
  assert.equal((await challenged(card)).status, 201, 'the merchant wants it');
});

test('a blocked card is not authenticated', async () => {
  const card = await issued({ cardholderMobileNumber: '+35699111007' });
  assert.equal((await ada('POST', `/cards/block/${card.id}`)).status, 204);
  const reply = await challenged(card);
  assert.equal(reply.status, 402, reply.text);
  assert.equal(reply.body.failure_type, 'rejected');
});

test('the books of gateway, network and issuer agree', async () => {
  const { body } = await florin.operator('GET', '/operator/invariants?full=true');
  assert.deepEqual(
    body.checks.filter((check: { ok: boolean }) => !check.ok),
    [],
  );
});
