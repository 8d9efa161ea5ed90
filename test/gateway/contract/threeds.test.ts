// docs/contract/gateway.md#3-d-secure: every letter, every way back, replays and races, over real HTTP.
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { CARD, client, payment, type Reply, simulated, type TestApp, testApp } from '../../support/app.ts';

let florin: TestApp;
before(async () => {
  florin = await testApp();
});

const order = (reply: Reply) => reply.body.orders[0];
const authorize = (fields: Record<string, unknown> = {}) =>
  florin.merchant('POST', '/gateway/orders/authorize', payment(fields));
const get = async (id: string) => order(await florin.merchant('GET', `/gateway/orders/${id}?expand=secure3d`));
const post = (url: string, fields: Record<string, string>) =>
  fetch(url, {
    method: 'POST',
    redirect: 'manual',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams(fields),
  });

/** The form of a page: where it posts to, and its hidden fields. */
async function formOf(response: Response): Promise<{ action: string; fields: Record<string, string> }> {
  const html = await response.text();
  const form =
    [...html.matchAll(/<form[^>]*>[\s\S]*?<\/form>/g)]
      .map(([text]) => text)
      .find((text) => /name="(code|PaRes)"|class="code/.test(text)) ??
    /<form[^>]*>[\s\S]*?<\/form>/.exec(html)?.[0] ??
    '';
  const action = /action="([^"]*)"/.exec(form)?.[1] ?? '';
  const fields: Record<string, string> = {};
  for (const [input] of form.matchAll(/<input[^>]*>/g)) {
    const name = /name="([^"]*)"/.exec(input)?.[1];
    if (name && /type="hidden"/.test(input)) fields[name] = /value="([^"]*)"/.exec(input)?.[1] ?? '';
  }
  return { action: new URL(action, florin.url).toString(), fields };
}

const bankForm = ({ form3d }: { form3d: Record<string, string> }) => ({
  MD: form3d.MD as string,
  PaReq: form3d.PaReq as string,
  TermUrl: form3d.TermUrl as string,
});

/** Walks through the bank's page with a code, up to what is posted to TermUrl. */
async function challenge(
  prepared: { form3d: Record<string, string> },
  code: string,
): Promise<{ action: string; fields: Record<string, string> }> {
  const page = await formOf(await post(prepared.form3d.action as string, bankForm(prepared)));
  return formOf(await post(page.action, { ...page.fields, code, do: 'submit' }));
}

test('challenge with the right code: TermUrl authorizes, Y, and a second post changes nothing', async () => {
  const made = order(
    await authorize({ options: { force3d: 1, auto_charge: 1, return_url: 'https://shop.example/back?x=1' } }),
  );
  assert.equal(made.status, 'prepared');
  assert.equal((made.form3d_html.match(/<form/g) ?? []).length, 1);
  assert.match(made.form3d_html, /id="form3d"/);
  const back = await challenge(made, '1234');
  const landed = await post(back.action, back.fields);
  assert.equal(landed.status, 303);
  const end = new URL(landed.headers.get('location') ?? '', florin.url);
  assert.match(await (await fetch(end)).text(), new RegExp(`https://shop.example/back\\?x=1&amp;order_id=${made.id}`));
  const after = await get(made.id);
  assert.equal(after.status, 'charged');
  assert.equal(after.secure3d.authorization_status, 'Y');
  assert.equal(after.secure3d.scenario, 'challenge');
  await post(back.action, back.fields);
  assert.equal((await get(made.id)).operations.length, after.operations.length);
});

for (const [code, status, letter] of [
  ['1111', 'rejected', 'N'],
  ['2222', 'rejected', 'R'],
  ['3333', 'rejected', 'U'],
  ['7777', 'authorized', 'A'],
] as const) {
  test(`code ${code}: ${letter}, order ${status}`, async () => {
    const made = order(await authorize({ options: { force3d: 1 } }));
    const back = await challenge(made, code);
    await post(back.action, back.fields);
    const after = await get(made.id);
    assert.equal(after.status, status);
    assert.equal(after.secure3d.authorization_status, letter);
    if (status === 'rejected') assert.deepEqual(after.operations, []);
  });
}

