// A new key-encrypting key while the server works: nothing fails to open before, during or after, and the old key leaves.
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { after, test } from 'node:test';
import { Pan, VirtualClock } from '../../src/base/index.ts';
import { KEY_FILE, VaultError } from '../../src/vault/index.ts';
import { type FakeDb, frozen, openTestVault, rotate } from './fake.ts';

const root = mkdtempSync(path.join(os.tmpdir(), 'florin-rotation-'));
after(() => rmSync(root, { recursive: true }));
let folders = 0;
const folder = (): string => path.join(root, String(folders++));
const CARD = { pan: Pan.parse('4111111111111111') as Pan, expiry: '2812', holder: 'JANE ROE' };

const keksIn = (dir: string): string[] =>
  (JSON.parse(readFileSync(path.join(dir, KEY_FILE), 'utf8')) as { keks: { id: string }[] }).keks.map(({ id }) => id);
const keysOf = (database: FakeDb): unknown[] => [...new Set(database.tables.vault_cards.map((row) => row.key_id))];
const LATER_MS = 600_000;
const later = (clock: VirtualClock): void => clock.set(new Date(clock.now().getTime() + LATER_MS));

test('rotate, rewrap in batches, retire: every card opens after each step', async () => {
  const dir = folder();
  const { vault, database, clock } = await openTestVault(dir);
  const ids = Array.from({ length: 25 }, (_, i) => BigInt(i + 1));
  for (const id of ids) database.apply(vault.seal(id % 3n, id, CARD).change);
  const allOpen = async (): Promise<void> => {
    for (const id of ids) assert.ok((await vault.open(id % 3n, id))?.pan.equals(CARD.pan));
  };
  const sealed = structuredClone(database.tables.vault_cards.map((row) => row.sealed));
  assert.equal(await rotate(vault, database.transaction), 'kek-2');
  assert.deepEqual(keksIn(dir), ['kek-2', 'kek-1']);
  await allOpen();
  const moved: number[] = [];
  for (let count = await vault.rewrap(10); count > 0; count = await vault.rewrap(10)) {
    moved.push(count);
    await allOpen();
  }
  assert.deepEqual(moved, [10, 10, 5]);
  assert.deepEqual(keysOf(database), ['kek-2']);
  assert.deepEqual(structuredClone(database.tables.vault_cards.map((row) => row.sealed)), sealed);
  // Another process may not have seen the new key yet: the old one stays through its grace.
  assert.deepEqual(keksIn(dir), ['kek-2', 'kek-1']);
  later(clock);
  assert.equal(await vault.rewrap(10), 0);
  assert.deepEqual(keksIn(dir), ['kek-2']);
  await allOpen();
  await openTestVault(dir, { database, allowCreate: false });
});

test('a key that a late row still needs is not retired, and its row moves over', async () => {
  const dir = folder();
  const { vault, database, clock } = await openTestVault(dir);
  const late = vault.seal(7n, 1n, CARD).change;
  await rotate(vault, database.transaction);
  assert.equal(await vault.rewrap(10), 0);
  database.apply(late);
  later(clock);
  assert.equal(await vault.rewrap(10), 1);
  assert.ok(await vault.open(7n, 1n));
  assert.equal(await vault.rewrap(10), 0);
  assert.deepEqual(keksIn(dir), ['kek-2']);
  assert.ok(await vault.open(7n, 1n));
});

test('a row that somebody changed meanwhile is left alone', async () => {
  const { vault, database } = await openTestVault(folder());
  database.apply(vault.seal(7n, 1n, CARD).change);
  await rotate(vault, database.transaction);
  const [row] = database.tables.vault_cards as [Record<string, unknown>];
  const fresh = vault.seal(7n, 1n, { ...CARD, holder: 'JOHN ROE' }).change.row;
  const query = database.query.bind(database);
  database.query = async (text: string, values: readonly unknown[] = []) => {
    if (text.startsWith('update vault_cards')) Object.assign(row, fresh);
    return query(text, values) as never;
  };
  await vault.rewrap(10);
  assert.equal((await vault.open(7n, 1n))?.holder, 'JOHN ROE');
});

test('another process sees the new key: to read at once, to seal within a second', async () => {
  const dir = folder();
  let elapsed = 0;
  const clock = frozen();
  const other = new VirtualClock({ now: () => clock.now(), sleep: () => Promise.resolve(), elapsed: () => elapsed });
  const { vault, database } = await openTestVault(dir, { clock });
  const { vault: second } = await openTestVault(dir, { database, clock: other });
  await rotate(vault, database.transaction);
  assert.equal(second.seal(7n, 1n, CARD).change.row.key_id, 'kek-1');
  elapsed += 1001;
  assert.equal(second.seal(7n, 1n, CARD).change.row.key_id, 'kek-2');
  await rotate(vault, database.transaction);
  database.apply(vault.seal(7n, 2n, CARD).change);
  assert.ok(await second.open(7n, 2n));
});

