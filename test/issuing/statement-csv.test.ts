// A statement as CSV: read back by another program it is what was written, and no spreadsheet runs a text of it.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parse } from 'csv-parse/sync';
import fc from 'fast-check';
import type { Permutation } from '../../src/base/index.ts';
import { statementCsv } from '../../src/issuing/accounts/present.ts';

type Entry = Parameters<typeof statementCsv>[2][number];

const permutation: Permutation = { outward: String, inward: () => null };

const entry = (change: Partial<Entry>): Entry => ({
  tenant_id: 1n,
  instrument_id: 2n,
  sequence: 3,
  id: 4n,
  type: 'AUTHORISATION',
  amount: 0n,
  available_change: -3000n,
  actual_after: 10_000n,
  available_after: 7000n,
  reference_id: 5n,
  details: {},
  created_at: new Date('2026-11-21T10:00:00Z'),
  ...change,
});
const written = (...entries: readonly Entry[]): string => statementCsv(permutation, 'EUR', entries);

test('is a line of names and a line an entry, each with its end', () => {
  assert.equal(
    written(entry({ details: { merchantName: 'BAKERY' } }), entry({ reference_id: null, amount: -1n })),
    [
      'sequence,processedAt,transactionType,transactionId,currency,amount,availableBalanceAdjustment,actualBalanceAfter,availableBalanceAfter,description',
      '3,2026-11-21T10:00:00.000Z,AUTHORISATION,5,EUR,0,-3000,10000,7000,BAKERY',
      '3,2026-11-21T10:00:00.000Z,AUTHORISATION,,EUR,-1,-3000,10000,7000,',
      '',
    ].join('\r\n'),
  );
});

test('gives back every text as it was, but for an apostrophe before a formula (property)', () => {
  const text = fc.oneof(fc.string({ unit: 'grapheme' }), fc.string({ unit: fc.constantFrom(...`",;'=+-@\t\r\n 1a`) }));
  fc.assert(
    fc.property(text, text, (one, two) => {
      const csv = written(entry({ details: { description: one } }), entry({ details: { description: two } }));
      const records: string[][] = parse(csv, { record_delimiter: '\r\n' });
      assert.equal(records.length, 3);
      for (const [record, said] of [
        [records[1], one],
        [records[2], two],
      ] as const) {
        const cell = record?.[9] ?? '';
        assert.equal(cell.replace(/^'(?=[=+\-@\t\r])/, ''), said.replace(/^'(?=[=+\-@\t\r])/, ''));
        assert.doesNotMatch(cell, /^([=+@\t\r]|-(?!\d+$))/);
      }
    }),
    { numRuns: 1000 },
  );
});

test('keeps amounts numbers, negative ones too', () => {
  const line = written(entry({ amount: -1n, details: { description: '-1+2' } })).split('\r\n')[1];
  assert.match(line ?? '', /,EUR,-1,-3000,10000,7000,'-1\+2$/);
});
