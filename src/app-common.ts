// What both halves are given beside the ground: the listener, who may ask how often, how an operator changes anything.

import manifest from '../package.json' with { type: 'json' };
import type { Closer } from './app-closing.ts';
import { type Ground, type GroundOptions, openGround } from './app-ground.ts';
import type { HalfName } from './app-half.ts';
import { openSimulator, type SimulatedLink } from './app-simulator.ts';
import { type FairQueue, fairQueue, type Log, systemClock } from './base/index.ts';
import { type Config, listenerUrl } from './config.ts';
import {
  type Alarms,
  createAlarms,
  createEgress,
  createEventsFollowed,
  createEventWaits,
  createKeeping,
  cursorPut,
  type Egress,
  type EndpointsInMemory,
  type EventMaker,
  type EventsGround,
  endpointsInMemory,
  eventMaker,
  type Keeping,
  type StreamPace,
  sendingOnce,
} from './events/index.ts';
import {
  type AnyApi,
  type Changes,
  createServer,
  longReads,
  type Rate,
  type RateLimiter,
  type Server,
} from './http/index.ts';
import type { IssuerHost, Link, Simulator } from './network/index.ts';
import { auditRefusals, createChanges } from './operator/index.ts';
import type { PageRates } from './pages/index.ts';

export interface AppOptions extends GroundOptions {
  /** Which halves are opened; both, unless told. An installation has the same ones in every process: cards of a half that is closed pay nowhere. */
  readonly halves?: readonly HalfName[];
  /** After this long a client of the two APIs is told that the outcome is unknown. */
  readonly answerMs?: number;
  /** Of streams: how often one that is quiet is heard of, how often its reader is looked up, how long he may take. */
  readonly streams?: Partial<Omit<StreamPace, 'clock'>> & { readonly takeMs?: number };
  readonly log?: Log;
  /** How often pages may be asked for, instead of the mode's own. */
  readonly pageRates?: PageRates;
  /** Sees the server with its APIs before it listens: tests check every answer there. Code only, no setting. */
  readonly watch?: (server: Server, apis: readonly AnyApi[]) => void;
  readonly link?: SimulatedLink;
}

/** Enough at once to fill a commit group; of what waits for a link only so much that others have room on it and beside it. */
const dueQueue = (): FairQueue => fairQueue({ atOnce: 64, perOwner: 32, perThrough: 48, perOwnerThrough: 16 });

/** By which receivers know this server. */
export const AGENT = `Florin/${manifest.version}`;

/** Where a sandbox receives what it sends: of all its addresses the only one that it may call. */
export const INBOX = '/simulator/inbox/';

export interface Common extends Ground {
  readonly config: Config;
  readonly options: AppOptions;
  readonly log: Log;
  readonly closers: Closer[];
  readonly inSandbox: boolean;
  readonly server: Server;
  readonly publicUrl: string;
  readonly keyed: (purpose: string, data: Buffer | string) => Buffer;
  readonly links: ReadonlyMap<string, Link>;
  /** null: live mode. */
  readonly simulator: Simulator | null;
  /** For the two APIs and the operator's. */
  readonly limiter: RateLimiter;
  readonly turns: ReturnType<typeof longReads>;
  /** Of wrong credentials from one address; null: no limit. */
  readonly failures: Rate | null;
  readonly refusals: ReturnType<typeof auditRefusals>;
  readonly changes: Changes;
  readonly queue: FairQueue;
  /** The one way to addresses that somebody else named. */
  readonly egress: Egress;
  /** What all APIs tell events and endpoints with. */
  readonly events: EventsGround;
  /** Of the operator. */
  readonly ownEvents: EventMaker;
  readonly alarms: Alarms;
  /** Those that are sent to. */
  readonly endpoints: EndpointsInMemory;
  /** For how long events are kept. */
  readonly keeping: Keeping;
  /** Where the server reaches itself, so that the listener and everything in it is looked at, too. Empty until it listens. */
  readonly own: { url: string; clientUrl: string | null };
  /** Runs beside requests; the end waits for it. */
  readonly inBackground: (work: Promise<unknown>) => void;
}

