// The command line of issuing, and configuration by a file, against a whole Florin.
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, test } from 'node:test';
import fc from 'fast-check';
import { readSetup, runCli } from '../../src/cli/index.ts';
import { type TestApp, testApp } from '../support/app.ts';
import { ADDRESS, assertBooksHold, issuingClient } from '../support/issuing.ts';

let app: TestApp;
let folder: string;
before(async () => {
  app = await testApp();
  folder = mkdtempSync(path.join(tmpdir(), 'florin-apply-'));
});
after(() => rmSync(folder, { recursive: true, force: true }));

interface Ran {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

async function florin(...args: string[]): Promise<Ran> {
  let out = '';
  let err = '';
  const nothing = (): Promise<never> => Promise.reject(new Error('not here'));
  const code = await runCli(args, {
    serve: nothing,
    migrate: nothing,
    distribute: nothing,
    connection: () => ({ url: app.url, secret: 'sandbox-operator' }),
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

const fileOf = (name: string, content: unknown): string => {
  const file = path.join(folder, name);
  writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content, null, 2));
  return file;
};
const login = (secret: string, email: string, value: string) =>
  issuingClient(app, secret)('POST', '/auth/login', { email, password: { value } });

// Long: one story, told from its beginning to its end.
test('a tenant from nothing to a card that is blocked, by commands alone', async () => {
  const tenant = await json('tenant', 'create', 'cli-cards', 'pciScoped=true');
  assert.deepEqual([tenant.name, tenant.settings.pciScoped], ['cli-cards', true]);
  const { secret } = await json('tenant-secret', 'create', 'cli-cards', '--label', 'server');
  const programme = await json('programme', 'create', 'cli-cards', 'Main', 'countries={"excluded":["KP"]}');
  const range = ['card-range', 'put', 'cli-range', '--brand', 'VISA', '--prefix', '43999910', '--size', '500'];
  assert.equal((await json(...range)).size, 500);
  assert.equal((await json(...range)).used, 0, 'the same again changes nothing');
  const other = await florin(...range.slice(0, -1), '600');
  assert.deepEqual([other.code, /overlap.*\(409\)/.test(other.err)], [1, true]);

  const settings = ['providers=["VISA"]', 'ranges={"VISA":"cli-range"}', 'currencies=["EUR"]'];
  const profile = await json('profile', 'create', 'cli-cards', 'Prepaid', '--programme', 'Main', ...settings);
  assert.equal(profile.programmeId, programme.id);
  const accounts = ['profile', 'create', 'cli-cards', 'Account', '--programme', programme.id, '--kind', 'account'];
  assert.equal((await json(...accounts)).kind, 'account');
  const kyc = ['--kyc-state', 'APPROVED', '--kyc-level', 'KYC_LEVEL_2'];
  const { id } = await json(
    'identity',
    'create',
    'cli-cards',
    'Ada Example',
    '--programme',
    'Main',
    ...kyc,
    'country=MT',
  );

  const password = fileOf('password.txt', 'A-long-password-of-a-file\n');
  const person = ['--name', 'Ada', '--surname', 'Example', '--email', 'Ada@cli.example', '--kind', 'root'];
  const user = await json('user', 'create', 'cli-cards', id, ...person, '--password-file', password);
  assert.equal((await login(secret, 'ada@cli.example', 'A-long-password-of-a-file')).status, 200);
  await json('user', 'set', 'cli-cards', user.id, 'mobile=35699000222', 'name=Adele');
  await json('factor', 'set', 'cli-cards', user.id, 'BIOMETRICS');
  const [shown] = (await json('user', 'list', 'cli-cards', id)).users;
  assert.deepEqual([shown.name, shown.mobile, shown.factors], ['Adele', '35699000222', ['BIOMETRICS']]);
  await json('factor', 'set', 'cli-cards', user.id, 'BIOMETRICS', '--off');
  assert.deepEqual((await json('user', 'list', 'cli-cards', id)).users[0].factors, []);

  const opened = ['--profile', 'Account', '--name', 'Savings', '--currency', 'EUR'];
  const account = await json('account', 'create', 'cli-cards', id, ...opened);
  await json('account', 'block', account.id);
  assert.match((await florin('account', 'list', 'cli-cards', id)).out, /Savings +EUR +BLOCKED +0 +-/);
  await json('account', 'unblock', account.id);

  const data = fileOf('card.json', { billingAddress: ADDRESS, currency: 'USD', friendlyName: 'Of the file' });
  const asked = [
    '--profile',
    'Prepaid',
    '--name-on-card',
    'Ada Example',
    '--mode',
    'PREPAID_MODE',
    '--currency',
    'EUR',
  ];
  const card = await json('card', 'create', 'cli-cards', id, '--file', data, ...asked, '--city', 'Sliema');
  assert.deepEqual(
    [card.data.friendlyName, card.data.currency, card.data.billingAddress],
    ['Of the file', 'EUR', { ...ADDRESS, city: 'Sliema' }],
  );
  const { number } = await json('card', 'number', card.id);
  assert.match(number, /^43999910/);
  await json('card', 'block', card.id);
  const listed = await florin('card', 'list', 'cli-cards', id);
  assert.match(listed.out, /^id +friendlyName +mode +currency +state\.state +/);
  assert.match(listed.out, /Of the file +PREPAID_MODE +EUR +BLOCKED +VIRTUAL +VISA/);
  assert.equal(listed.out.includes(number), false);
  await json('card', 'unblock', card.id);
  const whole = await json('identity', 'show', 'cli-cards', id);
  assert.deepEqual([whole.users.length, whole.accounts.length, whole.cards[0].state.state], [1, 1, 'ACTIVE']);
  assert.equal(
    (await json('card-range', 'list')).ranges.find((row: { name: string }) => row.name === 'cli-range').used,
    1,
  );
  await assertBooksHold(app);
});

test('changes by name=value; what is named twice or not at all is said', async () => {
  await json('tenant', 'create', 'cli-sets');
  const settings = await json('tenant', 'set', 'cli-sets', 'active=false', 'rateLimit={"perSecond":5,"burst":5}');
  assert.deepEqual([settings.active, settings.settings.rateLimit], [false, { perSecond: 5, burst: 5 }]);
  assert.equal((await json('tenant', 'set', 'cli-sets', 'rateLimit=null')).settings.rateLimit, undefined);
  await json('programme', 'create', 'cli-sets', 'One');
  assert.equal((await json('programme', 'set', 'cli-sets', 'One', 'name=2026', 'biometrics=true')).name, '2026');
  assert.equal((await florin('programme', 'set', 'cli-sets', 'One', 'name=Two')).code, 1);
  const [{ id: programme }] = (await json('programme', 'list', 'cli-sets')).programmes;
  for (let i = 0; i < 2; i++) await json('profile', 'create', 'cli-sets', 'Twice', '--programme', programme);
  assert.match(
    (await florin('profile', 'set', 'cli-sets', 'Twice', 'active=false')).err,
    /several profiles called Twice/,
  );
  const [{ id: profile }] = (await json('profile', 'list', 'cli-sets')).profiles;
  assert.equal((await json('profile', 'set', 'cli-sets', profile, 'active=false')).active, false);
  const { id } = await json(
    'identity',
    'create',
    'cli-sets',
    'Example Ltd',
    '--programme',
    programme,
    '--type',
    'corporate',
  );
  const set = await json('identity', 'set', 'cli-sets', id, 'kycState=APPROVED', 'cardLimits={"total":3}');
  assert.deepEqual([set.kycState, set.settings.cardLimits.total], ['APPROVED', 3]);
  assert.match((await florin('identity', 'list', 'cli-sets')).out, /corporate +Example Ltd +APPROVED/);
  assert.match((await florin('tenant', 'list')).out, /cli-sets +false/);
  const wrong = await florin('tenant', 'set', 'cli-sets', 'nonsense=1', 'rateLimit={"perSecond":0,"burst":1}');
  assert.equal(wrong.code, 1);
  assert.match(
    wrong.err,
    /#\/settings\/rateLimit\/perSecond: Not allowed, RANGE\n.*#\/settings\/nonsense: Not allowed, one of .*rateLimit/,
  );
});

test('secrets rotate and end; passwords are set and locks are lifted', async () => {
  const email = 'no-factors@sandbox.test';
  const { id, secret } = await json('tenant-secret', 'create', 'sandbox', '--label', 'cli');
  const rotated = await json('tenant-secret', 'rotate', 'sandbox', id, '--overlap', '1h');
  assert.equal((await login(secret, email, 'Sandbox-12345')).status, 200, 'valid for the overlap');
  const labels = (await json('tenant-secret', 'list', 'sandbox')).secrets.map(({ label }: { label: string }) => label);
  assert.equal(labels.filter((label: string) => label === 'cli').length, 2, 'the new one is the same program’s');
  await json('tenant-secret', 'revoke', 'sandbox', id);
  assert.equal((await login(secret, email, 'Sandbox-12345')).status, 401);
  for (let i = 0; i < 5; i++) await login(rotated.secret, email, 'wrong');
  assert.equal((await login(rotated.secret, email, 'Sandbox-12345')).status, 423);
  await json('user', 'unlock', 'sandbox', '3004');
  assert.equal((await login(rotated.secret, email, 'Sandbox-12345')).status, 200);
  const set = await florin('user', 'password', 'sandbox', '3004', '--password', 'Another-long-password');
  assert.deepEqual(set, { code: 0, out: '', err: '' });
  assert.equal((await login(rotated.secret, email, 'Another-long-password')).status, 200);
  assert.match((await florin('user', 'password', 'sandbox', '3004')).err, /^Give --password-file or --password\.\n$/);
  const show = await florin('tenant', 'show', 'sandbox');
  assert.match(show.out, /programmes\.\d +\{.*Florin Cards/);
});

const EXAMPLE = path.join(import.meta.dirname, '../../docs/florin.example.json');

test('the example file: a dry run changes nothing, then all is made, then nothing is left to do', async () => {
  const dry = await florin('apply', EXAMPLE, '--dry-run');
  assert.equal(dry.code, 0, dry.err);
  assert.ok(
    dry.out.split('\n').every((line) => line === '' || line.startsWith('would ')),
    dry.out,
  );
  assert.equal((await florin('project', 'show', 'example-shop')).code, 1, 'nothing was made');
  assert.equal((await florin('tenant', 'show', 'example-cards')).code, 1);

  const made = await florin('apply', EXAMPLE);
  assert.equal(made.code, 0, made.err);
  assert.equal(
    made.out.replace(/, its secret, shown only now: \S+/g, ''),
    dry.out.replaceAll('would make', 'made').replaceAll('would change', 'changed'),
  );
  const secrets = [...made.out.matchAll(/^made (\S+) (.+), its secret, shown only now: (\S+)$/gm)];
  assert.deepEqual(
    secrets.map(([, kind, of]) => `${kind} ${of}`),
    [
      'credential example-shop/shop server',
      'webhook example-shop/shop server',
      'secret example-cards/app server',
      'webhook example-cards/app server',
    ],
  );
  for (const args of [
    ['apply', EXAMPLE],
    ['apply', EXAMPLE, '--dry-run'],
  ])
    assert.deepEqual(await florin(...args), { code: 0, out: 'Nothing to change.\n', err: '' });
  assert.deepEqual(await json('apply', EXAMPLE), { dryRun: false, changes: [] });

  const [, , , secret = ''] = secrets[2] ?? [];
  const session = await login(secret, 'ada@cards.example', 'change-me-at-the-first-login');
  assert.equal(session.status, 200, session.text);
  const [{ id: profileId }] = (await json('profile', 'list', 'example-cards')).profiles;
  const asked = { friendlyName: 'Trip', nameOnCard: 'Ada Example', billingAddress: ADDRESS, currency: 'EUR' };
  const card = await issuingClient(app, secret, session.body.token)('POST', '/cards/request', {
    type: 'consumer',
    data: { profileId, ...asked, mode: 'PREPAID_MODE' },
  });
  assert.equal(card.status, 200, card.text);
  const [, , , password = ''] = secrets[0] ?? [];
  const shop = app.clientWith(`Basic ${Buffer.from(`example-shop:${password}`).toString('base64')}`);
  assert.equal((await shop('GET', '/gateway/orders/')).status, 200);
  assert.equal((await json('apply', EXAMPLE)).changes.length, 0, 'also once it is used');
});

test('only what differs is changed, and what the file does not name stays', async () => {
  const whole = JSON.parse(readFileSync(EXAMPLE, 'utf8'));
  const [shop] = whole.projects;
  const [cards] = whole.tenants;
  await json('project', 'set', 'example-shop', 'trace_id=true', 'page_attempts=2');
  await json('tenant', 'set', 'example-cards', 'authenticatorAlias=EXAMPLE_APP', 'pciScoped=true');
  const file = fileOf('part.json', {
    projects: [
      {
        ...shop,
        name: 'Renamed',
        settings: { page_attempts: 5, capture_delay: null },
        terminals: [{ ...shop.terminals[0], mcc: '5812' }],
        pricing: { rules: [{ operation: 'charge', percent: 3, fixed: '0' }], reserve: { percent: 0, days: 1 } },
        rules: [{ ...shop.rules[0], dry_run: true }],
      },
    ],
    tenants: [
      {
        name: 'example-cards',
        settings: {
          pciScoped: false,
          rateLimit: null,
          forwarding: { url: 'https://t.example/a', secret: 'x'.repeat(32) },
        },
        profiles: [{ name: 'Travel', programme: 'Example Cards', active: false, settings: { expiryPeriodMonths: 24 } }],
        identities: [
          {
            ...cards.identities[0],
            kycState: 'REJECTED',
            settings: { cardLimits: null, rules: { allowAtm: false } },
            users: [
              { ...cards.identities[0].users[0], email: 'ADA@cards.example', surname: 'Other', factors: ['OTP_SMS'] },
            ],
          },
        ],
      },
    ],
  });
  const { out, err } = await florin('apply', file);
  assert.equal(err, '');
  assert.deepEqual(out.trimEnd().split('\n'), [
    'changed project example-shop: name',
    'changed project example-shop: settings.page_attempts, settings.capture_delay',
    'changed terminal example-shop/main: mcc',
    'changed project example-shop: pricing',
    'changed rule example-shop/large: dry_run',
    'changed tenant example-cards: settings.pciScoped, settings.rateLimit, settings.forwarding',
    'changed profile example-cards/Travel: active, settings.expiryPeriodMonths',
    'changed identity example-cards/Ada Example: kycState, settings.cardLimits, settings.rules',
    'changed user example-cards/ada@cards.example: surname',
    'changed user example-cards/ada@cards.example: factor OTP_SMS',
  ]);
  assert.equal((await florin('apply', file)).out, 'Nothing to change.\n');
  const project = await json('project', 'show', 'example-shop');
  assert.deepEqual(
    [project.name, project.settings.trace_id, project.settings.capture_delay, project.terminals.length],
    ['Renamed', true, null, 2],
  );
  assert.deepEqual([project.terminals[0].mcc, project.terminals[0].multicapture], ['5812', true]);
  const tenant = await json('tenant', 'show', 'example-cards');
  assert.equal(tenant.settings.authenticatorAlias, 'EXAMPLE_APP', 'what the file does not name');
  assert.equal(tenant.profiles.length, 3);
});

test('what is wrong is said with its line and place, before anything is done', async () => {
  const wrongs: readonly (readonly [content: unknown, ...says: RegExp[]])[] = [
    ['{\n  "tenants": [\n    {"name": "x",}\n  ]\n}', /wrong\.json:3: not JSON: a name in double quotes expected/],
    ['{\n"tenants": [', /:2: not JSON: the file ends too early/],
    ['{"tenants": [1 2]}', /:1: not JSON: "," or "]" expected/],
    ['{"tenants": [secret-word]}', /:1: not JSON: a value expected\n$/],
    ['{} {}', /:1: not JSON: the end of the file expected/],
    ['', /:1: not JSON: the file ends too early/],
    ['{"projects": [],\n "projects": []}', /:2: projects: given twice/],
    ['[]', /:1: must be an object/],
    [{ tenant: [] }, /:2: tenant: no such field; there are issuing, cardRanges, projects, tenants/],
    [{ tenants: { name: 'x' } }, /:2: tenants: must be a list/],
    [
      { tenants: [{ name: 7, programs: [], secrets: [1] }, {}] },
      /:4: tenants\[0\]\.name: must be a text\n/,
      /:5: tenants\[0\]\.programs: no such field/,
      /tenants\[0\]\.secrets\[0\]: must be a text or an object/,
      /tenants\[1\]: name is missing/,
    ],
    [{ tenants: [{ name: 'x' }, { name: 'x' }] }, /:6: tenants\[1\]: another one has the same name/],
    [
      { projects: [{ login: 'x', name: 'x', accounting_currency: 'EUR', pricing: { rules: [{}], reserve: 5 } }] },
      /projects\[0\]\.pricing\.rules\[0\]: operation is missing/,
      /projects\[0\]\.pricing\.reserve: must be an object/,
    ],
  ];
  const rows = async () => (await json('audit')).audit[0]?.id;
  const before = await rows();
  for (const [content, ...says] of wrongs) {
    const { code, out, err } = await florin('apply', fileOf('wrong.json', content));
    assert.deepEqual([code, out], [1, ''], err);
    for (const said of says) assert.match(err, said);
    assert.equal(err.includes('secret-word'), false);
  }
  assert.equal(await rows(), before);
  assert.match((await florin('apply', path.join(folder, 'missing.json'))).err, /can't be read/);
});

test('what only the server can judge is placed too; what was made before is told, and a second run goes on', async () => {
  const tenant = {
    name: 'half-done',
    secrets: ['server'],
    programmes: [{ name: 'One', settings: { biometrics: true } }],
    profiles: [
      { name: 'Card', programme: 'One', settings: { holdDays: { final: 0, preAuthorization: 1, categories: {} } } },
    ],
  };
  const wrong = await florin('apply', fileOf('half.json', { tenants: [tenant] }));
  assert.equal(wrong.code, 1);
  assert.match(
    wrong.out,
    /^made tenant half-done\nmade secret half-done\/server, its secret, shown only now: fl_\S+\nmade programme half-done\/One\n$/,
  );
  assert.match(
    wrong.err,
    /half\.json:\d+: tenants\[0\]\.profiles\[0\]\.settings\.holdDays\.final: Not allowed, RANGE\n$/,
  );
  const text = readFileSync(path.join(folder, 'half.json'), 'utf8').split('\n');
  assert.match(text[Number(/:(\d+):/.exec(wrong.err)?.[1]) - 1] ?? '', /"final": 0/);
  const right = { ...tenant, profiles: [{ name: 'Card', programme: 'One' }] };
  const { changes } = await json('apply', fileOf('half.json', { tenants: [right] }));
  assert.deepEqual(changes, [{ action: 'make', what: 'profile half-done/Card' }]);

  const refusals: readonly (readonly [object, RegExp])[] = [
    [
      { tenants: [{ ...right, profiles: [{ name: 'New', programme: 'Two' }] }] },
      /profiles\[0\]\.programme: the tenant has no programme/,
    ],
    [
      { tenants: [{ ...right, profiles: [{ name: 'Card', programme: 'One', kind: 'account' }] }] },
      /profiles\[0\]\.kind: can't be changed: it is card/,
    ],
    [
      { cardRanges: [{ name: 'visa', brand: 'VISA', prefix: '400000' }] },
      /cardRanges\[0\]\.prefix: can't be changed: it is 459999/,
    ],
    [{ cardRanges: [{ name: 'new', brand: 'VISA', prefix: '45999912' }] }, /cardRanges\[0\]: .*overlap/],
    [
      { projects: [{ login: 'sandbox', name: 'Sandbox', accounting_currency: 'USD' }] },
      /projects\[0\]\.accounting_currency: can't be changed: it is EUR/,
    ],
    [
      { issuing: { settings: { cardLimits: { total: -1 } } } },
      /issuing\.settings\.cardLimits\.total: Not allowed, RANGE/,
    ],
  ];
  for (const [content, said] of refusals) {
    const { code, err } = await florin('apply', fileOf('refused.json', content));
    assert.equal(code, 1);
    assert.match(err, said);
  }
});

test('a password of the file stands in no output and no audit row', async () => {
  const password = 'A-password-that-is-told-nobody';
  const identity = (mobile: string): object => ({
    name: 'Quiet',
    programme: 'One',
    type: 'consumer',
    users: [{ name: 'Q', surname: 'Q', email: 'q@quiet.example', password, mobile }],
  });
  const file = (mobile: string): string =>
    fileOf('quiet.json', {
      tenants: [{ name: 'quiet', programmes: [{ name: 'One' }], identities: [identity(mobile)] }],
    });
  const wrong = await florin('apply', file('not-a-number'));
  assert.match(wrong.err, /identities\[0\]\.users\[0\]\.mobile: Not allowed/);
  const right = await florin('apply', file('+35699000333'), '--json');
  assert.equal(right.code, 0, right.err);
  const [row] = await app.database.query<{ text: string }>(
    `select string_agg(a::text, ' ') as text from operator_audit a`,
  );
  for (const text of [wrong.out, wrong.err, right.out, row?.text ?? '']) assert.equal(text.includes(password), false);
});

test('a file is read as JSON is, and nothing else is', () => {
  const read = (text: string): unknown => {
    try {
      return [readSetup('f', `{"issuing": {"settings": {"x": ${text}}}}`).setup];
    } catch (error) {
      return (error as Error).message.includes('given twice') ? 'twice' : null;
    }
  };
  const parsed = (text: string): unknown => {
    try {
      return [JSON.parse(`{"issuing": {"settings": {"x": ${text}}}}`)];
    } catch {
      return null;
    }
  };
  fc.assert(
    fc.property(fc.json(), (text) => assert.deepEqual(read(text), parsed(text))),
    { numRuns: 500 },
  );
  const broken = fc.tuple(
    fc.json(),
    fc.nat(),
    fc.nat(3),
    fc.constantFrom('', '"', '\\', '{', '}', ']', ',', ':', '0', '-', '\n', 't', '\u0001'),
  );
  fc.assert(
    fc.property(broken, ([text, at, cut, put]) => {
      const i = at % (text.length + 1);
      const changed = text.slice(0, i) + put + text.slice(i + cut);
      const found = read(changed);
      if (found !== 'twice') assert.deepEqual(found, parsed(changed));
    }),
    { numRuns: 3000 },
  );
});
