// The API by which a sandbox is played with: its clock, its acquirer, and what each half has in it.
import { type Common, INBOX } from './app-common.ts';
import type { Sandbox } from './app-ground.ts';
import type { Half } from './app-half.ts';
import type { DueWork } from './app-work.ts';
import { type Permutation, systemClock } from './base/index.ts';
import { judgeArrivals } from './events/index.ts';
import type { Api, Authentication, Operator, OperatorEndpoint } from './http/index.ts';
import type { FaultPlan, Simulator } from './network/index.ts';
import { createInbox, inboxEndpoints, receiveAt, simulatorApi } from './sandbox/index.ts';

export interface SandboxApiOptions {
  readonly simulator: Simulator;
  readonly permutation: Permutation;
  readonly halves: readonly Half[];
  readonly due: DueWork;
  readonly inbox: readonly OperatorEndpoint[];
  readonly authentication: Authentication<Operator>;
}

/** The simulator's API, with what each half has in it. */
export function sandboxApi(
  { clock: sandboxClock, faults }: Sandbox,
  { simulator, permutation, halves, due, inbox, authentication }: SandboxApiOptions,
): Api<Operator> {
  const routes = {
    sandboxClock,
    simulator,
    setFaults: (plan: FaultPlan) => faults.set(plan),
    outward: (id: bigint) => permutation.outward(id),
    advanceTo: (target: Date) => due.advanceTo(sandboxClock, target),
    scenarios: async () => (await Promise.all(halves.map((half) => half.scenarios()))).flat(),
  };
  return simulatorApi(routes, authentication, [...inbox, ...halves.flatMap(({ simulator: endpoints }) => endpoints)]);
}

/** Where a sandbox receives what it sends itself: opened here, and looked at by what this gives back. */
export function openInbox({
  server,
  database,
  keyed,
  permutation,
  clock,
}: Pick<Common, 'server' | 'database' | 'keyed' | 'permutation' | 'clock'>): OperatorEndpoint[] {
  const judge = judgeArrivals({ database, keyed, permutation, time: systemClock, business: clock });
  const inbox = createInbox({ database, judge, time: systemClock, prefix: INBOX });
  receiveAt(server, INBOX, { inbox, time: systemClock });
  return inboxEndpoints(inbox);
}
