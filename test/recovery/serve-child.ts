// A Florin of its own process, for tests that kill it. Settings come as JSON; it says `ready` when it serves, and dies at the named
// step when it is told one.
import { startApp } from '../../src/app.ts';
import { readConfig } from '../../src/config.ts';
import { watchAnswers } from '../support/answers.ts';
import { silent } from '../support/database.ts';
import { noneDecides } from '../support/decisions.ts';

interface Order {
  readonly env: Record<string, string>;
  readonly connection: { readonly host: string; readonly database: string };
  /** Name of a fault point and how often it is passed before the process dies there. */
  readonly dieAt: { readonly point: string; readonly after: number } | null;
}

const told = JSON.parse(process.argv[2] as string) as Order;
let passed = 0;
await startApp(readConfig(told.env, {}), {
  log: silent,
  watch: watchAnswers,
  guard: noneDecides,
  connection: told.connection,
  link: { answerTimeoutMs: 2000, lostAfterMs: 30, slowMs: 100, lateAfterMs: 30 },
  // What a killed process leaves is taken over soon.
  lease: { leaseMs: 2000, renewMs: 300 },
  faultPoint: (name) => {
    if (told.dieAt?.point === name && ++passed > told.dieAt.after) process.kill(process.pid, 'SIGKILL');
  },
});
process.stdout.write('ready\n');
