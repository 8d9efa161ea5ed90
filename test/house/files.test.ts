// What a newcomer may rely on: a room looks like every other room, and a file can be read in one sitting.
import assert from 'node:assert/strict';
import { readdirSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { describe, it } from 'node:test';
import { filesIn, ROOT, sourceOf, textOf } from './source.ts';

/** Lines of a file, at most. */
const MOST_LINES = { src: 400, bench: 400, test: 600 };

/** Files of a folder beside the folders in it, at most: more than that are two subjects. */
const MOST_FILES = 15;

/** Names that say nothing: what lies there belongs to a room that has a name. */
const EMPTY_NAMES = /^(utils?|helpers?|common|lib|types|constants|misc|shared)(\.ts)?$/;

const ownTypeScript = ['src', 'test', 'bench'].flatMap((folder) => filesIn(folder, '.ts'));
const ownText = [
  ...ownTypeScript,
  ...['bin', 'migrations', 'docs', 'web', 'sdk'].flatMap((folder) =>
    ['.js', '.sql', '.md', '.html', '.css', '.ts'].flatMap((ending) => filesIn(folder, ending)),
  ),
  ...readdirSync(ROOT).filter((name) => /\.(md|json|cjs)$/.test(name) && name !== 'package-lock.json'),
];

// Put together here, so that this file does not find itself.
const marks = ['TO' + 'DO', 'FIX' + 'ME', 'X' + 'XX', 'HA' + 'CK'];
const machinePaths = ['/wo' + 'rk/', '/ro' + 'ot/', '/ho' + 'me/', '/Us' + 'ers/', 'C:' + '\\\\'];

const rooms = (folder: string): string[] =>
  readdirSync(join(ROOT, folder), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map((entry) => `${folder}/${entry.name}`);

describe('files', () => {
  it('are short enough to be read at once', () => {
    assert.ok(ownTypeScript.length > 100, 'the source was read');
    const faults = Object.entries(MOST_LINES).flatMap(([folder, most]) =>
      filesIn(folder, '.ts')
        .map((path) => ({ path, lines: sourceOf(path).lines }))
        .filter(({ lines }) => lines > most)
        .map(({ path, lines }) => `${path}: ${lines} lines, at most ${most}`),
    );
    assert.deepEqual(faults, []);
  });

  it('open by saying what they own', () => {
    assert.deepEqual(
      filesIn('src', '.ts').filter((path) => !textOf(path).startsWith('//')),
      [],
    );
  });

  it('have names that say what they hold', () => {
    assert.deepEqual(
      ownTypeScript.filter((path) => path.split('/').some((part) => EMPTY_NAMES.test(part))),
      [],
    );
  });

  it('are finished, and are nobody’s in particular', () => {
    const banned = new RegExp(
      `(//|--|/\\*|<!--|^ *[*#]).*\\b(${marks.join('|')})\\b|(^|[\\s'"\`(=])(${machinePaths.join('|')})`,
      'm',
    );
    assert.match(`// ${marks[0]}: later`, banned);
    assert.match(`cd ${machinePaths[0]}main`, banned);
    const faults = ownText.flatMap((path) => {
      const found = banned.exec(textOf(path));
      return found ? [`${path}: ${found[0].trim()}`] : [];
    });
    assert.deepEqual(faults, []);
  });
});

/** A hook of whoever is loaded first: it would end what the next file of the process opens, or nothing of it. */
const HOOKS = /^(before|after|beforeEach|afterEach)\(/m;

describe('what test files share', () => {
  it('has no hooks of its own: files share a process too', () => {
    const shared = filesIn('test', '.ts').filter((path) => !path.endsWith('.test.ts'));
    assert.ok(shared.length > 30, 'the files were read');
    assert.match('const a = 1;\nafter(async () => a);\n', HOOKS);
    assert.deepEqual(
      shared.filter((path) => HOOKS.test(textOf(path))),
      ['test/support/ends.ts'],
    );
  });
});

/** Folders that hold too many of the given files. */
function crowded(paths: readonly string[]): string[] {
  const counts = new Map<string, number>();
  for (const path of paths) counts.set(dirname(path), (counts.get(dirname(path)) ?? 0) + 1);
  return [...counts].filter(([, count]) => count > MOST_FILES).map(([folder, count]) => `${folder}: ${count} files`);
}

describe('a test file', () => {
  /** Said while files are read, before any of them runs: it would be done at the end of the first. */
  const early = (text: string): boolean => /^atEnd\(/m.test(text);

  it('says behind its beginning what is to be done at its end', () => {
    assert.deepEqual(
      filesIn('test', '.ts').filter((file) => early(textOf(file))),
      [],
    );
  });

  it('that says it too early is found', () => {
    assert.deepEqual(['atEnd(async () => {});', 'before(() => {\n  atEnd(close);\n});'].map(early), [true, false]);
  });
});

describe('folders', () => {
  it('are seen at a glance', () => {
    const files = ['src', 'test', 'bench'].flatMap((folder) =>
      filesIn(folder, '').filter((path) => statSync(join(ROOT, path)).isFile()),
    );
    assert.ok(files.length > 300 && files.some((path) => path.endsWith('.json')), 'all files were read');
    assert.deepEqual(crowded(files), []);
  });

  it('with one file too many are found, whatever lies in the folders within', () => {
    const within = (folder: string, count: number): string[] =>
      Array.from({ length: count }, (_, i) => `${folder}/${i}.ts`);
    assert.deepEqual(crowded([...within('src/a', MOST_FILES), ...within('src/a/b', MOST_FILES)]), []);
    assert.deepEqual(crowded([...within('src/a', MOST_FILES + 1), ...within('src/a/b', 2)]), ['src/a: 16 files']);
  });
});

describe('rooms', () => {
  const folders = ['', '/base', '/cli', '/gateway', '/http', '/issuing', '/network', '/store', '/threeds'].flatMap(
    (room) => rooms(`src${room}`),
  );

  it('have a door', () => {
    assert.ok(folders.length >= 60, 'those within a room, too');
    assert.deepEqual(
      folders.filter((folder) => !filesIn(folder, '.ts').includes(`${folder}/index.ts`)),
      [],
    );
  });

  it('say at their door what they are, and the rule that nobody breaks', () => {
    const says = (folder: string): boolean => {
      const [head = ''] = /^(\/\/.*\n)+/.exec(textOf(`${folder}/index.ts`)) ?? [];
      return head.startsWith(`// ${basename(folder)}: `) && /\bRules?: /.test(head);
    };
    assert.deepEqual(
      folders.filter((folder) => !says(folder)),
      [],
    );
  });
});
