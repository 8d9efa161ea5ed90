// Short-lived keys for the CVVs of orders that wait for their cardholder (PCI DSS 3.3.2): each a file of its own, in use for one
// hour, destroyed one challenge window later, so that no backup or log of the database can give a CVV back.
// Rule: such a key is never written anywhere else, and its file name alone tells when it has to go.
import path from 'node:path';
import type { Clock, Random } from '../base/index.ts';
import { bytesRead, fileCreate, fileDestroy, folderCreate, folderList } from './files.ts';

export interface SadKey {
  readonly id: string;
  readonly key: Buffer;
  /** When it will be destroyed: nothing sealed under it may be wanted later. */
  readonly endsAt: Date;
}

export interface SadKeys {
  /** The key of this hour, made when there is none. */
  current(): SadKey;
  /** null: destroyed, or never ours. */
  find(id: string): Buffer | null;
  /** Destroys every key that has ended by `now`; answers how many. */
  destroyEnded(now: Date): number;
}

const HOUR_MS = 3_600_000;
const KEY_BYTES = 32;

/** `<hour in ms since 1970>-<16 hex>`: also the file's name, before `.key`. */
const ID = /^(\d{1,15})-[0-9a-f]{16}$/;

export function sadKeys(
  folder: string,
  { clock, random, windowMs }: { clock: Clock; random: Random; windowMs: number },
): SadKeys {
  folderCreate(folder, 0o700);
  const held = new Map<string, SadKey>();
  let latest: SadKey | null = null;
  const fileOf = (id: string): string => path.join(folder, `${id}.key`);
  const endOf = (hour: number): Date => new Date(hour + HOUR_MS + windowMs);
  return {
    current() {
      const now = clock.now().getTime();
      const hour = now - (now % HOUR_MS);
      const found = latest && latest.endsAt.getTime() === endOf(hour).getTime() && held.has(latest.id) ? latest : null;
      if (found) return found;
      const id = `${hour}-${random.bytes(8).toString('hex')}`;
      latest = { id, key: random.bytes(KEY_BYTES), endsAt: endOf(hour) };
      fileCreate(fileOf(id), latest.key, random);
      held.set(id, latest);
      return latest;
    },
    find(id) {
      if (!ID.test(id)) return null;
      // The file, not the memory, says whether the key still lives: another process may have destroyed it.
      const key = bytesRead(fileOf(id));
      return key?.length === KEY_BYTES ? key : null;
    },
    destroyEnded(now) {
      let destroyed = 0;
      for (const name of folderList(folder)) {
        // Drafts of a process that died while it made a key end with it: they carry the same name in front.
        const hour = Number(/^(\d{1,15})-[0-9a-f]{16}\.key/.exec(name)?.[1] ?? Number.NaN);
        if (Number.isNaN(hour) || endOf(hour) > now) continue;
        if (fileDestroy(path.join(folder, name), random) && name.endsWith('.key')) destroyed++;
        const id = name.slice(0, name.indexOf('.key'));
        held.get(id)?.key.fill(0);
        held.delete(id);
      }
      return destroyed;
    },
  };
}
