// `npm run test:citus`: contract tests of both APIs, races and invariants on the Citus cluster that CITUS_URL names (docs/scaling.md).
// File names as arguments narrow it.
import { globSync, mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { reported } from './reported.ts';
import { closeTemplate, clusterOf, startCitus } from './support/citus.ts';
import { SEEDED } from './support/database.ts';
import { startOnce } from './support/seeded.ts';

/** There is no cluster to run on. */
const NO_CLUSTER = 2;

/** What runs there: by folder, and by name where a folder has more than that. */
const FILES: readonly string[] = [
  // The contracts.
  'test/gateway/contract/*.test.ts',
  'test/issuing/contract/*.test.ts',
  // Races.
  'test/**/*races.test.ts',
  'test/issuing/lending/*.test.ts',
  'test/gateway/safety/{asked-once,late-answers,making,posted-once,raced-keys,recovery,two-servers}.test.ts',
  // The invariants.
  'test/ledger/*.test.ts',
];

const cluster = await clusterOf(process.env);
if (typeof cluster === 'string') {
  process.stdout.write(`${cluster}\n`);
  process.exit(NO_CLUSTER);
}
const { coordinator, workers } = cluster;
process.env.FLORIN_TEST_NODES = JSON.stringify([coordinator, ...workers]);
const server = await startCitus(cluster);
const seeded = await startOnce(server);
await closeTemplate(coordinator, SEEDED);
const modules = mkdtempSync(path.join(os.tmpdir(), 'florin-modules-'));
Object.assign(process.env, {
  FLORIN_TEST_SERVER: JSON.stringify(server.connection),
  FLORIN_TEST_SEEDED: JSON.stringify(seeded),
  NODE_COMPILE_CACHE: modules,
});
const given = process.argv.slice(2);
const files = given.length > 0 ? given : FILES.flatMap((pattern) => globSync(pattern).sort());
const code = await reported([...new Set(files)], 2);
await server.stop();
for (const folder of [modules, seeded.dataDir]) rmSync(folder, { recursive: true, force: true });
process.exit(code);
