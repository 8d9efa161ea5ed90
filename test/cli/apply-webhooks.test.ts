// Endpoints of projects and tenants by `florin apply`: known by their description, made once, changed where the file says otherwise.
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { runCli } from '../../src/cli/index.ts';
import { type TestApp, testApp } from '../support/app.ts';

let app: TestApp;
let folder: string;
before(async () => {
  app = await testApp();
  folder = mkdtempSync(path.join(tmpdir(), 'florin-webhooks-'));
});
after(() => rmSync(folder, { recursive: true, force: true }));

async function florin(
  ...args: string[]
): Promise<{ readonly code: number; readonly out: string; readonly err: string }> {
  const said = { out: '', err: '' };
  const never = (): Promise<never> => Promise.reject(new Error('not here'));
  const code = await runCli(args, {
    serve: never,
    migrate: never,
    distribute: never,
    connection: () => ({ url: app.url, secret: 'sandbox-operator' }),
    write: (text) => void (said.out += text),
    writeError: (text) => void (said.err += text),
  });
  return { code, ...said };
}

const fileOf = (setup: object): string => {
  const file = path.join(folder, 'setup.json');
  writeFileSync(file, JSON.stringify(setup, null, 2));
  return file;
};
const URL = 'https://127.0.0.1:8443/events';
const other = { description: 'other', url: URL, events: ['*'], enabled: false };

const OWNERS = [
  {
    owner: ['--project', 'listening'],
    list: 'projects',
    named: { login: 'listening', name: 'Listening', accounting_currency: 'EUR' },
    events: ['order.*', 'webhook.disabled'],
  },
  {
    owner: ['--tenant', 'listening'],
    list: 'tenants',
    named: { name: 'listening' },
    events: ['card.*', 'webhook.disabled'],
  },
] as const;

for (const { owner, list, named, events } of OWNERS) {
  const file = (...webhooks: object[]): string => fileOf({ [list]: [{ ...named, webhooks }] });
  const full = {
    description: 'shop',
    url: URL,
    events,
    enabled: false,
    payload: 'thin',
    signature: 'both',
    concurrency: 3,
    ordered: true,
  };
  // biome-ignore lint/suspicious/noExplicitAny: a test says what it expects of an answer
  const there = async (): Promise<any[]> =>
    JSON.parse((await florin('webhook', 'list', ...owner, '--json')).out).webhooks;

  test(`endpoints of ${list}: told in a dry run, made with their secrets, left as they are the second time`, async () => {
    const dry = await florin('apply', file(full, other), '--dry-run');
    assert.deepEqual([dry.code, dry.err], [0, '']);
    assert.match(dry.out, /would make webhook listening\/shop\nwould make webhook listening\/other\n$/);
    const { out, err } = await florin('apply', file(full, other));
    assert.equal(err, '');
    assert.match(out, /made webhook listening\/shop, its secret, shown only now: whsec_\S+\n/);
    assert.match(out, /made webhook listening\/other, its secret, shown only now: whsec_\S+\n$/);
    const [made] = await there();
    for (const [name, value] of Object.entries(full)) assert.deepEqual(made[name], value, name);
    assert.deepEqual(await florin('apply', file(full, other)), { code: 0, out: 'Nothing to change.\n', err: '' });
    const turned = { ...full, events: events.toReversed() };
    assert.equal((await florin('apply', file(turned))).out, 'Nothing to change.\n', 'types in another order');
    assert.equal((await there()).length, 2, 'what the file does not name stays');
  });

  test(`endpoints of ${list}: what differs is changed, under the same id and key`, async () => {
    const [before] = await there();
    const url = `${URL}/new`;
    const { out } = await florin('apply', file({ description: 'shop', url, events: ['webhook.*'], enabled: true }));
    assert.equal(out, 'changed webhook listening/shop: url, enabled, events\n');
    const [changed] = await there();
    assert.deepEqual(
      [changed.id, changed.keys, changed.url, changed.events, changed.enabled, changed.payload, changed.concurrency],
      [before.id, before.keys, url, ['webhook.*'], true, 'thin', 3],
    );
  });

  test(`endpoints of ${list}: two of one description are not guessed between`, async () => {
    await florin('webhook', 'update', (await there())[1].id, '--description', 'shop', ...owner);
    const { code, err } = await florin('apply', file(full));
    assert.equal(code, 1);
    assert.match(err, /:\d+: \w+\[0\]\.webhooks\[0\]: 2 have this description; give all but one another\n$/);
  });
}

test('what is wrong with an endpoint is placed in the file, and nothing is made', async () => {
  const made = { description: 'new', url: URL, events: ['order.*'] };
  const list = async (): Promise<string> => (await florin('webhook', 'list', '--project', 'listening')).out;
  const before = await list();
  for (const [webhooks, said, line] of [
    [[{ ...made, description: ' ' }], /webhooks\[0\]\.description: must be a text that is not empty/, '" "'],
    [[{ description: 'new' }], /webhooks\[0\]: url is missing/, '{'],
    [[{ ...made, secret: 'x' }], /webhooks\[0\]\.secret: no such field/, '"secret"'],
    [[made, made], /webhooks\[1\]: another one has the same description/, '{'],
    [[{ ...made, url: 'ftp://shop.example' }], /webhooks\[0\]\.url: Not allowed/, 'ftp:'],
    [[{ ...made, events: ['order.*', 'card.*'] }], /webhooks\[0\]\.events\[1\]: Not allowed/, 'card.*'],
    [[{ ...made, concurrency: 65 }], /webhooks\[0\]\.concurrency: /, '65'],
  ] as const) {
    const file = fileOf({ projects: [{ ...OWNERS[0].named, webhooks }] });
    const { code, out, err } = await florin('apply', file);
    assert.deepEqual([code, out], [1, ''], err);
    assert.match(err, said);
    const at = readFileSync(file, 'utf8').split('\n')[Number(/:(\d+): /.exec(err)?.[1]) - 1] ?? '';
    assert.ok(at.includes(line), `${err}${at}`);
  }
  assert.equal(await list(), before);
});
