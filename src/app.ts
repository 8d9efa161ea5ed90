// The composition root: the only file that knows every room. Opens them in order, gives each what it needs, closes them in reverse.
import formbody from '@fastify/formbody';
import {
  addMs,
  type Clock,
  createLog,
  idMaker,
  idPermutation,
  type Log,
  systemClock,
  systemRandom,
  VirtualClock,
} from './base/index.ts';
import { type Config, SANDBOX_OPERATOR } from './config.ts';
import { createForwarding } from './events/index.ts';
import { clockRestore, clockSave, gatewayApi, gatewayScenarios, simulatorApi } from './gateway/index.ts';
import {
  audited,
  bearerAuthentication,
  type Check,
  loginRefused,
  type Office,
  operatorApi,
} from './gateway/operator/index.ts';
import {
  arrive,
  checkoutDoor,
  type Gateway,
  land,
  orderInvariants,
  orderTimeline,
  orderTrace,
  PROCESS_LOCKS,
  recoverOrphans,
  runWorker,
} from './gateway/orders/index.ts';
import { createProjects, sandboxSecrets, seedSandbox } from './gateway/projects/index.ts';
import { createRisk } from './gateway/risk/index.ts';
import {
  type AnyApi,
  api,
  createMetrics,
  createServer,
  documentation,
  onceRecords,
  operations,
  purgeIdempotency,
  rateLimiter,
} from './http/index.ts';
import { createIssuing, createTenants, type Issuer, sandboxTenantSecrets, seedIssuing } from './issuing/index.ts';
import { createRates, ledgerInvariants, proof } from './ledger/index.ts';
import {
  binsLoad,
  createSimulator,
  type IssuerHost,
  type Link,
  simulatedIssuer,
  stanMaker,
  threedsOutcome,
} from './network/index.ts';
import { checkoutRoutes } from './pages/index.ts';
import {
  advanceTo,
  type Committer,
  type Connection,
  createCommitter,
  type Database,
  type FaultPoint,
  migrate,
  nextIdNode,
  openDatabase,
  openInstallation,
  purgeCommitGroups,
  StartError,
} from './store/index.ts';
import {
  acsRoutes,
  createThreeds,
  noDirectory,
  sandboxDirectory,
  verifyCavv,
  withCardholders,
} from './threeds/index.ts';
import { openVault } from './vault/index.ts';

export interface App {
  readonly url: string;
  readonly gateway: Gateway;
  readonly database: Database;
  readonly checkInvariants: () => Promise<Check[]>;
  /** Lets requests end, finishes what was begun, closes everything. */
  stop(): Promise<void>;
}

export interface AppOptions {
  readonly log?: Log;
  /** The system's clock, unless a test brings its own. */
  readonly clock?: Clock;
  /** A database that somebody else opened the server of (tests). */
  readonly connection?: Connection;
  readonly faultPoint?: FaultPoint;
  /** Stands before the gateway's and the issuer's commits: a test plants a bug there, to see that a check notices. Code only, no setting. */
  readonly plant?: (committer: Committer) => Committer;
  readonly link?: {
    readonly answerTimeoutMs?: number;
    readonly lostAfterMs?: number;
    readonly slowMs?: number;
    readonly lateAfterMs?: number;
  };
}

