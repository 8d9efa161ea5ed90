// The access control server over HTTP: codes, tries, time, double clicks, hostile posts, and pages that nothing breaks out of.
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { answer, formIn, MASKED, type Page, shopFields, type World, world } from './world.ts';

const MINUTE = 60_000;

let made: World;
before(async () => {
  made = await world();
});

/** The result that the return page carries, as its cres tells it. */
const statusOf = (page: Page): string => {
  const { id, fields } = formIn(page.html);
  assert.equal(id, 'return');
  return JSON.parse(Buffer.from(fields.cres as string, 'base64url').toString()).transStatus;
};
const noteOf = (page: Page): string => /<p class="note[^>]*>([^<]*)</.exec(page.html)?.[1] ?? '';

test('the page shows merchant, amount, masked card and tries, and is for nobody to keep', async () => {
  const page = await made.post('/acs', shopFields(await made.prepare()));
  assert.equal(page.status, 200);
  for (const text of ['Corner Shop', '12.50 EUR', MASKED, '3 tries left', '10 minutes'])
    assert.ok(page.html.includes(text), text);
  assert.equal(page.headers.get('cache-control'), 'no-store');
  assert.equal(page.headers.get('set-cookie'), null);
  assert.equal(page.headers.get('x-frame-options'), null);
  const policy = page.headers.get('content-security-policy') ?? '';
  assert.match(policy, /default-src 'none'/);
  assert.match(policy, /frame-ancestors \*/);
  assert.ok(policy.includes(`form-action 'self' ${made.url};`));
  assert.ok(!policy.includes('unsafe'));
});

test('amounts of a currency without decimals have none', async () => {
  const page = await made.post('/acs', shopFields(await made.prepare({ amount: { minor: 1250n, currency: 'JPY' } })));
  assert.match(page.html, /<b>1250 JPY<\/b>/);
});

for (const [code, letter, reason] of [
  ['1234', 'Y', null],
  ['1111', 'N', '01'],
  ['2222', 'R', '11'],
  ['3333', 'U', '22'],
  ['7777', 'A', null],
  ['0000', 'N', '00'],
  ['0014', 'N', '14'],
  ['0099', 'N', '99'],
] as const) {
  test(`code ${code}: ${letter}, reason ${reason}; the browser goes back to TermUrl with both spellings`, async () => {
    const prepared = await made.prepare();
    const page = await answer(made, prepared, code);
    const { action, fields } = formIn(page.html);
    assert.equal(statusOf(page), letter);
    assert.equal(action, `${made.url}/threeds/term`);
    assert.deepEqual(Object.keys(fields).sort(), ['MD', 'PaRes', 'cres', 'threeDSSessionData']);
    assert.equal(fields.MD, prepared.form.MD);
    assert.equal(fields.threeDSSessionData, prepared.form.MD);
    assert.match(page.html, /<button type="submit">/);
    const finished = await made.threeds.finish(fields);
    assert.ok(finished.kind === 'finished');
    assert.deepEqual([finished.authentication.letter, finished.authentication.reasonCode], [letter, reason]);
  });
}

test('three wrong codes: N, too many tries; the page counts down', async () => {
  const prepared = await made.prepare();
  const first = await answer(made, prepared, '9999');
  assert.match(noteOf(first), /2 tries left/);
  const second = await answer(made, prepared, '12345');
  assert.match(noteOf(second), /1 try left/);
  const third = await answer(made, prepared, '<b>');
  assert.equal(statusOf(third), 'N');
  const finished = await made.threeds.finish({ MD: prepared.form.MD });
  assert.ok(finished.kind === 'finished');
  assert.equal(finished.authentication.reasonCode, '19');
  assert.equal(statusOf(await made.post('/acs', shopFields(prepared))), 'N');
});

test('an empty code costs no try', async () => {
  const page = await answer(made, await made.prepare(), '  ');
  assert.match(page.html, /3 tries left/);
});

