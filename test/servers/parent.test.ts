// The parent of several server processes, with real processes: one that is killed before it serves is replaced, one that ends by itself is
// the end of all, and one that listens no more is killed and replaced, while those that listen are left alone.
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { before, test } from 'node:test';
import { atEnd } from '../support/ends.ts';

const CHILD = path.join(import.meta.dirname, 'parent-child.ts');
let root: string;

interface Parent {
  readonly process: ChildProcess;
  readonly ended: Promise<number | string | null>;
  /** The lines that it and its processes have written. */
  readonly lines: readonly string[];
  /** What it said of its own end, if it did. */
  readonly complaints: readonly string[];
  /** Resolves when that is written, or it has ended. */
  until(holds: (lines: readonly string[]) => boolean): Promise<void>;
}

function start(ends: 'killed' | 'itself' | '' = ''): Parent {
  const child = spawn(process.execPath, [CHILD, ends, path.join(root, ends || 'none')], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const ended = new Promise<number | string | null>((resolve) =>
    child.once('exit', (code, signal) => resolve(signal ?? code)),
  );
  const lines: string[] = [];
  const complaints: string[] = [];
  child.stderr?.on('data', (part: Buffer) => complaints.push(part.toString()));
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
    complaints,
    async until(holds) {
      for (let over = false; !holds(lines) && !over; )
        over = await Promise.race([told.promise.then(() => false), ended.then(() => true)]);
    },
  };
}

const running: Parent[] = [];
const started = (ends: 'killed' | 'itself' | '' = ''): Parent => {
  const parent = start(ends);
  running.push(parent);
  return parent;
};
before(() => {
  root = mkdtempSync(path.join(os.tmpdir(), 'florin-parent-'));
  atEnd(async () => {
    for (const { process: child } of running) child.kill('SIGKILL');
    await Promise.all(running.map(({ ended }) => ended));
    rmSync(root, { recursive: true, force: true });
  });
});

/** Of a place, those that have served there, in their order. */
const pidsOf = (lines: readonly string[], place: number): number[] =>
  lines.flatMap((line) => Number(new RegExp(`^${place} serves as (\\d+)$`).exec(line)?.[1] ?? Number.NaN) || []);
const allServe = (lines: readonly string[]): boolean => lines.includes('all serve');

test('killed from outside at the very first start: another takes its place, and all serve', async () => {
  const parent = started('killed');
  await parent.until(allServe);
  const how = `${parent.process.signalCode ?? parent.process.exitCode}: ${parent.lines.join()} ${parent.complaints.join('')}`;
  assert.ok(allServe(parent.lines), how);
  parent.process.kill('SIGTERM');
  assert.equal(await parent.ended, 0);
});

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
