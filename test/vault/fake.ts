// A Db in memory that knows the vault's statements, for what needs no Postgres: files, keys, clocks. Rows are visible to the tests.
import pino from 'pino';
import { assert, systemRandom, VirtualClock } from '../../src/base/index.ts';
import type { Change, Db, Transaction } from '../../src/store/index.ts';
import { openVault, type Vault, type VaultOptions } from '../../src/vault/index.ts';

type Row = Record<string, unknown>;

export interface FakeDb extends Db {
  readonly tables: Record<'vault_cards' | 'vault_cvvs' | 'vault_keys', Row[]>;
  apply(change: Change): void;
  /** Undone when `work` throws. */
  transaction<Value>(work: (db: Transaction) => Promise<Value>): Promise<Value>;
  folder: string | null;
}

const bytea = (text: string): Buffer[] =>
  [...text.matchAll(/\\\\x([0-9a-f]*)/g)].map((match) => Buffer.from(match[1] as string, 'hex'));
const ints = (text: string): bigint[] => text.slice(1, -1).split(',').map(BigInt);

/** Long: a table of the vault's own statements, and what each does to three arrays. */
export function fakeDb(): FakeDb {
  const tables: FakeDb['tables'] = { vault_cards: [], vault_cvvs: [], vault_keys: [] };
  const { vault_cards: cards, vault_cvvs: cvvs, vault_keys: keys } = tables;
  const beyond = (row: Row, [owner, id]: readonly unknown[]): boolean =>
    (row.owner_id as bigint) > (owner as bigint) || (row.owner_id === owner && (row.id as bigint) > (id as bigint));
  // biome-ignore lint/suspicious/noExplicitAny: values are what the vault's own statements carry
  const statements: [RegExp, (values: any[]) => Row[]][] = [
    [
      /^select \* from vault_cards where/,
      ([owner, ids]) => cards.filter((row) => row.owner_id === owner && ids.includes(row.id)),
    ],
    [
      /^select owner_id, id, key_id, wrapped_key/,
      ([owner, id, active, limit]) =>
        cards
          .filter((row) => beyond(row, [owner, id]) && row.key_id !== active)
          .sort((a, b) => (beyond(a, [b.owner_id, b.id]) ? 1 : -1))
          .slice(0, limit),
    ],
    [
      /^update vault_cards/,
      ([active, owners, ids, before, next]) => {
        const news = bytea(next);
        return bytea(before).flatMap((was, i) =>
          cards
            .filter(
              (row) =>
                row.owner_id === ints(owners)[i] && row.id === ints(ids)[i] && (row.wrapped_key as Buffer).equals(was),
            )
            .map((row) => Object.assign(row, { key_id: active, wrapped_key: news[i] })),
        );
      },
    ],
    [/^select exists/, ([id]) => [{ used: cards.some((row) => row.key_id === id) }]],
    [/^select \* from vault_cvvs/, ([owner, id]) => cvvs.filter((row) => row.owner_id === owner && row.id === id)],
    [
      /^delete from vault_cvvs/,
      ([now]) => {
        tables.vault_cvvs.splice(0, cvvs.length, ...cvvs.filter((row) => (row.until as Date) > now));
        return [];
      },
    ],
    [/^select count/, ([now]) => [{ count: BigInt(cvvs.filter((row) => (row.until as Date) <= now).length) }]],
    [/^select \* from vault_keys/, () => keys],
    [
      /^insert into vault_keys/,
      ([id, check, now]) => {
        if (!keys.some((row) => row.id === id))
          keys.push({ id, check_value: check, created_at: now, retired_at: null });
        return [];
      },
    ],
    [
      /^update vault_keys/,
      ([id, now]) => keys.filter((row) => row.id === id).map((row) => Object.assign(row, { retired_at: now })),
    ],
  ];
  const db: FakeDb = {
    tables,
    folder: null,
    async query<R extends object>(text: string, values: readonly unknown[] = []) {
      if (/from pg_settings/.test(text)) return (db.folder === null ? [] : [{ setting: db.folder }]) as R[];
      const found = statements.find(([pattern]) => pattern.test(text));
      assert(found, `the fake does not know: ${text}`);
      return structuredCloneRows(found[1]([...values])) as R[];
    },
    async transaction(work) {
      const was = Object.entries(tables).map(([name, rows]) => [name, rows.map((row) => ({ ...row }))] as const);
      try {
        return await work(db as unknown as Transaction);
      } catch (error) {
        for (const [name, rows] of was) {
          const table = tables[name as keyof FakeDb['tables']];
          table.splice(0, table.length, ...rows);
        }
        throw error;
      }
    },
    apply(change) {
      const rows = tables[change.table.name as keyof FakeDb['tables']];
      if (change.op === 'insert') rows.push({ ...change.row });
      else if (change.op === 'remove')
        rows.splice(
          0,
          rows.length,
          ...rows.filter((row) => change.table.key.some((name: string) => row[name] !== change.row[name])),
        );
      else throw new Error(`no ${change.op} here`);
    },
  };
  return db;
}

const structuredCloneRows = (rows: Row[]): Row[] => rows.map((row) => ({ ...row }));

export const silent = pino({ level: 'silent' });

export interface Opened {
  readonly vault: Vault;
  readonly database: FakeDb;
  readonly clock: VirtualClock;
}

export async function openTestVault(
  dataDir: string,
  options: Partial<VaultOptions> & { database?: FakeDb; clock?: VirtualClock } = {},
): Promise<Opened> {
  const database = options.database ?? fakeDb();
  const clock = options.clock ?? frozen();
  const vault = await openVault({
    dataDir,
    random: systemRandom,
    log: silent,
    allowCreate: true,
    ...options,
    database,
    clock,
  });
  return { vault, database, clock };
}

export function frozen(at = '2026-11-21T09:10:00Z'): VirtualClock {
  const clock = new VirtualClock();
  clock.freeze(true);
  clock.set(new Date(at));
  return clock;
}

/** A rotation as an operator's request makes it; the name of the new key. */
export async function rotate(
  vault: Vault,
  transaction: <Value>(work: (db: Transaction) => Promise<Value>) => Promise<Value>,
) {
  const key = await transaction((db) => vault.prepareKey(db));
  await vault.activateKey();
  return key;
}
