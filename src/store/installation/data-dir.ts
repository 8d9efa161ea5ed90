// The data directory, before anything is put into it. Rule: one that can't be used stops the start with one sentence.
import fs from 'node:fs';
import path from 'node:path';
import { StartError } from '../embedded/index.ts';

/**
 * Makes the directory where it isn't there, and looks whether files can be written in it. One folder after the other: where the file
 * system takes no folders, Node's own way of making several at once never ends.
 */
export function openDataDir(dir: string): void {
  try {
    makeFolder(path.resolve(dir));
    const probe = path.join(dir, `.florin-${process.pid}`);
    fs.writeFileSync(probe, '');
    fs.rmSync(probe);
  } catch (error) {
    const { code = 'unknown' } = error as NodeJS.ErrnoException;
    throw new StartError(
      `The data directory ${dir} can't be used (${code}): set DATA_DIR to a folder that Florin may write in.`,
    );
  }
}

function makeFolder(dir: string): void {
  if (fs.existsSync(dir)) return;
  makeFolder(path.dirname(dir));
  try {
    fs.mkdirSync(dir, { mode: process.getuid?.() === 0 ? 0o711 : 0o700 });
  } catch (error) {
    // Another process was faster.
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}
