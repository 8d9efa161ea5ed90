// The composition root: the only file that knows every room. Opens them in order, gives each what it needs, closes them in reverse.
// What everything stands on is opened by app-ground.ts.
import manifest from '../package.json' with { type: 'json' };
import { type Closer, closeAll } from './app-closing.ts';
import { type GroundOptions, openGround } from './app-ground.ts';
import { operatorEndpoints } from './app-operator.ts';
import { servePages } from './app-pages.ts';
import { openSimulator, type SimulatedLink, sandboxApi } from './app-sandbox.ts';
import { dueQueue, dueWork, runChores } from './app-work.ts';
import { addMs, createLog, type Log, systemClock } from './base/index.ts';
import { type Config, listenerUrl } from './config.ts';
import { createForwarding } from './events/index.ts';
import examples from './examples.json' with { type: 'json' };
import { sandboxWallets } from './gateway/checkout/index.ts';
import { orderTimelines } from './gateway/due/index.ts';
import { gatewayApi } from './gateway/index.ts';
import { type Gateway, orderInvariants } from './gateway/orders/index.ts';
import { createProjects, projectRefusalOf, sandboxSecrets, seedSandbox } from './gateway/projects/index.ts';
import { createRisk } from './gateway/risk/index.ts';
import {
  type AnyApi,
  api,
  createServer,
  documentation,
  fetchOwn,
  longReads,
  onceForm,
  onceRecords,
  operations,
  rateLimiter,
  type Server,
} from './http/index.ts';
import {
  createIssuing,
  createPasswords,
  createTenants,
  type IssuingDeps,
  sandboxTenantSecrets,
  seedIssuing,
} from './issuing/index.ts';
import { ledgerInvariants, proof } from './ledger/index.ts';
import { type IssuerHost, type Link, simulatedIssuer, stanMaker, threedsOutcome } from './network/index.ts';
import { auditRefusals, bearerAuthentication, type Check, createChanges, operatorApi } from './operator/index.ts';
import { PAGE_RATES, type PageRates, PREVIEW_PATH, pageWatch } from './pages/index.ts';
import { type Database, StartError } from './store/index.ts';
import { createThreeds, noDirectory, sandboxDirectory, verifyCavv, withCardholders } from './threeds/index.ts';

export interface App {
  readonly url: string;
  /** For clients with certificates; null: there is no such port. */
  readonly clientUrl: string | null;
  readonly gateway: Gateway;
  readonly database: Database;
  readonly checkInvariants: () => Promise<Check[]>;
  /** Sentences for those who run it. */
  readonly warnings: readonly string[];
  /** Lets requests end, finishes what was begun, closes everything, within half a minute. False: something did not end. */
  stop(): Promise<boolean>;
}

export interface AppOptions extends GroundOptions {
  /** After this long a client of the two APIs is told that the outcome is unknown. */
  readonly answerMs?: number;
  readonly log?: Log;
  /** How often pages may be asked for, instead of the mode's own. */
  readonly pageRates?: PageRates;
  /** Sees the server with its APIs before it listens: tests check every answer there. Code only, no setting. */
  readonly watch?: (server: Server, apis: readonly AnyApi[]) => void;
  readonly link?: SimulatedLink;
}

