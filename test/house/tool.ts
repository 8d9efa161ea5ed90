// Runs a development tool of node_modules under this very Node, wherever the test was started from.
import { execFile } from 'node:child_process';
import { delimiter, join } from 'node:path';
import { ROOT } from './source.ts';

export interface Run {
  readonly code: number;
  /** What it printed on standard output. */
  readonly output: string;
  readonly errors: string;
}

const BIN = join(ROOT, 'node_modules', '.bin');

/** Resolves however the tool ends; rejects when it could not be started or was killed. */
export function run(tool: string, args: readonly string[], directory: string = ROOT): Promise<Run> {
  // NODE_OPTIONS and the like of the test runner are not for the tools.
  const { NODE_OPTIONS: _options, NODE_TEST_CONTEXT: _context, ...environment } = process.env;
  const env = { ...environment, PATH: `${BIN}${delimiter}${process.env.PATH ?? ''}`, FORCE_COLOR: '0', NO_COLOR: '1' };
  return new Promise((resolve, reject) => {
    execFile(
      process.execPath,
      [join(BIN, tool), ...args],
      { cwd: directory, env, maxBuffer: 64 * 1024 * 1024, timeout: 120_000 },
      (error, output, errors) => {
        if (!error) resolve({ code: 0, output, errors });
        else if (typeof error.code === 'number') resolve({ code: error.code, output, errors });
        else reject(new Error(`${tool} could not be run to its end`, { cause: error }));
      },
    );
  });
}
