// The ground floor of the composition root: database, clock, ids, committer, vault and rates, opened in order.
// Rule: what is opened is put among the closers at once, so that a start that fails half way leaves nothing behind.
import type { Closer } from './app-closing.ts';
import { createHealth, type Health } from './app-health.ts';
import {
  type Clock,
  type IdMaker,
  idMaker,
  idPermutation,
  type Log,
  type Permutation,
  type Random,
  systemClock,
  systemRandom,
  VirtualClock,
} from './base/index.ts';
import type { Config } from './config.ts';
import { createNumbering, isQueued, type Numbering } from './events/index.ts';
import { bucketsIn, createMetrics, type RateLimiter, rateLimiter, sharedRateLimiter } from './http/index.ts';
import { createRates, type Rates, seedRates } from './ledger/index.ts';
import { binsLoad, type SharedFaults, sharedFaults } from './network/index.ts';
import type { Member } from './processes/index.ts';
import { type SandboxClock, sandboxClock } from './sandbox/index.ts';
import {
  type Committer,
  type Connection,
  claimDatabase,
  createCommitter,
  type Database,
  DEADLINES,
  type Deadlines,
  type FaultPoint,
  type Lease,
  type LeaseTimes,
  migrate,
  NOBODY,
  nextIdNode,
  openDatabase,
  openDataDir,
  openInstallation,
  openLease,
  openShared,
} from './store/index.ts';
import { openVault, type Vault } from './vault/index.ts';

export interface GroundOptions {
  /** The system's clock, unless a test brings its own. */
  readonly clock?: Clock;
  /** By which events are kept; the system's clock, unless a test brings its own. */
  readonly realTime?: Clock;
  /** A database that somebody else opened the server of (tests). */
  readonly connection?: Connection;
  readonly faultPoint?: FaultPoint;
  /** One of several server processes; absent: the only one of this Florin. */
  readonly member?: Member;
  /** Shorter ones make outages shorter (tests). */
  readonly deadlines?: Partial<Deadlines>;
  readonly lease?: LeaseTimes;
  /** How long a command waits to be written, milliseconds. */
  readonly patienceMs?: number;
  /** Stands before the gateway's and the issuer's commits: a test plants a bug there, to see that a check notices. Code only, no setting. */
  readonly plant?: (committer: Committer, told: Ground['told']) => Committer;
  /** Stands before time, ids, chance, rates and the lease as rooms ask for them: tests see there that no decision does. Code only, no setting. */
  readonly guard?: <Source extends object>(source: Source) => Source;
}

export interface Sandbox {
  readonly clock: SandboxClock;
  readonly faults: SharedFaults;
}

export interface Ground {
  readonly clock: Clock;
  /** In sandbox mode: the same clock where it may be moved, and the link's faults; both are everybody's on this database. */
  readonly sandbox: Sandbox | null;
  readonly random: Random;
  /** For committers: what their decisions are told, past the guard. */
  readonly told: { readonly business: Clock; readonly ids: IdMaker };
  readonly database: Database;
  readonly lease: Lease;
  readonly ids: IdMaker;
  readonly permutation: Permutation;
  readonly metrics: ReturnType<typeof createMetrics>;
  readonly committer: Committer;
  readonly numbering: Numbering;
  readonly vault: Vault;
  readonly rates: Rates;
  readonly health: Health;
  /** Each has a memory of its own; what one counts holds over all servers of the database. */
  readonly limiters: () => RateLimiter;
  /** What runs, and should be otherwise before it matters. */
  readonly warnings: readonly Warning[];
}

export interface Warning {
  /** For machines: stands in /readyz. */
  readonly warning: string;
  readonly text: string;
}

const WARNINGS = {
  embedded_database: {
    warning: 'embedded_database',
    text: 'Live mode runs on the embedded database: it has no replica, no backup and no security patches. Set DATABASE_URL.',
  },
  keys_beside_data: {
    warning: 'keys_beside_data',
    text: 'The key file lies in one folder with the data it protects, so that a copy of the folder opens every card. Set KEY_FILE to a place elsewhere.',
  },
} as const;

