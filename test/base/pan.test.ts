// A card number shows its first six and last four digits, whoever prints it and however.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { format, inspect } from 'node:util';
import fc from 'fast-check';
import { isLuhn, luhnDigit, maskDigits, maskPansIn, Pan } from '../../src/base/index.ts';

const digits = (length: number): fc.Arbitrary<string> => fc.stringMatching(new RegExp(`^[0-9]{${length}}$`));
const withCheckDigit = (payload: string): string => `${payload}${luhnDigit(payload)}`;

/** Numbers of a network's range, 13 to 19 digits, right check digit. */
const panDigits = fc
  .integer({ min: 13, max: 19 })
  .chain((length) => fc.tuple(fc.constantFrom('4', '51', '55', '2223', '34', '37', '36', '6011', '65'), digits(length)))
  .map(([start, rest]) => withCheckDigit((start + rest).slice(0, rest.length - 1)));

const VISA = '4111111111111111';

describe('the Luhn digit', () => {
  it('is that of known numbers', () => {
    for (const number of [
      VISA,
      '5555555555554444',
      '378282246310005',
      '2222400060000007',
      '6011111111111117',
      '30569309025904',
      '4222222222222',
    ])
      assert.ok(isLuhn(number), number);
    assert.equal(luhnDigit('7992739871'), 3);
  });

  it('notices every wrong digit', () => {
    fc.assert(
      fc.property(panDigits, fc.nat(18), fc.integer({ min: 1, max: 9 }), (number, place, by) => {
        const at = place % number.length;
        const wrong = number.slice(0, at) + ((Number(number[at]) + by) % 10) + number.slice(at + 1);
        assert.ok(isLuhn(number) && !isLuhn(wrong));
      }),
    );
  });
});

describe('a card number', () => {
  it('is masked but for its first six and last four, from 12 to 19 digits', () => {
    for (let length = 12; length <= 19; length++)
      fc.assert(
        fc.property(digits(length), (number) => {
          const masked = maskDigits(number);
          assert.equal(masked, `${number.slice(0, 6)}${'*'.repeat(length - 10)}${number.slice(-4)}`);
          assert.equal(masked.length, length);
        }),
        { numRuns: 30 },
      );
  });

  it('is read from 13 to 19 digits with spaces and hyphens', () => {
    for (const text of [VISA, '4111 1111 1111 1111', '4111-1111-1111-1111', ' 4111111111111111 '])
      assert.equal(Pan.parse(text)?.reveal(), VISA);
    fc.assert(fc.property(panDigits, (number) => assert.equal(Pan.parse(number)?.reveal(), number)));
  });

  // biome-ignore format: a list to be read across
  const NO_NUMBERS = [
    '', '411111111111', '4111111111111112', '41111111111111111111', '4111.1111.1111.1111', '4111111111111111x', '４１１１１１１１１１１１１１１１', '٤١١١', '4'.repeat(1000), '4111\t1111\t1111\t1111', withCheckDigit('41111111111'), withCheckDigit('4'.repeat(19)),
  ];
  for (const text of NO_NUMBERS)
    it(`is not ${JSON.stringify(text.slice(0, 30))}`, () => assert.equal(Pan.parse(text), null));

  it('hides in whatever prints it', () => {
    fc.assert(
      fc.property(panDigits, (number) => {
        const pan = Pan.parse(number) as Pan;
        const holder = { card: { pan, pans: [pan] } };
        // biome-ignore format: one way of printing after the other
        const printed = [
          String(pan), `${pan}`, `${pan} paid`, [pan].join(), JSON.stringify(pan), JSON.stringify(holder), inspect(pan), inspect(holder, { depth: 9 }),
          inspect(pan, { showHidden: true, customInspect: false, getters: true }), format('%s %o %O %j', pan, pan, pan, pan), pan.toLocaleString(),
          JSON.stringify({ ...pan }), JSON.stringify(Object.entries(pan)), JSON.stringify(Object.getOwnPropertyNames(pan)), JSON.stringify(structuredClone({ ...pan })),
          new Error(`no such card: ${pan}`).message,
        ];
        for (const text of printed) assert.ok(!text.includes(number), 'shown in clear');
        assert.equal(String(pan), maskDigits(number));
        assert.equal(JSON.stringify(pan), `"${maskDigits(number)}"`);
        assert.equal(inspect(pan), `Pan(${maskDigits(number)})`);
      }),
    );
  });

  it('tells its range, its end and whether it is the same', () => {
    const pan = Pan.parse(VISA) as Pan;
    assert.deepEqual([pan.bin(), pan.bin(8), pan.lastFour, pan.length], ['411111', '41111111', '1111', 16]);
    assert.ok(pan.equals(Pan.parse('4111 1111 1111 1111') as Pan));
    assert.ok(!pan.equals(Pan.parse('5555555555554444') as Pan));
  });
});

