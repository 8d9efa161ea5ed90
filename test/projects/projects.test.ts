// Projects, settings, pricing and terminals over a real database, and what other processes see of their changes.
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { Refusal } from '../../src/base/index.ts';
import {
  createProjects,
  defaultSettings,
  pricingPut,
  projectCreate,
  projectGet,
  projectList,
  projectPatch,
  settingsOf,
  settingsPatch,
  terminalGet,
  terminalList,
  terminalPut,
  terminalRemove,
} from '../../src/gateway/projects/index.ts';
import { type Bench, bench, shop, silent, TERMINAL } from './bench.ts';

let at: Bench;
before(async () => {
  at = await bench();
});

/** The refusal's code, and the fields that it names. */
const refused =
  (code: string, ...fields: string[]) =>
  (error: unknown): true => {
    assert.ok(error instanceof Refusal, String(error));
    assert.equal(error.code, code);
    assert.deepEqual(
      error.problems.map(({ path }) => path.join('/')),
      fields,
    );
    return true;
  };

test('a new project is active, has the defaults, and costs nothing', async () => {
  const { projects, tools } = at;
  await at.change((db) => projectCreate(db, tools, { login: 'plain', name: 'Plain', accounting_currency: 'USD' }));
  const project = await projects.byLogin('plain');
  assert.ok(project);
  assert.deepEqual(
    { ...project, id: undefined },
    {
      id: undefined,
      login: 'plain',
      name: 'Plain',
      accounting_currency: 'USD',
      active: true,
      settings: defaultSettings,
      pricing: { rules: [], reserve: { percent: '0', days: 1 } },
      terminals: [],
    },
  );
  assert.deepEqual(await projects.byId(project.id), project);
});

test('a login is taken once; every wrong field is named', async () => {
  const { projects, tools } = at;
  const create = (login: string, name = 'A name', accounting_currency = 'EUR'): Promise<unknown> =>
    at.change((db) => projectCreate(db, tools, { login, name, accounting_currency }));
  await create('once');
  await assert.rejects(create('once'), refused('login_taken'));
  for (const login of ['ab', 'Upper', 'with:colon', '-edge', 'edge-', 'ümlaut', 'a b', 'x'.repeat(65)]) {
    await assert.rejects(create(login), refused('invalid', 'login'), login);
  }
  for (const name of ['', ' x', 'x ', 'a\nb', 'x'.repeat(101)])
    await assert.rejects(create('named', name), refused('invalid', 'name'), name);
  for (const currency of ['KWD', 'XXX1', 'eur', ''])
    await assert.rejects(create('money', 'M', currency), refused('invalid', 'accounting_currency'), currency);
  await assert.rejects(create('A', '', 'TND'), refused('invalid', 'login', 'name', 'accounting_currency'));
  assert.equal(await projects.byLogin('named'), null, 'a refusal leaves nothing behind');
});

test('two who create the same login at once: one wins, the other is refused', async () => {
  const { tools } = at;
  const results = await Promise.allSettled(
    ['First', 'Second', 'Third'].map((name) =>
      at.change((db) => projectCreate(db, tools, { login: 'raced', name, accounting_currency: 'EUR' })),
    ),
  );
  assert.equal(results.filter(({ status }) => status === 'fulfilled').length, 1);
  for (const result of results) if (result.status === 'rejected') refused('login_taken')(result.reason);
});

test('a patch changes what it names and nothing else', async () => {
  const { projects, database } = at;
  await shop(at, 'patched');
  await at.change((db) => projectPatch(db, 'patched', { name: 'New name' }));
  assert.deepEqual(
    [(await projects.byLogin('patched'))?.name, (await projects.byLogin('patched'))?.active],
    ['New name', true],
  );
  await at.change((db) => projectPatch(db, 'patched', { active: false }));
  assert.deepEqual(
    [(await projects.byLogin('patched'))?.name, (await projects.byLogin('patched'))?.active],
    ['New name', false],
  );
  await assert.rejects(
    at.change((db) => projectPatch(db, 'patched', { name: '' })),
    refused('invalid', 'name'),
  );
  await assert.rejects(
    at.change((db) => projectPatch(db, 'nobody', { active: true })),
    refused('project_unknown'),
  );
  assert.equal((await projectGet(database, 'patched')).name, 'New name');
});

