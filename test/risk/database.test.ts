// Risk on a real database: rules of the operator, counters in the commits of orders, findings, what another process sees.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import pino from 'pino';
import { idMaker, systemClock, VirtualClock } from '../../src/base/index.ts';
import {
  type Assessment,
  createRisk,
  type Risk,
  type RiskRuleInput,
  riskRulePut,
  riskRuleRemove,
} from '../../src/gateway/risk/index.ts';
import { rulesOf } from '../../src/gateway/risk/queries.ts';
import { type Change, type Committer, createCommitter, type Database } from '../../src/store/index.ts';
import { ownerOf, testDatabase } from '../support/database.ts';
import { keyed, payment, type Told } from './memory.ts';

const START = new Date('2026-11-21T09:30:00Z');
const log = pino({ level: 'silent' });
const ids = idMaker(systemClock, 1);
let database: Database;
let committer: Committer;
let elapsed = 0;
const clock = new VirtualClock({ now: () => START, sleep: (ms) => systemClock.sleep(ms), elapsed: () => elapsed });
const otherProcess = (): Promise<Risk> => createRisk({ db: database, clock, ids, keyed, log });
let risk: Risk;

const commit = (changes: readonly Change[]): Promise<void> =>
  committer.submit({ name: 'test', owner: ownerOf(changes), needs: [], decide: () => ({ value: undefined, changes }) });

before(async () => {
  database = await testDatabase();
  committer = createCommitter({ connect: () => database.session(), clock: systemClock, ids, log });
  risk = await otherProcess();
});
after(() => committer.drain());

let projects = 100n;
/** A project of its own for each test. */
const newProject = (): bigint => projects++;

const ruleOf = (project: bigint, expression: string, more: Partial<RiskRuleInput> = {}): RiskRuleInput => ({
  project_id: project,
  id: 'rule',
  class: 'velocity',
  expression,
  action: 'refuse',
  dry_run: false,
  active: true,
  ...more,
});

/** As an operator changes rules: in a transaction, and in force behind it. */
async function put(rule: RiskRuleInput, by = risk): ReturnType<Risk['put']> {
  const result = await database.transaction((db) => by.put(db, rule));
  await by.reread({ id: rule.project_id });
  return result;
}
async function remove(project: bigint, id: string, by = risk): Promise<boolean> {
  const removed = await database.transaction((db) => by.remove(db, { id: project }, id));
  await by.reread({ id: project });
  return removed;
}

const later = (seconds: number): Date => new Date(START.getTime() + seconds * 1000);

async function pay(told: Told, seconds = 0): Promise<Assessment> {
  const assessment = await risk.assess({ ...payment({ ...told, at: later(seconds) }), orderId: ids.next() });
  await commit(assessment.changes);
  return assessment;
}

test('a rule is made, listed, replaced and removed', async () => {
  const project = newProject();
  assert.ok('rule' in (await put(ruleOf(project, 'amount > 10.0', { name: 'Too much', position: 2 }))));
  const made = await put(ruleOf(project, 'amount > 20.0', { id: 'first', position: 1, action: 'force3d' }));
  assert.ok('rule' in made && made.rule.id === 'first');
  const [first, second] = await risk.list({ id: project });
  assert.deepEqual(
    [first?.id, first?.name, first?.version, second?.id, second?.name],
    ['first', 'first', 1, 'rule', 'Too much'],
  );
  assert.ok('rule' in (await put(ruleOf(project, 'amount > 99.0', { position: 2 }))));
  const [, replaced] = await risk.list({ id: project });
  assert.deepEqual(
    [replaced?.version, replaced?.expression, replaced?.created_at],
    [2, 'amount > 99.0', second?.created_at],
  );
  assert.equal(await remove(project, 'rule'), true);
  assert.equal(await remove(project, 'rule'), false);
  assert.equal(await remove(newProject(), 'first'), false);
  assert.equal((await risk.list({ id: project })).length, 1);
});

