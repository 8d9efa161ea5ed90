// The data files of ISO 4217 and ISO 3166-1, held against packages that others keep.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import currencyCodes from 'currency-codes';
import countryCodes from 'i18n-iso-countries';
import {
  countryOf,
  exponentOf,
  InvariantError,
  isCurrency,
  isUsableCurrency,
  numericOf,
} from '../../src/base/index.ts';
import countries from '../../src/base/iso/countries.json' with { type: 'json' };
import currencies from '../../src/base/iso/currencies.json' with { type: 'json' };

/** In the standard, but not money that a card can be charged in: metals, bond units, units of account, test and nothing. */
const NOT_MONEY = ['XAG', 'XAU', 'XBA', 'XBB', 'XBC', 'XBD', 'XDR', 'XPD', 'XPT', 'XSU', 'XTS', 'XUA', 'XXX'];

describe('currencies', () => {
  it('are those of the standard, with its numbers and decimals', () => {
    const ours = currencies.map(([code, numeric, exponent]) => `${code} ${numeric} ${exponent}`).sort();
    const standard = currencyCodes.data
      .filter(({ code }) => !NOT_MONEY.includes(code))
      .map(({ code, number, digits }) => `${code} ${number} ${digits}`)
      .sort();
    assert.deepEqual(ours, standard);
  });

  it('have the decimals of the standard, not those of daily life', () => {
    // What Intl says of these is another number.
    assert.deepEqual(['HUF', 'IDR', 'IQD', 'JPY', 'EUR'].map(exponentOf), [2, 2, 3, 0, 2]);
    assert.deepEqual(['EUR', 'ALL', 'USD'].map(numericOf), ['978', '008', '840']);
  });

  it('are usable with none or two decimals', () => {
    assert.ok(isUsableCurrency('EUR') && isUsableCurrency('JPY'));
    for (const code of ['KWD', 'BHD', 'CLF', 'XXX', 'eur', '', 'EURO', '__proto__'])
      assert.ok(!isUsableCurrency(code), code);
  });

  it('unknown are not guessed', () => {
    for (const code of ['ABC', 'eur', '', 'constructor']) {
      assert.ok(!isCurrency(code), code);
      assert.throws(() => exponentOf(code), InvariantError);
      assert.throws(() => numericOf(code), InvariantError);
    }
  });
});

describe('countries', () => {
  it('are those of the standard', () => {
    const ours = countries.map(([alpha2, alpha3, numeric]) => `${alpha2} ${alpha3} ${numeric}`).sort();
    const standard = Object.entries(countryCodes.getAlpha3Codes())
      .map(([alpha3, alpha2]) => `${alpha2} ${alpha3} ${countryCodes.alpha3ToNumeric(alpha3)}`)
      .sort();
    assert.deepEqual(ours, standard);
  });

  it('are found by either code, upper case only', () => {
    assert.deepEqual(countryOf('DEU'), countryOf('DE'));
    assert.equal(countryOf('DE')?.numeric, '276');
    for (const [alpha2, alpha3] of countries) assert.equal(countryOf(alpha2 as string)?.alpha3, alpha3);
    for (const code of ['deu', 'de', '276', '', 'XX', 'toString']) assert.equal(countryOf(code), null, code);
  });

  it('have a name', () => {
    assert.deepEqual(
      countries.filter(([, , , name]) => !name?.trim()),
      [],
    );
  });
});
