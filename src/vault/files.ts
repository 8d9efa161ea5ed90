// Files that hold keys: readable by their owner only, on the disk before anybody relies on them, never half written.
// Rule: no other file of this room touches the file system.
import {
  closeSync,
  fsyncSync,
  ftruncateSync,
  linkSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  statSync,
  unlinkSync,
  writeSync,
} from 'node:fs';
import path from 'node:path';
import type { Random } from '../base/index.ts';
import { VaultError } from './errors.ts';

const POSIX = process.platform !== 'win32';

const codeOf = (error: unknown): string | undefined => (error as { code?: string } | null)?.code;

/** Makes names in the folder durable. Windows can't and needs not. */
function syncFolder(folder: string): void {
  if (!POSIX) return;
  const handle = openSync(folder, 'r');
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}

function writeNew(file: string, content: Buffer | string): void {
  const handle = openSync(file, 'wx', 0o600);
  try {
    const bytes = Buffer.from(content as string);
    for (let at = 0; at < bytes.length; ) at += writeSync(handle, bytes, at);
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}

function unlinkQuietly(file: string): void {
  try {
    unlinkSync(file);
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw error;
  }
}

/** `mode` counts only when the folder is made here. */
export function folderCreate(folder: string, mode: number): void {
  mkdirSync(folder, { recursive: true, mode });
}

/** The file as a whole or not at all; false when one of that name exists, which then stays as it is. */
export function fileCreate(file: string, content: Buffer | string, random: Random): boolean {
  const draft = `${file}.${random.bytes(6).toString('hex')}`;
  try {
    writeNew(draft, content);
  } catch (error) {
    if (!/^(ENOENT|ENOTDIR|EACCES|EPERM|EROFS)$/.test(codeOf(error) ?? '')) throw error;
    throw new VaultError(`${file} can't be made (${codeOf(error)}): its folder must be there, and ours to write to`);
  }
  try {
    linkSync(draft, file);
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false;
    throw error;
  } finally {
    unlinkSync(draft);
  }
  syncFolder(path.dirname(file));
  return true;
}

/** Replaces a file by what `change` makes of it. Two at once: the second is refused. */
export function fileReplace(file: string, change: (content: string) => string): void {
  const next = `${file}.next`;
  let made = false;
  try {
    // The empty file is the lock: what it shall hold is computed from a file that nobody else replaces meanwhile.
    writeNew(next, '');
    made = true;
    const content = change(readFileSync(file, 'utf8'));
    const handle = openSync(next, 'r+');
    try {
      writeSync(handle, content);
      fsyncSync(handle);
    } finally {
      closeSync(handle);
    }
    renameSync(next, file);
    made = false;
    syncFolder(path.dirname(file));
  } catch (error) {
    if (codeOf(error) === 'EEXIST') {
      throw new VaultError(
        `${next} exists: another change of the keys is under way, or one was interrupted; if none is running, remove that file and repeat`,
      );
    }
    throw error;
  } finally {
    if (made) unlinkQuietly(next);
  }
}

/** null: there is none. Refuses a file that others than its owner may read or write. */
export function fileRead(file: string): string | null {
  try {
    const mode = statSync(file).mode & 0o777;
    if (POSIX && (mode & 0o077) !== 0) {
      throw new VaultError(
        `${file} holds keys, but its permissions are ${mode.toString(8)}: make them 600 (chmod 600)`,
      );
    }
    return readFileSync(file, 'utf8');
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return null;
    if (error instanceof VaultError) throw error;
    throw new VaultError(`${file} holds keys, but can't be read (${codeOf(error)})`);
  }
}

/** Changes whenever the file is replaced; null when there is none. */
export function fileVersion(file: string): string | null {
  const found = statSync(file, { throwIfNoEntry: false });
  return found ? `${found.ino}/${found.mtimeMs}/${found.size}` : null;
}

/** The bytes of a small file; null when there is none. */
export function bytesRead(file: string): Buffer | null {
  try {
    return readFileSync(file);
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return null;
    throw error;
  }
}

/** Overwritten with noise, cut, unlinked, and the name gone from the disk. False when somebody else was quicker. */
export function fileDestroy(file: string, random: Random): boolean {
  try {
    const handle = openSync(file, 'r+');
    try {
      const length = Math.max(1, lstatSync(file).size);
      writeSync(handle, random.bytes(length), 0, length, 0);
      fsyncSync(handle);
      ftruncateSync(handle, 0);
      fsyncSync(handle);
    } finally {
      closeSync(handle);
    }
    unlinkSync(file);
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return false;
    throw error;
  }
  syncFolder(path.dirname(file));
  return true;
}

export const folderList = (folder: string): string[] => readdirSync(folder);

/** Where a path really is, also when its last parts don't exist yet. */
function realPath(file: string): string {
  const whole = path.resolve(file);
  try {
    return realpathSync(whole);
  } catch {
    const parent = path.dirname(whole);
    return parent === whole ? whole : path.join(realPath(parent), path.basename(whole));
  }
}

/** Is `file` somewhere below `folder`? */
export function liesIn(file: string, folder: string): boolean {
  const relative = path.relative(realPath(folder), realPath(file));
  return relative === '' || !(relative === '..' || relative.startsWith(`..${path.sep}`) || path.isAbsolute(relative));
}