for (const [outcome, status, letter, http] of [
  ['921', 'authorized', 'Y', 200],
  ['922', 'authorized', 'A', 200],
  ['923', 'rejected', 'N', 402],
  ['924', 'rejected', 'R', 402],
  ['925', 'authorized', 'U', 200],
] as const) {
  test(`directory outcome ${outcome}: ${letter}, HTTP ${http}`, async () => {
    const reply = await authorize({ pan: simulated('10', outcome) });
    assert.equal(reply.status, http);
    const after = await get(reply.body.order_id ?? order(reply).id);
    assert.equal(after.status, status);
    assert.equal(after.secure3d.authorization_status, letter);
    assert.equal(after.secure3d.reason, 'mandate');
  });
}

test('the merchant finishes itself: complete with PaRes, complete3d20 without', async () => {
  const first = order(await authorize({ options: { force3d: 1 } }));
  const back = await challenge(first, '1234');
  const wrong = await florin.merchant('POST', `/gateway/orders/${first.id}/complete`, { PaRes: 'bm90aGluZw' });
  assert.equal(wrong.status, 402);
  const done = await florin.merchant('POST', `/gateway/orders/${first.id}/complete`, { PaRes: back.fields.PaRes });
  assert.equal(done.status, 200, done.text);
  assert.equal(order(done).status, 'authorized');
  const second = order(
    await authorize({ options: { force3d: 1, secure3d20_return_url: 'https://shop.example/notify' } }),
  );
  const landed = await challenge(second, '1234');
  const page = await (await post(landed.action, landed.fields)).text();
  assert.match(page, /action="https:\/\/shop.example\/notify"/);
  assert.equal((await get(second.id)).status, 'prepared');
  assert.equal(order(await florin.merchant('POST', `/gateway/orders/${second.id}/complete3d20`)).status, 'authorized');
  assert.equal((await florin.stranger('POST', `/gateway/orders/${second.id}/complete3d20`)).status, 404);
});

test('abandoned: rejected when its time is over, and no CVV is left', async () => {
  const sealed = async () => (await florin.database.query<{ n: bigint }>('select count(*) as n from vault_cvvs'))[0]?.n;
  const made = order(await authorize({ options: { force3d: 1 } }));
  assert.equal(await sealed(), 1n);
  await florin.operator('POST', '/simulator/clock/advance', { by: '2h' });
  assert.equal((await get(made.id)).status, 'rejected');
  assert.equal(await sealed(), 0n);
});

test('TermUrl, complete and cancel at once: the order leaves prepared once', async () => {
  const made = order(await authorize({ options: { force3d: 1 } }));
  const back = await challenge(made, '1234');
  await Promise.all([
    post(back.action, back.fields),
    post(back.action, back.fields),
    florin.merchant('POST', `/gateway/orders/${made.id}/complete`, { PaRes: back.fields.PaRes }),
    florin.merchant('PUT', `/gateway/orders/${made.id}/cancel`),
  ]);
  const after = await get(made.id);
  assert.ok(['authorized', 'rejected', 'reversed'].includes(after.status), after.status);
  assert.ok(after.operations.filter((operation: { type: string }) => operation.type === 'authorize').length <= 1);
  assert.equal((await florin.operator('GET', '/operator/invariants?full=true')).body.ok, true);
});

test('a forged MD is refused and changes nothing', async () => {
  const made = order(await authorize({ options: { force3d: 1 } }));
  const back = await challenge(made, '1234');
  const forged = await post(back.action, { ...back.fields, MD: `${back.fields.MD?.slice(0, -2)}AA` });
  assert.equal(forged.status, 400);
  assert.equal((await get(made.id)).status, 'prepared');
});

test('authentication done elsewhere: accepted once, checked, not together with force3d', async () => {
  const cavv = Buffer.alloc(20, 7).toString('base64');
  const secure3d = { cavv, eci: '05', ds_trans_id: 'f25084f0-5b16-4c0a-ae5d-b24808a95e4b' };
  const reply = await authorize({ secure3d });
  assert.equal(reply.status, 200, reply.text);
  assert.equal(order(reply).secure3d.scenario, 'external');
  assert.equal((await authorize({ secure3d })).body.failure_type, 'rejected');
  assert.equal((await authorize({ secure3d: { ...secure3d, eci: '02' } })).status, 422);
  assert.equal((await authorize({ secure3d: { ...secure3d, cavv: 'AAAA' } })).status, 422);
  assert.equal(
    (
      await authorize({
        secure3d: { ...secure3d, cavv: Buffer.alloc(20, 8).toString('base64') },
        options: { force3d: 1 },
      })
    ).status,
    422,
  );
});

