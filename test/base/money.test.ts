// Amounts: read from text, never through a float; printed as the contract prints them; divided half to even.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { divideHalfEven, formatAmount, InvariantError, MAX_MINOR, parseAmount } from '../../src/base/index.ts';

const minor = fc.bigInt({ min: 0n, max: MAX_MINOR });

describe('amounts', () => {
  it('come back from their printed form', () => {
    fc.assert(fc.property(minor, (amount) => assert.equal(parseAmount(formatAmount(amount, 'EUR'), 'EUR'), amount)));
    fc.assert(fc.property(minor, (amount) => assert.equal(parseAmount(formatAmount(amount, 'JPY'), 'JPY'), amount)));
  });

  it('are printed with two decimals in every currency', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: -MAX_MINOR, max: MAX_MINOR }), fc.constantFrom('EUR', 'JPY'), (amount, currency) =>
        assert.match(formatAmount(amount, currency), /^-?(0|[1-9]\d*)\.\d\d$/),
      ),
    );
    assert.equal(formatAmount(1250n, 'EUR'), '12.50');
    assert.equal(formatAmount(1250n, 'JPY'), '1250.00');
    assert.equal(formatAmount(5n, 'USD'), '0.05');
    assert.equal(formatAmount(-5n, 'USD'), '-0.05');
    assert.equal(formatAmount(-100n, 'USD'), '-1.00');
    assert.equal(formatAmount(0n, 'EUR'), '0.00');
    assert.equal(formatAmount(-7n, 'JPY'), '-7.00');
  });

  it('mean what is written, with no, one or two decimals', () => {
    const meanings: readonly (readonly [string, string, bigint])[] = [
      ['0', 'EUR', 0n],
      ['0.0', 'EUR', 0n],
      ['1', 'EUR', 100n],
      ['1.5', 'EUR', 150n],
      ['1.05', 'EUR', 105n],
      ['0.29', 'EUR', 29n],
      ['9999999999.99', 'EUR', MAX_MINOR],
      ['100', 'JPY', 100n],
      ['100.0', 'JPY', 100n],
      ['100.00', 'JPY', 100n],
      ['999999999999', 'JPY', MAX_MINOR],
    ];
    for (const [text, currency, expected] of meanings)
      assert.equal(parseAmount(text, currency), expected, `${text} ${currency}`);
  });

  // Each of these has been read as money by some program.
  // biome-ignore format: a list to be read across
  const HOSTILE = [
    '1e2', '1E2', '1.0e1', '1.005', '0.001', '-0', '-0.00', '-1', '+1', '--1', '1000000000000000', '10000000000.00', '10000000000',
    '00', '01', '00.50', '007', '.5', '5.', '.', '', ' ', ' 1', '1 ', '1\n', '\t1', '1,00', '1.000,00', '1 000', "1'000", '1_000', '0x10', '0b1', '0o7',
    'NaN', 'Infinity', '-Infinity', 'null', 'true', '1n', '1f', '1.0.0', '1..0', '$1', '1 EUR',
    '\u0661\u0662', '\uff11\uff12', '\u00b2', '\u2460', '1\u200b', '\ufeff1', '\u22121', '\u0967.\u0966\u0966', '1\u066b50', '1\u0000', '9'.repeat(400),
  ];
  for (const text of HOSTILE)
    it(`are not ${JSON.stringify(text.slice(0, 30))}`, () => assert.equal(parseAmount(text, 'EUR'), null));

  it('have no fraction in a currency without decimals', () => {
    for (const text of ['0.5', '100.01', '100.10', '1.5']) assert.equal(parseAmount(text, 'JPY'), null, text);
    assert.equal(parseAmount('1000000000000', 'JPY'), null);
  });

  it('are read from any text without an exception, and only in the plain form', () => {
    const text = fc.oneof(
      fc.string(),
      fc.string({ unit: 'binary' }),
      fc.double().map(String),
      fc.stringMatching(/^[-+]?[0-9]{0,14}\.?[0-9]{0,4}(e[0-9])?$/),
    );
    fc.assert(
      fc.property(text, fc.constantFrom('EUR', 'JPY'), (given, currency) => {
        const read = parseAmount(given, currency);
        if (read === null) return;
        assert.match(given, /^(0|[1-9][0-9]*)(\.[0-9]{1,2})?$/);
        assert.ok(read >= 0n && read <= MAX_MINOR);
      }),
      { numRuns: 2000 },
    );
  });

  it('need a known currency', () => {
    assert.throws(() => parseAmount('1.00', 'ABC'), InvariantError);
    assert.throws(() => formatAmount(1n, 'eur'), InvariantError);
  });
});

describe('division', () => {
  const divisor = fc.bigInt({ min: 1n, max: 10n ** 12n });
  const number = fc.bigInt({ min: -(10n ** 18n), max: 10n ** 18n });

  it('takes the nearer whole number, the even one of two equally near', () => {
    const halves: readonly (readonly [bigint, bigint, bigint])[] = [
      [1n, 2n, 0n],
      [3n, 2n, 2n],
      [5n, 2n, 2n],
      [7n, 2n, 4n],
      [-1n, 2n, 0n],
      [-3n, 2n, -2n],
      [-5n, 2n, -2n],
      [25n, 10n, 2n],
      [35n, 10n, 4n],
      [26n, 10n, 3n],
      [24n, 10n, 2n],
      [-26n, 10n, -3n],
      [0n, 7n, 0n],
      [14n, 7n, 2n],
    ];
    for (const [numerator, denominator, expected] of halves)
      assert.equal(divideHalfEven(numerator, denominator), expected, `${numerator}/${denominator}`);
  });

  it('is never further than half away, and even at exactly half', () => {
    fc.assert(
      fc.property(number, divisor, (numerator, denominator) => {
        const quotient = divideHalfEven(numerator, denominator);
        const twiceError = 2n * (numerator - quotient * denominator);
        const distance = twiceError < 0n ? -twiceError : twiceError;
        assert.ok(distance <= denominator);
        if (distance === denominator) assert.equal(quotient % 2n, 0n);
      }),
    );
  });

  it('treats gain and loss alike', () => {
    fc.assert(fc.property(number, divisor, (n, d) => assert.equal(divideHalfEven(-n, d), -divideHalfEven(n, d))));
  });
});
