// The embedded Postgres' files on disk: who owns them, how they are first made, where its socket lies.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { systemRandom } from '../../base/index.ts';
import { type Programs, StartError } from './binaries.ts';

export const USER = 'florin';
/** sun_path holds 108 bytes with the final zero on Linux, 104 on macOS; Postgres appends `/.s.PGSQL.5432.lock`. */
const SOCKET_DIR_BYTES = 84;

export interface Home {
  readonly dir: string;
  readonly data: string;
  readonly log: string;
  readonly password: string | undefined;
}

/** Makes the server's files belong to whom it runs as; a data directory may have been used by somebody else before. */
export function giveTo(owner: number | null, home: Home): void {
  if (owner === null) return;
  const chown = (file: string): void => {
    const stat = fs.lstatSync(file);
    if (stat.uid !== owner) fs.lchownSync(file, owner, owner);
    if (stat.isDirectory()) for (const name of fs.readdirSync(file)) chown(path.join(file, name));
  };
  fs.chownSync(home.dir, owner, owner);
  for (const file of [home.data, path.join(home.dir, 'password')]) {
    if (fs.existsSync(file) && fs.statSync(file).uid !== owner) chown(file);
  }
}

/** A new cluster, made beside and moved in whole: what a kill leaves half made is never taken for data. */
export function initialize(home: Home, programs: Programs): void {
  for (const name of fs.readdirSync(home.dir)) {
    const pid = /^new-(\d+)$/.exec(name)?.[1];
    if (pid && !alive(Number(pid))) fs.rmSync(path.join(home.dir, name), { recursive: true, force: true });
  }
  const version = path.join(home.data, 'PG_VERSION');
  if (fs.existsSync(version)) {
    const major = Number(fs.readFileSync(version, 'utf8'));
    if (major === programs.major) return;
    throw new StartError(
      `The data in ${path.dirname(home.dir)} was written by PostgreSQL ${major}, but the program here is PostgreSQL ${programs.major}: start it with the Florin that wrote it, or move the data by dump and restore.`,
    );
  }
  const fresh = path.join(home.dir, `new-${process.pid}`);
  const locale =
    programs.major >= 17
      ? ['--locale-provider=builtin', '--builtin-locale=C.UTF-8', '--locale=C']
      : ['--locale=C.UTF-8'];
  const door =
    home.password === undefined
      ? ['-A', 'trust']
      : ['-A', 'scram-sha-256', `--pwfile=${path.join(home.dir, 'password')}`];
  const { file, args, options } = programs.command('initdb', [
    '-D',
    fresh,
    '-U',
    USER,
    '-E',
    'UTF8',
    '--data-checksums',
    '--no-instructions',
    '--no-sync',
    ...door,
    ...locale,
  ]);
  const made = spawnSync(file, args, { ...options, encoding: 'utf8' });
  if (made.status !== 0) {
    fs.rmSync(fresh, { recursive: true, force: true });
    throw new StartError(
      `PostgreSQL could not create its data in ${home.dir}: ${lastLine(made.error?.message ?? made.stderr)}`,
    );
  }
  syncTree(fresh);
  try {
    fs.renameSync(fresh, home.data);
  } catch (error) {
    // Two at once: the other one's cluster stands.
    fs.rmSync(fresh, { recursive: true, force: true });
    if (!fs.existsSync(version)) throw error;
  }
}

/** initdb would sync the whole machine's file systems or each file in turn; only the few files that matter at this point are ours. */
function syncTree(dir: string): void {
  for (const entry of fs.readdirSync(dir, { withFileTypes: true })) {
    const file = path.join(dir, entry.name);
    if (entry.isDirectory()) syncTree(file);
    else if (entry.isFile()) {
      const fd = fs.openSync(file, 'r+');
      fs.fsyncSync(fd);
      fs.closeSync(fd);
    }
  }
}

export function passwordOf(dir: string): string {
  const file = path.join(dir, 'password');
  if (!fs.existsSync(file)) fs.writeFileSync(file, systemRandom.bytes(24).toString('hex'), { mode: 0o600 });
  return fs.readFileSync(file, 'utf8').trim();
}

/** A private folder for the socket: beside the data, or under the temporary folder where the data lies too deep. */
export function socketDir(home: Home, owner: number | null): string {
  let dir = path.join(home.dir, 'run');
  if (Buffer.byteLength(dir) > SOCKET_DIR_BYTES) {
    dir = path.join(os.tmpdir(), `florin-${createHash('sha256').update(home.data).digest('hex').slice(0, 16)}`);
  }
  fs.mkdirSync(dir, { recursive: true, mode: 0o700 });
  const us = owner ?? process.getuid?.() ?? 0;
  const stat = fs.lstatSync(dir);
  // A folder of this name made by somebody else would let them sit between us and the server.
  if (!stat.isDirectory() || (stat.uid !== us && stat.uid !== process.getuid?.())) {
    throw new StartError(`${dir} belongs to another user: remove it, or choose a shorter DATA_DIR.`);
  }
  fs.chmodSync(dir, 0o700);
  if (owner !== null) fs.chownSync(dir, owner, owner);
  return dir;
}

export function alive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as { code?: string }).code === 'EPERM';
  }
}

/** `FATAL:  database files are incompatible with server` without what comes before. */
export const lastLine = (text: string): string => {
  const lines = text
    .trim()
    .split('\n')
    .filter((line) => /\S/.test(line));
  const telling = lines.findLast((line) => /FATAL|error:/.test(line)) ?? lines.at(-1) ?? 'no reason given';
  return telling.replace(/^.*?(FATAL|error):\s*/, '');
};
