// Rotation of the key-encrypting key while the server runs: prepare (a new key in the file, registered by the caller's transaction),
// activate (it seals), rewrap in batches (old rows move over), retire (the old key leaves the file).
// Rule: a key seals only after its registration was committed; it is retired only after its grace, when no process can still seal with it,
// and after the table was found free of it.
import { assert, type Clock, type Log, type Random } from '../base/index.ts';
import type { Db, Transaction } from '../store/index.ts';
import { checkValue, decrypt, encrypt, keyBinding } from './envelope.ts';
import { kekNumber, keyFileActivate, keyFilePrepare, keyFileRetire, preparedKeks } from './key-file.ts';
import type { Keyring } from './keyring.ts';
import {
  cardsRewrap,
  cardsToRewrap,
  cardsUseKey,
  keyRegister,
  keyRetire,
  keysSelect,
  type Rewrapped,
} from './queries.ts';

/** A process looks for a new key each second; a card sealed before that is committed long before this. */
export const RETIRE_AFTER_MS = 600_000;

export interface RotationOptions {
  readonly file: string;
  readonly ring: Keyring;
  readonly database: Db;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
}

export interface Rotation {
  /**
   * A new key-encrypting key in the file, and its id. It seals nothing: what commits with the transaction is that it is to be put in force.
   * One whose transaction is rolled back is never used.
   */
  prepareKey(db: Transaction): Promise<string>;
  /**
   * Puts the newest key in force whose preparation was committed; the older ones stay for reading. To be called behind the commit; where
   * that was missed, `rewrap` and the next start do it.
   */
  activateKey(): Promise<void>;
  /** Wraps up to `limit` cards' keys anew; answers how many. 0: all are under the active key, and older keys past their grace are gone. */
  rewrap(limit: number): Promise<number>;
}

/** Long: the steps of one rotation share where the last batch ended. */
export function createRotation(options: RotationOptions): Rotation {
  const { file, ring, database, clock, random, log } = options;
  const start = { owner_id: -(2n ** 63n), id: -(2n ** 63n) };
  // Where the last batch ended: the table has no index by key, so it is walked once and not from its beginning each time.
  let after = start;

  async function batch(limit: number): Promise<number> {
    const active = ring.active();
    const rows = await cardsToRewrap(database, active.id, after, limit);
    const last = rows.at(-1);
    if (!last) return 0;
    const moved = rows.map((row): Rewrapped => {
      const kek = ring.find(row.key_id);
      assert(kek, `${row.key_id} is not in the key file`);
      const dataKey = decrypt(kek.key, row.wrapped_key, keyBinding(row.owner_id, row.id, row.key_id));
      assert(dataKey, 'the key of a card does not open: its row was changed');
      const next = encrypt(active.key, random.bytes(12), dataKey, keyBinding(row.owner_id, row.id, active.id));
      dataKey.fill(0);
      return { ...row, next };
    });
    await cardsRewrap(database, active.id, moved);
    after = { owner_id: last.owner_id, id: last.id };
    return rows.length;
  }

  async function retire(): Promise<void> {
    const now = clock.now();
    for (const { id, supersededAt } of ring.keys.keks.slice(1)) {
      if (
        !supersededAt ||
        now.getTime() - supersededAt.getTime() < RETIRE_AFTER_MS ||
        (await cardsUseKey(database, id))
      )
        continue;
      // First the database: a key it no longer asks for may be missing, the other way round the next start would be refused.
      await keyRetire(database, id, now);
      keyFileRetire(file, id);
      ring.reload();
      log.info({ key: id }, 'key-encrypting key retired: no card is under it any more');
    }
  }

  async function activateKey(): Promise<void> {
    const prepared = preparedKeks(ring.keys);
    if (prepared.length === 0) return;
    const remembered = new Set((await keysSelect(database)).map(({ id }) => id));
    const next = prepared.find(({ id }) => remembered.has(id));
    if (!next) return;
    try {
      const activated = keyFileActivate(file, next.id, clock.now());
      ring.reload();
      if (activated) log.info({ key: next.id }, 'key-encrypting key rotated');
    } catch (error) {
      log.warn({ err: error, key: next.id }, 'a prepared key could not be put in force; it is tried again each minute');
    }
  }

  return {
    async prepareKey(db) {
      const remembered = (await keysSelect(db)).map(({ id }) => kekNumber(id));
      const id = keyFilePrepare(file, random, Math.max(0, ...remembered));
      ring.reload();
      const made = ring.find(id);
      assert(made, 'a key that was just written can be read');
      await keyRegister(db, id, checkValue(made.key), clock.now());
      return id;
    },
    activateKey,
    async rewrap(limit) {
      await activateKey();
      // Nothing was rotated since the last retirement: a job that asks each minute must not walk the table.
      if (ring.keys.keks.every(({ supersededAt }) => supersededAt === null)) return 0;
      const found = await batch(limit);
      if (found > 0) return found;
      // Behind the cursor a slower process may have added cards under an older key: once around before it counts as done.
      after = start;
      const again = await batch(limit);
      if (again === 0) await retire();
      return again;
    },
  };
}
