// The composition root: opens the ground, what is common, and each half of its table; serves what they bring, and closes all in reverse.
import manifest from '../package.json' with { type: 'json' };
import { type Closer, closeAll } from './app-closing.ts';
import { type AppOptions, type Common, openCommon } from './app-common.ts';
import { openGateway } from './app-gateway.ts';
import type { Chores, Half, HalfName } from './app-half.ts';
import { type IssuingHalf, openIssuing } from './app-issuing.ts';
import { operated, ownDesk } from './app-operator.ts';
import { openInbox, sandboxApi } from './app-sandbox.ts';
import {
  commonChores,
  type DueWork,
  deliveryOf,
  dueWork,
  openProofs,
  ownChores,
  type Proofs,
  runChores,
  sendersOf,
} from './app-work.ts';
import { assert, type Clock, createLog, type Permutation } from './base/index.ts';
import { type Config, listenerUrl } from './config.ts';
import examples from './examples.json' with { type: 'json' };
import { type AnyApi, api, documentation, operations, type Readiness } from './http/index.ts';
import type { IssuerHost } from './network/index.ts';
import { bearerAuthentication } from './operator/index.ts';
import { censusMetrics, joinMetrics, readyTogether } from './processes/index.ts';
import { type Database, StartError } from './store/index.ts';
import type { Vault } from './vault/index.ts';

export type { AppOptions } from './app-common.ts';

export interface App {
  readonly url: string;
  /** For clients with certificates; null: there is no such port. */
  readonly clientUrl: string | null;
  readonly clock: Clock;
  readonly permutation: Permutation;
  readonly vault: Vault;
  readonly database: Database;
  /** Its number among those that use the database, as it began. */
  readonly process: bigint;
  /** Sentences for those who run it. */
  readonly warnings: readonly string[];
  /** Lets requests end, finishes what was begun, closes everything, within half a minute. False: something did not end. */
  stop(): Promise<boolean>;
}

const BOTH: readonly HalfName[] = ['gateway', 'issuing'];

export async function startApp(config: Config, options: AppOptions = {}): Promise<App> {
  const { member } = options;
  const whole = options.log ?? createLog(config.logLevel);
  const log = member ? whole.child({ process: member.process }) : whole;
  const closers: Closer[] = [];
  try {
    const wanted = new Set(options.halves ?? BOTH);
    let issuing: IssuingHalf | null = null;
    // The issuing half stands on what is opened before it; by the time the first message comes it is there.
    const issuer: IssuerHost = {
      async handle(request) {
        assert(issuing, 'a message to an issuer that is not open');
        return issuing.issuing.host.handle(request);
      },
    };
    const common = await openCommon(config, options, { issuer: wanted.has('issuing') ? issuer : null, log, closers });
    if (wanted.has('issuing')) issuing = await openIssuing(common);
    const gateway = wanted.has('gateway') ? await openGateway(common, issuing?.issuing ?? null) : null;
    return await serve(
      common,
      [gateway, issuing].filter((half) => half !== null),
    );
  } catch (error) {
    await closeAll(closers, log);
    throw error;
  }
}

async function serve(common: Common, halves: readonly Half[]): Promise<App> {
  const { config, log, closers, clock, database, permutation, vault, warnings } = common;
  // Today and tomorrow, before anything is told; those that come are made beside requests.
  if (config.workers) await common.keeping.makeDays(1);
  if (common.inSandbox) for (const half of halves) await half.seed();
  else await refuseSandboxSecrets(halves);
  const delivery = config.workers ? deliveryOf(common, halves, ownDesk(common)) : null;
  const due = dueWork({ ...common, halves, senders: delivery && sendersOf(common, delivery) });
  const proofs = openProofs(common, halves);
  const checkPages = async () => (await Promise.all(halves.map((half) => half.checkPages()))).flat();
  serveApis(common, halves, { due, proofs, checkPages });
  for (const half of halves) await half.servePages();

  await due.runAll(halves.flatMap(({ orphans }) => orphans));
  const { member } = common.options;
  if (delivery) {
    startChores(ownChores(common), common);
    untilTheEnd(common, (signal) => common.numbering.watch(signal));
    untilTheEnd(common, (signal) => delivery.run(signal));
    // Of several processes one does what is to be done once.
    if (member) member.onDuty(() => startWorkers(common, halves, { due, proofs }));
    else startWorkers(common, halves, { due, proofs });
  }
  const { url, clientUrl } = await listen(common);
  if (config.workers && (!member || member.process === 1)) common.inBackground(checkPages());
  return {
    url,
    clientUrl,
    clock,
    permutation,
    vault,
    database,
    warnings: warnings.map(({ text }) => text),
    process: common.lease.process(),
    stop: () => closeAll(closers, log),
  };
}

