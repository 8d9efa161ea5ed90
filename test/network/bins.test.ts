import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { countryOf, luhnDigit } from '../../src/base/index.ts';
import { binList, lookupBin } from '../../src/network/index.ts';
import { pan } from './requests.ts';

const withPrefix = (prefix: string, rest: string) => {
  const payload = (prefix + rest).slice(0, 15);
  return pan(payload + luhnDigit(payload));
};
const tail = fc.stringMatching(/^\d{15}$/);

describe('card ranges', () => {
  const sandbox: readonly (readonly [string, string])[] = [
    ['411111', 'visa'],
    ['222240', 'mastercard'],
    ['427699', 'visa'],
    ['555555', 'mastercard'],
    ['427683', 'visa'],
    ['400000', 'visa'],
    ['499999', 'visa'],
    ['510000', 'mastercard'],
  ];
  for (const [prefix, brand] of sandbox)
    it(`${prefix} has a bank, a country and a product`, () => {
      fc.assert(
        fc.property(tail, (rest) => {
          const bin = lookupBin(withPrefix(prefix, rest));
          assert.deepEqual([bin.brand, bin.type, bin.bin, bin.own], [brand, brand, prefix, false]);
          assert.ok(bin.title && bin.country && countryOf(bin.country) && /^[a-z]+$/.test(bin.subtype));
        }),
        { numRuns: 20 },
      );
    });

  it('shows cards of our own issuer as Florin', () => {
    const master = lookupBin(withPrefix('559999', '000000000'));
    const visa = lookupBin(withPrefix('459999', '000000000'));
    assert.deepEqual([master.title, master.brand, master.own], ['Florin', 'mastercard', true]);
    assert.deepEqual([visa.title, visa.brand, visa.own], ['Florin', 'visa', true]);
  });

  const ranges: readonly (readonly [string, string])[] = [
    ['412345', 'visa'],
    ['222100', 'mastercard'],
    ['272099', 'mastercard'],
    ['510001', 'mastercard'],
    ['559998', 'mastercard'],
    ['340000', 'amex'],
    ['379999', 'amex'],
    ['601100', 'discover'],
    ['650000', 'discover'],
    ['352800', 'jcb'],
    ['358999', 'jcb'],
    ['622222', 'unionpay'],
    ['501800', 'maestro'],
    ['675900', 'maestro'],
    ['220000', 'mir'],
    ['220499', 'mir'],
    ['361111', 'diners'],
    ['222099', 'unknown'],
    ['272100', 'unknown'],
    ['352799', 'unknown'],
    ['100000', 'unknown'],
    ['999999', 'unknown'],
  ];
  for (const [prefix, brand] of ranges)
    it(`${prefix}: ${brand}, no bank`, () => {
      const bin = lookupBin(withPrefix(prefix, '000000000'));
      assert.deepEqual([bin.brand, bin.type, bin.title, bin.country, bin.bin], [brand, brand, null, null, prefix]);
    });

  it('answers every card number, and never shows more than six digits', () => {
    fc.assert(
      fc.property(fc.stringMatching(/^\d{12,18}$/), (payload) => {
        const bin = lookupBin(pan(payload + luhnDigit(payload)));
        assert.equal(bin.bin, payload.slice(0, 6));
        assert.match(bin.brand, /^[a-z]+$/);
        assert.match(bin.subtype, /^[a-z]+$/);
      }),
    );
  });

  it('is consistent: a listed bank belongs to the brand of its range', () => {
    for (const range of binList()) {
      assert.match(range.prefix, /^\d{6,8}$/);
      assert.ok(range.country === null || countryOf(range.country), range.prefix);
      const neighbour = lookupBin(withPrefix(`${range.prefix.slice(0, 4)}01`, '000000000'));
      if (neighbour.title === null) assert.equal(neighbour.brand, range.brand, range.prefix);
    }
  });
});