/** Opens what the halves stand on. `issuer` answers for the cards that are issued here; null: none are. */
export async function openCommon(
  config: Config,
  options: AppOptions,
  { issuer, log, closers }: { issuer: IssuerHost | null; log: Log; closers: Closer[] },
): Promise<Common> {
  const ground = await openGround(config, options, log, closers);
  const { database, committer, clock, random, metrics, vault } = ground;
  const inSandbox = config.mode === 'sandbox';
  const simulator = ground.sandbox && openSimulator(ground, ground.sandbox, { ...options.link, issuer, log, closers });
  const server = createServer({
    log,
    clock: systemClock,
    random,
    metrics,
    trustedProxies: config.trustedProxies,
    timeouts: timeoutsOf(options),
    https: config.publicUrl.startsWith('https:') || (config.tls !== null && config.publicUrl === ''),
    tls: config.tls,
    tlsClients: config.tlsClients,
    // Tells a receiver which delivery it is; from ourselves it is a loop.
    ownMark: { header: 'florin-delivery', except: inSandbox ? INBOX : null },
  });
  const background = new Set<Promise<unknown>>();
  const inBackground = (work: Promise<unknown>): void => {
    const kept = work
      .catch((error: unknown) => log.error({ err: error }, 'background work failed'))
      .finally(() => background.delete(kept));
    background.add(kept);
  };
  const keyed = (purpose: string, data: Buffer | string): Buffer => vault.keyed(purpose, data);
  const refusals = auditRefusals({ database, keyed, clock, log, background: inBackground });
  const queue = dueQueue();
  closers.push(async () => {
    refusals.tell(true);
    await Promise.all([...background, queue.close()]);
  });
  const publicUrl = config.publicUrl || listenerUrl(config, config.port);
  const own: Common['own'] = { url: '', clientUrl: null };
  const egress = createEgress({
    ...config.webhooks,
    own: () => [publicUrl, own.url, own.clientUrl ?? ''],
    inbox: inSandbox ? INBOX : null,
    clock: systemClock,
  });
  closers.push(async () => egress.close());
  return {
    ...ground,
    config,
    options,
    log,
    closers,
    inSandbox,
    server,
    publicUrl,
    keyed,
    links: new Map(simulator ? [[simulator.name, simulator]] : []),
    simulator,
    limiter: ground.limiters(),
    turns: longReads(server, systemClock),
    failures: inSandbox ? null : { perSecond: 0.5, burst: 20 },
    refusals,
    changes: createChanges({ database, committer, keyed, clock, log }),
    queue,
    egress,
    ...tellingOf(ground, { egress, keyed, log, config, options }),
    own,
    inBackground,
  };
}

const timeoutsOf = ({
  answerMs,
  streams,
}: AppOptions): NonNullable<Parameters<typeof createServer>[0]['timeouts']> => ({
  ...(answerMs ? { answerMs } : {}),
  ...(streams?.takeMs ? { takeMs: streams.takeMs } : {}),
});

/** What is told of events and endpoints, for how long, and the endpoints that are sent to. */
function tellingOf(
  { database, numbering, permutation, clock, ids }: Ground,
  { egress, keyed, log, config, options }: Pick<Common, 'egress' | 'keyed' | 'log' | 'config' | 'options'>,
): Pick<Common, 'alarms' | 'endpoints' | 'events' | 'keeping' | 'ownEvents'> {
  const endpoints = endpointsInMemory({ database, clock: systemClock, log });
  const waits = createEventWaits(numbering, systemClock);
  const time = options.realTime ?? systemClock;
  const keeping = createKeeping({ database, time, business: clock, log, days: config.eventsDays });
  const followed = createEventsFollowed({ db: database, numbering, clock: systemClock, log });
  const { beatMs = 15_000, checkMs = 30_000 } = options.streams ?? {};
  const events: EventsGround = {
    reader: { db: database, lists: database.patient, waits },
    keyed,
    permutation,
    addresses: egress,
    business: clock,
    time,
    begins: cursorPut,
    refresh: endpoints.refresh,
    followed,
    send: sendingOnce({ keyed, clock, egress, permutation, agent: AGENT }),
    pace: { clock: systemClock, beatMs, checkMs },
  };
  const nameOf = (): string => 'operator';
  const ownEvents = eventMaker({ permutation, mode: config.mode, ownerType: 'operator', nameOf });
  const alarms = createAlarms({ database, events: ownEvents, clock, ids, log });
  return { events, endpoints, keeping, ownEvents, alarms };
}
