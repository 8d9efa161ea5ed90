// The gateway half, put together.
import type { Common } from './app-common.ts';
import type { Half } from './app-half.ts';
import { daily } from './app-work.ts';
import { jsonText, systemClock } from './base/index.ts';
import { type Alarm, eventMaker, tellSetup } from './events/index.ts';
import { checkoutDoor, createLink, land, landingView, sandboxWallets } from './gateway/checkout/index.ts';
import { orderTimelines } from './gateway/due/index.ts';
import { resolveOperation, stuckOperations } from './gateway/flight/index.ts';
import { gatewayApi, gatewayOperatorEndpoints, projectDesk, projectEventEndpoints } from './gateway/index.ts';
import { orderTrace } from './gateway/listing/index.ts';
import { type GatewayDeps, orderAuditor, orderReader } from './gateway/orders/index.ts';
import { createProjects, type Projects, sandboxSecrets, seedSandbox } from './gateway/projects/index.ts';
import { createRisk } from './gateway/risk/index.ts';
import { arrive } from './gateway/settlement/index.ts';
import { fetchOwn, formBodies, onceForm, onceRecords } from './http/index.ts';
import type { Issuing } from './issuing/index.ts';
import { simulatedIssuer, stanMaker, threedsOutcome } from './network/index.ts';
import {
  checkoutRoutes,
  formTokens,
  landingRoutes,
  PAGE_RATES,
  type PageRates,
  PREVIEW_PATH,
  pageThrottle,
  pageWatch,
  previewPage,
  throttlePages,
} from './pages/index.ts';
import { disputeEndpoints, gatewayScenarios } from './sandbox/index.ts';
import { causedBy } from './store/index.ts';
import {
  acsRoutes,
  type Cardholders,
  createThreeds,
  noCardholders,
  noDirectory,
  sandboxDirectory,
  withCardholders,
} from './threeds/index.ts';

export interface GatewayHalf extends Half {
  readonly deps: GatewayDeps;
}

/** `issuing`: the other half, for cards that it has issued; null: it isn't open. */
export async function openGateway(common: Common, issuing: Issuing | null): Promise<GatewayHalf> {
  const { database, clock, ids, random, log, keyed, links, permutation, options } = common;
  const projects = createProjects({ database, keyed, clock, log });
  const tools = { clock, ids, random, keyed, links: [...links.keys()] };
  const cardholders = issuing?.cardholders ?? noCardholders;
  const deps = await depsOf(common, projects, cardholders);
  const { due, orphans } = orderTimelines(deps);
  const { checkPages, lookForUnresolved } = looksOf(common, deps);
  return {
    deps,
    apis: [
      gatewayApi({
        deps,
        projects,
        ground: common.events,
        limiter: common.limiter,
        turns: common.turns,
        rate: common.config.rateLimit,
        failures: common.failures,
        onRefused: (from, login) => common.refusals.refused(from, 'gateway', login),
      }),
    ],
    operator: [
      ...gatewayOperatorEndpoints({
        database,
        projects,
        tools,
        permutation,
        publicUrl: common.publicUrl,
        clock,
        risk: deps.risk,
        changes: common.changes,
        tellSetup: tellSetup(common.alarms),
        previewPage: (template, language) => previewPage(template, language, clock.now()),
        createLink: (committer, project, fields) => createLink({ ...deps, committer }, project, fields),
        stuckOperations: (after, limit) => lookForUnresolved().then(() => stuckOperations(deps, after, limit)),
        resolveOperation: (committer, reference, told) => resolveOperation({ ...deps, committer }, reference, told),
        trace: (id) => orderTrace(deps, id, issuing?.decisionsOf ?? (async () => [])),
      }),
      ...projectEventEndpoints({ ...deps, ground: common.events }, { projects, changes: common.changes }),
    ],
    simulator: disputeEndpoints(async (text, type) => {
      const id = permutation.inward(text);
      return id === null ? null : arrive(deps, id, type);
    }),
    scenarios: async () => gatewayScenarios,
    timelines: [due, orphans],
    orphans: [orphans],
    ownerOf: (about, id) => ownerOf(projects, about, id),
    endpointsOf: {
      type: 'project',
      async desk(owner) {
        const project = await projects.byId(owner);
        return project && projectDesk({ ...deps, ground: common.events }, project);
      },
    },
    auditor: orderAuditor,
    chores: {
      risk: () => deps.risk.purge(clock.now()),
      pages: daily(checkPages),
      unresolved: lookForUnresolved,
    },
    checkPages,
    servePages: () => servePages(common, deps, cardholders, options.pageRates ?? PAGE_RATES[common.config.mode]),
    seed: () => seedSandbox(projects, tools, database),
    sandboxSecrets: () => sandboxSecrets(projects),
  };
}

