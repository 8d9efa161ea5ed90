// The installation's keys: a file beside the data, never in the database. Owner-only; made on the first start.
import { createHash, hkdfSync } from 'node:crypto';
import { chmodSync, closeSync, existsSync, fsyncSync, mkdirSync, openSync, readFileSync, renameSync, statSync, writeSync } from 'node:fs';
import path from 'node:path';
import type { Random } from '../base/index.ts';

interface KeyFile {
  readonly version: 1;
  /** Key-encrypting keys, base64, the active one first; the others only read. */
  readonly encryption: readonly { readonly id: string; readonly key: string; readonly check: string }[];
  readonly fingerprint: string;
  /** Root of every key that is derived for a purpose. */
  readonly master: string;
  readonly ids: string;
}

export interface Keys {
  readonly active: { readonly id: string; readonly key: Buffer };
  byId(id: string): Buffer | null;
  readonly fingerprint: Buffer;
  readonly ids: Buffer;
  derived(purpose: string): Buffer;
  /** A new key becomes the active one. */
  rotate(): string;
  /** A key that no row uses any more leaves the file. */
  retire(id: string): void;
  readonly retired: readonly string[];
}

export class KeyError extends Error {}

/** First bytes of the key's hash: a mistyped or truncated key is noticed before it is used. */
const checkValue = (key: string): string => createHash('sha256').update(Buffer.from(key, 'base64')).digest('hex').slice(0, 6);

export function openKeys(file: string, random: Random, allowCreate: boolean): Keys {
  if (!existsSync(file)) {
    if (!allowCreate) throw new KeyError(`The key file ${file} is missing, but the database holds encrypted cards: restore it before starting.`);
    write(file, newKeyFile(random));
  }
  if (process.platform !== 'win32' && (statSync(file).mode & 0o077) !== 0) {
    throw new KeyError(`The key file ${file} can be read by others: set its permissions to 0600.`);
  }
  let content = read(file);
  const derivedKeys = new Map<string, Buffer>();
  const master = Buffer.from(content.master, 'base64');
  return {
    get active() {
      const [first] = content.encryption;
      if (!first) throw new KeyError(`The key file ${file} holds no encryption key.`);
      return { id: first.id, key: Buffer.from(first.key, 'base64') };
    },
    byId(id) {
      const found = content.encryption.find((entry) => entry.id === id);
      return found ? Buffer.from(found.key, 'base64') : null;
    },
    fingerprint: Buffer.from(content.fingerprint, 'base64'),
    ids: Buffer.from(content.ids, 'base64'),
    derived(purpose) {
      let key = derivedKeys.get(purpose);
      if (!key) {
        key = Buffer.from(hkdfSync('sha256', master, Buffer.alloc(0), `florin/${purpose}`, 32));
        derivedKeys.set(purpose, key);
      }
      return key;
    },
    rotate() {
      const entry = newKey(random);
      content = { ...content, encryption: [entry, ...content.encryption] };
      write(file, content);
      return entry.id;
    },
    retire(id) {
      content = { ...content, encryption: content.encryption.filter((entry, i) => i === 0 || entry.id !== id) };
      write(file, content);
    },
    get retired() {
      return content.encryption.slice(1).map((entry) => entry.id);
    },
  };
}

function newKey(random: Random): KeyFile['encryption'][number] {
  const key = random.bytes(32).toString('base64');
  return { id: random.bytes(4).toString('hex'), key, check: checkValue(key) };
}

const newKeyFile = (random: Random): KeyFile => ({
  version: 1,
  encryption: [newKey(random)],
  fingerprint: random.bytes(32).toString('base64'),
  master: random.bytes(32).toString('base64'),
  ids: random.bytes(16).toString('base64'),
});

function read(file: string): KeyFile {
  let content: KeyFile;
  try {
    content = JSON.parse(readFileSync(file, 'utf8')) as KeyFile;
  } catch (error) {
    throw new KeyError(`The key file ${file} is not readable.`, { cause: error });
  }
  const damaged = content.version !== 1 || content.encryption.some((entry) => checkValue(entry.key) !== entry.check);
  if (damaged) throw new KeyError(`The key file ${file} is damaged: a key does not fit its check value.`);
  return content;
}

/** Whole or not at all: a new file beside the old one, synced, then renamed. */
function write(file: string, content: KeyFile): void {
  mkdirSync(path.dirname(file), { recursive: true });
  writeSynced(`${file}.new`, JSON.stringify(content, null, 2));
  renameSync(`${file}.new`, file);
  syncDirectory(path.dirname(file));
}

export function writeSynced(file: string, content: string | Buffer): void {
  const descriptor = openSync(file, 'w', 0o600);
  try {
    chmodSync(file, 0o600);
    writeSync(descriptor, content as string);
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

export function syncDirectory(directory: string): void {
  if (process.platform === 'win32') return;
  const descriptor = openSync(directory, 'r');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
