// The acquirer of a sandbox, which answers in this process.
import type { Closer } from './app-closing.ts';
import { DRAIN_MS, type Ground, type Sandbox } from './app-ground.ts';
import { type Log, systemClock } from './base/index.ts';
import { createSimulator, type IssuerHost, type Simulator } from './network/index.ts';
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
  /** Answers for the cards that are issued here; null: none are. */
  readonly issuer: IssuerHost | null;
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
