// Short-lived keys for sensitive authentication data: one an hour, each a file of its own. Destroying the file makes every copy of
// what was sealed under it unreadable, backups and WAL included (PCI DSS 3.3.2).
import { closeSync, existsSync, fsyncSync, mkdirSync, openSync, readdirSync, readFileSync, statSync, unlinkSync, writeSync } from 'node:fs';
import path from 'node:path';
import type { Random } from '../base/index.ts';
import { syncDirectory, writeSynced } from './keys.ts';

const HOUR_MS = 3_600_000;

export interface SadKeys {
  /** The key of this hour. */
  at(now: Date): { readonly id: string; readonly key: Buffer };
  byId(id: string): Buffer | null;
  ids(): string[];
  /** The end of the hour in which a key seals. */
  hourEnd(id: string): Date;
  destroy(id: string): void;
}

export function openSadKeys(directory: string, random: Random): SadKeys {
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  const cache = new Map<string, Buffer>();
  const fileOf = (id: string): string => path.join(directory, `${id}.key`);
  const byId = (id: string): Buffer | null => {
    const known = cache.get(id);
    if (known) return known;
    if (!/^\d+$/.test(id) || !existsSync(fileOf(id))) return null;
    const key = readFileSync(fileOf(id));
    cache.set(id, key);
    return key;
  };
  return {
    byId,
    at(now) {
      const id = String(Math.floor(now.getTime() / HOUR_MS));
      let key = byId(id);
      if (!key) {
        key = random.bytes(32);
        writeSynced(fileOf(id), key);
        syncDirectory(directory);
        cache.set(id, key);
      }
      return { id, key };
    },
    ids: () => readdirSync(directory).flatMap((name) => /^(\d+)\.key$/.exec(name)?.[1] ?? []),
    hourEnd: (id) => new Date((Number(id) + 1) * HOUR_MS),
    destroy(id) {
      cache.get(id)?.fill(0);
      cache.delete(id);
      const file = fileOf(id);
      if (!existsSync(file)) return;
      const descriptor = openSync(file, 'r+');
      writeSync(descriptor, random.bytes(statSync(file).size));
      fsyncSync(descriptor);
      closeSync(descriptor);
      unlinkSync(file);
      syncDirectory(directory);
    },
  };
}
