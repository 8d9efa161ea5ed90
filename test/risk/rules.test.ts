// Rules: what an expression may say, what is refused when it is saved, and what a verdict is made of.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { systemClock } from '../../src/base/index.ts';
import { liveTesting } from '../../src/gateway/risk/card-testing.ts';
import { compileExpression, MAX_LENGTH } from '../../src/gateway/risk/expression.ts';
import { DIMENSIONS, factsOf, keysOf, type Payment } from '../../src/gateway/risk/facts.ts';
import { countersFor } from '../../src/gateway/risk/risk.ts';
import { ruleProblems } from '../../src/gateway/risk/rules.ts';
import { assess, compileRules, type RuleText, type Verdict } from '../../src/gateway/risk/ruleset.ts';
import { TESTING_WINDOWS } from '../../src/gateway/risk/thresholds.ts';
import { keyed, MemoryCounters, payment, type Told } from './memory.ts';

let names = 0;
const rule = (expression: string, of: Partial<RuleText> = {}): RuleText => ({
  id: `rule-${names++}`,
  class: 'other',
  expression,
  action: 'refuse',
  dry_run: false,
  ...of,
});

function judge(rules: readonly RuleText[], told: Told = {}, counters = new MemoryCounters()): Verdict {
  const { ruleset, faults } = compileRules(rules);
  assert.deepEqual(faults, []);
  const of = payment(told);
  const keys = keysOf(of, keyed);
  return assess(ruleset, liveTesting, of, keys, counters.load(keys, ruleset.windows, of.at));
}

const FULL: Told = {
  amount: 12_550n,
  currency: 'USD',
  accounting: 11_000n,
  country: 'DEU',
  bin: '424242',
  ip: '203.0.113.7',
  ipCountry: 'FRA',
  email: ' Jane.Roe+shop@Example.COM',
  clientCountry: 'DEU',
  merchantOrderId: 'A-17',
  at: new Date('2026-11-21T23:30:00Z'),
};

test('everything that a payment tells can be asked', () => {
  const holds = [
    'amount > 125.0 && amount < 126.0 && currency == "USD"',
    'amount == 125.5',
    'accounting.amount == 110.0 && accounting.currency == "EUR"',
    'card.country == "DEU" && card.brand == "visa" && card.type == "debit" && card.bin == "424242"',
    'card.bin in ["411111", "424242"]',
    'card.country != ip.country',
    'ip.address == "203.0.113.7" && ip.address.startsWith("203.0.113.")',
    'client.email == "jane.roe+shop@example.com" && client.email.endsWith("@example.com")',
    'client.country in ["DEU", "AUT"]',
    'merchant_order_id.contains("-") && size(merchant_order_id) == 4',
    'hour >= 22 || hour < 6',
    'has(ip.country) ? ip.country == "FRA" : false',
    'count("card", "1h") == 1 && sum("email", "30d") == 110.0',
    '!(count("ip", "24h") > 5) && sum("ip", "24h") <= 1000.0',
    'string(amount) == "125.5" && int(amount) == 125 && double(hour) * 2.0 == 46.0',
  ];
  for (const expression of holds) assert.equal(judge([rule(expression)], FULL).verdict, 'refuse', expression);
});

test('what nobody told is unknown: a comparison with it neither holds nor fails, and is no error', () => {
  const silent: Told = { country: null };
  for (const expression of [
    'card.country != ip.country',
    'ip.country == "USA"',
    '!(client.email == "x")',
    'accounting.amount > 0.0',
  ]) {
    const { verdict, matched } = judge([rule(expression)], { ...silent, currency: 'USD' });
    assert.deepEqual([verdict, matched], ['pass', []], expression);
  }
  assert.equal(judge([rule('!has(ip.country)')], silent).verdict, 'refuse');
  assert.equal(judge([rule('ip.country == "USA" || amount > 1.0')], silent).verdict, 'refuse');
  assert.equal(judge([rule('count("ip", "1h") == 0 && count("email", "1h") == 0')], silent).verdict, 'refuse');
});