async function refuseSandboxSecrets(halves: readonly Half[]): Promise<void> {
  const left = (await Promise.all(halves.map((half) => half.sandboxSecrets()))).flat();
  if (left.length > 0)
    throw new StartError(
      `Live mode refuses to start with sandbox credentials: rotate the secrets of ${left.join(', ')} first.`,
    );
}

interface Looks {
  readonly due: DueWork;
  readonly proofs: Proofs;
  readonly checkPages: Half['checkPages'];
}

function serveApis(common: Common, halves: readonly Half[], { due, proofs, checkPages }: Looks): void {
  const { server, config, options, sandbox, simulator, permutation, limiter, refusals } = common;
  const authentication = bearerAuthentication({
    secrets: [config.operatorSecret],
    failures: common.inSandbox ? null : { limiter, rate: { perSecond: 0.2, burst: 10 } },
    onRefused: (from) => refusals.refused(from, 'operator', null),
  });
  const looks = { invariants: proofs.prove, told: proofs.told, failing: due.failing, checkPages };
  const apis: AnyApi[] = [
    ...halves.flatMap((half) => half.apis),
    operated(common, { halves, authentication, ...looks }),
    ...(sandbox && simulator
      ? [sandboxApi(sandbox, { simulator, permutation, halves, due, inbox: openInbox(common), authentication })]
      : []),
  ];
  for (const declaration of apis) api(server, declaration);
  options.watch?.(server, apis);
  documentation(server, apis, {
    title: 'Florin',
    version: manifest.version,
    description:
      'Self-hosted payments: a payment gateway and a card issuer in one server. For programs: [/openapi.json](/openapi.json).',
    examples,
  });
  operations(server, answersOf(common));
}

/** Of several processes each answers for all. */
function answersOf(common: Common): Parameters<typeof operations>[1] {
  const { member } = common.options;
  const { registry, installation } = common.metrics;
  const ready = (): Promise<Readiness> => readiness(common);
  if (!member)
    return { ready, metrics: async () => joinMetrics([await registry.metrics(), await installation.metrics()]) };
  member.answers({ metrics: () => registry.metrics(), readiness: async () => JSON.stringify(await ready()) });
  return {
    async metrics() {
      const all = await member.gather('metrics');
      const those = all ? all.answers.map(({ answer }) => answer ?? '') : [await registry.metrics()];
      return joinMetrics([...those, ...(all ? [censusMetrics(all.census)] : []), await installation.metrics()]);
    },
    async ready() {
      const [own, all] = await Promise.all([ready(), member.gather('readiness')]);
      return all ? readyTogether(own, all) : own;
    },
  };
}

async function readiness({ health, links, warnings }: Common): Promise<Readiness> {
  const checks = await health.check();
  return {
    ok: Object.values(checks).every(Boolean),
    checks,
    links: Object.fromEntries([...links.keys()].map((name) => [name, 'up'])),
    warnings: warnings.map(({ warning }) => warning),
  };
}

function startWorkers(common: Common, halves: readonly Half[], { due, proofs }: Pick<Looks, 'due' | 'proofs'>): void {
  startChores(Object.assign({}, commonChores(common), proofs.chores, ...halves.map((half) => half.chores)), common);
  untilTheEnd(common, (signal) => due.watch(signal));
}

const startChores = (chores: Chores, common: Common): void =>
  untilTheEnd(common, (signal) => runChores(chores, common, signal));

function untilTheEnd({ closers }: Common, work: (signal: AbortSignal) => Promise<void>): void {
  const stopping = new AbortController();
  const working = work(stopping.signal);
  closers.push(async () => {
    stopping.abort(new Error('stopping'));
    await working;
  });
}

async function listen({ server, config, closers, own }: Common): Promise<Pick<App, 'url' | 'clientUrl'>> {
  const { port, clientPort } = await server.listen({ host: config.host, port: config.port });
  closers.push(() => server.close());
  // Not every system reaches itself by the address that means all of them.
  const host = { '0.0.0.0': '127.0.0.1', '::': '::1' }[config.host] ?? config.host;
  own.url = listenerUrl({ tls: config.tls, host }, port);
  own.clientUrl = clientPort === null ? null : listenerUrl({ tls: config.tls, host }, clientPort);
  return { url: listenerUrl(config, port), clientUrl: clientPort === null ? null : listenerUrl(config, clientPort) };
}