test('double click, reload and back button: one try, one result', async () => {
  const prepared = await made.prepare();
  const { action, fields } = formIn((await made.post('/acs', shopFields(prepared))).html);
  const wrong = { ...fields, code: '9999', do: 'submit' };
  const clicks = await Promise.all([made.post(action, wrong), made.post(action, wrong), made.post(action, wrong)]);
  for (const page of clicks) assert.match(page.html, /2 tries left/);
  assert.match((await made.post(action, wrong)).html, /2 tries left/);
  // A page from before decides nothing, also not with the right code: guesses side by side are worth one.
  const stale = await made.post(action, { ...fields, code: '1234', do: 'submit' });
  assert.match(noteOf(stale), /answered before/);
  const present = formIn(stale.html).fields;
  const done = await Promise.all(['1234', '1234'].map((code) => made.post(action, { ...present, code, do: 'submit' })));
  assert.deepEqual(done.map(statusOf), ['Y', 'Y']);
  for (const path of ['/acs', '/acs/']) assert.equal(statusOf(await made.post(path, shopFields(prepared))), 'Y');
  assert.equal(statusOf(await made.post(action, { ...fields, do: 'cancel' })), 'Y');
});

test('a hundred guesses at once on one page are worth one try', async () => {
  const prepared = await made.prepare();
  const { action, fields } = formIn((await made.post('/acs', shopFields(prepared))).html);
  const guesses = Array.from({ length: 100 }, (_, i) =>
    made.post(action, { ...fields, code: String(5000 + i), do: 'submit' }),
  );
  await Promise.all(guesses);
  assert.match((await made.post('/acs', shopFields(prepared))).html, /2 tries left/);
});

test('cancel: N with the cardholder as the reason', async () => {
  const prepared = await made.prepare();
  assert.equal(statusOf(await answer(made, prepared, '', 'cancel')), 'N');
  const finished = await made.threeds.finish({ MD: prepared.form.MD });
  assert.ok(finished.kind === 'finished');
  assert.equal(finished.cancelCode, '01');
});

test('a new code: not before 15 seconds, three times, never twice by a double click', async () => {
  const prepared = await made.prepare();
  const resend = () => answer(made, prepared, '', 'resend');
  made.advance(14_000);
  assert.match(noteOf(await resend()), /wait 1 second /);
  made.advance(1_000);
  const { action, fields } = formIn((await made.post('/acs', shopFields(prepared))).html);
  const twice = await Promise.all([1, 2].map(() => made.post(action, { ...fields, do: 'resend' })));
  assert.equal(twice.filter((page) => /on its way/.test(noteOf(page))).length, 1);
  assert.match(noteOf(await resend()), /wait 15 seconds/);
  for (let i = 0; i < 2; i++) {
    made.advance(15_000);
    assert.match(noteOf(await resend()), /on its way/);
  }
  made.advance(15_000);
  const last = await resend();
  assert.match(noteOf(last), /No more codes/);
  assert.match(last.html, /<button[^>]* disabled>No more codes/);
  assert.equal(statusOf(await answer(made, prepared, '1234')), 'Y');
});

test('ten minutes: before them the right code counts, at their end nothing does', async () => {
  const early = await made.prepare();
  const late = await made.prepare();
  const { action, fields } = formIn((await made.post('/acs', shopFields(late))).html);
  made.advance(10 * MINUTE - 1);
  assert.equal(statusOf(await answer(made, early, '1234')), 'Y');
  made.advance(1);
  assert.equal(statusOf(await made.post(action, { ...fields, code: '1234', do: 'submit' })), 'N');
  const finished = await made.threeds.finish({ MD: late.form.MD });
  assert.ok(finished.kind === 'finished');
  assert.deepEqual([finished.authentication.reasonCode, finished.cancelCode], ['14', '04']);
});