test('a rule that is wrong is not stored, and the answer says why', async () => {
  const project = newProject();
  const problems = async (fields: Parameters<typeof ruleOf>[2], expression = 'true') => {
    const result = await put(ruleOf(project, expression, fields));
    return 'problems' in result ? result.problems.map(({ field, problem }) => `${field} ${problem}`) : [];
  };
  assert.match((await problems({}, '[1].all(x, true)')).join(), /^expression uses all\(\)/);
  const two = await problems({ class: 'no such', id: '' });
  assert.match(two.join('; '), /^id .*; class must be one of/);
  assert.deepEqual(await risk.list({ id: project }), []);
  const result = await riskRulePut({ database, clock }, ruleOf(project, 'amount'));
  assert.ok('problems' in result);
  assert.deepEqual(
    result.problems.map(({ field }) => field),
    ['expression'],
  );
  for (let n = 0; n < 100; n++)
    assert.ok('rule' in (await riskRulePut({ database, clock }, ruleOf(project, 'false', { id: `r${n}` }))));
  assert.ok('problems' in (await riskRulePut({ database, clock }, ruleOf(project, 'false', { id: 'r100' }))));
  assert.ok('rule' in (await riskRulePut({ database, clock }, ruleOf(project, 'true', { id: 'r99' }))));
  assert.equal(await riskRuleRemove(database, project, 'r0'), true);
  assert.equal((await rulesOf(database, project)).length, 99);
});

test('velocity: counted in the commit of each order, refused at the limit, for one card and project only', async () => {
  const project = newProject();
  await put(ruleOf(project, 'count("card", "1h") > 3 || sum("ip", "24h") > 60.0', { class: 'velocity' }));
  const told = { project, card: 'mine', ip: '203.0.113.7' };
  for (let n = 0; n < 3; n++) assert.equal((await pay(told, n)).verdict, 'pass');
  const fourth = await pay(told, 4);
  assert.deepEqual([fourth.verdict, fourth.class, fourth.ruleId], ['refuse', 'velocity', 'rule']);
  assert.equal((await pay({ ...told, card: 'another' }, 5)).verdict, 'refuse', 'the address paid five times 12.50');
  assert.equal((await pay({ ...told, card: 'another', ip: '203.0.113.8' }, 5)).verdict, 'pass');
  const stranger = newProject();
  await put(ruleOf(stranger, 'count("card", "1h") > 3'));
  assert.equal((await pay({ ...told, project: stranger }, 6)).verdict, 'pass');
  assert.equal((await pay({ ...told, ip: '203.0.113.9' }, 4000)).verdict, 'pass');
});

test('many at once add up exactly', async () => {
  const project = newProject();
  await put(ruleOf(project, 'count("card", "1h") > 1000'));
  await Promise.all(Array.from({ length: 50 }, () => pay({ project, card: 'hot' })));
  const rows = await database.query<{ count: bigint; sum: bigint }>(
    'select count, sum from risk_counters where project_id = $1',
    [project],
  );
  assert.deepEqual(rows, [{ count: 50n, sum: 50n * 1250n }]);
});

test('payments that come together see each its own counters', async () => {
  const project = newProject();
  await put(ruleOf(project, 'count("card", "1h") > 3 || count("ip", "1h") > 90'));
  const cards = ['a', 'b', 'c', 'd', 'e', 'f'];
  for (const card of ['b', 'e']) for (let n = 0; n < 3; n++) await pay({ project, card, ip: '203.0.113.7' });
  const verdicts = await Promise.all(cards.map((card) => pay({ project, card, ip: '203.0.113.7' })));
  assert.deepEqual(
    verdicts.map(({ verdict }) => verdict),
    ['pass', 'refuse', 'pass', 'pass', 'refuse', 'pass'],
  );
});

test('findings are kept with the order, also those that ran dry or failed', async () => {
  const project = newProject();
  await put(ruleOf(project, 'true', { id: 'dry', dry_run: true, position: 1 }));
  await put(ruleOf(project, '1 / (hour - hour) == 1', { id: 'broken', class: 'amount', position: 2 }));
  await put(ruleOf(project, 'true', { id: 'acts', class: 'list', action: 'force3d', position: 3 }));
  await put(ruleOf(project, 'true', { id: 'off', active: false, position: 4 }));
  const of = { ...payment({ project }), orderId: ids.next() };
  const assessment = await risk.assess(of);
  assert.deepEqual([assessment.verdict, assessment.class, assessment.ruleId], ['force3d', 'list', 'acts']);
  await commit(assessment.changes);
  const findings = await risk.findings({ id: project }, of.orderId);
  assert.deepEqual(
    findings.map((row) => [row.rule_id, row.class, row.action, row.dry_run]),
    [
      ['dry', 'velocity', 'refuse', true],
      ['broken', 'amount', 'error', false],
      ['acts', 'list', 'force3d', false],
    ],
  );
  assert.deepEqual(await risk.findings({ id: newProject() }, of.orderId), []);
});

