// /simulator: time, faults and the acquirer's own books, in sandbox mode only.
import Type from 'typebox';
import { addMs, jsonText, parseDuration, parseInstant } from '../base/index.ts';
import {
  type Api,
  type Authentication,
  Failure,
  Flag,
  Integer,
  invalid,
  type Operator,
  type OperatorEndpoint,
  Optional,
  operatorEndpoint,
  Shape,
  Text,
  Token,
} from '../http/index.ts';
import { type FaultPlan, faultPlanFrom, type Simulator } from '../network/index.ts';
import { operatorEnvelope } from '../operator/index.ts';
import type { SandboxClock } from './clock.ts';
import { acquirerBooks, faultPlan, movedClock, scenarioList, shownClock } from './schemas.ts';

/** The simulator's API. `more`: endpoints of other rooms under the same prefix and secret. */
export const simulatorApi = (
  routes: SimulatorRoutes,
  authentication: Authentication<Operator>,
  more: readonly OperatorEndpoint[],
): Api<Operator> => ({
  prefix: '/simulator',
  cause: 'simulator',
  patient: true,
  name: 'Simulator',
  envelope: operatorEnvelope,
  authentication,
  failures: ['rate_limited'],
  endpoints: [...more, ...simulatorEndpoints(routes)],
});

export interface SimulatorRoutes {
  readonly sandboxClock: SandboxClock;
  readonly simulator: Simulator;
  /** For all processes. */
  readonly setFaults: (plan: FaultPlan) => Promise<void>;
  /** An order's id as merchants know it. */
  readonly outward: (id: bigint) => string;
  /** Runs what is due on the way; what could not be run, at most a hundred. */
  readonly advanceTo: (target: Date) => Promise<readonly object[]>;
  /** For each documented error of both APIs a request that provokes it. */
  readonly scenarios: () => Promise<readonly object[]>;
}

/** Ids hold their moment in 41 bits, which end in 2094, and what is made on the last day still needs some years to live. */
const CLOCK_RANGE = ['2000-01-01', '2090-01-01'] as const;

/** The moment, if the clock can go there. */
function reachable(at: Date | null, uri: string): Date {
  const [from, to] = CLOCK_RANGE;
  if (at && at >= new Date(from) && at < new Date(to)) return at;
  const details = [`ISO 8601, from ${from}, before ${to}`];
  throw invalid({ message: 'Not a date-time', uri, attribute: 'format', details });
}

