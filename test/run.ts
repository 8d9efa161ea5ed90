// `npm test`: one Postgres for the run, then every test file, four processes at a time. File names as arguments narrow it, and give each
// file a process of its own.
import { globSync, mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { statementsOfRun } from './owners/statements.ts';
import { reported } from './reported.ts';
import { together } from './rooms.ts';
import { answersOfRun } from './support/answers.ts';
import { startTestServer } from './support/database.ts';
import { startOnce } from './support/seeded.ts';

/**
 * Those that take longest come first, so that no core is left with one of them at the end. Half of them compute and half of them mostly
 * wait, and they take turns: four at a time fill two cores.
 */
const LONGEST: readonly string[] = [
  'world/seeds',
  'gateway/safety/outages',
  'recovery/kill',
  'pages/journeys-bank',
  'pages/journeys',
  'issuing/safety/outages',
  'pages/looks/views',
  'gateway/defence/neighbours',
  'gateway/defence/hostile',
  'pages/http-stages',
  'pages/looks/views-templates',
  'risk/card-testing',
  'issuing/safety/kill',
  'pages/http-hostile',
  'issuing/defence/hostile',
  'house/tools',
  'issuing/contract/states',
  'store/outages',
  'wallets/tamper',
  'http/fields/poison',
  'start/live',
].map((name) => `test/${name}.test.ts`);

const given = process.argv.slice(2);
const found = globSync('test/**/*.test.ts').sort();
const rooms = mkdtempSync(path.join(os.tmpdir(), 'florin-rooms-'));
// From the end of the alphabet: what comes last is short.
const rest = found.filter((file) => !LONGEST.includes(file)).toReversed();
const files = given.length > 0 ? given : [...LONGEST, ...together(rest, rooms)];
const server = await startTestServer();
const seeded = await startOnce(server);
const answers = mkdtempSync(path.join(os.tmpdir(), 'florin-answers-'));
const statements = mkdtempSync(path.join(os.tmpdir(), 'florin-statements-'));
const modules = mkdtempSync(path.join(os.tmpdir(), 'florin-modules-'));
Object.assign(process.env, {
  FLORIN_TEST_SERVER: JSON.stringify(server.connection),
  FLORIN_TEST_SEEDED: JSON.stringify(seeded),
  FLORIN_TEST_ANSWERS: answers,
  FLORIN_TEST_STATEMENTS: statements,
  // Every file and every server that it starts reads the same few hundred modules: the first one compiles them.
  NODE_COMPILE_CACHE: modules,
});
const code = await reported(files, 4);
await server.stop();

// What children of tests answered is known only here, and what no test asked for; and whose rows the servers' statements wanted.
const { wrong, unseen } = answersOfRun(answers);
const asked = statementsOfRun(statements);
for (const folder of [answers, statements, modules, rooms, seeded.dataDir])
  rmSync(folder, { recursive: true, force: true });
if (given.length === 0 && unseen.length > 0)
  process.stdout.write(`\nDescribed answers that no test saw (${unseen.length}):\n${unseen.join('\n')}\n`);
if (wrong.length > 0)
  process.stdout.write(`\nAnswers that are not as described (${wrong.length}):\n${wrong.join('\n')}\n`);
if (given.length === 0 && asked.unneeded.length > 0)
  process.stdout.write(
    `\nStatements that may go over all owners, and that no test sent:\n${asked.unneeded.join('\n')}\n`,
  );
if (asked.wrong.length > 0)
  process.stdout.write(`\nStatements that do not say whose rows they want:\n${asked.wrong.join('\n')}\n`);
process.exit(code === 0 && wrong.length + asked.wrong.length > 0 ? 1 : code);
