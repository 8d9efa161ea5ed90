// Test files of one room share a process: loading a server takes most files longer than their tests do.
// Rule: files that share a process run one after another, and what one opened is closed before the next begins.
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';

/** So many at most: a room's last file should not run alone when all others are done. */
const MOST = 8;

/** Writes one file into `folder` for the neighbours among `files`, in their order, that import and run them; answers what it wrote. */
export function together(files: readonly string[], folder: string): string[] {
  const rooms: string[][] = [];
  for (const file of files) {
    const last = rooms.at(-1);
    if (last?.[0] && last.length < MOST && roomOf(last[0]) === roomOf(file)) last.push(file);
    else rooms.push([file]);
  }
  return rooms.map((room, at) => {
    const written = path.join(folder, `${at}.mjs`);
    writeFileSync(written, source(room));
    return written;
  });
}

const roomOf = (file: string): string => file.split(path.sep).slice(0, 2).join('/');

const imported = (file: string): string => JSON.stringify(pathToFileURL(path.resolve(file)).href);

const source = (files: readonly string[]): string =>
  [
    `import { after, describe } from 'node:test';`,
    `import { endFile } from ${imported('test/support/ends.ts')};`,
    ...files.map((file) =>
      [
        `describe(${JSON.stringify(file)}, async () => {`,
        `  after(endFile);`,
        `  await import(${imported(file)});`,
        `});`,
      ].join('\n'),
    ),
    '',
  ].join('\n');
