// A Florin of a world: a process of its own, told everything as one JSON argument. Says its address when it serves.
import { type AppOptions, startApp } from '../../../src/app.ts';
import { createLog } from '../../../src/base/index.ts';
import { readConfig } from '../../../src/config.ts';
import type { Connection } from '../../../src/store/index.ts';
import { noneDecides } from '../../support/decisions.ts';
import { type PlantName, plantOf } from './plants.ts';

export interface ChildOrder {
  readonly env: Readonly<Record<string, string>>;
  readonly connection: Connection;
  /** Times and the like; what only code can be told is added here. */
  readonly options: Omit<AppOptions, 'plant' | 'guard' | 'log' | 'clock' | 'faultPoint'>;
  readonly plant: PlantName | null;
}

const { env, connection, options, plant } = JSON.parse(process.argv[2] as string) as ChildOrder;
const log = createLog('silent');
const app = await startApp(readConfig(env, {}), {
  ...options,
  guard: noneDecides,
  log,
  connection,
  ...(plant ? { plant: plantOf(plant, connection, log) } : {}),
});
process.on('SIGTERM', () => void app.stop().then(() => process.exit(0)));
process.stdout.write(`${app.url}\n`);