test('a change by another process is in force here within seconds', async () => {
  const project = newProject();
  const other = await otherProcess();
  assert.equal((await pay({ project })).verdict, 'pass');
  await put(ruleOf(project, 'true'), other);
  elapsed += 10_001;
  assert.equal((await pay({ project })).verdict, 'refuse');
  await remove(project, 'rule', other);
  await put(ruleOf(project, 'false'), other);
  elapsed += 10_001;
  assert.equal((await pay({ project })).verdict, 'pass');
});

test('a project without rules and without the defence costs no statement', async () => {
  const project = newProject();
  await pay({ project });
  let statements = 0;
  const counting = {
    query: (...args: Parameters<Database['query']>) => {
      statements++;
      return database.query(...args);
    },
  };
  const counted = await createRisk({ db: counting as Database, clock, ids, keyed });
  await counted.assess(payment({ project }));
  statements = 0;
  const { verdict, changes } = await counted.assess(payment({ project }));
  assert.deepEqual([verdict, changes, statements], ['pass', [], 0]);
});

test('card testing: from the issuer’s answers to a refusal, and no address, mail or card in any row', async () => {
  const project = newProject();
  const told = { project, cardTesting: true, ip: '198.51.100.77', email: 'bot@example.net' };
  const verdicts: string[] = [];
  let last: Assessment | null = null;
  for (let n = 0; n < 12; n++) {
    const of = {
      ...payment({ ...told, card: `fingerprint-${n}`, amount: BigInt(100 + n), at: later(n * 30) }),
      orderId: ids.next(),
    };
    last = await risk.assess(of);
    verdicts.push(last.verdict);
    const answer = last.verdict === 'pass' ? risk.recordOutcome(of, { class: 'declined', retry: 'generic' }) : [];
    await commit([...last.changes, ...answer]);
  }
  assert.deepEqual(verdicts, [...Array(4).fill('pass'), ...Array(5).fill('force3d'), ...Array(3).fill('refuse')]);
  assert.deepEqual(
    [last?.class, last?.ruleId],
    ['card_testing', 'card_testing:net+address_again+address+address_many'],
  );
  const rows = await database.query<{ row: string }>(
    `select t::text as row from risk_counters t where project_id = $1 union all select t::text from risk_events t where project_id = $1`,
    [project],
  );
  assert.ok(rows.length > 20);
  for (const { row } of rows) assert.doesNotMatch(row, /198\.51|bot@|fingerprint/);
});

test('the defence only watches while the project runs dry', async () => {
  const project = newProject();
  const told = { project, cardTesting: true, dryRun: true, ip: '198.51.100.78' };
  for (let n = 0; n < 12; n++) {
    const of = {
      ...payment({ ...told, card: `card-${n}`, amount: BigInt(100 + n), at: later(n * 30) }),
      orderId: ids.next(),
    };
    const { verdict, changes } = await risk.assess(of);
    assert.equal(verdict, 'pass');
    await commit([...changes, ...risk.recordOutcome(of, { class: 'declined', retry: 'generic' })]);
  }
  const events = await database.query('select from risk_events where project_id = $1 and dry_run', [project]);
  assert.equal(events.length, 8);
});

test('counters that no window reaches are purged, the others stay', async () => {
  const project = newProject();
  await put(ruleOf(project, 'count("card", "10m") > 99 || count("card", "30d") > 99'));
  await pay({ project }, 0);
  await pay({ project }, 20 * 86_400);
  const spans = async (): Promise<unknown[]> =>
    (
      await database.query<{ span: number }>(
        'select span from risk_counters where project_id = $1 order by span, bucket_at',
        [project],
      )
    ).map(({ span }) => span);
  assert.deepEqual(await spans(), [60, 60, 3600, 3600]);
  await risk.purge(later(20 * 86_400 + 60));
  assert.deepEqual(await spans(), [60, 3600, 3600]);
  await risk.purge(later(40 * 86_400));
  assert.deepEqual(await spans(), [3600]);
});