function simulatorEndpoints({
  sandboxClock,
  simulator,
  setFaults,
  outward,
  advanceTo,
  scenarios,
}: SimulatorRoutes): OperatorEndpoint[] {
  const { clock } = sandboxClock;
  const told = () => ({ status: 200, body: { now: clock.now().toISOString(), frozen: clock.frozen } });
  /** The clock, and what was due on the way and could not be run; it is tried again. */
  const moved = (not_run: readonly object[]) => ({ status: 200, body: { ...told().body, not_run } });
  const answers = { 200: { description: 'The clock', schema: shownClock } };
  const movedAnswers = { 200: { description: 'The clock, and what could not be run on the way', schema: movedClock } };
  return [
    operatorEndpoint({
      method: 'GET',
      path: '/clock',
      operation: 'readClock',
      summary: 'Read the clock',
      right: null,
      answers,
      handler: told,
    }),
    operatorEndpoint({
      method: 'PUT',
      path: '/clock',
      operation: 'setClock',
      summary: 'Set or freeze the clock',
      right: null,
      answers: movedAnswers,
      body: Shape({ now: Optional(Text()), frozen: Optional(Flag()) }),
      async handler({ body }) {
        const now = body.now === undefined ? null : reachable(parseInstant(body.now), '#/now');
        let not_run: readonly object[] = [];
        // Frozen before it is set, so that it stands where it was set to.
        if (body.frozen) await sandboxClock.change((shared) => shared.freeze(true));
        const forward = now !== null && now > clock.now();
        if (forward) not_run = await advanceTo(now);
        await sandboxClock.change((shared) => {
          if (now && !forward) shared.set(now);
          if (body.frozen === false) shared.freeze(false);
        });
        return moved(not_run);
      },
    }),
    operatorEndpoint({
      method: 'POST',
      path: '/clock/advance',
      operation: 'advanceClock',
      summary: 'Move time on; what is due runs before the answer',
      right: null,
      answers: movedAnswers,
      body: Shape({ by: Text() }),
      async handler({ body }) {
        const ms = parseDuration(body.by);
        if (ms === null)
          throw invalid({
            message: 'Not a duration',
            uri: '#/by',
            attribute: 'format',
            details: ['30s, 15m, 2h, 7d; at most 366d'],
          });
        return moved(await advanceTo(reachable(addMs(clock.now(), ms), '#/by')));
      },
    }),
    operatorEndpoint({
      method: 'PUT',
      path: '/faults',
      operation: 'setFaults',
      summary: 'Schedule faults on the link',
      right: null,
      answers: { 200: { description: 'The plan in force', schema: faultPlan } },
      body: Shape({
        seed: Optional(Integer(0, 2_147_483_647)),
        rate: Optional(Token()),
        schedule: Optional(
          Type.Array(Shape({ operation: Text(), ordinal: Integer(1, 1_000_000_000), fault: Token() }), {
            maxItems: 1000,
          }),
        ),
      }),
      async handler({ body }) {
        const { rate, ...plan } = body;
        const read = faultPlanFrom({ ...plan, ...(rate === undefined ? {} : { rate: Number(rate) }) });
        if ('wrong' in read)
          throw invalid({
            message: 'Not a fault plan',
            uri: read.wrong,
            attribute: 'fault',
            details: ['see the list of outcomes'],
          });
        await setFaults(read.plan);
        return { status: 200, body: simulator.faults.plan() };
      },
    }),
    operatorEndpoint({
      method: 'GET',
      path: '/faults',
      operation: 'readFaults',
      summary: 'The plan in force',
      right: null,
      answers: { 200: { description: 'Plan', schema: faultPlan } },
      handler: () => ({ status: 200, body: simulator.faults.plan() }),
    }),
    operatorEndpoint({
      method: 'GET',
      path: '/scenarios',
      operation: 'listScenarios',
      summary: 'For each documented error of both APIs one request that provokes it, ready to send',
      right: null,
      answers: { 200: { description: 'Requests, and what each is answered', schema: scenarioList } },
      handler: async () => ({ status: 200, body: { scenarios: await scenarios() } }),
    }),
    operatorEndpoint({
      method: 'GET',
      path: '/books',
      operation: 'readBooks',
      summary: "The acquirer's own sums by order",
      right: null,
      answers: { 200: { description: 'Books', schema: acquirerBooks } },
      handler: async () => ({
        status: 200,
        body: jsonText({
          books: (await simulator.books()).map(({ owner: _, orderId, ...sums }) => ({
            order_id: outward(orderId),
            ...sums,
          })),
        }),
      }),
    }),
  ];
}

/** A dispute's news from the network; false when the order does not take it, null: no such order. */
type Arrive = (orderId: string, type: 'chargeback' | 'representment') => Promise<boolean | null>;

/** What comes to an order from the issuer's side by itself. */
export const disputeEndpoints = (arrive: Arrive): OperatorEndpoint[] =>
  (['chargeback', 'representment'] as const).map((type) =>
    operatorEndpoint({
      method: 'POST',
      path: `/orders/:id/${type}`,
      operation: `${type}Order`,
      summary: type === 'chargeback' ? 'The issuer takes a charge back' : 'The dispute was won',
      description: 'Not for cards that are issued here: their issuer knows no disputes yet (409).',
      right: null,
      params: Type.Object({ id: Type.String() }),
      answers: { 204: { description: 'Booked' }, 409: { description: `The order does not take a ${type} now` } },
      async handler({ params }) {
        const arrived = await arrive(params.id, type);
        if (arrived === null) throw new Failure('not_found');
        if (!arrived) throw new Failure('conflict', { message: `The order does not take a ${type} now` });
        return { status: 204, body: null };
      },
    }),
  );
