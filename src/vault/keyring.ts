// The key file in memory, kept up with the file on the disk, and held against what the database remembers of its keys.
// Rule: nothing is sealed before file and database were found to belong together.
import path from 'node:path';
import type { Clock, Log, Random } from '../base/index.ts';
import type { Db } from '../store/index.ts';
import { VaultError } from './errors.ts';
import { fileVersion, liesIn } from './files.ts';
import { checksOf, type Kek, type Keys, keyFileCreate, keyFileRead, preparedKeks } from './key-file.ts';
import { databaseFolder, type KeyRow, keyRegister, keysSelect } from './queries.ts';

export interface Keyring {
  readonly keys: Keys;
  /** The key to seal with. A rotation by another process is seen within a second. */
  active(): Kek;
  /** Looks into the file again before it says null. */
  find(id: string): Kek | null;
  /** After this process changed the file. */
  reload(): void;
  /** One folder holds the file and the database: whoever takes a copy of it has both. */
  readonly besideData: boolean;
}

export interface KeyringOptions {
  readonly file: string;
  readonly dataDir: string;
  /** More paths that must not lie in the database's folder. */
  readonly apart: readonly string[];
  readonly database: Db;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly allowCreate: boolean;
}

const LOOK_MS = 1000;

export async function openKeyring(options: KeyringOptions): Promise<Keyring> {
  const { file, clock } = options;
  const folder = await databaseFolder(options.database);
  if (folder !== null) refuseSharedStore(options, folder);
  let keys = await verified(options);
  let version = fileVersion(file);
  let lookedAt = clock.elapsed();
  const look = (): void => {
    lookedAt = clock.elapsed();
    // A file that is missing for a moment, or was damaged by hand, does not stop a running server: what it holds is good.
    try {
      const found = fileVersion(file);
      if (found === null || found === version) return;
      keys = keyFileRead(file) ?? keys;
      version = found;
    } catch (error) {
      options.log.error({ err: error }, 'the key file changed and cannot be read; going on with the keys of before');
    }
  };
  const known = (id: string): Kek | null => keys.keks.find((kek) => kek.id === id) ?? null;
  return {
    get keys() {
      return keys;
    },
    active() {
      if (clock.elapsed() - lookedAt > LOOK_MS) look();
      return keys.keks[0];
    },
    find(id) {
      const kek = known(id);
      if (kek) return kek;
      look();
      return known(id);
    },
    reload: look,
    besideData:
      folder !== null &&
      [path.dirname(file), options.dataDir].some((place) => liesIn(file, place) && liesIn(folder, place)),
  };
}

/** Keys and the data under them in one folder would leave together with it (PCI DSS 3.6.1.2). */
function refuseSharedStore({ file, apart }: KeyringOptions, folder: string): void {
  for (const place of [file, ...apart]) {
    if (liesIn(place, folder))
      throw new VaultError(
        `${place} lies in the database's own folder ${folder}: keys must be kept apart from the data they open`,
      );
  }
}

/** The file's keys, after the database agreed that they are its own; both are made on the first start. */
async function verified(options: KeyringOptions): Promise<Keys> {
  const { file, database, clock, random, log } = options;
  const remembered = await keysSelect(database);
  let keys = keyFileRead(file);
  if (!keys) {
    if (remembered.length > 0) {
      throw new VaultError(
        `${file} is missing, but this database was sealed with the keys in it: restore the file from its backup`,
      );
    }
    if (!options.allowCreate)
      throw new VaultError(`${file} is missing: start once with permission to create it, or restore it`);
    keyFileCreate(file, random);
    keys = keyFileRead(file);
    if (!keys) throw new VaultError(`${file} was created but cannot be found`);
    log.info({ file }, 'key file created: keep a backup of it apart from the backups of the database');
  }
  const checks = checksOf(keys);
  // First what was there: a wrong file must leave no trace. Then once more, as another process may have come first.
  agree(file, checks, remembered);
  // A prepared key is registered by nobody but the transaction that wants it in force.
  const prepared = new Set(preparedKeks(keys).map(({ id }) => id));
  for (const [id, check] of checks) if (!prepared.has(id)) await keyRegister(database, id, check, clock.now());
  agree(file, checks, await keysSelect(database));
  return keys;
}

function agree(file: string, checks: ReadonlyMap<string, string>, remembered: readonly KeyRow[]): void {
  for (const row of remembered) {
    const check = checks.get(row.id);
    if (check === undefined && row.retired_at === null) {
      throw new VaultError(
        `${file} lacks ${row.id}, which cards in this database need: it is an older or another installation's file`,
      );
    }
    if (check !== undefined && check !== row.check_value) {
      throw new VaultError(`${file} is not the key file of this database: its ${row.id} is another key`);
    }
  }
}
