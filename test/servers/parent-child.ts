// A parent and its server processes without a server in them: what they say to each other is all that they do. Started by parent.test.ts
// with how the second process first ends (`killed`, `itself`, or neither), and where that it did is remembered.
import cluster from 'node:cluster';
import { existsSync, writeFileSync } from 'node:fs';
import { createLog, systemClock } from '../../src/base/index.ts';
import { joinParent } from '../../src/processes/index.ts';
import { startProcesses } from '../../src/processes/parent.ts';

const [, , ends = '', remembered = ''] = process.argv;

async function parent(): Promise<void> {
  const { stop } = await startProcesses({
    processes: 3,
    connection: null,
    clock: systemClock,
    log: createLog('silent'),
    silentMs: 2000,
  });
  process.once('SIGTERM', () => void stop().then((clean) => process.exit(clean ? 0 : 1)));
  process.stdout.write('all serve\n');
}

async function member(): Promise<void> {
  const { process: number, serves, onStop } = await joinParent(systemClock);
  if (number === 2 && ends !== '' && !existsSync(remembered)) {
    writeFileSync(remembered, '');
    if (ends === 'itself') process.exit(1);
    process.kill(process.pid, 'SIGKILL');
  }
  // Its event loop stands from then on.
  process.on('SIGUSR2', () => {
    for (;;);
  });
  onStop(() => process.exit(0));
  process.stdout.write(`${number} serves as ${process.pid}\n`);
  serves({ url: '', clientUrl: null, warnings: [], lease: String(number) });
}

await (cluster.isPrimary ? parent() : member());
