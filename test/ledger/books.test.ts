// docs/contract/gateway.md#cashflow: groups balance, balances are sums, conversion and refunds are exact.
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import fc from 'fast-check';
import { idMaker, systemClock, systemRandom } from '../../src/base/index.ts';
import {
  cashflowOf,
  convert,
  createProver,
  createRates,
  type Entry,
  formatRate,
  ledgerAuditor,
  type PricingPlan,
  parseEcbXml,
  parseRate,
  postOperation,
  pricingErrors,
  type Rate,
  rateListing,
  rateRows,
} from '../../src/ledger/index.ts';
import { createCommitter } from '../../src/store/index.ts';
import { silent, type TestDatabase, testDatabase } from '../support/database.ts';

const plan: PricingPlan = {
  rules: [{ operation: 'charge', percent: '2.9', fixed: '0.30' }],
  reserve: { percent: '5', days: 30 },
};
const at = new Date('2026-11-21T10:00:00Z');
const entry = (fields: Partial<Entry>): Entry => ({
  owner: 1n,
  subject: { type: 'order', id: 1n },
  operationId: 1n,
  operation: 'charge',
  amount: { minor: 10_000n, currency: 'EUR' },
  hold: 0n,
  accounting: 'EUR',
  rate: null,
  plan,
  cardType: 'visa',
  country: 'DEU',
  link: 'simulator',
  at,
  ...fields,
});
const flow = (fields: Partial<Entry>) => {
  const made = entry(fields);
  return cashflowOf(postOperation(made).postings, made.accounting, convert(made.amount, made.accounting, made.rate));
};

test('the table of cashflows', () => {
  const euros = (amount: string, fee: string, incoming: string, receivable: string, reserve: string) => ({
    currency: 'EUR',
    amount,
    fee,
    incoming,
    receivable,
    reserve,
  });
  assert.deepEqual(flow({}), euros('100.00', '3.20', '100.00', '91.80', '5.00'));
  // A fixed fee larger than the charge: only receivable is negative.
  assert.deepEqual(flow({ amount: { minor: 10n, currency: 'EUR' } }), euros('0.10', '0.30', '0.10', '-0.20', '0.00'));
  assert.deepEqual(flow({ operation: 'refund' }), euros('100.00', '0.00', '0.00', '-100.00', '0.00'));
  assert.deepEqual(flow({ operation: 'authorize', hold: 10_000n }), euros('100.00', '0.00', '0.00', '0.00', '0.00'));
  const priced: PricingPlan = {
    ...plan,
    rules: [
      { operation: 'authorize', percent: '0', fixed: '0.05' },
      { operation: 'refund', percent: '0', fixed: '0.25' },
      { operation: 'chargeback', percent: '0', fixed: '15' },
      { operation: 'charge', percent: '1', fixed: '0', card_type: 'visa', min: '2.00' },
      { operation: 'charge', percent: '1', fixed: '0', max: '0.50' },
    ],
  };
  assert.deepEqual(flow({ operation: 'authorize', plan: priced }), euros('100.00', '0.05', '0.00', '-0.05', '0.00'));
  assert.deepEqual(flow({ operation: 'refund', plan: priced }), euros('100.00', '0.25', '0.00', '-100.25', '0.00'));
  assert.deepEqual(
    flow({ operation: 'chargeback', plan: priced }),
    euros('100.00', '15.00', '0.00', '-115.00', '0.00'),
  );
  assert.equal(flow({ plan: priced }).fee, '2.00');
  assert.equal(flow({ plan: priced, cardType: 'mastercard' }).fee, '0.50');
});

test('pricing plans are checked', () => {
  assert.deepEqual(pricingErrors(plan, 'EUR'), []);
  const wrong = {
    rules: [{ operation: 'charge' as const, percent: '101', fixed: '0.305' }],
    reserve: { percent: '-1', days: 0 },
  };
  assert.deepEqual(
    pricingErrors(wrong, 'EUR').map(([pointer]) => pointer),
    ['#/rules/0/percent', '#/rules/0/fixed', '#/reserve/percent', '#/reserve/days'],
  );
});

const rate = (micro: bigint): Rate => ({ micro, day: '2026-11-21', source: 'test' });

test('property: every group balances in each currency, whatever is posted', () => {
  const operations = ['authorize', 'charge', 'reverse', 'refund', 'credit', 'chargeback', 'representment'] as const;
  fc.assert(
    fc.property(
      fc.constantFrom(...operations),
      fc.bigInt(1n, 999_999_999_999n),
      fc.constantFrom('EUR', 'USD', 'JPY'),
      fc.bigInt(1n, 500_000_000n),
      (operation, minor, currency, micro) => {
        const { postings } = postOperation(
          entry({ operation, amount: { minor, currency }, hold: minor, rate: currency === 'EUR' ? null : rate(micro) }),
        );
        const sums = new Map<string, bigint>();
        for (const { currency: of, amount } of postings) sums.set(of, (sums.get(of) ?? 0n) + amount);
        for (const sum of sums.values()) assert.equal(sum, 0n);
      },
    ),
    { numRuns: 20_000 },
  );
});