test('a read that was overtaken by rewrap and retirement reads again', async () => {
  const dir = folder();
  const { vault, database, clock } = await openTestVault(dir);
  database.apply(vault.seal(7n, 1n, CARD).change);
  const before = { ...(database.tables.vault_cards[0] as object) };
  await rotate(vault, database.transaction);
  await vault.rewrap(10);
  later(clock);
  await vault.rewrap(10);
  const query = database.query.bind(database);
  let stale = true;
  database.query = async (text: string, values: readonly unknown[] = []) => {
    if (!text.startsWith('select * from vault_cards') || !stale) return query(text, values) as never;
    stale = false;
    return [before] as never;
  };
  assert.ok(await vault.open(7n, 1n));
  assert.equal(stale, false);
});

test('reading goes on while keys are rotated and rows rewrapped', async () => {
  const { vault, database, clock } = await openTestVault(folder());
  const ids = Array.from({ length: 60 }, (_, i) => BigInt(i + 1));
  for (const id of ids) database.apply(vault.seal(7n, id, CARD).change);
  let working = true;
  let reads = 0;
  const reader = async (): Promise<void> => {
    while (working) {
      for (const id of ids) {
        assert.ok(await vault.open(7n, id));
        reads++;
      }
    }
  };
  const readers = Promise.all([reader(), reader(), reader()]);
  for (let round = 0; round < 5; round++) {
    await rotate(vault, database.transaction);
    while ((await vault.rewrap(7)) > 0);
    later(clock);
    await vault.rewrap(7);
  }
  working = false;
  await readers;
  assert.ok(reads >= ids.length * 3);
  assert.deepEqual(keysOf(database), ['kek-6']);
});

test('a rotation that another is in the way of changes nothing', async () => {
  const dir = folder();
  const { vault, database } = await openTestVault(dir);
  writeFileSync(path.join(dir, `${KEY_FILE}.next`), '');
  await assert.rejects(
    rotate(vault, database.transaction),
    (error) => error instanceof VaultError && /another change of the keys/.test(error.message),
  );
  assert.deepEqual(keksIn(dir), ['kek-1']);
  rmSync(path.join(dir, `${KEY_FILE}.next`));
  assert.equal(await rotate(vault, database.transaction), 'kek-2');
});

test('numbers of retired keys are not used again', async () => {
  const { vault, database, clock } = await openTestVault(folder());
  await rotate(vault, database.transaction);
  later(clock);
  await vault.rewrap(10);
  assert.equal(await rotate(vault, database.transaction), 'kek-3');
});

test('a key whose preparation was not committed seals nothing, now or later', async () => {
  const dir = folder();
  const { vault, database, clock } = await openTestVault(dir);
  const undone = database.transaction(async (db) => {
    await vault.prepareKey(db);
    throw new Error('rolled back');
  });
  await assert.rejects(undone, /rolled back/);
  await vault.activateKey();
  assert.equal(await vault.rewrap(10), 0);
  assert.equal(vault.seal(7n, 1n, CARD).change.row.key_id, 'kek-1');
  const { vault: next } = await openTestVault(dir, { database, clock });
  assert.equal(next.seal(7n, 1n, CARD).change.row.key_id, 'kek-1');
  assert.equal(await rotate(vault, database.transaction), 'kek-3');
  assert.equal(vault.seal(7n, 1n, CARD).change.row.key_id, 'kek-3');
  later(clock);
  await vault.rewrap(10);
  assert.deepEqual(keksIn(dir), ['kek-3']);
});

test('a key whose preparation was committed is put in force by the job, or by the next start', async () => {
  const dir = folder();
  const { vault, database, clock } = await openTestVault(dir);
  await database.transaction((db) => vault.prepareKey(db));
  assert.equal(vault.seal(7n, 1n, CARD).change.row.key_id, 'kek-1');
  await vault.rewrap(10);
  assert.equal(vault.seal(7n, 1n, CARD).change.row.key_id, 'kek-2');
  await database.transaction((db) => vault.prepareKey(db));
  const { vault: next } = await openTestVault(dir, { database, clock });
  assert.equal(next.seal(7n, 1n, CARD).change.row.key_id, 'kek-3');
});