describe('card numbers in free text', () => {
  it('are masked wherever they stand', () => {
    const texts: readonly (readonly [string, string])[] = [
      [VISA, '411111******1111'],
      [`card ${VISA}, thanks`, 'card 411111******1111, thanks'],
      ['4111 1111 1111 1111', '411111******1111'],
      ['4111-1111-1111-1111', '411111******1111'],
      [`x${VISA}x`, 'x411111******1111x'],
      [`pan=${VISA}&cvv=123`, 'pan=411111******1111&cvv=123'],
      ['378282246310005', '378282*****0005'],
      ['4222222222222', '422222***2222'],
      [`${VISA} and 5555555555554444`, '411111******1111 and 555555******4444'],
    ];
    for (const [text, expected] of texts) assert.equal(maskPansIn(text), expected);
  });

  it('are masked whatever digits stand around them', () => {
    fc.assert(
      fc.property(
        panDigits,
        digits(5),
        digits(5),
        fc.nat(5),
        fc.nat(5),
        fc.constantFrom('', ' ', '-'),
        (number, before, after, b, a, separator) => {
          const [left, right] = [before.slice(0, b), after.slice(0, a)];
          const masked = maskPansIn([left, number, right].filter(Boolean).join(separator)).replace(/[ -]/g, '');
          const middle = masked.slice(left.length + 6, left.length + number.length - 4);
          assert.match(middle, /^\*+$/, 'a digit of the middle is shown');
          assert.equal(masked.length, left.length + number.length + right.length);
        },
      ),
      { numRuns: 1000 },
    );
  });

  it('are not seen in what is none', () => {
    // biome-ignore format: a list to be read across
    const harmless = [
      '', 'order 12345', '4111111111111112', '0049 30 1234567', '1111111111111117', '2026-11-21 09:30:00', '411111******1111',
      '4111  1111  1111  1111', '4111.1111.1111.1111', 'ab4c1d1e1f1g1h1i1j1k1l1m1n1o1p1',
    ];
    for (const text of harmless) assert.equal(maskPansIn(text), text);
  });

  it('once masked stay as they are', () => {
    fc.assert(
      fc.property(panDigits, fc.string(), (number, text) => {
        const once = maskPansIn(`${text} ${number}`);
        assert.equal(maskPansIn(once), once);
      }),
    );
  });

  it('leave other text alone', () => {
    fc.assert(
      fc.property(
        fc.string().filter((text) => !/\d(?:[ -]?\d){12}/.test(text)),
        (text) => assert.equal(maskPansIn(text), text),
      ),
    );
  });

  it('cost no more than the text is long', () => {
    const hostile = ['4'.repeat(65_536), '4 '.repeat(32_768), VISA.repeat(4096), `${'5'.repeat(12)}x`.repeat(5000)];
    for (const text of hostile) {
      const started = process.cpuUsage();
      maskPansIn(text);
      const { user } = process.cpuUsage(started);
      assert.ok(user < 2_000_000, `${user} microseconds for ${text.slice(0, 20)}…`);
    }
  });
});
