// EMV 3-D Secure: what a status proves to each brand (ECI), and the CAVV that the issuer checks for card, amount, currency and ECI.
import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { test } from 'node:test';
import { Pan, systemRandom } from '../../src/base/index.ts';
import { checkExternal, type Keys, sandboxDirectory, verifyCavv } from '../../src/threeds/index.ts';
import { eciOf, type Letter } from '../../src/threeds/protocol/eci.ts';

const keys: Keys = {
  keyed: (purpose, data) => createHmac('sha256', `test ${purpose}`).update(data).digest(),
  fingerprint: (pan) => createHmac('sha256', 'fingerprint').update(pan.masked()).digest('hex'),
};
const pan = Pan.parse('4111111111111111') as Pan;

test('brand x status: Visa counts 05 06 07, Mastercard 02 01 00, and N and R prove nothing', () => {
  const letters: readonly Letter[] = ['Y', 'A', 'N', 'R', 'U', 'I'];
  const table = (brand: string) => letters.map((letter) => eciOf(brand, letter));
  assert.deepEqual(table('visa'), ['05', '06', null, null, '07', '07']);
  assert.deepEqual(table('mastercard').slice(0, 5), ['02', '01', null, null, '00']);
});

test('a CAVV holds for its card, amount, currency and ECI, and for nothing else', async () => {
  const directory = sandboxDirectory({ outcome: () => 'frictionless_Y', keys, random: systemRandom });
  const amount = { minor: 1250n, currency: 'EUR' };
  const answer = await directory.authenticate(
    {
      owner: 1n,
      orderId: 1n,
      transactionId: 1n,
      pan,
      expiry: '3012',
      holder: null,
      brand: 'visa',
      amount,
      merchantId: 'SHOP1',
      merchantName: 'Shop',
      forced: true,
      browser: null,
      methodDone: false,
      at: new Date('2026-11-21T10:00:00Z'),
    },
    '05',
  );
  assert.equal(answer.kind, 'final');
  if (answer.kind !== 'final') return;
  const { cavv, dsTransId, eci } = answer.authentication;
  assert.ok(cavv && dsTransId && eci);
  assert.equal(Buffer.from(cavv, 'base64').length, 20);
  const claim = { pan, amount, merchantId: 'SHOP1', dsTransId, eci, cavv };
  assert.equal(verifyCavv(keys, claim), true);
  assert.equal(verifyCavv(keys, { ...claim, amount: { minor: 1251n, currency: 'EUR' } }), false);
  assert.equal(verifyCavv(keys, { ...claim, amount: { minor: 1250n, currency: 'USD' } }), false);
  assert.equal(verifyCavv(keys, { ...claim, pan: Pan.parse('2222400060000007') as Pan }), false);
  assert.equal(verifyCavv(keys, { ...claim, merchantId: 'SHOP2' }), false);
  assert.equal(verifyCavv(keys, { ...claim, eci: '06' }), false);
  assert.equal(verifyCavv(keys, { ...claim, cavv: Buffer.alloc(20).toString('base64') }), false);
});

test('results of an authentication elsewhere: every wrong field is named', () => {
  const cavv = Buffer.alloc(20, 3).toString('base64');
  const good = { cavv, eci: '05', ds_trans_id: 'f25084f0-5b16-4c0a-ae5d-b24808a95e4b' };
  assert.deepEqual(checkExternal(good, 'visa'), []);
  const fields = (result: object, brand = 'visa') => checkExternal(result, brand).map(({ field }) => field);
  assert.deepEqual(fields({ ...good, eci: '02' }), ['eci']);
  assert.deepEqual(fields({ ...good, eci: '02' }, 'mastercard'), []);
  assert.deepEqual(fields({ ...good, cavv: 'AAAA' }), ['cavv']);
  assert.ok(fields({ ds_trans_id: good.ds_trans_id }).includes('eci'));
});