test('property: a conversion is off by at most half a minor unit, across different decimals', () => {
  fc.assert(
    fc.property(fc.bigInt(0n, 999_999_999_999n), fc.bigInt(1n, 500_000_000n), (minor, micro) => {
      const converted = convert({ minor, currency: 'USD' }, 'EUR', rate(micro));
      const error = converted * 1_000_000n - minor * micro;
      assert.ok((error < 0n ? -error : error) * 2n <= 1_000_000n);
      // One hundredth of a dollar has a hundred times fewer yen than a dollar.
      const yen = convert({ minor, currency: 'USD' }, 'JPY', rate(micro));
      const off = yen * 100_000_000n - minor * micro;
      assert.ok((off < 0n ? -off : off) * 2n <= 100_000_000n);
    }),
    { numRuns: 20_000 },
  );
});

let database: TestDatabase;
before(async () => {
  database = await testDatabase();
});

test('2,000 random operations: balances are the sums of their postings, and a planted posting is found', async () => {
  const tools = { clock: systemClock, time: systemClock, log: silent };
  const ids = idMaker(systemClock, 1);
  const committer = createCommitter({ connect: () => database.session(), clock: systemClock, ids, log: silent });
  const operations = ['authorize', 'charge', 'refund', 'chargeback'] as const;
  await Promise.all(
    Array.from({ length: 2000 }, (_, i) =>
      committer.submit({
        name: 'test',
        owner: BigInt(1 + (i % 3)),
        needs: [],
        decide: () => {
          const minor = BigInt(systemRandom.int(100_000) + 1);
          const id = ids.next();
          const made = entry({
            owner: BigInt(1 + (i % 3)),
            operationId: id,
            subject: { type: 'order', id },
            operation: operations[i % 4],
            amount: { minor, currency: 'USD' },
            rate: rate(921_659n),
          });
          return { value: null, changes: postOperation(made).changes };
        },
      }),
    ),
  );
  await committer.drain();
  const prover = createProver({ ...tools, database, auditors: [ledgerAuditor], rows: 100 });
  const violations = async (): Promise<string[]> => {
    const found: string[] = [];
    const { checks } = await prover.full();
    for (const { id, ok } of checks) if (!ok) found.push(id);
    return found;
  };
  assert.deepEqual(await violations(), []);
  await assert.rejects(database.query('update postings set amount = amount + 1'), /append-only/);
  await assert.rejects(database.query('delete from postings'), /append-only/);
  await database.query(
    `insert into postings values (1, 1, 1, 1, 5, $1, 99, 'order', 'charge', 'merchant_payable', 'EUR')`,
    [at],
  );
  assert.deepEqual(await violations(), ['groups_balance', 'balances_are_sums']);
});

test('rates: six decimals, the inverse as a row of its own, lists by day and period', async () => {
  assert.equal(parseRate('1.0851234567'), 1_085_123n);
  assert.equal(formatRate(1_085_123n), '1.085123');
  for (const text of ['0', '-1', '1e2', '', '1.', 'NaN', '0.0000001']) assert.equal(parseRate(text), null, text);
  const rates = createRates(database);
  const rows = rateRows(
    [
      { from: 'EUR', to: 'USD', rate: '1.25', day: '2026-11-20' },
      { from: 'EUR', to: 'USD', rate: '1.2', day: '2026-11-21' },
    ],
    'test',
  );
  assert.ok(rows);
  await database.transaction((db) => rates.put(db, rows, at));
  await rates.reload(at);
  assert.equal(rates.get('EUR', 'USD')?.micro, 1_200_000n);
  assert.equal(rates.get('USD', 'EUR')?.micro, 833_333n);
  const stored = async (from: string, to: string | null): Promise<number> => {
    const filter = { from, to, currencyFrom: null, currencyTo: null, latest: false };
    return (await rateListing(database, filter, { after: null, limit: 10, count: false })).rows.length;
  };
  assert.deepEqual([await stored('2026-11-20', '2026-11-20'), await stored('2026-11-20', null)], [2, 4]);
  assert.equal(rateRows([{ from: 'EUR', to: 'EUR', rate: '1', day: '2026-11-20' }], 'test'), null);
});

test("the European Central Bank's daily file is read; anything else is refused", async () => {
  const xml = `<?xml version="1.0" encoding="UTF-8"?>
    <gesmes:Envelope xmlns:gesmes="http://www.gesmes.org/xml/2002-08-01" xmlns="http://www.ecb.int/vocabulary/2002-08-01/eurofxref">
      <gesmes:subject>Reference rates</gesmes:subject>
      <Cube><Cube time="2026-11-20"><Cube currency="USD" rate="1.0853"/><Cube currency="JPY" rate="162.53"/></Cube></Cube>
    </gesmes:Envelope>`;
  assert.deepEqual(await parseEcbXml(xml), [
    { from: 'EUR', to: 'USD', rate: '1.0853', day: '2026-11-20' },
    { from: 'EUR', to: 'JPY', rate: '162.53', day: '2026-11-20' },
  ]);
  for (const text of ['', '<a/>', 'not xml', `<!DOCTYPE x [<!ENTITY a "b">]>${xml}`])
    assert.equal(await parseEcbXml(text), null);
});
