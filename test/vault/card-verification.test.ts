// CVV and PIN are functions of key, number and expiry: the published example of the algorithm, and what cardholders rely on.
import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { test } from 'node:test';
import fc from 'fast-check';
import { luhnDigit, Pan } from '../../src/base/index.ts';
import { cardVerification, cardVerificationValue } from '../../src/vault/card-verification.ts';

const keyed = (purpose: string, data: string): Buffer =>
  createHmac('sha256', 'a key of this test').update(`${purpose}/${data}`).digest();
const verification = cardVerification(keyed);
const pans = fc.stringMatching(/^559999\d{9}$/).map((payload) => Pan.parse(payload + luhnDigit(payload)) as Pan);

test('the published example: keys 0123456789ABCDEF and FEDCBA9876543210, service code 101', () => {
  const keys = Buffer.from('0123456789ABCDEFFEDCBA9876543210', 'hex');
  assert.equal(cardVerificationValue(keys, '4123456789012345', '8701', '101'), '561');
});

test('a CVV is three digits, the same for the same card, another after renewal or under another key', () => {
  let changed = 0;
  let foreign = 0;
  fc.assert(
    fc.property(pans, (pan) => {
      const cvv = verification.cvv(pan, '2911');
      assert.match(cvv, /^\d{3}$/);
      assert.equal(verification.cvv(pan, '2911'), cvv);
      assert.ok(verification.cvvMatches(pan, '2911', cvv));
      assert.ok(!verification.cvvMatches(pan, '2911', `${cvv}0`));
      if (verification.cvv(pan, '3211') !== cvv) changed++;
      if (cardVerification((purpose, data) => keyed(`other ${purpose}`, data)).cvv(pan, '2911') !== cvv) foreign++;
    }),
    { numRuns: 300 },
  );
  assert.ok(changed > 280 && foreign > 280, `${changed} changed by expiry, ${foreign} by key`);
});

test('an offset makes any PIN of the natural one, and says nothing of it', () => {
  fc.assert(
    fc.property(pans, fc.stringMatching(/^\d{4}$/), (pan, offset) => {
      const pin = verification.pin(pan, offset);
      assert.match(pin, /^\d{4}$/);
      assert.ok(verification.pinMatches(pan, offset, pin));
      const next = String((Number(pin) + 1) % 10_000).padStart(4, '0');
      assert.ok(!verification.pinMatches(pan, offset, next));
    }),
  );
});
