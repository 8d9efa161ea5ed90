// Runs test files, several processes at a time, and reports on them.
import { once } from 'node:events';
import { run } from 'node:test';
import { spec } from 'node:test/reporters';

/** The exit code: 1 when a test failed. */
export async function reported(files: readonly string[], concurrency: number): Promise<0 | 1> {
  // A larger young generation: requests and answers die young, and a twelfth of the time went into collecting them.
  const execArgv = ['--test-timeout=240000', '--max-semi-space-size=64'];
  const tests = run({ files, concurrency, timeout: 900_000, execArgv });
  let code: 0 | 1 = 0;
  tests.on('test:fail', () => {
    code = 1;
  });
  const report = tests.compose(spec);
  report.pipe(process.stdout, { end: false });
  await once(report, 'end');
  return code;
}
