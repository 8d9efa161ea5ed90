// The sandbox's fixed points, made once and left alone.
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import {
  credentialList,
  defaultSettings,
  sandboxSecrets,
  seedSandbox,
  settingsPatch,
  terminalList,
} from '../../src/gateway/projects/index.ts';
import { createRates, seedRates } from '../../src/ledger/index.ts';
import { type Bench, bench } from './bench.ts';

const CURRENCIES = ['EUR', 'USD', 'GBP', 'PLN', 'RUB', 'JPY'];

let at: Bench;
before(async () => {
  at = await bench();
});

const seed = async (projects = at.projects): Promise<void> => {
  const rates = createRates(at.database);
  await rates.reload(at.clock.now());
  await seedSandbox(projects, at.tools, at.database);
  await seedRates(at.database, rates, at.clock.now());
};

test('a database without the sandbox knows none of its secrets', async () => {
  assert.deepEqual(await sandboxSecrets(at.projects), []);
});

test('several processes that seed at once make everything once', async () => {
  await Promise.all([seed(), seed(at.other()), seed(at.other())]);
  await seed();
  const [count] = await at.database.query<{ projects: bigint; credentials: bigint; terminals: bigint }>(
    `select (select count(*) from projects) as projects, (select count(*) from project_credentials) as credentials, (select count(*) from terminals) as terminals`,
  );
  assert.deepEqual({ ...count }, { projects: 2n, credentials: 2n, terminals: 2n });
});

test('both projects have what the sandbox promises', async () => {
  const { projects, database } = at;
  for (const login of ['sandbox', 'sandbox-two']) {
    const credential = await projects.authenticate(login, `${login}-secret`);
    assert.ok(credential, login);
    const { project } = credential;
    assert.deepEqual(credential.rights, ['read', 'create', 'capture', 'refund', 'payout']);
    assert.equal(project.accounting_currency, 'EUR');
    assert.deepEqual(project.settings, { ...defaultSettings, static_links: true });
    assert.deepEqual(project.pricing, {
      rules: [{ operation: 'charge', percent: '2.9', fixed: '0.30' }],
      reserve: { percent: '5', days: 30 },
    });
    assert.equal(project.terminals.length, 1);
    const [terminal] = project.terminals;
    assert.deepEqual(
      [terminal?.id, terminal?.descriptor, terminal?.currencies, terminal?.link],
      ['1', 'FLORIN*SANDBOX', CURRENCIES, 'simulator'],
    );
  }
  assert.equal(await projects.authenticate('sandbox', 'sandbox-two-secret'), null);
  assert.equal((await terminalList(database, 'sandbox')).length, 1);
});

test('there is a rate of each currency in each other, and the inverse fits', async () => {
  const rates = createRates(at.database);
  await rates.reload(at.clock.now());
  for (const from of CURRENCIES) {
    for (const to of CURRENCIES) {
      if (from === to) continue;
      const [there, back] = [rates.get(from, to), rates.get(to, from)];
      assert.ok(there && back, `${from} ${to}`);
      const product = (Number(there.micro) * Number(back.micro)) / 1e12;
      assert.ok(Math.abs(product - 1) < 0.001, `${from} ${to}: ${product}`);
    }
  }
  assert.equal(rates.get('EUR', 'USD')?.micro, 1_085_000n);
});

test('what the operator changed stays through the next start', async () => {
  const { projects, database, tools, clock } = at;
  await at.change((db) => settingsPatch(db, 'sandbox', { static_links: false, unlinked_credit: true }));
  const rates = createRates(database);
  const row = { from_currency: 'EUR', to_currency: 'USD', day: '2026-11-20', micro: 1_200_000n, source: 'operator' };
  await database.transaction((db) => rates.put(db, [row], clock.now()));
  clock.advance(24 * 3_600_000);
  await seed();
  const settings = (await projects.byLogin('sandbox'))?.settings;
  assert.deepEqual([settings?.static_links, settings?.unlinked_credit], [false, true]);
  const [made] = await database.query<{ days: bigint }>(
    `select count(distinct day) as days from rates where source like 'sandbox%'`,
  );
  assert.equal(made?.days, 1n, 'the next day makes no rates anew');
  const id = (await projects.byLogin('sandbox'))?.id ?? 0n;
  assert.equal((await credentialList(database, tools, id)).length, 1);
});

test('a server that must not have the sandbox finds out', async () => {
  assert.deepEqual(await sandboxSecrets(at.projects), ['sandbox', 'sandbox-two']);
});
