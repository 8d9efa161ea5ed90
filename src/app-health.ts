// Whether the process can do its work, as /readyz tells it: can it commit, is there room on the disk, is the schema its own.
// Rule: nothing here waits for what it asks about; a write that hangs is seen by its age.
import type { Readiness } from './http/index.ts';
import { type Committer, type Db, freeBytes, type Lease, migrated } from './store/index.ts';

/** SQLSTATE of a disk that is full. */
const DISK_FULL = '53100';
const LEAST_FREE_BYTES = 64 * 1024 * 1024;
/** How long the last commit may be ago: a sign of life is one, every two seconds. */
const SILENT_MS = 8_000;
/** How long a command may wait for its commit. */
const STALLED_MS = 5_000;

export interface HealthOptions {
  readonly database: Db;
  readonly lease: Pick<Lease, 'silentMs'>;
  readonly committer: () => Pick<Committer, 'waitingMs'>;
  /** Where an embedded server keeps its data; null: the disk is somebody else's. */
  readonly dataDir: string | null;
}

export interface Health {
  /** Of each attempt to commit: null, or why it failed. */
  attempted(error: unknown): void;
  check(): Promise<Readiness['checks']>;
}

export function createHealth({ database, lease, committer, dataDir }: HealthOptions): Health {
  let full = false;
  return {
    attempted(error) {
      full = (error as { code?: string } | null)?.code === DISK_FULL;
    },
    async check() {
      const writes = lease.silentMs() < SILENT_MS && committer().waitingMs() < STALLED_MS;
      // Not asked where no answer is to be expected.
      const schema = writes ? await migrated(database).catch(() => null) : null;
      return {
        database: schema !== null,
        disk: !full && (dataDir === null || (await freeBytes(dataDir)) > LEAST_FREE_BYTES),
        migrations: schema === true,
      };
    },
  };
}