export async function openGround(config: Config, options: GroundOptions, log: Log, closers: Closer[]): Promise<Ground> {
  const virtual = config.mode === 'sandbox' ? new VirtualClock(options.clock ?? systemClock) : null;
  const { guard = (source) => source } = options;
  const business: Clock = virtual ?? options.clock ?? systemClock;
  const [clock, random] = [guard(business), guard(systemRandom)];
  const { database, counting, lease, alone, embedded } = await openStore(config, options, log, closers);
  const sandbox = virtual && (await openSandbox(database, virtual, { process: lease.process(), random, log, closers }));

  const made = await ownIds(business, options, database);
  const [ids, told] = [guard(made), { business, ids: made }];
  const metrics = createMetrics({ process: true });
  if (options.member) metrics.registry.setDefaultLabels({ process: String(options.member.process) });
  const health = createHealth({
    database,
    lease,
    committer: () => committer,
    dataDir: embedded ? config.dataDir : null,
  });
  const numbering = createNumbering({ database, clock: systemClock, log });
  const committing = createCommitter({
    connect: () => database.session(),
    clock: systemClock,
    ...told,
    log,
    onGroup: metrics.group,
    onAttempt: (error) => health.attempted(error),
    onWritten: (owner, changes) => changes.some(isQueued) && numbering.wake(owner ?? NOBODY),
    mayDecide: lease.held,
    process: lease.process,
    ...(options.patienceMs ? { patienceMs: options.patienceMs } : {}),
    ...(options.faultPoint ? { faultPoint: options.faultPoint } : {}),
  });
  const committer: Committer = options.plant?.(committing, told) ?? committing;
  closers.push(() => committer.drain(DRAIN_MS));
  const { dataDir, keyFile } = config;
  const vault = await openVault({ dataDir, keyFile, database, clock, random, log, allowCreate: true });
  const permutation = idPermutation(vault.ids);
  const nameOf = (key: string): string => vault.keyed('rates', key).toString('base64url').slice(0, 22);
  const shared = { buckets: bucketsIn(counting), clock: systemClock, log, nameOf };
  const limiters = (): RateLimiter => (alone ? rateLimiter(systemClock) : sharedRateLimiter(shared));
  const rates = guard(createRates(database));
  await rates.reload(clock.now());
  if (sandbox) await seedRates(database, rates, clock.now());
  await binsLoad(database);

  const warnings = [
    ...(embedded && config.mode === 'live' ? [WARNINGS.embedded_database] : []),
    ...(vault.keysBesideData ? [WARNINGS.keys_beside_data] : []),
  ];
  for (const { text, ...code } of warnings) log.warn(code, text);

  return {
    clock,
    sandbox,
    random,
    told,
    database,
    lease: guard(lease),
    ids,
    permutation,
    metrics,
    committer,
    numbering,
    vault,
    rates,
    limiters,
    warnings,
    health,
  };
}

async function ownIds(
  business: Clock,
  { realTime = systemClock }: GroundOptions,
  database: Database,
): Promise<IdMaker> {
  const node = await nextIdNode(database);
  return idMaker(business, node, { clock: realTime, node: await nextIdNode(database) });
}

interface Store {
  readonly database: Database;
  readonly counting: Database;
  readonly lease: Lease;
  /** Nobody else uses it. */
  readonly alone: boolean;
  /** Its server is ours. */
  readonly embedded: boolean;
}

/** The database, migrated and claimed, and this process' place among those that use it. */
async function openStore(config: Config, options: GroundOptions, log: Log, closers: Closer[]): Promise<Store> {
  openDataDir(config.dataDir);
  const { member } = options;
  let connection = options.connection ?? member?.connection ?? null;
  const embedded = options.connection === undefined && config.databaseUrl === null;
  // Nobody else uses an embedded server, but for the other processes of this Florin; any number may use another.
  const alone = embedded && !member;
  if (!connection && config.databaseUrl) connection = { connectionString: config.databaseUrl };
  if (!connection) {
    const own = await openInstallation(config.dataDir, { log, clock: systemClock });
    connection = own.connection;
    closers.push(() => own.close());
  }
  await migrate(connection, log);
  const deadlines = { ...DEADLINES, ...options.deadlines };
  const database = openDatabase(connection, { log, deadlines });
  closers.push(() => database.close());
  // Before anything of this mode is written into it.
  await claimDatabase(database, config.mode, systemClock.now());

  const vital = openDatabase(connection, { log, connections: 1, deadlines: vitalDeadlines(deadlines) });
  closers.push(() => vital.close());
  // Who asks how often is counted beside all other work; where it isn't answered soon nobody waits for it.
  const counting = openDatabase(connection, { log, connections: 1, deadlines: vitalDeadlines(deadlines) });
  closers.push(() => counting.close());
  const times = options.lease ? { times: options.lease } : {};
  const lease = await openLease({
    db: vital,
    clock: systemClock,
    log,
    alone,
    dead: member?.deadLease ?? null,
    ...times,
  });
  closers.push(() => lease.release());
  return { database, counting, lease, alone, embedded };
}

async function openSandbox(
  database: Database,
  clock: VirtualClock,
  { process, random, log, closers }: { process: bigint; random: Random; log: Log; closers: Closer[] },
): Promise<Sandbox> {
  const shared = await openShared(database, { process, clock: systemClock, log });
  const sandbox = {
    clock: sandboxClock(shared, clock),
    faults: sharedFaults(database, shared, () => random.bytes(8).toString('hex')),
  };
  const stopping = new AbortController();
  const following = shared.follow(stopping.signal);
  closers.push(async () => {
    stopping.abort(new Error('stopping'));
    await following;
  });
  return sandbox;
}

/** What was begun is waited for so long at the end; then it is told as unknown, and found out by the next start. */
export const DRAIN_MS = 5_000;

/** Of the connection that shows that the process lives: it must know early that it doesn't get through. */
const vitalDeadlines = (deadlines: Deadlines): Deadlines => ({
  ...deadlines,
  connectMs: Math.min(deadlines.connectMs, 3_000),
  statementMs: Math.min(deadlines.statementMs, 3_000),
  answerMs: Math.min(deadlines.answerMs, 4_000),
});