test('settings: set, kept, set back by null; a wrong one changes nothing', async () => {
  const { projects, database } = at;
  await shop(at, 'settled');
  const patch = (values: Record<string, unknown>): Promise<unknown> =>
    at.change((db) => settingsPatch(db, 'settled', values));
  await patch({ time_zone: 'Europe/Berlin', page_attempts: 5 });
  await patch({ rate_limit: { per_second: 5, burst: 10 }, unlinked_credit: true });
  const expected = {
    ...defaultSettings,
    time_zone: 'Europe/Berlin',
    page_attempts: 5,
    rate_limit: { per_second: 5, burst: 10 },
    unlinked_credit: true,
  };
  assert.deepEqual((await projects.byLogin('settled'))?.settings, expected);
  await assert.rejects(patch({ page_attempts: 11, unlinked_credit: false }), refused('invalid', 'page_attempts'));
  assert.deepEqual((await projects.byLogin('settled'))?.settings, expected);
  await patch({ page_attempts: null, rate_limit: null });
  const row = await projectGet(database, 'settled');
  assert.deepEqual(settingsOf(row), { ...defaultSettings, time_zone: 'Europe/Berlin', unlinked_credit: true });
  assert.deepEqual(Object.keys(row.settings).sort(), ['time_zone', 'unlinked_credit'], 'a default is not stored');
});

test('two operators who set different settings at once both succeed', async () => {
  const { projects } = at;
  await shop(at, 'shared');
  await Promise.all([
    at.change((db) => settingsPatch(db, 'shared', { trace_id: true })),
    at.change((db) => settingsPatch(db, 'shared', { wallets: true })),
    at.change((db) => settingsPatch(db, 'shared', { page_attempts: 9 })),
  ]);
  const settings = (await projects.byLogin('shared'))?.settings;
  assert.deepEqual([settings?.trace_id, settings?.wallets, settings?.page_attempts], [true, true, 9]);
});

test('pricing is judged by the accounting currency', async () => {
  const { projects, tools } = at;
  await at.change((db) => projectCreate(db, tools, { login: 'yen-shop', name: 'Yen', accounting_currency: 'JPY' }));
  const put = (fixed: string, card_type?: string): Promise<unknown> =>
    at.change((db) =>
      pricingPut(db, 'yen-shop', {
        rules: [{ operation: 'charge', percent: '2.9', fixed, ...(card_type === undefined ? {} : { card_type }) }],
        reserve: { percent: '5', days: 30 },
      }),
    );
  await put('30');
  await assert.rejects(put('0.30'), refused('invalid', 'rules/0/fixed'));
  await assert.rejects(put('30', 'VISA'), refused('invalid', 'rules/0/card_type'));
  assert.equal((await projects.byLogin('yen-shop'))?.pricing.rules[0]?.fixed, '30');
});

test('terminals: order of preference, replacement, currencies that can be printed, links that exist', async () => {
  const { projects, tools, database } = at;
  await shop(at, 'terminals');
  const put = (id: string, changes: object = {}): Promise<unknown> =>
    at.change((db) => terminalPut(db, tools, 'terminals', id, { ...TERMINAL, ...changes }));
  await put('second', { currencies: ['USD'] });
  await put('first', { currencies: ['GBP'], position: 1 });
  await put('1', { position: 2, multicapture: true });
  assert.deepEqual(
    (await terminalList(database, 'terminals')).map(({ id }) => id),
    ['first', '1', 'second'],
  );
  const memory = (await projects.byLogin('terminals'))?.terminals;
  assert.deepEqual(
    memory?.map(({ id }) => id),
    ['first', '1', 'second'],
  );
  assert.deepEqual(
    memory?.[1],
    { id: '1', ...TERMINAL, multicapture: true },
    'what the gateway sees has no column more',
  );
  for (const [field, value] of [
    ['currencies', ['KWD']],
    ['currencies', ['EUR', 'EUR']],
    ['currencies', []],
    ['currencies', ['eur']],
    ['link', 'elsewhere'],
    ['descriptor', 'x'.repeat(26)],
    ['descriptor', 'ÜBER*SHOP'],
    ['descriptor', ''],
    ['merchant_id', 'x'.repeat(16)],
    ['mcc', '59'],
    ['secure3d', 'never'],
    ['position', 0],
  ] as const) {
    await assert.rejects(put('1', { [field]: value }), refused('invalid', field), `${field} ${String(value)}`);
  }
  await assert.rejects(put('no spaces'), refused('invalid', 'id'));
});