test('a card that abandons: the page stays whatever is pressed, until the time is over', async () => {
  made.outcome = 'abandoned';
  const prepared = await made.prepare();
  made.outcome = null;
  for (const [code, button] of [
    ['1234', 'submit'],
    ['', 'cancel'],
    ['9999', 'submit'],
  ] as const) {
    const page = await answer(made, prepared, code, button);
    assert.match(noteOf(page), /still waiting/);
    assert.match(page.html, /3 tries left/);
  }
  made.advance(10 * MINUTE);
  assert.equal(statusOf(await made.post('/acs', shopFields(prepared))), 'N');
});

test('creq and threeDSSessionData open the same page as PaReq and MD', async () => {
  const prepared = await made.prepare();
  const { MD, PaReq } = prepared.form;
  const page = await made.post('/acs', { creq: PaReq, threeDSSessionData: MD });
  assert.equal(formIn(page.html).id, 'challenge');
  assert.equal((await made.post('/acs', { creq: PaReq, threeDSSessionData: MD, PaReq, MD })).status, 200);
});

test('window sizes: by the frame that the merchant describes, and by the creq', async () => {
  for (const [width, height, window] of [
    [250, 400, '01'],
    [390, 400, '02'],
    [500, 600, '03'],
    [600, 400, '04'],
    [1280, 800, '05'],
    [100, 100, '01'],
    [0, 0, '05'],
  ] as const) {
    const prepared = await made.prepare({ browser: { window_width: width, window_height: height } });
    const page = await made.post('/acs', shopFields(prepared));
    assert.ok(page.html.includes(`<body class="w${window}">`), `${width}x${height}`);
    const carried = formIn(page.html).fields.PaReq;
    assert.equal(carried, prepared.form.PaReq);
  }
});

test('hostile posts all meet the same page, and change nothing', async () => {
  const prepared = await made.prepare();
  const other = await made.prepare();
  const good = shopFields(prepared);
  const twice = new URLSearchParams(good);
  twice.append('MD', prepared.form.MD);
  const message = JSON.parse(Buffer.from(prepared.form.PaReq, 'base64url').toString());
  const repacked = (fields: object) => Buffer.from(JSON.stringify({ ...message, ...fields })).toString('base64url');
  const flipped = prepared.form.MD.slice(0, -1) + (prepared.form.MD.endsWith('A') ? 'B' : 'A');
  const posts: [string, Record<string, string> | URLSearchParams][] = [
    ['nothing', {}],
    ['MD alone', { MD: prepared.form.MD }],
    ['MD given twice', twice],
    ['two spellings that differ', { ...good, threeDSSessionData: other.form.MD }],
    ['two requests that differ', { ...good, creq: other.form.PaReq }],
    ['another secret', { ...good, MD: flipped }],
    ['the request of another transaction', { ...good, PaReq: other.form.PaReq }],
    [
      'ids of another transaction',
      { ...good, PaReq: repacked({ acsTransID: '11111111-1111-4111-8111-111111111111' }) },
    ],
    ['another version', { ...good, PaReq: repacked({ messageVersion: '2.1.0' }) }],
    ['the method message', { ...good, PaReq: repacked({ messageType: 'Method' }) }],
    ['a foreign TermUrl', { ...good, TermUrl: 'https://evil.example/threeds/term' }],
    ['ours with more', { ...good, TermUrl: `${made.url}/threeds/term?x=1` }],
    ['a script as MD', { ...good, MD: '"><script>alert(1)</script>' }],
    ['NUL bytes', { ...good, MD: '\0'.repeat(64) }],
  ];
  const pages = new Set<string>();
  for (const [what, fields] of posts) {
    const page = await made.post('/acs', fields);
    assert.equal(page.status, 400, what);
    pages.add(page.html);
  }
  assert.equal(pages.size, 1);
  const { action, fields } = formIn((await made.post('/acs', good)).html);
  for (const button of ['', 'delete', '__proto__', 'constructor'])
    assert.equal((await made.post(action, { ...fields, code: '1234', do: button })).status, 400, button);
  assert.equal((await made.post('/acs/device', good)).status, 400);
  assert.match((await made.post('/acs', good)).html, /3 tries left/);
});

