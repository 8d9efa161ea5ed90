// What is opened once for all server processes, and their parent. Rule: the embedded server is ended behind the last of those that use it.
import { type Log, systemClock } from '../base/index.ts';
import { forgetProcesses, migrate, openDatabase, openDataDir, openInstallation } from '../store/index.ts';
import type { Serving } from './messages.ts';
import { startProcesses } from './parent.ts';

export interface TogetherOptions {
  readonly processes: number;
  readonly dataDir: string;
  /** null: the embedded server. */
  readonly databaseUrl: string | null;
  readonly log: Log;
}

export interface Together extends Serving {
  /** False: something did not end in time, or failed. */
  stop(): Promise<boolean>;
}

/** Connections of the embedded server for each process beside the first. */
const CONNECTIONS = 40;

/** Throws a StartError when one of them doesn't come up. */
export async function startTogether({ processes, dataDir, databaseUrl, log }: TogetherOptions): Promise<Together> {
  const embedded = databaseUrl === null ? await openEmbedded(processes, dataDir, log) : null;
  try {
    const connection = embedded?.connection ?? null;
    const { serving, stop } = await startProcesses({ processes, connection, clock: systemClock, log });
    return {
      ...serving,
      async stop() {
        const clean = await stop();
        await embedded?.close();
        return clean;
      },
    };
  } catch (error) {
    await embedded?.close();
    throw error;
  }
}

async function openEmbedded(processes: number, dataDir: string, log: Log): ReturnType<typeof openInstallation> {
  openDataDir(dataDir);
  const settings = { max_connections: String(100 + CONNECTIONS * (processes - 1)) };
  const embedded = await openInstallation(dataDir, { log, clock: systemClock, settings });
  try {
    await migrate(embedded.connection, log);
    const database = openDatabase(embedded.connection, { log, connections: 1 });
    // Nobody else is there: what a parent that was killed has left is dead.
    try {
      await forgetProcesses(database);
    } finally {
      await database.close();
    }
    return embedded;
  } catch (error) {
    await embedded.close();
    throw error;
  }
}
