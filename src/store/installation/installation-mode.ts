// What a database is for: the mode of its first start, for good.
// Rule: a sandbox's users, terminals and balances are known to everybody, so that no live server ever runs on it.
import type { Db } from '../commit/index.ts';
import { StartError } from '../embedded/index.ts';

export type Mode = 'sandbox' | 'live';

const SENTENCES: Readonly<Record<Mode, string>> = {
  live: 'This database was a sandbox, whose secrets, users and balances are known to everybody: give live mode a database of its own (DATABASE_URL or DATA_DIR).',
  sandbox:
    'This database belongs to a live installation: start with FLORIN_MODE=live, or give the sandbox a database of its own (DATABASE_URL or DATA_DIR).',
};

/** The first start writes its mode down; every other one must be of the same. Throws a StartError with one sentence. */
export async function claimDatabase(db: Db, mode: Mode, now: Date): Promise<void> {
  await db.query('insert into installation_mode (one, mode, since) values (true, $1, $2) on conflict do nothing', [
    mode,
    now,
  ]);
  const [row] = await db.query<{ mode: Mode }>('select mode from installation_mode');
  if (row?.mode !== mode) throw new StartError(SENTENCES[mode]);
}
