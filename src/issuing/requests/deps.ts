// The dependencies of the use cases of issuing: doors of lower rooms and ports that app.ts fills. No behaviour of its own.
import type { Clock, IdMaker, Log, Permutation, Random } from '../../base/index.ts';
import type { EventMaker } from '../../events/index.ts';
import type { RateOf } from '../../ledger/index.ts';
import type { Committer, Db, ReadRow, Transaction } from '../../store/index.ts';
import type { Vault } from '../../vault/index.ts';
import type { Passwords } from '../people/index.ts';
import type { Tenants } from '../tenants/index.ts';

export interface IssuingDeps {
  readonly clock: Clock;
  readonly ids: IdMaker;
  readonly random: Random;
  readonly log: Log;
  readonly db: Db & { transaction<Value>(work: (db: Transaction) => Promise<Value>): Promise<Value> };
  /** One row by its key, as last committed. */
  readonly readRow: ReadRow;
  /** All that moves money, changes a card or counts against a limit goes through it. */
  readonly committer: Committer;
  readonly vault: Vault;
  /** Ids as the outside sees them. */
  readonly permutation: Permutation;
  /** Of what happens to a tenant's: each change of a resource is told by one. */
  readonly events: EventMaker;
  readonly tenants: Tenants;
  readonly passwords: Passwords;
  /** Without trailing slash. */
  readonly publicUrl: string;
  readonly sandbox: boolean;
  /** The latest rates, as they stand. */
  readonly rates: () => RateOf;
}
