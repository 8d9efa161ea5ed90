// The embedded server of a data directory, for one Florin at a time.
import { StartError } from './binaries.ts';
import { openDatabase } from './database.ts';
import { type Connection, startEmbedded } from './embedded.ts';

/** Class and number of the advisory lock of a data directory's embedded server. */
const INSTALLATION_LOCK = 7_045;

export interface Installation {
  readonly connection: Connection;
  close(): Promise<void>;
}

/** Starts or adopts the server. Throws a StartError with one sentence when another Florin runs on the directory. */
export async function openInstallation(
  dataDir: string,
  { log, clock }: Parameters<typeof startEmbedded>[1],
): Promise<Installation> {
  const embedded = await startEmbedded(dataDir, { log, clock });
  const { connection } = embedded;
  const guard = openDatabase(connection, { log, connections: 1 });
  const lock = await guard.holdLock(INSTALLATION_LOCK, 1);
  if (!lock) {
    await guard.close();
    embedded.leave();
    throw new StartError(
      `Another Florin is running on the data directory ${dataDir}: stop it first, or use another DATA_DIR.`,
    );
  }
  return {
    connection,
    async close() {
      await guard.close();
      await lock.release();
      await embedded.stop();
    },
  };
}