test('the hour is that of the project', () => {
  assert.equal(judge([rule('hour == 1')], { ...FULL, timeZone: 'Europe/Athens' }).verdict, 'refuse');
  assert.equal(judge([rule('hour == 23')], FULL).verdict, 'refuse');
});

test('hostile and mistaken expressions are refused when they are saved', () => {
  const refused: [string, RegExp][] = [
    ['[1, 2, 3].exists(x, x > 1)', /exists/],
    ['[1, 2].all(x, [1, 2].all(y, [1, 2].all(z, x + y + z > 0)))', /all/],
    ['[1].map(x, x)[0] == 1', /map|\[\]/],
    ['size([1, 2].filter(x, x > 1)) > 0', /filter/],
    ['[1].exists_one(x, x == 1)', /exists_one/],
    ['cel.bind(x, "a" + "a", x + x == "aaaa")', /bind/],
    ['client.email.matches("^(a+)+$")', /matches/],
    ['dyn(amount) > 1', /dyn/],
    ['timestamp("2026-01-01T00:00:00Z") < timestamp("2027-01-01T00:00:00Z")', /timestamp/],
    ['type(amount) == double', /type/],
    ['client.email.split("@")[1] == "x"', /split|\[\]/],
    ['card["country"] == "DEU"', /\[\]/],
    ['{"a": 1}.a == 1', /Exceeded/],
    ['process.exit(1) == 1', /process|exit/],
    ['constructor == 1', /constructor|Unknown/],
    ['card.__proto__ == ip', /No such key|no such overload|reserved|Reserved/i],
    ['card.constructor == "x"', /No such key/],
    ['card.pan == "4111111111111111"', /No such key/],
    ['nothing > 1', /Unknown variable/],
    ['amount > "1"', /overload/],
    ['amount', /true or false/],
    ['"yes"', /true or false/],
    ['count("card", "1h")', /true or false/],
    ['count(card.bin, "1h") > 1', /count takes/],
    ['count("card", "1" + "h") > 1', /count takes/],
    ['count("planet", "1h") > 1', /count takes/],
    ['count("card.answers", "1h") > 1', /count takes/],
    ['count("card") > 1', /count takes|overload/],
    ['sum("ip", "40d") > 1.0', /looks back/],
    ['sum("ip", "10s") > 1.0', /looks back/],
    ['sum("ip", "soon") > 1.0', /looks back/],
    ['', /not valid/],
    ['amount >', /not valid/],
    ['amount > 1.0 amount', /not valid/],
    [`${'('.repeat(500)}true${')'.repeat(500)}`, /Exceeded/],
    [`${'!'.repeat(1500)}true`, /Exceeded|not valid/],
    [Array(400).fill('true').join('&&'), /Exceeded|not valid|longer/],
    [`currency in [${Array(600).fill('""').join(',')}]`, /Exceeded/],
    [`currency == "${'x'.repeat(MAX_LENGTH)}"`, /longer/],
  ];
  for (const [expression, reason] of refused) {
    const started = systemClock.elapsed();
    const compiled = compileExpression(expression);
    assert.ok('error' in compiled, `was taken: ${expression.slice(0, 60)}`);
    assert.match(compiled.error, reason, expression.slice(0, 60));
    assert.ok(compiled.error.length < 300 && !compiled.error.includes('\n'));
    assert.ok(systemClock.elapsed() - started < 1000);
  }
});

test('no text whatever throws when it is compiled, and what compiles answers quickly', () => {
  const word = fc.constantFrom(
    'amount',
    'card.country',
    'ip',
    '"x"',
    '1',
    '2.5',
    'count("card","1h")',
    'has(ip.country)',
    '&&',
    '||',
    '!',
    '(',
    ')',
    '?',
    ':',
    '==',
    '>',
    '+',
    '*',
    '%',
    '/',
    'in',
    '[1,2]',
    '.size()',
    '.exists(x, x)',
    'null',
    'true',
    "'",
    '\\',
  );
  const anything = fc.oneof(
    fc.string({ maxLength: 200 }),
    fc.array(word, { maxLength: 30 }).map((words) => words.join(' ')),
  );
  const of = payment(FULL);
  const seen = { count: () => 3n, sum: () => 2.5 };
  fc.assert(
    fc.property(anything, (text) => {
      const compiled = compileExpression(text);
      if ('error' in compiled) return;
      const started = systemClock.elapsed();
      try {
        assert.ok([true, false, 'unknown'].includes(compiled.evaluate(factsOf(of), seen)));
      } catch (error) {
        assert.ok(!(error instanceof assert.AssertionError), text);
      }
      assert.ok(systemClock.elapsed() - started < 500, text);
    }),
    { numRuns: 2000 },
  );
});

