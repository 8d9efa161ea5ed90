// simulator: the acquirer of a sandbox, in the process. Owns what test cards do, the plan of faults, and the record of what was done.
// Rule: it is a link like any other to whoever sends; what it does by a card's number or a plan, it does in sandbox mode alone.

export {
  type Chargeback,
  type Fault,
  type Outcome,
  outcomeOf,
  simulatedIssuer,
  type ThreedsOutcome,
  threedsOutcome,
} from './cards.ts';
export { type FaultPlan, type FaultPlanInput, type Faults, faultPlanFrom, type Injected } from './faults.ts';
export { type SharedFaults, sharedFaults } from './shared-faults.ts';
export { createSimulator, type LateAnswerListener, type Simulator, type SimulatorOptions } from './simulator.ts';
