// The way back: only what the access control server reported counts, and only for the transaction that it was reported of.
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { type Finished, verifyCavv } from '../../src/threeds/index.ts';
import { answer, type Fields, formIn, keys, MERCHANT_ID, PAN, type Prepared, type World, world } from './world.ts';

let made: World;
before(async () => {
  made = await world();
});

type Done = Extract<Finished, { kind: 'finished' }>;
const done = (finished: Finished): Done => {
  assert.ok(finished.kind === 'finished', finished.kind);
  return finished;
};

/** A challenge answered, and what its return page posts. */
async function returned(prepared: Prepared, code = '1234'): Promise<Fields> {
  return formIn((await answer(made, prepared, code)).html).fields;
}

for (const [brand, letter, code, eci] of [
  ['visa', 'Y', '1234', '05'],
  ['visa', 'A', '7777', '06'],
  ['visa', 'U', '3333', '07'],
  ['visa', 'N', '1111', null],
  ['visa', 'R', '2222', null],
  ['mastercard', 'Y', '1234', '02'],
  ['mastercard', 'A', '7777', '01'],
  ['mastercard', 'U', '3333', '00'],
  ['mastercard', 'N', '1111', null],
] as const) {
  test(`${brand} ${letter} after a challenge: ECI ${eci}, and a CAVV that the issuer accepts when there is one`, async () => {
    const amount = { minor: 4200n, currency: 'EUR' };
    const finished = done(await made.threeds.finish(await returned(await made.prepare({ brand, amount }), code)));
    const { authentication } = finished;
    assert.equal(authentication.letter, letter);
    assert.equal(authentication.scenario, 'challenge');
    assert.equal(authentication.eci, eci);
    assert.equal(authentication.version, '2.2.0');
    assert.deepEqual(finished.amount, amount);
    if (letter === 'Y' || letter === 'A') {
      const { cavv, dsTransId } = authentication;
      assert.ok(cavv && dsTransId && eci);
      assert.ok(verifyCavv(keys, { pan: PAN, amount, merchantId: MERCHANT_ID, dsTransId, eci, cavv }));
      assert.ok(
        !verifyCavv(keys, {
          pan: PAN,
          amount: { ...amount, minor: 4201n },
          merchantId: MERCHANT_ID,
          dsTransId,
          eci,
          cavv,
        }),
      );
    } else assert.equal(authentication.cavv, null);
  });
}

test('while the cardholder is at it: pending, also for a browser or merchant that claims otherwise', async () => {
  const prepared = await made.prepare();
  const foreign = await returned(await made.prepare());
  for (const claim of [{}, { PaRes: foreign.PaRes }, { cres: foreign.cres }, { PaRes: 'x' }])
    assert.equal((await made.threeds.finish({ MD: prepared.form.MD, ...claim })).kind, 'pending');
  const { owner, orderId } = made.threeds.ownerOf(prepared.form.MD) ?? assert.fail('owner unreadable');
  assert.equal((await made.threeds.finish({ PaRes: foreign.PaRes }, { owner, orderId })).kind, 'pending');
});

test('a replayed MD tells the same again, and that the order has moved on', async () => {
  const prepared = await made.prepare();
  const fields = await returned(prepared);
  const first = done(await made.threeds.finish(fields));
  assert.equal(first.closed, null);
  assert.deepEqual(await made.threeds.finish(fields), first);
  const close = made.threeds.close(first.owner, first.transactionId, 'used', made.clock.now());
  await made.commit(close);
  assert.deepEqual(await made.threeds.finish(fields), { ...first, closed: 'used' });
  // One end only: a second one can't be committed, whoever comes.
  await assert.rejects(
    made.commit(made.threeds.close(first.owner, first.transactionId, 'expired', made.clock.now())),
    /threeds_closed/,
  );
});

test('two browsers at once get one result', async () => {
  const fields = await returned(await made.prepare());
  const [a, b] = await Promise.all([made.threeds.finish(fields), made.threeds.finish(fields)]);
  assert.deepEqual(a, b);
});

test('forged and foreign MDs are unknown', async () => {
  const prepared = await made.prepare();
  const other = await made.prepare();
  const fields = await returned(prepared);
  const md = fields.MD as string;
  // Owner and order of one, secret of the other.
  const mixed = md.slice(0, 21) + other.form.MD.slice(21);
  const flips = [0, 10, 21, 30, 63].map((i) => md.slice(0, i) + (md[i] === 'A' ? 'B' : 'A') + md.slice(i + 1));
  for (const wrong of [...flips, mixed, '', md.slice(1), `${md}A`, [md, md], { toString: () => md }, 7, null])
    assert.deepEqual(await made.threeds.finish({ ...fields, MD: wrong, threeDSSessionData: undefined }), {
      kind: 'unknown',
    });
  assert.deepEqual(await made.threeds.finish({ ...fields, threeDSSessionData: other.form.MD }), { kind: 'unknown' });
  assert.deepEqual(await made.threeds.finish({}), { kind: 'unknown' });
});

