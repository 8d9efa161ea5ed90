// What those who run the service look at: metrics, liveness, readiness. Rule: labels come from closed sets (route templates,
// methods, statuses), never from a request.
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import { type CountTry, type EventsAsked, eventMetrics } from './event-metrics.ts';
import type { RequestMetrics, Server } from './server.ts';

export interface Metrics extends RequestMetrics {
  /** What this process counts. */
  readonly registry: Registry;
  /** What is the same whichever process looks: of the database as a whole. */
  readonly installation: Registry;
  /** For the committer: commands in a group, and how long it took. */
  group(size: number, ms: number): void;
  /** Who is asked, whenever somebody looks, for what is due and fails, by what it is on. */
  dueFailures(ask: () => Promise<readonly { readonly about: string; readonly count: bigint }[]>): void;
  /** Who is asked for how much of the invariants was found wrong, and for how many commits nobody has proved. */
  proofs(ask: { violated(): Promise<bigint>; unproved(): Promise<bigint> }): void;
  /** Who is asked how far events have come; what is answered counts tries. */
  events(ask: EventsAsked): CountTry;
  /** Of the last look at the payment page as it is served: how many. */
  pageDifferences(count: number): void;
}

const REQUEST_SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20];
const GROUP_SECONDS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1];

export function createMetrics(options: { readonly process?: boolean } = {}): Metrics {
  const registry = new Registry();
  const installation = new Registry();
  const registers = [registry];
  if (options.process ?? true) collectDefaultMetrics({ register: registry });
  const requests = requestMetrics(registers);
  const active = new Gauge({ name: 'http_server_active_requests', help: 'Requests being answered now.', registers });
  const groupSize = new Histogram({
    name: 'committer_group_size',
    help: 'Commands that were committed together.',
    buckets: [1, 2, 4, 8, 16, 32, 64, 128, 256],
    registers,
  });
  const groupSeconds = new Histogram({
    name: 'committer_group_duration_seconds',
    help: 'Time to load, decide, write and commit a group.',
    buckets: GROUP_SECONDS,
    registers,
  });
  const commands = new Counter({
    name: 'committer_commands_total',
    help: 'Commands that went through the committer.',
    registers,
  });
  const pageDifferences = new Gauge({
    name: 'florin_page_check_differences',
    help: 'Differences between the payment page as it is served and its manifest, when it was last looked at.',
    registers,
  });
  return {
    registry,
    installation,
    started: () => active.inc(),
    finished(...of) {
      active.dec();
      requests(...of);
    },
    group(size, ms) {
      groupSize.observe(size);
      groupSeconds.observe(ms / 1000);
      commands.inc(size);
    },
    dueFailures(ask) {
      new Gauge({
        name: 'florin_due_failures',
        help: 'Work that is due, fails and will be tried again, by what it is on.',
        labelNames: ['about'],
        registers: [installation],
        async collect() {
          // Of a database that doesn't answer nothing is known.
          const counts = await ask().catch(() => []);
          this.reset();
          for (const { about, count } of counts) this.set({ about }, Number(count));
        },
      });
    },
    proofs({ violated, unproved }) {
      const wrong = 'What proofs of the invariants have found wrong, and not right since.';
      askedGauge('florin_invariants_violated', wrong, violated, registers);
      askedGauge('florin_unproved_commits', 'Commits that no proof has looked at yet.', unproved, registers);
    },
    events: (ask) => eventMetrics(registry, installation, ask),
    pageDifferences: (count) => pageDifferences.set(count),
  };
}

/** A number that is asked for whenever somebody looks. Where nobody answers it stays as it was. */
function askedGauge(name: string, help: string, ask: () => Promise<bigint>, registers: Registry[]): void {
  new Gauge({
    name,
    help,
    registers,
    async collect() {
      const count = await ask().catch(() => null);
      if (count !== null) this.set(Number(count));
    },
  });
}

/** How many of each route and status, and how long they took together; how that is spread of each part of the server, in buckets. */
function requestMetrics(registers: Registry[]): RequestMetrics['finished'] {
  const name = 'http_server_request_duration_seconds';
  const labelNames = ['http_request_method', 'http_route', 'http_response_status_code'];
  const count = new Counter({
    name: `${name}_count`,
    help: 'Requests that were answered, by route template.',
    labelNames,
    registers,
  });
  const sum = new Counter({
    name: `${name}_sum`,
    help: 'Time from the request header to the end of the answer, by route template.',
    labelNames,
    registers,
  });
  const spread = new Histogram({
    name: 'florin_request_seconds',
    help: 'Time from the request header to the end of the answer, by the first name in the path.',
    labelNames: ['part', 'http_request_method'],
    buckets: REQUEST_SECONDS,
    registers,
  });
  return (method, route, status, seconds) => {
    const labels = { http_request_method: method, http_route: route, http_response_status_code: status };
    count.inc(labels);
    sum.inc(labels, seconds);
    spread.observe({ part: route.split('/')[1] ?? route, http_request_method: method }, seconds);
  };
}

export interface Readiness {
  readonly ok: boolean;
  /** What was looked at, by name: `{database: true, migrations: false}`. */
  readonly checks: Readonly<Record<string, boolean>>;
  /** What each link to an acquirer is at; a link that is down makes nothing unready. */
  readonly links?: Readonly<Record<string, string>>;
  /** What an operator should see to, and what doesn't make it unready: codes. */
  readonly warnings?: readonly string[];
}

/** Mounts /healthz (the process answers), /readyz (it can do its work) and /metrics. */
export function operations(
  server: Server,
  options: { readonly metrics: () => Promise<string>; readonly ready: () => Promise<Readiness> },
): void {
  const { metrics, ready } = options;
  const headers = { 'cache-control': 'no-store', 'content-security-policy': "default-src 'none'" };
  const json = { ...headers, 'content-type': 'application/json; charset=utf-8' };

  server.app.get('/healthz', (_request, reply) => reply.headers(json).send('{"ok":true}'));

  server.app.get('/readyz', async (_request, reply) => {
    // A check that can't be made is a check that failed.
    const answer = await ready().catch((): Readiness => ({ ok: false, checks: {} }));
    return reply
      .code(answer.ok ? 200 : 503)
      .headers(json)
      .send(JSON.stringify(answer));
  });

  server.app.get('/metrics', async (_request, reply) => {
    return reply.headers({ ...headers, 'content-type': Registry.PROMETHEUS_CONTENT_TYPE }).send(await metrics());
  });
}
