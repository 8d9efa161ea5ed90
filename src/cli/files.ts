// Files that a command line names: read, written, and certificates among them. Rule: what a file holds stands in no message.
import { X509Certificate } from 'node:crypto';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { isFingerprint, plainFingerprint } from '../base/index.ts';
import { CliError, list, type Options } from './command.ts';

export const CERTIFICATES = [
  '--certificates <list>',
  'client certificates it is bound to: PEM files or SHA-256 fingerprints, separated by commas',
] as const;

export async function bytesOf(file: string): Promise<Buffer> {
  try {
    return await readFile(file);
  } catch {
    throw new CliError(`The file ${file} can't be read.`);
  }
}

export const textOf = async (file: string): Promise<string> => (await bytesOf(file)).toString('utf8');

/** Certificates as a person names them, a fingerprint or a file in PEM, as fingerprints. */
export const fingerprintsOf = (names: readonly string[]): Promise<string[]> =>
  Promise.all(
    names.map(async (name) => {
      if (isFingerprint(name)) return plainFingerprint(name);
      try {
        return plainFingerprint(new X509Certificate(await textOf(name)).fingerprint256);
      } catch (error) {
        throw error instanceof CliError ? error : new CliError(`The file ${name} holds no certificate in PEM.`);
      }
    }),
  );

export const certificatesOf = async (names: Options[string]): Promise<string[] | undefined> =>
  names === undefined ? undefined : fingerprintsOf(list(names));

/** `lost`: what else there is to say when it can't be written. */
export async function textWrite(file: string, text: string, lost = ''): Promise<void> {
  try {
    await writeFile(file, text);
  } catch {
    throw new CliError(`The file ${file} can't be written.${lost}`);
  }
}

/** What was kept under this name; null: nothing. */
export const keptText = (folder: string, name: string): Promise<string | null> =>
  readFile(path.join(folder, name), 'utf8').catch(() => null);

/** Whole, or as it was: whoever is killed meanwhile. */
export async function textKeep(folder: string, name: string, text: string): Promise<void> {
  const file = path.join(folder, name);
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    await writeFile(`${file}.new`, text);
    await rename(`${file}.new`, file);
  } catch {
    throw new CliError(`The file ${file} can't be written.`);
  }
}