test('a removed terminal takes no new order and still carries those it has; put again it is back', async () => {
  const { projects, tools, database } = at;
  await shop(at, 'retired');
  await at.change((db) => terminalRemove(db, tools, 'retired', '1'));
  assert.deepEqual(await terminalList(database, 'retired'), []);
  await assert.rejects(terminalGet(database, 'retired', '1'), refused('terminal_unknown'));
  const [terminal] = (await projects.byLogin('retired'))?.terminals ?? [];
  assert.deepEqual([terminal?.id, terminal?.descriptor, terminal?.currencies], ['1', TERMINAL.descriptor, []]);
  await assert.rejects(
    at.change((db) => terminalRemove(db, tools, 'retired', '1')),
    refused('terminal_unknown'),
  );
  await at.change((db) => terminalPut(db, tools, 'retired', '1', TERMINAL));
  assert.deepEqual((await projects.byLogin('retired'))?.terminals[0]?.currencies, TERMINAL.currencies);
});

test('a terminal of one project is none of another', async () => {
  const { tools, database } = at;
  await shop(at, 'isolated-a');
  await shop(at, 'isolated-b');
  await at.change((db) => terminalPut(db, tools, 'isolated-a', 'only-a', TERMINAL));
  await assert.rejects(terminalGet(database, 'isolated-b', 'only-a'), refused('terminal_unknown'));
  await assert.rejects(
    at.change((db) => terminalRemove(db, tools, 'isolated-b', 'only-a')),
    refused('terminal_unknown'),
  );
  await at.change((db) => terminalRemove(db, tools, 'isolated-b', '1'));
  assert.deepEqual(
    (await terminalList(database, 'isolated-a')).map(({ id }) => id),
    ['1', 'only-a'],
  );
});

test('the list is by login, in pages', async () => {
  const { database } = at;
  const all = (await projectList(database, '', 1000)).map(({ login }) => login);
  assert.deepEqual(all, [...all].sort());
  const pages: string[] = [];
  for (
    let page = await projectList(database, '', 3);
    page.length > 0;
    page = await projectList(database, page.at(-1)?.login ?? '', 3)
  ) {
    pages.push(...page.map(({ login }) => login));
  }
  assert.deepEqual(pages, all);
});

test('what another process changes is seen after a second, without waiting before two', async () => {
  const { clock, database } = at;
  await shop(at, 'watched');
  const other = at.other();
  assert.equal((await other.byLogin('watched'))?.name, 'Shop watched');
  await at.change((db) => projectPatch(db, 'watched', { name: 'Renamed' }));
  assert.equal((await other.byLogin('watched'))?.name, 'Shop watched', 'memory is fresh for a second');
  clock.advance(2000);
  assert.equal((await other.byLogin('watched'))?.name, 'Renamed', 'older memory is compared before it is used');

  let queries = 0;
  const counted = createProjects({
    database: {
      query: (text, values) => (queries++, database.query(text, values)),
    },
    keyed: at.tools.keyed,
    clock,
    log: silent,
  });
  for (let i = 0; i < 500; i++) await counted.authenticate('watched', 'wrong');
  assert.equal(queries, 1, 'five hundred requests within a second: one query');
});

test('a project made elsewhere is found by its id at once', async () => {
  const { projects } = at;
  const other = at.other();
  await other.all();
  await shop(at, 'newborn');
  const project = await projects.byLogin('newborn');
  assert.ok(project);
  assert.equal((await other.byId(project.id))?.login, 'newborn');
  assert.equal(await other.byId(1n), null);
});

test('memory keeps serving while the database is away for less than two seconds, and refuses to guess afterwards', async () => {
  const { database, clock, tools } = at;
  const { secret } = await shop(at, 'outage');
  let away = false;
  const projects = createProjects({
    database: {
      query: (text, values) => (away ? Promise.reject(new Error('away')) : database.query(text, values)),
    },
    keyed: tools.keyed,
    clock,
    log: silent,
  });
  assert.ok(await projects.authenticate('outage', secret));
  away = true;
  clock.advance(1500);
  assert.ok(await projects.authenticate('outage', secret));
  clock.advance(1000);
  await assert.rejects(projects.authenticate('outage', secret), /away/);
  away = false;
  assert.ok(await projects.authenticate('outage', secret));
});