/** Long: the one place where all rooms meet; each part that stands alone is a file beside it. */
export async function startApp(config: Config, options: AppOptions = {}): Promise<App> {
  const log = options.log ?? createLog(config.logLevel);
  const sandbox = config.mode === 'sandbox';
  const closers: Closer[] = [];
  try {
    const ground = await openGround(config, options, log, closers);
    const { clock, random, database, lease, ids, permutation, metrics, committer, vault, rates, warnings, health } =
      ground;

    const links = new Map<string, Link>();
    // The issuing side is made further down; by the time the first message comes it is there.
    const host: IssuerHost = { handle: (request) => issuing.host.handle(request) };
    const simulator =
      ground.sandbox && openSimulator(ground, ground.sandbox, { ...options.link, issuer: host, log, closers });
    if (simulator) links.set(simulator.name, simulator);

    const server = createServer({
      log,
      clock: systemClock,
      random,
      metrics,
      trustedProxies: config.trustedProxies,
      timeouts: options.answerMs ? { answerMs: options.answerMs } : {},
      https: config.publicUrl.startsWith('https:') || (config.tls !== null && config.publicUrl === ''),
      tls: config.tls,
      tlsClients: config.tlsClients,
    });
    const publicUrl = config.publicUrl || listenerUrl(config, config.port);

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
    };
    const issuingDeps: IssuingDeps = { ...shared, tenants, passwords: createPasswords({ clock, random }) };
    const refusals = auditRefusals({ database, keyed, clock, log, background: inBackground });
    const limiter = rateLimiter(systemClock);
    const turns = longReads(server, systemClock);
    const failures = sandbox ? null : { perSecond: 0.5, burst: 20 };
    const changes = createChanges({ database, committer, keyed, clock, log, refusalOf: projectRefusalOf });
    const issuing = createIssuing({
      deps: issuingDeps,
      throttle: {
        limiter,
        turns,
        rate: config.rateLimit,
        failures,
        onRefused: (from) => refusals.refused(from, 'issuing', null),
      },
      ports: {
        verifyCavv: (claim) => verifyCavv(vault, claim),
        forward: createForwarding({ clock: systemClock, log, allowPrivate: sandbox }),
      },
      office: {
        tenants,
        tools,
        changes,
      },
    });
    if (sandbox) {
      await seedSandbox(projects, tools, {
        database,
        hasRate: (from, to) => rates.get(from, to) !== null,
        async putRates(rows, at) {
          await database.transaction((db) => rates.put(db, rows, at));
          await rates.reload(at);
        },
      });
      await seedIssuing(issuingDeps, tenants, tools);
    } else {
      const left = [...(await sandboxSecrets(projects)), ...(await sandboxTenantSecrets(tenants))];
      if (left.length > 0)
        throw new StartError(
          `Live mode refuses to start with sandbox credentials: rotate the secrets of ${left.join(', ')} first.`,
        );
    }
    const risk = await createRisk({ db: database, clock, ids, keyed, log, sandbox });

    const directory = sandbox ? sandboxDirectory({ outcome: threedsOutcome, keys: vault, random }) : noDirectory;
    const queue = dueQueue();
    const gateway: Gateway = {
      ...shared,
      lists: database.patient,
      risk,
      links,
      lease,
      stans: (options.guard ?? ((stans) => stans))(stanMaker(random)),
      threeds: createThreeds({
        db: database,
        clock,
        log,
        keys: vault,
        ids: permutation,
        publicUrl,
        directory: withCardholders(issuing.cardholders, directory, { keys: vault, random }),
      }),
      once: onceRecords,
      onceForm: (owner, form, content) => onceForm(keyed, owner, form, content),
      queue,
      wallets: sandbox ? sandboxWallets({ seed: keyed('sandbox.wallets', ''), random }) : null,
      simulatedIssuer: sandbox ? simulatedIssuer : null,
      project: (id) => projects.byId(id),
    };
    closers.push(async () => {
      refusals.tell(true);
      await Promise.all([...background, queue.close()]);
    });
    const { due: ordersDue, orphans } = orderTimelines(gateway);
    const due = dueWork({
      database,
      clock,
      log,
      metrics,
      permutation,
      queue,
      timelines: [ordersDue, orphans, ...issuing.timelines],
      names: { project: gateway.project, tenant: tenants.tenant },
    });

    const checkInvariants = async (): Promise<Check[]> => {
      const invariants = [...orderInvariants, ...ledgerInvariants, ...issuing.invariants];
      const [overdue, ...checks] = await Promise.all([
        // The job that deletes them runs every minute.
        vault.overdueCvvs(addMs(clock.now(), -120_000)),
        ...invariants.map((invariant) => proof(database.patient, invariant, clock.now())),
      ]);
      return [
        ...checks,
        { id: 'no_cvv_overdue', ok: overdue === 0n, violations: overdue === 0n ? [] : [{ cvvs: String(overdue) }] },
      ];
    };
    // By its own address, so that the listener and everything in it is looked at, too. Empty until it listens.
    let ownUrl = '';
    const checkOwnPages = pageWatch({
      fetchPage: () => fetchOwn(`${ownUrl}${PREVIEW_PATH}`),
      counted: metrics.pageDifferences,
      log,
    });
    const operated = operatorEndpoints({
      gateway,
      issuing,
      projects,
      tools,
      rates,
      changes,
      invariants: checkInvariants,
      failing: due.failing,
      checkPages: checkOwnPages,
    });
    const operatorAuthentication = bearerAuthentication({
      secrets: [config.operatorSecret],
      failures: sandbox ? null : { limiter, rate: { perSecond: 0.2, burst: 10 } },
      onRefused: (from) => refusals.refused(from, 'operator', null),
    });
    const apis: AnyApi[] = [
      gatewayApi({
        gateway,
        projects,
        limiter,
        turns,
        rate: config.rateLimit,
        failures,
        onRefused: (from, login) => refusals.refused(from, 'gateway', login),
      }),
      ...issuing.apis,
      operatorApi({ authentication: operatorAuthentication, turns, endpoints: operated, refusalOf: projectRefusalOf }),
    ];
    if (ground.sandbox && simulator)
      apis.push(
        sandboxApi(ground.sandbox, { simulator, gateway, issuing, due, authentication: operatorAuthentication }),
      );
    for (const declaration of apis) api(server, declaration);
    options.watch?.(server, apis);
    documentation(server, apis, {
      title: 'Florin',
      version: manifest.version,
      description:
        'Self-hosted payments: a payment gateway and a card issuer in one server. For programs: [/openapi.json](/openapi.json).',
      examples,
    });
    operations(server, {
      metrics,
      ready: async () => {
        const checks = await health.check();
        return {
          ok: Object.values(checks).every(Boolean),
          checks,
          links: Object.fromEntries([...links.keys()].map((name) => [name, 'up'])),
          warnings: warnings.map(({ warning }) => warning),
        };
      },
    });
    const pageRates = options.pageRates ?? PAGE_RATES[config.mode];
    await servePages({ server, gateway, cardholders: issuing.cardholders, random, rates: pageRates });

    await due.runAll([orphans]);
    if (config.workers) {
      const stopping = new AbortController();
      const beside = Promise.all([
        due.watch(stopping.signal),
        runChores(
          { database, clock, log, vault, risk, rates, issuing, refusals, checkPages: checkOwnPages },
          stopping.signal,
        ),
      ]);
      closers.push(async () => {
        stopping.abort(new Error('stopping'));
        await beside;
      });
    }
    const { port, clientPort } = await server.listen({ host: config.host, port: config.port });
    const url = listenerUrl(config, port);
    const clientUrl = clientPort === null ? null : listenerUrl(config, clientPort);
    // Not every system reaches itself by the address that means all of them.
    const ownHost = { '0.0.0.0': '127.0.0.1', '::': '::1' }[config.host] ?? config.host;
    ownUrl = listenerUrl({ tls: config.tls, host: ownHost }, port);
    closers.push(() => server.close());
    if (config.workers) inBackground(checkOwnPages());
    const told = warnings.map(({ text }) => text);
    return { url, clientUrl, gateway, database, checkInvariants, warnings: told, stop: () => closeAll(closers, log) };
  } catch (error) {
    await closeAll(closers, log);
    throw error;
  }
}
