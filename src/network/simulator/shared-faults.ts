// One plan of faults for all processes on a database: set by any, met by each, counted together.
import type { Db, Shared } from '../../store/index.ts';
import { faultCountAdd, faultCountsKeep } from '../queries.ts';
import type { FaultCount, FaultPlan, Faults } from './faults.ts';

interface Value {
  readonly id: string;
  readonly plan: FaultPlan;
}

const NAME = 'faults';

export interface SharedFaults {
  readonly count: FaultCount;
  /** `faults` follows from now on. */
  follow(faults: Faults): void;
  /** Replaces everybody's plan and counts from 1 again; resolves when all that live have it. */
  set(plan: FaultPlan): Promise<void>;
}

/** `newId` never gives an id twice. */
export function sharedFaults(db: Db, shared: Shared, newId: () => string): SharedFaults {
  return {
    count: (planId, operation) => faultCountAdd(db, planId, operation),
    follow: (faults) => shared.on<Value>(NAME, ({ id, plan }) => faults.set(plan, id)),
    async set(plan) {
      const id = newId();
      await faultCountsKeep(db, id);
      await shared.change<Value>(NAME, () => ({ id, plan }));
    },
  };
}
