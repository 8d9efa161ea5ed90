// The embedded server of a data directory, for one Florin at a time.
// Rule: only who holds the directory's guard may stop the server.
import { openDatabase } from '../database.ts';
import { type Connection, StartError, startEmbedded } from '../embedded/index.ts';
import { type Guard, takeGuard } from './guard.ts';

/** Class and number of the advisory lock that two Florins that start at once on one directory meet at. */
const START_LOCK = [7_045, 1] as const;

export interface Installation {
  readonly connection: Connection;
  close(): Promise<void>;
}

/** Starts or adopts the server. Throws a StartError with one sentence when another Florin runs on the directory. */
export async function openInstallation(
  dataDir: string,
  options: Parameters<typeof startEmbedded>[1],
): Promise<Installation> {
  const { log } = options;
  const embedded = await startEmbedded(dataDir, options);
  const { connection } = embedded;
  const guard = await guarded(dataDir, connection, log);
  if (!guard) {
    embedded.leave();
    throw new StartError(
      `Another Florin is running on the data directory ${dataDir}: stop it first, or use another DATA_DIR.`,
    );
  }
  return {
    connection,
    async close() {
      await embedded.stop();
      await guard.release();
    },
  };
}

async function guarded(
  dataDir: string,
  connection: Connection,
  log: Parameters<typeof startEmbedded>[1]['log'],
): Promise<Guard | null> {
  const database = openDatabase(connection, { log, connections: 1 });
  try {
    return await takeGuard(dataDir, (work) =>
      database.transaction(async (db) => {
        const [row] = await db.query<{ held: boolean }>('select pg_try_advisory_xact_lock($1, $2) as held', [
          ...START_LOCK,
        ]);
        return row?.held ? work() : null;
      }),
    );
  } finally {
    await database.close();
  }
}