test('fields of a body never choose the order: only the MD or the merchant does', async () => {
  const prepared = await made.prepare();
  await returned(prepared);
  const whose = made.threeds.ownerOf(prepared.form.MD) ?? assert.fail('owner unreadable');
  const hostile = { owner: String(whose.owner), orderId: String(whose.orderId), merchant: whose, MD: undefined };
  assert.deepEqual(await made.threeds.finish(hostile), { kind: 'unknown' });
});

test('PaRes or cres that disagree make the post unknown, and the honest one still counts', async () => {
  const prepared = await made.prepare();
  const fields = await returned(prepared, '1111');
  const foreign = await returned(await made.prepare(), '1234');
  const cres = JSON.parse(Buffer.from(fields.cres as string, 'base64url').toString());
  const pares = JSON.parse(Buffer.from(fields.PaRes as string, 'base64url').toString());
  const pack = (message: object) => Buffer.from(JSON.stringify(message)).toString('base64url');
  for (const changed of [
    { cres: pack({ ...cres, transStatus: 'Y' }) },
    { cres: pack({ ...cres, acsTransID: '11111111-1111-4111-8111-111111111111' }) },
    { cres: foreign.cres },
    { cres: '' },
    { cres: [fields.cres, fields.cres] },
    { PaRes: pack({ ...pares, transStatus: 'Y' }) },
    { PaRes: foreign.PaRes },
    { PaRes: fields.cres },
    { PaRes: `${fields.PaRes}=` },
    { PaRes: '' },
  ])
    assert.deepEqual(
      await made.threeds.finish({ ...fields, ...changed }),
      { kind: 'unknown' },
      JSON.stringify(changed),
    );
  assert.equal(done(await made.threeds.finish(fields)).authentication.letter, 'N');
});

test('the merchant finishes its own order: with the PaRes, or with nothing', async () => {
  const prepared = await made.prepare();
  const { PaRes } = await returned(prepared);
  const whose = made.threeds.ownerOf(prepared.form.MD) ?? assert.fail('owner unreadable');
  assert.equal(done(await made.threeds.finish({ PaRes }, whose)).authentication.letter, 'Y');
  assert.equal(done(await made.threeds.finish({}, whose)).authentication.letter, 'Y');
  assert.equal((await made.threeds.finish({ PaRes }, { ...whose, owner: whose.owner + 1n })).kind, 'unknown');
  assert.equal((await made.threeds.finish({ PaRes }, { ...whose, orderId: whose.orderId + 1n })).kind, 'unknown');
});

test('a challenge whose time is over ends by being asked for: N, timed out', async () => {
  const prepared = await made.prepare();
  made.advance(10 * 60_000 - 1);
  assert.equal((await made.threeds.finish({ MD: prepared.form.MD })).kind, 'pending');
  made.advance(1);
  const asked = await Promise.all([1, 2].map(() => made.threeds.finish({ MD: prepared.form.MD })));
  for (const finished of asked.map(done)) {
    assert.deepEqual(
      [
        finished.authentication.letter,
        finished.authentication.reasonCode,
        finished.cancelCode,
        finished.authentication.cavv,
      ],
      ['N', '14', '04', null],
    );
  }
});

test('an order that gave up its challenge: the browser that comes later hears no', async () => {
  const prepared = await made.prepare();
  const pending = await made.threeds.finish({ MD: prepared.form.MD });
  assert.ok(pending.kind === 'pending');
  await made.commit(made.threeds.close(pending.owner, pending.transactionId, 'expired', made.clock.now()));
  const finished = done(await made.threeds.finish({ MD: prepared.form.MD }));
  assert.deepEqual([finished.authentication.letter, finished.closed], ['N', 'expired']);
});

test('the MD itself and the card number are nowhere in the database', async () => {
  const prepared = await made.prepare();
  const rows = await made.database.query<{ text: string }>(
    'select row_to_json(t)::text as text from threeds_transactions t',
  );
  assert.ok(rows.length > 0);
  for (const { text } of rows) {
    assert.ok(!text.includes(prepared.form.MD));
    assert.ok(!text.includes('4111111111111111'));
  }
});