test('recurring: the parent must be ours and of the same card; trace_id alone is allowed', async () => {
  const parent = order(await authorize()).id;
  const good = await authorize({
    card: { ...CARD, cvv: undefined },
    recurring_details: { parent_order_id: parent, indicator: 'R' },
  });
  assert.equal(good.status, 200, good.text);
  const otherCard = await authorize({
    pan: '2222400060000007',
    recurring_details: { parent_order_id: parent, indicator: 'R' },
  });
  assert.equal(otherCard.body.failure_type, 'rejected');
  const unknown = await authorize({ recurring_details: { parent_order_id: '123456', indicator: 'R' } });
  assert.equal(unknown.body.failure_type, 'rejected');
  assert.equal((await authorize({ recurring_details: { trace_id: '067294534318210', indicator: 'U' } })).status, 200);
});

test('device-data step: the form of the method page, then resume gives the challenge, then the order goes on', async () => {
  const reply = await authorize({ pan: simulated('10', '928') });
  assert.equal(reply.status, 201);
  const made = order(reply);
  assert.match(made.form3d.action, /\/acs\/method$/);
  const page = await formOf(await post(made.form3d.action, bankForm(made)));
  assert.equal(
    (await post(page.action, { ...page.fields, browser_language: 'en', browser_screen_width: '1280' })).status,
    200,
  );
  const resumed = await florin.merchant('POST', `/gateway/orders/${made.id}/resume`);
  assert.equal(resumed.status, 201, resumed.text);
  const next = order(resumed);
  assert.match(next.form3d.action, /\/acs$/);
  const back = await challenge(next, '1234');
  await post(back.action, back.fields);
  assert.equal((await get(made.id)).status, 'authorized');
});

test('device-data step on one server, challenge on another that says that it is earlier: the challenge is the newest', async () => {
  const second = await florin.another();
  const { now } = (await florin.operator('GET', '/simulator/clock')).body;
  await florin.operator('POST', '/simulator/clock/advance', { by: '10m' });
  const made = order(await authorize({ pan: simulated('10', '928') }));
  const page = await formOf(await post(made.form3d.action, bankForm(made)));
  const filled = await post(page.action, { ...page.fields, browser_language: 'en', browser_screen_width: '1280' });
  assert.equal(filled.status, 200);
  for (const operator of [florin.operator, client(second.url, 'Bearer sandbox-operator')])
    assert.equal((await operator('PUT', '/simulator/clock', { now, frozen: false })).status, 200);
  const resumed = await florin.merchantOf(second)('POST', `/gateway/orders/${made.id}/resume`);
  assert.equal(resumed.status, 201, resumed.text);
  await challenge(order(resumed), '1234');
  const done = await florin.merchant('POST', `/gateway/orders/${made.id}/complete3d20`);
  assert.equal(done.status, 200, done.text);
  assert.equal(order(done).status, 'authorized');
});

test('step_up_automatically: a soft decline becomes 201 with a form, reason soft_decline, and goes on', async () => {
  await florin.operator('PATCH', '/operator/projects/sandbox/settings', { step_up_automatically: true });
  const headers = { 'idempotency-key': 'step-up' };
  const body = payment({ pan: '4999991090100004' });
  const reply = await florin.merchant('POST', '/gateway/orders/authorize', body, headers);
  assert.equal(reply.status, 201, reply.text);
  const made = order(reply);
  assert.equal(made.status, 'prepared');
  assert.equal(made.secure3d.reason, 'soft_decline');
  assert.equal(made.operations[0].iso_response_code, 'A1');
  assert.equal((await florin.merchant('POST', '/gateway/orders/authorize', body, headers)).text, reply.text);
  const back = await challenge(made, '1234');
  await post(back.action, back.fields);
  const after = await get(made.id);
  assert.equal(after.status, 'authorized');
  assert.deepEqual(
    after.operations.map(({ status }: { status: string }) => status),
    ['failure', 'success'],
  );
  await florin.operator('PATCH', '/operator/projects/sandbox/settings', { step_up_automatically: false });
  assert.equal((await florin.operator('GET', '/operator/invariants?full=true')).body.ok, true);
});