test('an expression that fails on a payment matches nothing, is recorded, and lets the others speak', () => {
  const failing = rule('10 / (hour - hour) > 1', { id: 'broken', class: 'amount' });
  const alone = judge([failing]);
  assert.equal(alone.verdict, 'pass');
  assert.deepEqual(alone.matched, [{ ruleId: 'broken', class: 'amount', action: 'error', dryRun: false }]);
  const both = judge([failing, rule('amount > 1.0', { action: 'force3d', class: 'country' })]);
  assert.deepEqual([both.verdict, both.class, both.matched.length], ['force3d', 'country', 2]);
});

test('a refusal is stronger than 3-D Secure, and the first refusing rule names the class', () => {
  const verdict = judge([
    rule('true', { id: 'a', class: 'country', action: 'force3d' }),
    rule('true', { id: 'b', class: 'list' }),
    rule('true', { id: 'c', class: 'velocity' }),
    rule('false', { id: 'd', class: 'amount' }),
  ]);
  assert.deepEqual([verdict.verdict, verdict.class, verdict.ruleId], ['refuse', 'list', 'b']);
  assert.deepEqual(
    verdict.matched.map(({ ruleId }) => ruleId),
    ['a', 'b', 'c'],
  );
});

test('what runs dry is recorded and changes nothing, by rule and by project', () => {
  const dry = judge([rule('true', { dry_run: true }), rule('true', { action: 'force3d', class: 'list' })]);
  assert.deepEqual([dry.verdict, dry.class], ['force3d', 'list']);
  assert.deepEqual(
    dry.matched.map(({ dryRun }) => dryRun),
    [true, false],
  );
  const all = judge([rule('true'), rule('true', { action: 'force3d' })], { dryRun: true });
  assert.deepEqual([all.verdict, all.class, all.ruleId], ['pass', null, null]);
  assert.deepEqual(
    all.matched.map(({ dryRun }) => dryRun),
    [true, true],
  );
});

test('counts and sums hold what came before in the window and the payment at hand', () => {
  const counters = new MemoryCounters();
  const rules = [rule('count("card", "10m") > 3'), rule('sum("email", "24h") > 50.0', { class: 'velocity' })];
  const { ruleset } = compileRules(rules);
  const start = new Date('2026-11-21T09:00:00Z').getTime();
  const pay = (minutes: number, told: Told = {}): Verdict => {
    const of = payment({ ...told, at: new Date(start + minutes * 60_000) });
    const keys = keysOf(of, keyed);
    const verdict = assess(ruleset, liveTesting, of, keys, counters.load(keys, ruleset.windows, of.at));
    counters.apply(countersFor(ruleset, of, keys));
    return verdict;
  };
  assert.deepEqual(
    [0, 1, 2].map((minute) => pay(minute).verdict),
    ['pass', 'pass', 'pass'],
  );
  assert.equal(pay(3).verdict, 'refuse');
  assert.equal(pay(3, { card: 'another' }).verdict, 'pass');
  assert.equal(pay(3, { project: 8n }).verdict, 'pass');
  assert.equal(pay(30).verdict, 'pass');
  // 12.50 each, in whatever currency it was paid; a payment without a rate counts and adds nothing.
  const who = { email: 'a@x.org' };
  assert.equal(pay(60, { ...who, card: '1' }).verdict, 'pass');
  assert.equal(pay(61, { ...who, card: '2', currency: 'JPY', amount: 2000n, accounting: 1250n }).verdict, 'pass');
  assert.equal(pay(62, { ...who, card: '3', currency: 'JPY', amount: 99_000n }).verdict, 'pass');
  assert.equal(pay(63, { email: 'A+b@X.org', card: '4' }).verdict, 'pass');
  assert.equal(pay(64, { ...who, card: '5', amount: 1250n }).verdict, 'pass');
  assert.equal(pay(65, { ...who, card: '6', amount: 1n }).class, 'velocity');
  assert.equal(pay(65 + 26 * 60, { ...who, card: '7' }).verdict, 'pass');
});

