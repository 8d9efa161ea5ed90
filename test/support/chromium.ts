// The browser of the tests: Chromium as it is installed, or Debian's package, which is installed where that is allowed (root, apt-get).
import { execFile } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { type Browser, chromium } from 'playwright-core';
import { atEnd } from './ends.ts';

const run = promisify(execFile);
const NAMES = ['chromium', 'chromium-browser', 'google-chrome-stable', 'google-chrome'];

function installed(): string | null {
  const given = process.env.CHROMIUM_PATH;
  const folders = (process.env.PATH ?? '').split(path.delimiter).concat('/usr/bin', '/usr/local/bin');
  const places = given ? [given] : NAMES.flatMap((name) => folders.map((folder) => path.join(folder, name)));
  return (
    places.find((place) => {
      try {
        accessSync(place, constants.X_OK);
        return true;
      } catch {
        return false;
      }
    }) ?? null
  );
}

/** Finds Chromium, or installs it; throws a sentence that says what to do. */
export async function chromiumPath(): Promise<string> {
  const found = installed();
  if (found) return found;
  try {
    if (process.getuid?.() !== 0) throw new Error('not root');
    await run('apt-get', ['update', '-q'], { timeout: 240_000 });
    const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
    await run('apt-get', ['install', '-yq', '--no-install-recommends', 'chromium'], { timeout: 480_000, env });
  } catch (error) {
    const cause = error instanceof Error ? error.message.split('\n')[0] : String(error);
    throw new Error(
      `The page tests need Chromium: install it (Debian: apt-get install chromium) or name it in CHROMIUM_PATH. It could not be installed here: ${cause}.`,
    );
  }
  const now = installed();
  if (!now) throw new Error('The page tests need Chromium: apt-get installed it, and it is in no folder of PATH.');
  return now;
}

const ARGS = [
  '--no-sandbox',
  '--disable-dev-shm-usage',
  '--disable-gpu',
  // Pages of the address bar, which nobody sees here: each window had two of them, and they took more time than the page under test.
  '--disable-features=WebUIOmniboxPopup,WebUIOmniboxAimPopup',
];

let browser: Promise<Browser> | null = null;

/** One for a test file; contexts keep its tests apart. */
export function sharedBrowser(): Promise<Browser> {
  if (browser) return browser;
  const opened = chromiumPath().then((executablePath) => chromium.launch({ executablePath, args: ARGS }));
  atEnd(async () => {
    browser = null;
    await (await opened).close();
  });
  browser = opened;
  return opened;
}
