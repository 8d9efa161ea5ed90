// A running server with the operator API on a real database, for the tests of this room. Ports that others fill are told by the test.
import { createTurns, idPermutation, type Permutation, Refusal, systemClock } from '../../src/base/index.ts';
import type { LinkFields } from '../../src/gateway/checkout/index.ts';
import { gatewayOperatorEndpoints } from '../../src/gateway/index.ts';
import { createRisk } from '../../src/gateway/risk/index.ts';
import { type AnyApi, api, createServer, rateLimiter } from '../../src/http/index.ts';
import { createRates, type Rates } from '../../src/ledger/index.ts';
import {
  auditRefusals,
  bearerAuthentication,
  type Check,
  createChanges,
  inspectionEndpoints,
  operatorApi,
  rangeEndpoints,
  rateEndpoints,
} from '../../src/operator/index.ts';
import { createCommitter } from '../../src/store/index.ts';
import { type Bench, bench, silent } from '../projects/bench.ts';

export const SECRET = 'operator-secret-of-the-tests';

export interface Installation extends Bench {
  readonly url: string;
  readonly rates: Rates;
  readonly permutation: Permutation;
  readonly declaration: AnyApi;
  /** What the invariants port answers. */
  readonly checks: Check[];
  /** Orders that the trace port knows. */
  readonly traces: Map<bigint, object>;
  /** What the links port was asked for. */
  readonly links: { readonly login: string; readonly fields: LinkFields }[];
  rotations: number;
  /** A request with the operator's secret. */
  call(method: string, path: string, body?: unknown, headers?: Readonly<Record<string, string>>): Promise<Reply>;
  /** What was counted of refused logins is told now. */
  tellRefusals(): void;
  stop(): Promise<void>;
}

export interface Reply {
  readonly status: number;
  readonly headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: a test says what it expects of an answer
  readonly body: any;
}

/** Long: an installation of small parts, each put together here once. */
export async function installation(): Promise<Installation> {
  const base = await bench();
  const { database, projects, tools, clock } = base;
  const permutation = idPermutation(Buffer.alloc(16, 7));
  const covered = {
    lookedAt: 5,
    waiting: 2n,
    owners: 3n,
    proved: 2n,
    oldest: new Date('2026-11-21T12:00:00Z'),
    underWay: 1n,
    slices: 7n,
  };
  const checks: Check[] = [{ id: 'books_balance', ok: true, violations: [] }];
  const traces = new Map<bigint, object>();
  const links: Installation['links'] = [];
  const limiter = rateLimiter(clock);
  const state = { rotations: 0 };
  const committer = createCommitter({
    connect: () => database.session(),
    clock: systemClock,
    ids: tools.ids,
    log: silent,
  });
  const { keyed } = tools;
  const rates = createRates(database);
  const turns = createTurns({
    clock: systemClock,
    shares: { atOnce: 1, perOwner: 1, perThrough: 1, perOwnerThrough: 1 },
    mostOfOwner: 100,
    longestWaitMs: 60_000,
    crowded: () => false,
    rest: 0,
  });
  const changes = createChanges({ database, committer, keyed, clock, log: silent });
  const publicUrl = 'https://pay.example';
  const endpoints = [
    ...gatewayOperatorEndpoints({
      database,
      projects,
      tools,
      permutation,
      publicUrl,
      clock,
      risk: await createRisk({ db: database, clock, ids: tools.ids, keyed }),
      changes,
      tellSetup: async () => undefined,
      previewPage: ({ brand, logo, fields }, language) => ({
        html: `<!doctype html><p lang="${language}" style="color:${brand}">${fields.join(' ')}${logo === null ? '' : ' logo'}`,
        headers: { 'content-security-policy': "default-src 'none'; img-src data:" },
      }),
      async createLink(_committer, { login }, fields) {
        links.push({ login, fields });
        return { order_id: '77', url: `https://pay.example/pay/${'t'.repeat(32)}` };
      },
      stuckOperations: async () => [],
      resolveOperation: async () => {
        throw new Refusal('operation_not_in_flight', 'conflict', 'Not in flight');
      },
      trace: async (id) => traces.get(id) ?? null,
    }),
    ...rateEndpoints({ database, rates, clock, publicUrl, changes }),
    ...rangeEndpoints({ database, changes, clock }),
    ...inspectionEndpoints({
      database,
      keyed,
      changes,
      invariants: async (full) => ({ checks, covered: full ? { ...covered, lookedAt: 0 } : covered }),
      told: async () => undefined,
      failing: async () => [],
      keys: { prepareKey: async () => `key-${++state.rotations}`, activateKey: async () => undefined },
      checkPages: async () => [],
    }),
  ];
  const refusals = auditRefusals({
    database,
    keyed: tools.keyed,
    clock,
    log: silent,
    background: (work) => void work,
  });
  const authentication = bearerAuthentication({
    secrets: [SECRET, 'the-secret-before-it'],
    failures: { limiter, rate: { perSecond: 1, burst: 200 } },
    onRefused: (origin) => refusals.refused(origin, 'operator', null),
  });
  const declaration = operatorApi({ authentication, turns, endpoints });
  const server = createServer({ log: silent, clock, random: tools.random });
  api(server, declaration);
  const { port } = await server.listen({ host: '127.0.0.1', port: 0 });
  const url = `http://127.0.0.1:${port}`;
  return {
    ...base,
    url,
    rates,
    permutation,
    declaration,
    checks,
    traces,
    links,
    get rotations() {
      return state.rotations;
    },
    async call(method, path, body, headers = { authorization: `Bearer ${SECRET}` }) {
      const response = await fetch(`${url}/operator${path}`, {
        method,
        headers: { ...headers, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      const text = await response.text();
      const isPage = response.headers.get('content-type')?.startsWith('text/html') ?? false;
      const read = isPage ? text : text === '' ? null : JSON.parse(text);
      return { status: response.status, headers: response.headers, body: read };
    },
    tellRefusals: () => refusals.tell(true),
    async stop() {
      await server.close();
      await committer.drain();
    },
  };
}