test('wrong verb, wrong type, too much: a page, not an envelope', async () => {
  const get = await fetch(`${made.url}/acs`);
  assert.equal(get.status, 405);
  assert.equal(get.headers.get('allow'), 'POST');
  assert.match(await get.text(), /^<!doctype html>/);
  const xml = await made.post('/acs', {}, { 'content-type': 'text/xml' });
  assert.equal(xml.status, 415);
  assert.match(xml.html, /^<!doctype html>/);
  const large = await made.post('/acs', { MD: 'A'.repeat(20_000) });
  assert.equal(large.status, 413);
  assert.match(large.html, /^<!doctype html>/);
});

test('nothing that a merchant or a card says breaks out of the page', async () => {
  for (const hostile of [
    '</dd></dl><script>alert(1)</script>',
    '"><img src=x onerror=alert(1)>',
    "'-alert(1)-'",
    '</title><script>alert(1)</script>',
    '&lt;script&gt;',
    '{{7*7}}$ {7*7}',
  ]) {
    const page = await made.post('/acs', shopFields(await made.prepare({ merchantName: hostile, brand: hostile })));
    assert.equal(page.status, 200);
    assert.ok(!/<(script|img)\b/i.test(page.html), hostile);
    const plain = await made.post('/acs', shopFields(await made.prepare({ merchantName: 'x', brand: 'x' })));
    const shape = (html: string): string => html.replace(/>[^<]*/g, '>').replace(/="[^"]*"/g, '');
    assert.equal(shape(page.html), shape(plain.html), hostile);
  }
});

test('device data: collected, cleaned, kept once; then the browser is sent back without a result', async () => {
  made.outcome = 'method';
  const prepared = await made.prepare({ browser: { browser_language: 'de', browser_ip: '192.0.2.7' } });
  assert.equal(prepared.step, 'method');
  assert.equal(prepared.form.action, `${made.url}/acs/method`);
  const page = await made.post('/acs/method', shopFields(prepared));
  const { id, action, fields } = formIn(page.html);
  assert.equal(id, 'device');
  const told = {
    ...fields,
    browser_screen_width: '1280',
    browser_timezone: '-60',
    browser_color_depth: '<b>',
    browser_java_enabled: 'false',
  };
  const headers = { 'user-agent': 'Tester/1 4111 1111 1111 1111', accept: 'text/html' };
  const back = formIn((await made.post(action, told, headers)).html);
  assert.equal(back.id, 'return');
  assert.deepEqual(back.fields, { MD: prepared.form.MD, threeDSSessionData: prepared.form.MD });
  await made.post(action, { ...told, browser_screen_width: '1' }, headers);

  const finished = await made.threeds.finish(back.fields);
  assert.ok(finished.kind === 'method');
  assert.deepEqual(finished.browser, {
    browser_language: 'de',
    browser_ip: '127.0.0.1',
    browser_user_agent: 'Tester/1 411111******1111',
    browser_accept_header: 'text/html',
    browser_screen_width: '1280',
    browser_timezone: '-60',
    browser_java_enabled: 'false',
  });
  assert.equal(formIn((await made.post('/acs/method', shopFields(prepared))).html).id, 'return');

  const { owner, orderId } = finished;
  const next = await made.prepare({ owner, orderId, methodDone: true, browser: finished.browser });
  made.outcome = null;
  assert.equal(next.step, 'challenge');
  assert.notEqual(next.form.MD, prepared.form.MD);
  assert.equal(statusOf(await answer(made, next, '1234')), 'Y');
  const own = await made.threeds.finish({}, { owner, orderId });
  assert.ok(own.kind === 'finished');
  assert.equal(own.authentication.letter, 'Y');
});