export async function startApp(config: Config, options: AppOptions = {}): Promise<App> {
  const log = options.log ?? createLog(config.logLevel);
  const sandbox = config.mode === 'sandbox';
  const virtual = sandbox ? new VirtualClock(options.clock ?? systemClock) : null;
  const clock: Clock = virtual ?? options.clock ?? systemClock;
  const random = systemRandom;
  const closers: (() => Promise<void> | void)[] = [];
  const closeAll = async (): Promise<void> => {
    for (const close of closers.reverse())
      await Promise.resolve(close()).catch((error: unknown) => log.error({ err: error }, 'closing failed'));
  };
  try {
    let connection = options.connection ?? null;
    if (!connection && config.databaseUrl) connection = { connectionString: config.databaseUrl };
    if (!connection) {
      const own = await openInstallation(config.dataDir, { log, clock: systemClock });
      connection = own.connection;
      closers.push(() => own.close());
    }
    await migrate(connection, log);
    const database = openDatabase(connection, { log });
    closers.push(() => database.close());
    if (virtual) await clockRestore(database, virtual);

    const process = BigInt(random.int(2_000_000_000) + 1);
    const alive = await database.holdLock(PROCESS_LOCKS, Number(process));
    if (!alive) throw new StartError('Two processes drew the same number: start again.');
    closers.push(() => alive.release());

    const ids = idMaker(clock, await nextIdNode(database));
    const metrics = createMetrics({ process: true });
    const committing = createCommitter({
      connect: () => database.session(),
      clock,
      ids,
      log,
      onGroup: metrics.group,
      ...(options.faultPoint ? { faultPoint: options.faultPoint } : {}),
    });
    const committer = options.plant?.(committing) ?? committing;
    closers.push(() => committer.drain());
    const vault = await openVault({ dataDir: config.dataDir, database, clock, random, log, allowCreate: true });
    const permutation = idPermutation(vault.ids);
    const rates = createRates(database);
    await rates.reload(clock.now());
    await binsLoad(database);

    const links = new Map<string, Link>();
    let simulator: ReturnType<typeof createSimulator> | null = null;
    if (sandbox) {
      const acquirer = createCommitter({
        connect: () => database.session({ synchronousCommit: false }),
        clock,
        ids,
        log,
      });
      // The issuing side is made further down; by the time the first message comes it is there.
      const issuer: IssuerHost = { handle: (request) => issuing.host.handle(request) };
      simulator = createSimulator({ committer: acquirer, database, clock, random, log, issuer, ...options.link });
      links.set(simulator.name, simulator);
      const closing = simulator;
      closers.push(
        () => acquirer.drain(),
        () => closing.close(),
      );
    }

    const server = createServer({
      log,
      clock: systemClock,
      random,
      metrics,
      trustedProxies: config.trustedProxies,
      https: config.publicUrl.startsWith('https:'),
    });
    const publicUrl = config.publicUrl || urlOf(config.host, config.port);

    const keyed = (purpose: string, data: Buffer | string): Buffer => vault.keyed(purpose, data);
    const projects = createProjects({ database, keyed, clock, log });
    const tools = { clock, ids, random, keyed, links: [...links.keys()] };
    const tenants = createTenants({ database, keyed, clock, log });
    const background = new Set<Promise<unknown>>();
    const inBackground = (work: Promise<unknown>): void => {
      const kept = work
        .catch((error: unknown) => log.error({ err: error }, 'background work failed'))
        .finally(() => background.delete(kept));
      background.add(kept);
    };
    const shared = {
      clock,
      ids,
      random,
      log,
      db: database,
      committer,
      vault,
      permutation,
      publicUrl,
      sandbox,
      rate: (from: string, to: string) => rates.get(from, to),
      background: inBackground,
    };
    const issuer: Issuer = { ...shared, tenants };
    const limiter = rateLimiter(systemClock);
    const failures = sandbox ? null : { perSecond: 0.5, burst: 20 };
    const issuing = createIssuing({
      issuer,
      limits: { limiter, rate: config.rateLimit, failures },
      ports: {
        verifyCavv: (claim) => verifyCavv(vault, claim),
        forward: createForwarding({ clock: systemClock, log, allowPrivate: sandbox }),
      },
      office: {
        tenants,
        tools,
        change: (asked, action, target, work) => audited(office, asked, action, target, work),
      },
    });
    if (sandbox) {
      await seedSandbox(projects, tools, {
        hasRate: (from, to) => rates.get(from, to) !== null,
        putRates: (rows, at) => rates.put(rows, at),
      });
      await seedIssuing(issuer, tenants, tools);
    } else {
      const left = [...(await sandboxSecrets(projects)), ...(await sandboxTenantSecrets(tenants))];
      if (left.length > 0)
        throw new StartError(
          `Live mode refuses to start with sandbox credentials: rotate the secrets of ${left.join(', ')} first.`,
        );
      if (config.operatorSecret === SANDBOX_OPERATOR)
        throw new StartError('Live mode refuses to start with the sandbox operator secret: set OPERATOR_SECRET.');
    }
    const risk = await createRisk({ db: database, clock, ids, keyed, log });

    const directory = sandbox ? sandboxDirectory({ outcome: threedsOutcome, keys: vault, random }) : noDirectory;
    const gateway: Gateway = {
      ...shared,
      risk,
      links,
      process,
      stans: stanMaker(random),
      threeds: createThreeds({
        db: database,
        clock,
        random,
        log,
        keys: vault,
        ids: permutation,
        publicUrl,
        directory: withCardholders(issuing.cardholders, directory, { keys: vault, random }),
      }),
      once: onceRecords,
      simulatedIssuer: sandbox ? simulatedIssuer : null,
      project: (id) => projects.byId(id),
    };
    closers.push(async () => {
      await Promise.all(background);
    });

    // A late approval of something that was given up changes no order: the reversal that was queued meanwhile settles it.
    simulator?.onLateAnswer((answer, request) =>
      log.warn(
        { operation: request.operation, reference: request.reference, responseCode: answer.responseCode },
        'late answer dropped',
      ),
    );

    const checkInvariants = async (): Promise<Check[]> => {
      const invariants = [...orderInvariants, ...ledgerInvariants, ...issuing.invariants];
      const [overdue, ...checks] = await Promise.all([
        // The job that deletes them runs every minute.
        vault.overdueCvvs(addMs(clock.now(), -120_000)),
        ...invariants.map((invariant) => proof(database, invariant)),
      ]);
      return [
        ...checks,
        { id: 'no_cvv_overdue', ok: overdue === 0n, violations: overdue === 0n ? [] : [{ cvvs: String(overdue) }] },
      ];
    };
    const office: Office = {
      database,
      projects,
      tools,
      rates,
      risk,
      permutation,
      clock,
      log,
      publicUrl,
      invariants: checkInvariants,
      trace: (id) => orderTrace(gateway, id),
      rotateKeys: () => vault.rotate(),
    };
    const operatorAuthentication = bearerAuthentication({
      secrets: [config.operatorSecret],
      failures: sandbox ? null : { limiter, rate: { perSecond: 0.2, burst: 10 } },
      onRefused: (from) => loginRefused(office, from),
    });
    const timelines = [orderTimeline(gateway), ...issuing.timelines];
    const apis: AnyApi[] = [
      ...issuing.apis,
      gatewayApi({
        gateway,
        projects,
        limiter,
        rate: config.rateLimit,
        failures,
      }),
      operatorApi(office, operatorAuthentication, issuing.operator),
    ];
    if (virtual && simulator) {
      const routes = {
        clock: virtual,
        simulator,
        arrive: async (text: string, type: 'chargeback' | 'representment') => {
          const id = permutation.inward(text);
          return id === null ? null : arrive(gateway, id, type);
        },
        advanceTo: (target: Date) => advanceTo(database, timelines, virtual, target),
        clockChanged: () => clockSave(database, virtual),
        scenarios: async () => [...gatewayScenarios, ...(await issuing.scenarios())],
      };
      apis.push(simulatorApi(routes, operatorAuthentication, issuing.simulator));
    }
    for (const declaration of apis) api(server, declaration);
    documentation(server, apis, {
      title: 'Florin',
      version: '0.1.0',
      description: 'Self-hosted payments: a payment gateway and a card issuer in one server.',
    });
    operations(server, {
      metrics,
      ready: async () => {
        await database.query('select 1');
        return { ok: true, checks: { database: true, migrations: true } };
      },
    });
    // Forms are for pages only: a parser beside the APIs would take their bodies away from them.
    await server.app.register(async (pages) => {
      await pages.register(formbody);
      await pages.register(
        acsRoutes({
          db: database,
          clock,
          keys: vault,
          ids: permutation,
          log,
          publicUrl,
          cardholders: issuing.cardholders,
        }),
      );
      await pages.register(
        checkoutRoutes({ checkout: checkoutDoor(gateway), land: (fields) => land(gateway, fields), publicUrl }),
      );
    });

    await recoverOrphans(gateway);
    const stopping = new AbortController();
    if (config.workers) {
      const chores = async (): Promise<void> => {
        const now = clock.now();
        await Promise.all([
          vault.destroyExpiredKeys(now),
          purgeIdempotency(database, now),
          risk.purge(now),
          purgeCommitGroups(database, addMs(now, -86_400_000)),
          rates.reload(now),
          issuing.purge(),
        ]);
        while ((await vault.rewrap(500)) > 0 && !stopping.signal.aborted);
      };
      const worker = runWorker(gateway, issuing.timelines, chores, stopping.signal);
      closers.push(async () => {
        stopping.abort(new Error('stopping'));
        await worker;
      });
    }
    const { port } = await server.listen({ host: config.host, port: config.port });
    closers.push(() => server.close());
    return { url: urlOf(config.host, port), gateway, database, checkInvariants, stop: closeAll };
  } catch (error) {
    await closeAll();
    throw error;
  }
}

const urlOf = (host: string, port: number): string => `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