/** What is looked at by the clock and on request; an operator is told what has become otherwise. */
const looksOf = ({ own, metrics, alarms, log }: Common, deps: GatewayDeps) => ({
  checkPages: pageWatch({
    fetchPage: () => fetchOwn(`${own.url}${PREVIEW_PATH}`),
    counted: metrics.pageDifferences,
    told: (differences) => alarms.standing('page.changed', pageAlarms(differences)),
    log,
  }),
  lookForUnresolved: async (): Promise<void> => alarms.standing('operation.unresolved', await unresolved(deps)),
});

type Standing = Omit<Alarm, 'type'>;

/** Other differences are another state of the page. */
const pageAlarms = (differences: readonly object[]): Standing[] =>
  differences.length === 0
    ? []
    : [{ name: 'payment', state: jsonText(differences), object: { ok: false, differences } }];

const STUCK_PAGE = 100;

/** All operations that are an operator's task, as their list shows them. */
async function unresolved(deps: GatewayDeps): Promise<Standing[]> {
  const all: Standing[] = [];
  for (let after = 0n; ; ) {
    const page = await stuckOperations(deps, after, STUCK_PAGE);
    all.push(...page.map((operation) => ({ name: operation.id, state: operation.why, object: operation })));
    const last = page.at(-1);
    if (!last || page.length < STUCK_PAGE) return all;
    after = BigInt(last.id);
  }
}

/** What is due is on orders; endpoints are of projects and of others. */
async function ownerOf(projects: Projects, about: string, id: bigint): Promise<object> {
  if (about !== 'order' && about !== 'webhook') return {};
  const project = await projects.byId(id);
  return project || about === 'order' ? { project: project?.login ?? null } : {};
}

async function depsOf(common: Common, projects: Projects, cardholders: Cardholders): Promise<GatewayDeps> {
  const { database, clock, ids, random, log, keyed, vault, permutation, rates, inSandbox, publicUrl, options } = common;
  const directory = inSandbox ? sandboxDirectory({ outcome: threedsOutcome, keys: vault, random }) : noDirectory;
  return {
    clock,
    ids,
    random,
    log,
    db: database,
    lists: database.patient,
    orderOf: orderReader(database.prepared),
    committer: common.committer,
    vault,
    permutation,
    events: eventMaker({ permutation, mode: common.config.mode, ownerType: 'project', nameOf: projects.nameOf }),
    publicUrl,
    sandbox: inSandbox,
    rates: () => rates.standing(),
    risk: await createRisk({ db: database, prepared: database.prepared, clock, ids, keyed, log, sandbox: inSandbox }),
    links: common.links,
    lease: common.lease,
    stans: (options.guard ?? ((stans) => stans))(stanMaker(random)),
    threeds: createThreeds({
      db: database,
      clock,
      log,
      keys: vault,
      ids: permutation,
      publicUrl,
      directory: withCardholders(cardholders, directory, { keys: vault, random }),
    }),
    once: onceRecords,
    onceForm: (owner, form, content) => onceForm(keyed, owner, form, content),
    queue: common.queue,
    wallets: inSandbox ? sandboxWallets({ seed: keyed('sandbox.wallets', ''), random }) : null,
    simulatedIssuer: inSandbox ? simulatedIssuer : null,
    project: (id) => projects.byId(id),
  };
}

/** What people see: the bank's pages, the payment page and the way back, with the rates that all of them have. */
async function servePages(
  { server, random, limiters }: Common,
  deps: GatewayDeps,
  cardholders: Cardholders,
  rates: PageRates,
): Promise<void> {
  const { db, clock, vault: keys, permutation: ids, publicUrl, log } = deps;
  const { remoteAddressOf } = server;
  // Forms are for pages only: a parser beside the APIs would take their bodies away from them.
  await server.app.register(async (pages) => {
    const throttle = pageThrottle(limiters, rates);
    throttlePages(pages, throttle, server);
    pages.addHook('onRequest', (_request, _reply, done) => causedBy('payer', done));
    formBodies(pages);
    await pages.register(acsRoutes({ db, clock, keys, ids, log, publicUrl, cardholders, remoteAddressOf }));
    const tokens = formTokens({
      keyed: (purpose, data) => keys.keyed(purpose, data),
      random,
      clock: systemClock,
      publicUrl,
    });
    const checkout = checkoutDoor(deps, throttle.card);
    await pages.register(checkoutRoutes({ checkout, tokens, publicUrl, remoteAddressOf }));
    await pages.register(
      landingRoutes({
        land: (fields) => land(deps, fields),
        landed: (ticket) => landingView(deps, ticket),
        publicUrl,
        log,
      }),
    );
  });
}
