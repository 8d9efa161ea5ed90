// What only a sandbox opens: the acquirer that answers in this process, and the API by which it is played with.
import type { Closer } from './app-closing.ts';
import { DRAIN_MS, type Ground, type Sandbox } from './app-ground.ts';
import type { DueWork } from './app-work.ts';
import { type Log, systemClock } from './base/index.ts';
import type { Gateway } from './gateway/orders/index.ts';
import { arrive } from './gateway/settlement/index.ts';
import type { Api, Authentication, Operator } from './http/index.ts';
import type { Issuing } from './issuing/index.ts';
import { createSimulator, type FaultPlan, type IssuerHost, type Simulator } from './network/index.ts';
import { gatewayScenarios, simulatorApi } from './sandbox/index.ts';
import { createCommitter } from './store/index.ts';

/** How the simulated link behaves; tests make its waits short. */
export interface SimulatedLink {
  readonly answerTimeoutMs?: number;
  readonly lostAfterMs?: number;
  readonly slowMs?: number;
  readonly lateAfterMs?: number;
  /** The acquirer forgets nothing that it has answered, even when Postgres dies in the next moment. */
  readonly durable?: boolean;
}

export interface SimulatorOptions extends SimulatedLink {
  readonly issuer: IssuerHost;
  readonly log: Log;
  readonly closers: Closer[];
}

export function openSimulator(
  { database, clock, random, told }: Ground,
  { faults }: Sandbox,
  { issuer, log, closers, ...link }: SimulatorOptions,
): Simulator {
  const acquirer = createCommitter({
    connect: () => database.session({ synchronousCommit: link.durable ?? false }),
    clock: systemClock,
    ...told,
    log,
    // An inquiry is answered behind all that was sent before it, also what it has no row to wait for yet.
    lanes: 1,
  });
  const simulator = createSimulator({
    committer: acquirer,
    database: database.patient,
    clock,
    random,
    log,
    issuer,
    countFault: faults.count,
    ...link,
  });
  faults.follow(simulator.faults);
  closers.push(
    () => acquirer.drain(DRAIN_MS),
    () => simulator.close(),
  );
  // A late approval of something that was given up changes no order: the reversal that was queued meanwhile settles it.
  simulator.onLateAnswer((answer, request) =>
    log.warn(
      { operation: request.operation, reference: request.reference, responseCode: answer.responseCode },
      'late answer dropped',
    ),
  );
  return simulator;
}

export interface SandboxApiOptions {
  readonly simulator: Simulator;
  readonly gateway: Gateway;
  readonly issuing: Issuing;
  readonly due: DueWork;
  readonly authentication: Authentication<Operator>;
}

/** The simulator's API, of both halves. */
export function sandboxApi(
  { clock: sandboxClock, faults }: Sandbox,
  { simulator, gateway, issuing, due, authentication }: SandboxApiOptions,
): Api<Operator> {
  const { permutation } = gateway;
  const routes = {
    sandboxClock,
    simulator,
    setFaults: (plan: FaultPlan) => faults.set(plan),
    outward: (id: bigint) => permutation.outward(id),
    async arrive(text: string, type: 'chargeback' | 'representment') {
      const id = permutation.inward(text);
      return id === null ? null : arrive(gateway, id, type);
    },
    advanceTo: (target: Date) => due.advanceTo(sandboxClock, target),
    scenarios: async () => [...gatewayScenarios, ...(await issuing.scenarios())],
  };
  return simulatorApi(routes, authentication, issuing.simulator);
}
