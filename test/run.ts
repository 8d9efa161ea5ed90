// `npm test`: one Postgres for the run, then every test file, two at a time. File names as arguments narrow it.
import { spawn } from 'node:child_process';
import { globSync, mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { answersOfRun } from './support/answers.ts';
import { startTestServer } from './support/database.ts';

const given = process.argv.slice(2);
const files = given.length > 0 ? given : globSync('test/**/*.test.ts').sort();
const server = await startTestServer();
const answers = mkdtempSync(path.join(os.tmpdir(), 'florin-answers-'));
const modules = mkdtempSync(path.join(os.tmpdir(), 'florin-modules-'));
const child = spawn(
  process.execPath,
  ['--test', '--test-concurrency=2', '--test-timeout=240000', '--test-reporter=spec', ...files],
  {
    stdio: 'inherit',
    env: {
      ...process.env,
      FLORIN_TEST_SERVER: JSON.stringify(server.connection),
      FLORIN_TEST_ANSWERS: answers,
      // Every file and every server that it starts reads the same few hundred modules: the first one compiles them.
      NODE_COMPILE_CACHE: modules,
    },
  },
);
const code = await new Promise<number>((resolve) => child.on('exit', (status) => resolve(status ?? 1)));
await server.stop();

// What children of tests answered is known only here, and what no test asked for.
const { wrong, unseen } = answersOfRun(answers);
for (const folder of [answers, modules]) rmSync(folder, { recursive: true, force: true });
if (given.length === 0 && unseen.length > 0)
  process.stdout.write(`\nDescribed answers that no test saw (${unseen.length}):\n${unseen.join('\n')}\n`);
if (wrong.length > 0)
  process.stdout.write(`\nAnswers that are not as described (${wrong.length}):\n${wrong.join('\n')}\n`);
process.exit(code === 0 && wrong.length > 0 ? 1 : code);
