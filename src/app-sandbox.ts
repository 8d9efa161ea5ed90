// The API by which a sandbox is played with: its clock, its acquirer, and what each half has in it.
import type { Sandbox } from './app-ground.ts';
import type { Half } from './app-half.ts';
import type { DueWork } from './app-work.ts';
import type { Permutation } from './base/index.ts';
import type { Api, Authentication, Operator } from './http/index.ts';
import type { FaultPlan, Simulator } from './network/index.ts';
import { simulatorApi } from './sandbox/index.ts';

export interface SandboxApiOptions {
  readonly simulator: Simulator;
  readonly permutation: Permutation;
  readonly halves: readonly Half[];
  readonly due: DueWork;
  readonly authentication: Authentication<Operator>;
}

/** The simulator's API, with what each half has in it. */
export function sandboxApi(
  { clock: sandboxClock, faults }: Sandbox,
  { simulator, permutation, halves, due, authentication }: SandboxApiOptions,
): Api<Operator> {
  const routes = {
    sandboxClock,
    simulator,
    setFaults: (plan: FaultPlan) => faults.set(plan),
    outward: (id: bigint) => permutation.outward(id),
    advanceTo: (target: Date) => due.advanceTo(sandboxClock, target),
    scenarios: async () => (await Promise.all(halves.map((half) => half.scenarios()))).flat(),
  };
  return simulatorApi(
    routes,
    authentication,
    halves.flatMap(({ simulator: endpoints }) => endpoints),
  );
}
