// The vault on a real database: its rows travel through the committer, and no dump shows a card number or a CVV.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { idMaker, isLuhn, Pan, systemClock, systemRandom, type VirtualClock } from '../../src/base/index.ts';
import { type Change, type Committer, createCommitter, type Database } from '../../src/store/index.ts';
import { openVault, type Vault } from '../../src/vault/index.ts';
import { ownerOf, testDatabase } from '../support/database.ts';
import { frozen, rotate, silent } from './fake.ts';

const PAN = Pan.parse('4929123412341230') ?? Pan.parse('4111111111111111');
assert.ok(PAN);
const CARD = { pan: PAN, expiry: '2812', holder: 'CANARY HOLDER' };
const CVV = '9173';

const dataDir = mkdtempSync(path.join(os.tmpdir(), 'florin-vault-db-'));
let database: Database;
let committer: Committer;
let vault: Vault;
let clock: VirtualClock;

const commit = (changes: readonly Change[]): Promise<void> =>
  committer.submit({ name: 'test', owner: ownerOf(changes), needs: [], decide: () => ({ value: undefined, changes }) });
const open = (): Promise<Vault> =>
  openVault({ dataDir, database, clock, random: systemRandom, log: silent, allowCreate: true });

before(async () => {
  database = await testDatabase();
  clock = frozen();
  vault = await open();
  committer = createCommitter({
    connect: () => database.session(),
    clock: systemClock,
    ids: idMaker(systemClock, 1),
    log: silent,
  });
});
after(async () => {
  await committer.drain();
  rmSync(dataDir, { recursive: true });
});

/** Every column of every table, as text. */
async function dump(): Promise<string> {
  const tables = await database.query<{ name: string }>(
    `select quote_ident(table_name) as name from information_schema.tables where table_schema = 'public' and table_type = 'BASE TABLE'`,
  );
  const rows: string[] = [];
  for (const { name } of tables) {
    for (const { row } of await database.query<{ row: string }>(`select t::text as row from ${name} t`)) rows.push(row);
    // Ciphertexts once more as bytes: a card number in a bytea would be hex above.
    if (!name.startsWith('vault_c')) continue;
    for (const { row } of await database.query<{ row: string }>(
      `select encode(sealed, 'escape') as row from ${name} t`,
    ))
      rows.push(row);
  }
  return rows.join('\n');
}

test('neither card number nor CVV nor holder stands in any table', async () => {
  await commit([vault.seal(7n, 1n, CARD).change, vault.sealCvv(7n, 1n, CVV, new Date(clock.now().getTime() + 60_000))]);
  assert.ok((await vault.open(7n, 1n))?.pan.equals(CARD.pan));
  assert.equal(await vault.openCvv(7n, 1n), CVV);
  const text = await dump();
  assert.match(text, /kek-1/);
  for (const canary of [CARD.pan.reveal(), Buffer.from(CARD.pan.reveal()).toString('hex'), CARD.holder]) {
    assert.ok(!text.includes(canary));
  }
  for (const [run] of text.matchAll(/\b\d{15,16}\b/g)) assert.ok(!isLuhn(run) || !run.startsWith('4'), 'a card number');
  assert.equal((await database.query(`select from vault_cvvs where sealed::text like $1`, [`%${CVV}%`])).length, 0);
  await commit([vault.dropCvv(7n, 1n)]);
  assert.equal(await vault.openCvv(7n, 1n), null);
});

test('rows swapped by hand do not open', async () => {
  const other = Pan.parse('5555555555554444');
  assert.ok(other);
  await commit([vault.seal(8n, 1n, CARD).change, vault.seal(8n, 2n, { ...CARD, pan: other }).change]);
  await database.query(
    `update vault_cards t set wrapped_key = o.wrapped_key, sealed = o.sealed from vault_cards o
     where t.owner_id = 8 and o.owner_id = 8 and t.id <> o.id`,
  );
  await assert.rejects(vault.open(8n, 1n), /does not open/);
  await database.query('delete from vault_cards where owner_id = 8');
});

test('overdue CVVs are counted and deleted, the others stay', async () => {
  const at = (seconds: number): Date => new Date(clock.now().getTime() + seconds * 1000);
  await commit([vault.sealCvv(7n, 2n, CVV, at(60)), vault.sealCvv(7n, 3n, CVV, at(120))]);
  assert.equal(await vault.overdueCvvs(at(60)), 1n);
  await vault.destroyExpiredKeys(at(60));
  assert.equal(await vault.overdueCvvs(at(60)), 0n);
  assert.equal(await vault.openCvv(7n, 2n), null);
  assert.equal(await vault.openCvv(7n, 3n), CVV);
});

test('keys rotate and rows move over while cards are sealed and read', async () => {
  const ids = Array.from({ length: 40 }, (_, i) => BigInt(i + 100));
  await Promise.all(ids.map((id) => commit([vault.seal(id % 4n, id, CARD).change])));
  let working = true;
  let reads = 0;
  let added = 1000n;
  const traffic = async (): Promise<void> => {
    while (working) {
      const id = added++;
      await commit([vault.seal(7n, id, CARD).change]);
      for (const [owner, known] of [[7n, id] as const, ...ids.slice(0, 5).map((one) => [one % 4n, one] as const)]) {
        assert.ok((await vault.open(owner, known))?.pan.equals(CARD.pan));
        reads++;
      }
    }
  };
  const running = Promise.all([traffic(), traffic()]);
  for (let round = 2; round <= 3; round++) {
    assert.equal(await rotate(vault, database.transaction), `kek-${round}`);
    while ((await vault.rewrap(9)) > 0);
    clock.set(new Date(clock.now().getTime() + 600_000));
    // A card sealed before the rotation may have been committed after the first walk.
    while ((await vault.rewrap(9)) > 0);
  }
  working = false;
  await running;
  assert.ok(reads > 0);
  const used = await database.query<{ key_id: string }>('select distinct key_id from vault_cards');
  assert.deepEqual(used, [{ key_id: 'kek-3' }]);
  const keys = await database.query<{ id: string; retired: boolean }>(
    `select id, retired_at is not null as retired from vault_keys where id like 'kek-%' order by id`,
  );
  assert.deepEqual(
    keys.map(({ id, retired }) => [id, retired]),
    [
      ['kek-1', true],
      ['kek-2', true],
      ['kek-3', false],
    ],
  );
  vault = await open();
  for (const id of ids) assert.ok(await vault.open(id % 4n, id));
});
