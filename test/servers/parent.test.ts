// The parent of several server processes, with real processes: one that ends by itself before all serve is
// the end of all, and one that listens no more is killed and replaced, while those that listen are left alone.
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import { atEnd } from '../support/ends.ts';

const CHILD = path.join(import.meta.dirname, 'parent-child.ts');
const root = mkdtempSync(path.join(os.tmpdir(), 'florin-parent-'));

interface Parent {
  readonly process: ChildProcess;
  readonly ended: Promise<number | string | null>;
  /** The lines that it and its processes have written. */
  readonly lines: readonly string[];
  /** Resolves when that is written, or it has ended. */
  until(holds: (lines: readonly string[]) => boolean): Promise<void>;
}

function start(ends: 'itself' | '' = ''): Parent {
  const child = spawn(process.execPath, [CHILD, ends, path.join(root, ends || 'none')], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const ended = new Promise<number | string | null>((resolve) =>
    child.once('exit', (code, signal) => resolve(signal ?? code)),
  );
  const lines: string[] = [];
  let rest = '';
  let told = Promise.withResolvers<void>();
  child.stdout?.on('data', (part: Buffer) => {
    const parts = `${rest}${part}`.split('\n');
    rest = parts.pop() ?? '';
    lines.push(...parts);
    told.resolve();
    told = Promise.withResolvers();
  });
  return {
    process: child,
    ended,
    lines,
    async until(holds) {
      for (let over = false; !holds(lines) && !over; )
        over = await Promise.race([told.promise.then(() => false), ended.then(() => true)]);
    },
  };
}

const running: Parent[] = [];
const started = (ends: 'itself' | '' = ''): Parent => {
  const parent = start(ends);
  running.push(parent);
  return parent;
};
atEnd(async () => {
  for (const { process: child } of running) child.kill('SIGKILL');
  await Promise.all(running.map(({ ended }) => ended));
  rmSync(root, { recursive: true, force: true });
});

/** Of a place, those that have served there, in their order. */
const pidsOf = (lines: readonly string[], place: number): number[] =>
  lines.flatMap((line) => Number(new RegExp(`^${place} serves as (\\d+)$`).exec(line)?.[1] ?? Number.NaN) || []);
const allServe = (lines: readonly string[]): boolean => lines.includes('all serve');

test('one that ends by itself at the very first start is the end of all', async () => {
  const parent = started('itself');
  await parent.ended;
  assert.ok(!allServe(parent.lines));
});

test('one whose event loop stands and one that was stopped are killed and replaced; one that listens is left alone', async () => {
  const parent = started();
  await parent.until(allServe);
  const [first = 0, second = 0, third = 0] = [1, 2, 3].map((place) => pidsOf(parent.lines, place)[0]);
  process.kill(second, 'SIGUSR2');
  process.kill(third, 'SIGSTOP');
  await parent.until((lines) => pidsOf(lines, 2).length > 1 && pidsOf(lines, 3).length > 1);
  for (const gone of [second, third]) assert.throws(() => process.kill(gone, 0), { code: 'ESRCH' });
  assert.deepEqual(pidsOf(parent.lines, 1), [first]);
  parent.process.kill('SIGTERM');
  assert.equal(await parent.ended, 0);
});