test('a window covers at least what it says and at most a bucket more', () => {
  fc.assert(
    fc.property(
      fc.constantFrom(
        ['1m', 60_000, 60_000] as const,
        ['10m', 600_000, 60_000] as const,
        ['2h', 7_200_000, 60_000] as const,
        ['24h', 86_400_000, 3_600_000] as const,
      ),
      fc.integer({ min: 0, max: 7_200_000 }),
      fc.integer({ min: 0, max: 100_000_000 }),
      ([window, ms, bucket], offset, gap) => {
        const { ruleset } = compileRules([rule(`count("card", "${window}") > 1`)]);
        const counters = new MemoryCounters();
        const first = payment({ at: new Date(Date.UTC(2026, 10, 21) + offset) });
        const keys = keysOf(first, keyed);
        counters.apply(countersFor(ruleset, first, keys));
        const second = payment({ at: new Date(first.at.getTime() + gap) });
        const { verdict } = assess(ruleset, liveTesting, second, keys, counters.load(keys, ruleset.windows, second.at));
        if (gap <= ms) assert.equal(verdict, 'refuse');
        if (gap > ms + bucket) assert.equal(verdict, 'pass');
      },
    ),
    { numRuns: 300 },
  );
});

test('only what the rules count is written, in the buckets that they need', () => {
  const written = (expression: string): string[] => {
    const { ruleset } = compileRules([rule(expression)]);
    const of = payment(FULL);
    return countersFor(ruleset, of, keysOf(of, keyed)).map(({ row }) => `${row.dimension} ${row.span}`);
  };
  assert.deepEqual(written('amount > 1.0'), []);
  assert.deepEqual(written('count("card", "5m") > 1 || sum("card", "1h") > 1.0'), ['card 60']);
  assert.deepEqual(written('count("ip", "5m") > 1 && count("ip", "7d") > 9 && sum("email", "3h") > 1.0'), [
    'ip 60',
    'ip 3600',
    'email 3600',
  ]);
});

test('keys are hashed, and belong to one project and dimension', () => {
  const dimensions = [...new Set([...DIMENSIONS, ...TESTING_WINDOWS.map(({ dimension }) => dimension)])];
  const hashesOf = (of: Payment): string[] => dimensions.flatMap((dimension) => keysOf(of, keyed).get(dimension) ?? []);
  const keys = hashesOf(payment(FULL));
  assert.ok(keys.length > 15);
  assert.equal(new Set(keys).size, keys.length);
  for (const key of keys) assert.match(key, /^[A-Za-z0-9_-]{22}$/);
  const other = hashesOf(payment({ ...FULL, project: 8n }));
  assert.deepEqual(
    keys.filter((key) => other.includes(key)),
    [],
  );
});

test('what is wrong with a rule is told by field, all at once, without its values', () => {
  const good = {
    project_id: 7n,
    id: 'fast',
    class: 'velocity',
    expression: 'true',
    action: 'refuse',
    dry_run: false,
    active: true,
  } as const;
  assert.deepEqual(ruleProblems(good), []);
  assert.deepEqual(ruleProblems({ ...good, name: 'Too fast', position: 3 }), []);
  const bad = {
    ...good,
    id: 'card_testing:x',
    class: 'secret',
    expression: 'pan == 1',
    action: 'kill' as never,
    name: '',
    position: 1.5,
  };
  assert.deepEqual(
    ruleProblems(bad).map(({ field }) => field),
    ['id', 'name', 'class', 'action', 'position', 'expression'],
  );
  for (const { problem } of ruleProblems(bad)) assert.ok(!problem.includes('secret') && !problem.includes('kill'));
});
