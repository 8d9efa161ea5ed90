// `npm test`: one Postgres for the run, then every test file, two at a time. File names as arguments narrow it.
import { spawn } from 'node:child_process';
import { globSync } from 'node:fs';
import { startTestServer } from './support/database.ts';

const given = process.argv.slice(2);
const files = given.length > 0 ? given : globSync('test/**/*.test.ts').sort();
const server = await startTestServer();
const child = spawn(
  process.execPath,
  ['--test', '--test-concurrency=2', '--test-timeout=240000', '--test-reporter=spec', ...files],
  {
    stdio: 'inherit',
    env: { ...process.env, FLORIN_TEST_SERVER: JSON.stringify(server.connection) },
  },
);
const code = await new Promise<number>((resolve) => child.on('exit', (status) => resolve(status ?? 1)));
await server.stop();
process.exit(code);
