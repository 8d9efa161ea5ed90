// The files that hold keys: made once and whole, for their owner only, and held against the database they belong to.
import assert from 'node:assert/strict';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { after, test } from 'node:test';
import { Pan } from '../../src/base/index.ts';
import { KEY_FILE, VaultError } from '../../src/vault/index.ts';
import { fakeDb, frozen, openTestVault, rotate } from './fake.ts';

const root = mkdtempSync(path.join(os.tmpdir(), 'florin-keys-'));
after(() => rmSync(root, { recursive: true }));
let folders = 0;
const folder = (): string => path.join(root, String(folders++));
const CARD = { pan: Pan.parse('4111111111111111') as Pan, expiry: '2812', holder: null };

const refused = (sentence: RegExp) => (error: unknown) => {
  assert.ok(error instanceof VaultError, String(error));
  assert.match(error.message, sentence);
  return true;
};

test('the first start makes a key file for its owner only, and the next one takes it as it is', async () => {
  const dir = folder();
  const { database } = await openTestVault(dir);
  const file = path.join(dir, KEY_FILE);
  const content = readFileSync(file, 'utf8');
  assert.equal(statSync(file).mode & 0o777, 0o600);
  assert.equal(statSync(path.join(dir, 'sad-keys')).mode & 0o777, 0o700);
  await openTestVault(dir, { database, allowCreate: false });
  assert.equal(readFileSync(file, 'utf8'), content);
  assert.deepEqual(readdirSync(dir).sort(), [KEY_FILE, 'sad-keys']);
});

test('no key stands in the database, in any form', async () => {
  const dir = folder();
  const { vault, database } = await openTestVault(dir);
  database.apply(vault.seal(7n, 1n, CARD).change);
  database.apply(vault.sealCvv(7n, 1n, '737', new Date('2026-11-21T09:20:00Z')));
  const keys = JSON.parse(readFileSync(path.join(dir, KEY_FILE), 'utf8')) as {
    keks: { key: string }[];
    fingerprint: string;
    master: string;
    ids: string;
  };
  const [sadFile] = readdirSync(path.join(dir, 'sad-keys'));
  const secrets = [...keys.keks.map(({ key }) => key), keys.fingerprint, keys.master, keys.ids]
    .map((text) => Buffer.from(text, 'base64'))
    .concat(readFileSync(path.join(dir, 'sad-keys', sadFile as string)));
  const dump = JSON.stringify(database.tables, (_, value: unknown) =>
    typeof value === 'bigint' ? String(value) : value,
  );
  const bytes = Object.values(database.tables)
    .flat()
    .flatMap((row) => Object.values(row))
    .filter((value) => Buffer.isBuffer(value));
  for (const secret of secrets) {
    for (const form of ['hex', 'base64'] as const) assert.ok(!dump.includes(secret.toString(form)));
    for (const value of bytes) assert.ok(!value.includes(secret));
  }
});

test('a key file that others may read or write is refused', async () => {
  for (const mode of [0o640, 0o604, 0o620, 0o666]) {
    const dir = folder();
    const { database } = await openTestVault(dir);
    chmodSync(path.join(dir, KEY_FILE), mode);
    await assert.rejects(openTestVault(dir, { database }), refused(/permissions are .*chmod 600/));
  }
});

test('a missing key file is made only where nothing was sealed before', async () => {
  const dir = folder();
  await assert.rejects(openTestVault(dir, { allowCreate: false }), refused(/is missing/));
  const { database } = await openTestVault(dir);
  rmSync(path.join(dir, KEY_FILE));
  await assert.rejects(openTestVault(dir, { database }), refused(/sealed with the keys in it: restore/));
  assert.ok(!existsSync(path.join(dir, KEY_FILE)));
});

test('another installation’s key file is refused and leaves no trace, so that the right one still opens', async () => {
  const [mine, other] = [folder(), folder()];
  const { database } = await openTestVault(mine);
  const foreign = await openTestVault(other);
  await rotate(foreign.vault, foreign.database.transaction);
  const before = structuredClone(database.tables.vault_keys);
  await assert.rejects(openTestVault(other, { database }), refused(/is another key|lacks/));
  assert.deepEqual(database.tables.vault_keys, before);
  await openTestVault(mine, { database, allowCreate: false });
});

