// Faults on purpose: a plan says which operation, counted from the moment it was set, meets which outcome; chance comes from its seed.
// Rule: what happens to the n-th operation of a kind depends on plan, kind and n alone, so a plan replays whatever runs in between.
import { seededRandom } from '../../base/index.ts';
import type { NetworkRequest } from '../message.ts';
import { type Fault, type Moment, momentFrom, momentOf, type Outcome, outcomeFrom } from './cards.ts';

/** What a plan counts: operations by kind, and inquiries by call. */
export type Planned = Exclude<Moment, 'settlement'> | 'inquire';

export interface FaultPlan {
  readonly seed: number;
  /** `ordinal` counts from 1. */
  readonly schedule: readonly { readonly operation: Planned; readonly ordinal: number; readonly outcome: Outcome }[];
  /** Probability (0 to 1) of a random fault for every operation that the schedule leaves alone; never for inquiries. */
  readonly rate: number;
}

export interface Injected {
  readonly operation: Planned;
  readonly ordinal: number;
  readonly outcome: Outcome;
}

export interface Faults {
  /** Replaces the plan; a new id counts from 1 again. */
  set(plan: FaultPlan, id?: string): void;
  plan(): FaultPlan;
  /** What the plan has in store for this message; null: nothing. Repeats of a reference are neither counted nor hit. */
  forRequest(request: NetworkRequest): Promise<Outcome | null>;
  forInquiry(): Promise<Outcome | null>;
  /** What was injected since the plan was set, in order; the last 1000. */
  injected(): readonly Injected[];
}

const NOTHING: FaultPlan = { seed: 0, schedule: [], rate: 0 };
const KINDS: readonly Planned[] = ['authorize', 'charge', 'reverse', 'refund', 'credit', 'rebill', 'inquire'];
const RANDOM_FAULTS: readonly Fault[] = ['lost_before', 'lost_after', 'twice', 'malformed', 'reset', 'late'];
const REMEMBERED = 1000;

/** How often a plan has met an operation, this time included. */
export type FaultCount = (planId: string, operation: Planned) => number | Promise<number>;

/** For one process alone. */
function countHere(): FaultCount {
  let counts = new Map<Planned, number>();
  let counted = '';
  return (planId, operation) => {
    if (planId !== counted) counts = new Map();
    counted = planId;
    counts.set(operation, (counts.get(operation) ?? 0) + 1);
    return counts.get(operation) as number;
  };
}

export function createFaults(count: FaultCount = countHere()): Faults {
  let plan = NOTHING;
  let planId = '';
  let planned = new Map<string, Outcome>();
  let injected: Injected[] = [];

  async function next(operation: Planned): Promise<Outcome | null> {
    if (planned.size === 0 && plan.rate === 0) return null;
    const [schedule, { rate, seed }] = [planned, plan];
    const ordinal = await count(planId, operation);
    const outcome =
      schedule.get(`${operation} ${ordinal}`) ??
      (operation === 'inquire' ? null : byChance({ rate, seed }, operation, ordinal));
    if (outcome) {
      injected.push({ operation, ordinal, outcome });
      if (injected.length > REMEMBERED) injected = injected.slice(-REMEMBERED);
    }
    return outcome;
  }

  return {
    set(wanted, id = `${Number(planId) + 1}`) {
      plan = wanted;
      planId = id;
      planned = new Map(wanted.schedule.map((item) => [`${item.operation} ${item.ordinal}`, item.outcome] as const));
      injected = [];
    },
    plan: () => plan,
    forRequest: async (request) => (request.attempt === 1 ? next(momentOf(request) as Planned) : null),
    forInquiry: () => next('inquire'),
    injected: () => injected,
  };
}

function byChance(
  { seed, rate }: Pick<FaultPlan, 'seed' | 'rate'>,
  operation: Planned,
  ordinal: number,
): Outcome | null {
  if (rate === 0) return null;
  const random = seededRandom(
    (Math.imul(seed + KINDS.indexOf(operation), 0x9e3779b1) ^ Math.imul(ordinal, 0x85ebca77)) >>> 0,
  );
  if (random.int(1_000_000) >= rate * 1_000_000) return null;
  return { fault: RANDOM_FAULTS[random.int(RANDOM_FAULTS.length)] as Fault };
}

/** The body of PUT /simulator/faults. */
export interface FaultPlanInput {
  readonly seed?: number;
  readonly schedule?: readonly {
    readonly operation: string;
    readonly ordinal: number;
    readonly fault: string | number;
  }[];
  readonly rate?: number;
}

/** The plan that the body means, or the JSON pointer of the first member that means nothing. */
export function faultPlanFrom(input: FaultPlanInput): { readonly plan: FaultPlan } | { readonly wrong: string } {
  const { seed = 0, rate = 0, schedule = [] } = input;
  if (!Number.isSafeInteger(seed)) return { wrong: '#/seed' };
  if (!(rate >= 0 && rate <= 1)) return { wrong: '#/rate' };
  const items: FaultPlan['schedule'][number][] = [];
  for (const [i, { operation, ordinal, fault }] of schedule.entries()) {
    const moment = operation === 'inquire' ? operation : momentFrom(operation);
    const outcome = outcomeFrom(String(fault));
    if (moment === null || moment === 'settlement') return { wrong: `#/schedule/${i}/operation` };
    if (!Number.isSafeInteger(ordinal) || ordinal < 1) return { wrong: `#/schedule/${i}/ordinal` };
    if (outcome === null || (moment === 'inquire' && 'code' in outcome)) return { wrong: `#/schedule/${i}/fault` };
    items.push({ operation: moment, ordinal, outcome });
  }
  return { plan: { seed, rate, schedule: items } };
}
