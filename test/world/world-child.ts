// A Florin of a world: a process of its own, told everything as one JSON argument. Says its address when it serves.
import { startApp } from '../../src/app.ts';
import { createLog } from '../../src/base/index.ts';
import { readConfig } from '../../src/config.ts';

export interface ChildOrder {
  readonly env: Readonly<Record<string, string>>;
  readonly connection: {
    readonly host: string;
    readonly port: number;
    readonly user: string;
    readonly database: string;
  };
  readonly link: {
    readonly answerTimeoutMs: number;
    readonly lostAfterMs: number;
    readonly slowMs: number;
    readonly lateAfterMs: number;
  };
}

const told = JSON.parse(process.argv[2] as string) as ChildOrder;
const app = await startApp(readConfig(told.env, {}), {
  log: createLog('silent'),
  connection: told.connection,
  link: told.link,
});
process.on('SIGTERM', () => void app.stop().then(() => process.exit(0)));
process.stdout.write(`${app.url}\n`);
