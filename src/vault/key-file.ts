// The installation's long-lived keys: one JSON file of its own, never in the database. Key-encrypting keys (the active one first),
// the fingerprint key, the master of every derived key, the key of the id permutation.
// Rule: a key leaves the file only when nothing is wrapped by it any more; whoever loses the file loses every card.
import { createSecretKey, type KeyObject } from 'node:crypto';
import type { Random } from '../base/index.ts';
import { checkValue } from './envelope.ts';
import { VaultError } from './errors.ts';
import { fileCreate, fileRead, fileReplace } from './files.ts';

export interface Kek {
  readonly id: string;
  readonly key: KeyObject;
  /** When a newer key took its place; null: it is the active one, or one that is prepared and seals nothing yet. */
  readonly supersededAt: Date | null;
}

export interface Keys {
  /** The active one first. */
  readonly keks: readonly [Kek, ...Kek[]];
  readonly fingerprint: KeyObject;
  readonly master: KeyObject;
  readonly ids: Buffer;
}

/** The file's JSON. Keys are base64; `check` shows a damaged or swapped key before anything is sealed with it. */
interface Stored {
  readonly version: 1;
  readonly keks: readonly {
    readonly id: string;
    readonly key: string;
    readonly check: string;
    readonly superseded_at: string | null;
  }[];
  readonly fingerprint: string;
  readonly master: string;
  readonly ids: string;
}

const kekId = (number: number): string => `kek-${number}`;
/** The number of a key id; 0 for anything else. */
export const kekNumber = (id: string): number => Number(/^kek-(\d{1,9})$/.exec(id)?.[1] ?? 0);

function freshKek(number: number, random: Random): Stored['keks'][number] {
  const key = random.bytes(32);
  return { id: kekId(number), key: key.toString('base64'), check: checkValue(key), superseded_at: null };
}

const print = (stored: Stored): string => `${JSON.stringify(stored, null, 2)}\n`;

/** Writes a first key file; one that another process has just made stays. */
export function keyFileCreate(file: string, random: Random): void {
  const secret = (length: number): string => random.bytes(length).toString('base64');
  fileCreate(
    file,
    print({ version: 1, keks: [freshKek(1, random)], fingerprint: secret(32), master: secret(32), ids: secret(16) }),
    random,
  );
}

/** null: no such file. Throws a VaultError when its permissions, form or check values are wrong. */
export function keyFileRead(file: string): Keys | null {
  const text = fileRead(file);
  return text === null ? null : keysFrom(text, file);
}

function keysFrom(text: string, file: string): Keys {
  const damaged = (what: string): VaultError =>
    new VaultError(`${file} is damaged (${what}): restore it from its backup`);
  let stored: Stored;
  try {
    stored = JSON.parse(text) as Stored;
  } catch {
    throw damaged('not JSON');
  }
  if (stored?.version !== 1) throw damaged('not a key file of version 1');
  const bytes = (value: unknown, length: number, name: string): Buffer => {
    const key = Buffer.from(typeof value === 'string' ? value : '', 'base64');
    if (key.length !== length) throw damaged(`${name} is not ${length} bytes in base64`);
    return key;
  };
  const keks = (Array.isArray(stored.keks) ? stored.keks : []).map(({ id, key, check, superseded_at }): Kek => {
    const secret = bytes(key, 32, String(id));
    if (kekNumber(id) === 0 || checkValue(secret) !== check) throw damaged(`${id} does not fit its check value`);
    return { id, key: createSecretKey(secret), supersededAt: superseded_at === null ? null : new Date(superseded_at) };
  });
  const [active, ...older] = keks;
  if (!active) throw damaged('no key-encrypting key');
  return {
    keks: [active, ...older],
    fingerprint: createSecretKey(bytes(stored.fingerprint, 32, 'fingerprint')),
    master: createSecretKey(bytes(stored.master, 32, 'master')),
    ids: bytes(stored.ids, 16, 'ids'),
  };
}

/** A new key, numbered above all in the file and `above`, that seals nothing before it is activated; its id. */
export function keyFilePrepare(file: string, random: Random, above: number): string {
  let made = '';
  fileReplace(file, (text) => {
    keysFrom(text, file);
    const stored = JSON.parse(text) as Stored;
    const fresh = freshKek(Math.max(above, ...stored.keks.map(({ id }) => kekNumber(id))) + 1, random);
    made = fresh.id;
    return print({ ...stored, keks: [...stored.keks, fresh] });
  });
  return made;
}

/** Those behind the active key that were never active, the newest first. */
export const preparedKeks = ({ keks: [, ...others] }: Keys): Kek[] =>
  others.filter(({ supersededAt }) => supersededAt === null).sort((a, b) => kekNumber(b.id) - kekNumber(a.id));

/**
 * A prepared key seals from now on; all the others stay for reading. False: it is no longer prepared (another process put it, or a newer
 * one, in force), and all stays as it is.
 */
export function keyFileActivate(file: string, id: string, now: Date): boolean {
  let activated = false;
  fileReplace(file, (text) => {
    const stored = JSON.parse(text) as Stored;
    activated = preparedKeks(keysFrom(text, file)).some((kek) => kek.id === id);
    if (!activated) return text;
    const older = stored.keks
      .filter((kek) => kek.id !== id)
      .map((kek) => ({ ...kek, superseded_at: kek.superseded_at ?? now.toISOString() }));
    return print({ ...stored, keks: [...stored.keks.filter((kek) => kek.id === id), ...older] });
  });
  return activated;
}

/** Takes a key that is not the active one out of the file. */
export function keyFileRetire(file: string, id: string): void {
  fileReplace(file, (text) => {
    const stored = JSON.parse(text) as Stored;
    return print({ ...stored, keks: stored.keks.filter((kek, position) => position === 0 || kek.id !== id) });
  });
}

/** What the database remembers of each key, so that a wrong or older file is noticed at the start. */
export const checksOf = (keys: Keys): ReadonlyMap<string, string> =>
  new Map([
    ...keys.keks.map(({ id, key }) => [id, checkValue(key)] as const),
    ['fingerprint', checkValue(keys.fingerprint)],
    ['master', checkValue(keys.master)],
    ['ids', checkValue(keys.ids)],
  ]);
