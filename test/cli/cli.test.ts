// The command line against a running server: what it asks, what it prints, how it ends.
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { runCli } from '../../src/cli/index.ts';
import { type Installation, installation, SECRET } from '../operator/installation.ts';

let at: Installation;
let folder: string;
before(async () => {
  at = await installation();
  folder = mkdtempSync(path.join(tmpdir(), 'florin-cli-'));
});
after(async () => {
  rmSync(folder, { recursive: true });
  await at.stop();
});

interface Ran {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

async function florin(...args: string[]): Promise<Ran> {
  let out = '';
  let err = '';
  const code = await runCli(args, {
    serve: async () => {
      out += 'served';
    },
    migrate: () => Promise.reject(new Error('no database')),
    distribute: () => Promise.reject(new Error('no database')),
    connection: () => ({ url: at.url, secret: SECRET }),
    write: (text) => {
      out += text;
    },
    writeError: (text) => {
      err += text;
    },
  });
  return { code, out, err };
}

/** Runs a command that must succeed, and reads its JSON. */
// biome-ignore lint/suspicious/noExplicitAny: a test says what it expects of an answer
async function json(...args: string[]): Promise<any> {
  const { code, out, err } = await florin(...args, '--json');
  assert.equal(code, 0, err);
  return JSON.parse(out);
}

test('serve and migrate are the caller’s; what they throw goes on to it', async () => {
  assert.deepEqual(await florin('serve'), { code: 0, out: 'served', err: '' });
  await assert.rejects(florin('migrate'), /no database/);
});

// Long: one story, told from its beginning to its end.
test('a project from nothing to its first secret', async () => {
  assert.equal(
    (await json('project', 'create', 'cli-shop', '--name', 'Shop by hand', '--currency', 'GBP')).accounting_currency,
    'GBP',
  );
  const terminal = await json(
    'terminal',
    'put',
    'cli-shop',
    '1',
    '--descriptor',
    'CLI*SHOP',
    '--currencies',
    'GBP, EUR',
    '--link',
    'simulator',
    '--merchant-id',
    'CLI1',
    '--mcc',
    '5999',
    '--multicapture',
  );
  assert.deepEqual(
    [terminal.currencies, terminal.multicapture, terminal.cvv_must_match],
    [['GBP', 'EUR'], true, false],
  );
  const plan = await json(
    'pricing',
    'set',
    'cli-shop',
    '--rules',
    'charge:2.9+0.30,refund:0+0.10',
    '--reserve',
    '5/30',
  );
  assert.deepEqual(plan, {
    rules: [
      { operation: 'charge', percent: '2.9', fixed: '0.30' },
      { operation: 'refund', percent: '0', fixed: '0.10' },
    ],
    reserve: { percent: '5', days: 30 },
  });
  const { rules } = await json('pricing', 'set', 'cli-shop', '--reserve', '0/1');
  assert.deepEqual(rules, plan.rules, 'what is not named stays');
  assert.deepEqual(await json('pricing', 'set', 'cli-shop', '--reserve', '5/30'), plan);
  const unsaid = await florin('pricing', 'set', 'cli-shop');
  assert.equal(unsaid.code, 1);
  assert.match(unsaid.err, /--rules, --reserve or --file/);
  assert.deepEqual((await json('project', 'show', 'cli-shop')).pricing, plan);
  assert.deepEqual((await json('pricing', 'set', 'cli-shop', '--rules', '')).rules, [], 'nothing, when it is said');
  const settings = await json(
    'project',
    'set',
    'cli-shop',
    'time_zone=Europe/Berlin',
    'page_attempts=5',
    'allowed_addresses=["192.0.2.1"]',
    'name=New name',
    'active=true',
  );
  assert.deepEqual(
    [settings.time_zone, settings.page_attempts, settings.allowed_addresses, settings.name],
    ['Europe/Berlin', 5, ['192.0.2.1'], 'New name'],
  );
  const { secret, id } = await json('credential', 'create', 'cli-shop', '--label', 'server');
  assert.deepEqual((await at.projects.authenticate('cli-shop', secret))?.rights, [
    'read',
    'create',
    'capture',
    'refund',
  ]);
  const rotated = await json('credential', 'rotate', 'cli-shop', id, '--overlap', '1h');
  assert.ok(await at.projects.authenticate('cli-shop', rotated.secret));
  assert.equal((await florin('credential', 'revoke', 'cli-shop', id)).code, 0);
  assert.equal(await at.projects.authenticate('cli-shop', secret), null);
  const shown = await json('project', 'show', 'cli-shop');
  assert.deepEqual([shown.terminals.length, shown.settings.page_attempts, shown.pricing.reserve.days], [1, 5, 30]);
});

test('--version tells which one it is', async () => {
  const { version } = JSON.parse(readFileSync(path.resolve(import.meta.dirname, '../../package.json'), 'utf8'));
  const { code, out } = await florin('--version');
  assert.deepEqual([code, out], [0, `${version}\n`]);
});

test('lists are tables for people', async () => {
  await json('project', 'create', 'tabled', '--name', 'Tabled');
  const { code, out } = await florin('project', 'list');
  assert.equal(code, 0);
  const [head, ...rows] = out.trimEnd().split('\n');
  assert.match(head ?? '', /^login +name +accounting_currency +active +created_at$/);
  const row = rows.find((line) => line.startsWith('tabled '));
  assert.match(row ?? '', /^tabled +Tabled +EUR +true +2026-/);
  assert.equal(row?.indexOf('EUR'), head?.indexOf('accounting_currency'), 'columns are aligned');
  const single = await florin('project', 'create', 'single', '--name', 'One');
  assert.match(single.out, /^login +single\nname +One\n/);
  const shown = await florin('project', 'show', 'single');
  assert.match(shown.out, /\nsettings\.time_zone +UTC\n/);
  assert.match(shown.out, /\nsettings\.allowed_addresses +-\n/);
  assert.match(shown.out, /\npricing\.reserve +\{/);
});

test('rates from a file of each kind', async () => {
  const write = (name: string, text: string): string => {
    const file = path.join(folder, name);
    writeFileSync(file, text);
    return file;
  };
  const csv = write('rates.csv', 'from,to,rate,day\nEUR,USD,1.25,2026-11-20\nEUR;GBP;0.85\n\n');
  assert.equal((await json('rates', 'load', csv)).rates.length, 4);
  assert.equal(at.rates.get('EUR', 'USD')?.source, 'rates.csv');
  // As a spreadsheet saves it: a mark in front, cells in quotes, lines that end in two characters.
  const sheet = write('sheet.csv', '\ufefffrom;to;rate\r\n"EUR";"CZK"; "24.9" \r\n');
  assert.deepEqual(
    (await json('rates', 'load', sheet)).rates.map(({ to }: { to: string }) => to),
    ['CZK', 'EUR'],
  );
  const list = write('rates.json', JSON.stringify([{ from: 'EUR', to: 'PLN', rate: '4.3' }]));
  assert.equal((await json('rates', 'load', list, '--source', 'desk')).rates[0].source, 'desk');
  const xml = write(
    'ecb.xml',
    `<gesmes:Envelope xmlns:gesmes="g" xmlns="e"><Cube><Cube time="2026-11-20"><Cube currency="JPY" rate="162.5"/></Cube></Cube></gesmes:Envelope>`,
  );
  assert.equal((await json('rates', 'load', xml)).rates.length, 2);
  const large = write(
    'large.json',
    JSON.stringify(
      Array.from({ length: 1100 }, (_, i) => ({
        from: 'EUR',
        to: 'CHF',
        rate: '0.95',
        day: new Date(Date.UTC(2020, 0, 1 + i)).toISOString().slice(0, 10),
      })),
    ),
  );
  assert.equal((await json('rates', 'load', large)).rates.length, 2200);
  const listed = await florin('rates', 'list');
  assert.match(listed.out, /^from +to +rate +day +source\n/);
  for (const file of [
    write('rates.txt', ''),
    write('no.json', '{'),
    write('no.csv', 'EUR,"USD'),
    path.join(folder, 'missing.csv'),
  ]) {
    const { code, err } = await florin('rates', 'load', file);
    assert.equal(code, 1);
    assert.match(err, /A file of rates ends in|can't be read|is not CSV: /);
  }
});

test('rules, ranges, keys, traces, audit', async () => {
  await json('project', 'create', 'ruled', '--name', 'Ruled');
  const rule = await json(
    'rules',
    'put',
    'ruled',
    'big',
    '--class',
    'amount',
    '--expression',
    'amount > 10.0',
    '--action',
    'refuse',
    '--dry-run',
  );
  assert.deepEqual([rule.dry_run, rule.active], [true, true]);
  assert.equal((await json('rules', 'list', 'ruled')).rules.length, 1);
  assert.equal((await florin('rules', 'remove', 'ruled', 'big')).code, 0);
  assert.equal((await json('bins', 'put', '456788', '--brand', 'visa', '--subtype', 'debit', '--own')).own, true);
  assert.ok((await florin('bins', 'list')).out.includes('456788'));
  assert.equal((await florin('bins', 'remove', '456788')).code, 0);
  assert.match((await json('keys', 'rotate')).key, /^key-/);
  at.traces.set(5n, { operations: [] });
  assert.deepEqual(await json('order', 'trace', at.permutation.outward(5n)), { operations: [] });
  assert.equal((await json('audit')).audit[0].action, 'keys.rotate');
});

test('invariants end with 1 when one is broken', async () => {
  const first = await florin('invariants');
  assert.equal(first.code, 0);
  assert.match(first.out, /books_balance +true[\s\S]*\nlooked_at +5\nwaiting +2\n/);
  assert.match((await florin('invariants', '--full')).out, /looked_at +0\n/);
  at.checks.push({ id: 'groups_balance', ok: false, violations: [{ amount: 1 }] });
  const { code, out } = await florin('invariants');
  at.checks.pop();
  assert.equal(code, 1);
  assert.match(out, /groups_balance +false/);
});

test('a refusal says what is wrong, on the error output, and ends with 1', async () => {
  const wrong = await florin('project', 'create', 'UPPER', '--name', ' ', '--currency', 'EUR');
  assert.deepEqual([wrong.code, wrong.out], [1, '']);
  assert.match(wrong.err, /^Validation failed \(422\)\n {2}#\/login: Not allowed, 3 to 64 of a-z.*\n {2}#\/name: /);
  assert.match((await florin('project', 'show', 'nobody')).err, /^No project has this login \(404\)\n$/);
  assert.match((await florin('project', 'list', '--secret', 'wrong')).err, /\(401\)\n$/);
  assert.match(
    (await florin('project', 'list', '--url', 'http://127.0.0.1:9')).err,
    /^No server answers at http:\/\/127\.0\.0\.1:9/,
  );
  assert.match(
    (await florin('project', 'set', 'cli-shop', 'nonsense')).err,
    /^Not of the form name=value: nonsense\n$/,
  );
});

test('a name can not reach another path', async () => {
  const { code, err } = await florin('project', 'show', '../audit');
  assert.equal(code, 1);
  assert.match(err, /\(404\)/);
});

test('what is not understood ends with 2, help with 0', async () => {
  for (const args of [
    ['nonsense'],
    ['project', 'create'],
    ['project', 'create', 'x'],
    ['project', 'list', '--nonsense'],
    ['terminal', 'put', 'x', '1'],
  ]) {
    const { code, err } = await florin(...args);
    assert.equal(code, 2, args.join(' '));
    assert.match(err, /^error: /);
  }
  const help = await florin('project', '--help');
  assert.equal(help.code, 0);
  assert.match(help.out, /create .*make a project/);
});
