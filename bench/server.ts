// The server under measurement, in a process of its own: sandbox, workers on, rate limits off, logs off, on the Postgres of whoever starts it.
import { startApp } from '../src/app.ts';
import { createLog } from '../src/base/index.ts';
import { readConfig } from '../src/config.ts';
import { boundHeap } from '../src/processes/index.ts';

const [dataDir = '', port = '', databaseUrl = ''] = process.argv.slice(2);
boundHeap();
const settings = { DATA_DIR: dataDir, PORT: port, DATABASE_URL: databaseUrl, LOG_LEVEL: 'silent', RATE_LIMIT: 'off' };
const app = await startApp(readConfig(settings, {}), {
  log: createLog('silent'),
});
process.stdout.write('ready\n');
process.on('SIGTERM', () => {
  app.stop().then(
    () => process.exit(0),
    () => process.exit(1),
  );
});