test('a file from before a rotation is refused', async () => {
  const dir = folder();
  const { vault, database } = await openTestVault(dir);
  const file = path.join(dir, KEY_FILE);
  const backup = readFileSync(file);
  assert.equal(await rotate(vault, database.transaction), 'kek-2');
  writeFileSync(file, backup);
  await assert.rejects(openTestVault(dir, { database }), refused(/lacks kek-2/));
});

test('a damaged key file is refused with the reason', async () => {
  const damages: [(text: string) => string, RegExp][] = [
    [(text) => text.slice(0, 40), /not JSON/],
    [() => '{}', /version 1/],
    [
      (text) =>
        text.replace(/("key": ")(.)/, (_, before: string, first: string) => before + (first === 'A' ? 'B' : 'A')),
      /check value/,
    ],
    [(text) => text.replace(/"master": "[^"]*"/, '"master": "AAAA"'), /master is not 32 bytes/],
    [(text) => JSON.stringify({ ...(JSON.parse(text) as object), keks: [] }), /no key-encrypting key/],
  ];
  for (const [damage, reason] of damages) {
    const dir = folder();
    const { database } = await openTestVault(dir);
    const file = path.join(dir, KEY_FILE);
    writeFileSync(file, damage(readFileSync(file, 'utf8')));
    await assert.rejects(openTestVault(dir, { database }), refused(reason));
  }
});

test('keys inside the database’s own folder are refused, also behind a link', async () => {
  const dir = folder();
  const database = fakeDb();
  database.folder = dir;
  await assert.rejects(openTestVault(path.join(dir, 'inside'), { database }), refused(/kept apart/));
  symlinkSync(dir, path.join(root, 'alias'));
  await assert.rejects(openTestVault(path.join(root, 'alias', 'inside'), { database }), refused(/kept apart/));
  await assert.rejects(
    openTestVault(folder(), { database, keyFile: path.join(dir, 'keys.json') }),
    refused(/kept apart/),
  );
  database.folder = `${dir}0`;
  await openTestVault(dir, { database });
});

test('the key file may stand elsewhere', async () => {
  const [dir, secrets] = [folder(), folder()];
  await openTestVault(secrets);
  const keyFile = path.join(secrets, KEY_FILE);
  const { vault, database } = await openTestVault(dir, { keyFile });
  database.apply(vault.seal(7n, 1n, CARD).change);
  assert.ok(!existsSync(path.join(dir, KEY_FILE)));
  assert.ok(await vault.open(7n, 1n));
});

test('keys lie beside the data where one folder holds both, the data directory or the file’s own', async () => {
  const beside = async (dir: string, data: string, keyFile: string | null): Promise<boolean> => {
    const database = fakeDb();
    database.folder = data;
    return (await openTestVault(dir, { database, keyFile })).vault.keysBesideData;
  };
  const [dir, secrets, elsewhere] = [folder(), folder(), folder()];
  for (const made of [secrets, path.join(dir, 'keys')]) mkdirSync(made, { recursive: true });
  assert.equal(await beside(dir, path.join(dir, 'postgres', 'data'), null), true);
  assert.equal(await beside(dir, path.join(dir, 'postgres', 'data'), path.join(dir, 'keys', 'k.json')), true);
  assert.equal(await beside(dir, path.join(secrets, 'data'), path.join(secrets, 'k.json')), true);
  assert.equal(await beside(dir, path.join(dir, 'postgres', 'data'), path.join(secrets, 'k2.json')), false);
  assert.equal(await beside(dir, elsewhere, null), false);
});

test('a key file that can be neither read nor made is a sentence', async () => {
  const dir = folder();
  await assert.rejects(openTestVault(dir, { keyFile: path.join(dir, 'nowhere', 'k.json') }), refused(/can't be made/));
  mkdirSync(path.join(dir, 'k.json'), { mode: 0o700 });
  await assert.rejects(openTestVault(dir, { keyFile: path.join(dir, 'k.json') }), refused(/can't be read/));
});

test('once its window is over, a CVV that was copied with everything around it opens with no key that is still held', async () => {
  const dir = folder();
  const { vault, database, clock } = await openTestVault(dir, { challengeWindowMs: 600_000 });
  database.apply(vault.sealCvv(7n, 1n, '737', new Date('2026-11-21T09:20:00Z')));
  // The thief's backup of the database, with the clock of the moment.
  const copied = structuredClone(database.tables.vault_cvvs).map((row) => ({
    ...row,
    sealed: Buffer.from(row.sealed as Uint8Array),
  }));
  const backup = folder();
  cpSync(path.join(dir, 'sad-keys'), backup, { recursive: true });
  const [keyFile] = readdirSync(backup);

  // Its hour is over, its last windows are not.
  clock.set(new Date('2026-11-21T10:09:59Z'));
  assert.equal(await vault.destroyExpiredKeys(clock.now()), 0);
  assert.equal(database.tables.vault_cvvs.length, 0);
  clock.set(new Date('2026-11-21T10:10:00Z'));
  assert.equal(await vault.destroyExpiredKeys(clock.now()), 1);
  assert.deepEqual(readdirSync(path.join(dir, 'sad-keys')), []);

  const earlier = frozen('2026-11-21T09:15:00Z');
  const stolen = fakeDb();
  stolen.tables.vault_cvvs.push(...copied);
  const thief = folder();
  cpSync(dir, thief, { recursive: true });
  const { vault: live } = await openTestVault(thief, { database: stolen, clock: earlier });
  assert.equal(await live.openCvv(7n, 1n), null);
  // With the key as it was the copy does open: what was destroyed is what kept it alive.
  cpSync(path.join(backup, keyFile as string), path.join(thief, 'sad-keys', keyFile as string));
  assert.equal(await live.openCvv(7n, 1n), '737');
});

test('each hour has its key, and a key goes one window after its hour', async () => {
  const dir = folder();
  const { vault, clock } = await openTestVault(dir, { challengeWindowMs: 600_000 });
  const sealAt = (at: string): unknown => {
    clock.set(new Date(at));
    return vault.sealCvv(7n, 1n, '737', new Date('2026-11-21T23:00:00Z')).row.key_id;
  };
  const first = sealAt('2026-11-21T09:00:00Z');
  assert.equal(sealAt('2026-11-21T09:59:59Z'), first);
  const second = sealAt('2026-11-21T10:00:00Z');
  assert.notEqual(second, first);
  assert.equal(await vault.destroyExpiredKeys(new Date('2026-11-21T10:10:00Z')), 1);
  assert.equal(sealAt('2026-11-21T10:30:00Z'), second);
  assert.equal(await vault.destroyExpiredKeys(new Date('2026-11-21T11:10:00Z')), 1);
  // Also when the clock is set back into an hour whose key is gone.
  assert.notEqual(sealAt('2026-11-21T10:30:00Z'), second);
});

test('a CVV is never wanted longer than its key lives', async () => {
  const { vault } = await openTestVault(folder(), { challengeWindowMs: 600_000 });
  const until = (at: string): unknown => vault.sealCvv(7n, 1n, '737', new Date(at)).row.until;
  assert.deepEqual(until('2026-11-21T09:20:00Z'), new Date('2026-11-21T09:20:00Z'));
  assert.deepEqual(until('2026-11-22T09:20:00Z'), new Date('2026-11-21T10:10:00Z'));
});

test('a key that a dying process left half made is swept away with the others', async () => {
  const dir = folder();
  const { vault, clock } = await openTestVault(dir);
  vault.sealCvv(7n, 1n, '737', clock.now());
  const sad = path.join(dir, 'sad-keys');
  const [name] = readdirSync(sad);
  writeFileSync(path.join(sad, `${name}.0123456789ab`), 'half');
  writeFileSync(path.join(sad, 'README'), 'not ours');
  clock.set(new Date('2026-11-22T09:00:00Z'));
  assert.equal(await vault.destroyExpiredKeys(clock.now()), 1);
  assert.deepEqual(readdirSync(sad), ['README']);
});

test('card numbers are revealed in the vault, in the network’s codec and to the cardholder, and nowhere else', () => {
  const source = path.join(import.meta.dirname, '../../src');
  const revealing = readdirSync(source, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts') && /\.reveal\(\)/.test(readFileSync(path.join(source, name), 'utf8')))
    .map((name) => name.split(path.sep).join('/'));
  const may = /^(vault|network)\/|^issuing\/secrets\/reveal\.ts$/;
  assert.deepEqual(
    revealing.filter((name) => !may.test(name)),
    [],
  );
  assert.ok(revealing.some((name) => name.startsWith('vault/')));
});
