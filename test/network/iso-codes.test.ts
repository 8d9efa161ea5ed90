import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { codeFromScheme, isApproved, isoCode, isoCodes } from '../../src/network/index.ts';
import { authenticated, request } from './requests.ts';

const CONTRACT = '00 01 04 05 12 13 14 15 41 43 51 54 57 58 59 61 62 63 65 75 78 82 85 91 92 93 94 96 A1 03 30'.split(
  ' ',
);

describe('response codes', () => {
  it('knows every code of the contract', () => {
    const known = new Set(isoCodes.map(({ code }) => code));
    for (const code of CONTRACT) assert.ok(known.has(code), code);
  });

  it('errors are 03, 30, 91, 92, 94, 96; approvals 00 and 85; the rest is declined', () => {
    const of = (wanted: string): string[] => isoCodes.filter((row) => row.class === wanted).map(({ code }) => code);
    assert.deepEqual(of('error'), ['03', '30', '91', '92', '94', '96']);
    assert.deepEqual(of('approved'), ['00', '85']);
    assert.equal(of('declined').length, isoCodes.length - 8);
  });

  it('gives every refusal a retry category and every approval none', () => {
    for (const row of isoCodes) {
      if (row.class === 'approved') assert.equal(row.retry, null);
      else assert.ok(['never', 'later', 'correct_data', 'generic'].includes(String(row.retry)), row.code);
      assert.equal(isApproved(row.code), row.class === 'approved');
    }
  });

  it('says the ISO message when declined, one text for all errors, Soft-Decline for A1', () => {
    assert.equal(isoCode('A1').failureMessage, 'Soft-Decline');
    assert.equal(isoCode('51').failureMessage, 'Insufficient funds');
    assert.equal(isoCode('96').failureMessage, isoCode('91').failureMessage);
    assert.notEqual(isoCode('96').failureMessage, isoCode('96').message);
    assert.equal(isoCode('00').failureMessage, '');
  });

  it('takes an unknown code for a refusal without a reason, never for an approval', () => {
    const known = new Set(isoCodes.map(({ code }) => code));
    fc.assert(
      fc.property(fc.string({ maxLength: 3 }), (code) => {
        fc.pre(!known.has(code));
        const { class: of, retry, message } = isoCode(code);
        assert.deepEqual([isoCode(code).code, of, retry, message], [code, 'declined', 'generic', 'Do not honor']);
        assert.equal(isApproved(code), false);
      }),
    );
  });

  it("maps the networks' soft declines to A1", () => {
    const plain = request();
    assert.equal(codeFromScheme('1A', 'visa', plain), 'A1');
    assert.equal(codeFromScheme('65', 'mastercard', plain), 'A1');
    assert.equal(codeFromScheme('65', 'visa', plain), '65');
    assert.equal(codeFromScheme('65', 'mastercard', { ...plain, authentication: authenticated('Y') }), '65');
    assert.equal(codeFromScheme('65', 'mastercard', { ...plain, initiator: 'merchant' }), '65');
    assert.equal(codeFromScheme('65', 'mastercard', { ...plain, operation: 'refund' }), '65');
    assert.equal(codeFromScheme('51', 'mastercard', plain), '51');
  });
});
