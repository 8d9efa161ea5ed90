// The simulated acquirer over a record in memory: the same decisions as over Postgres, one command after the other.
import { createLog, seededRandom, systemClock } from '../../src/base/index.ts';
import { createSimulator, type Simulator, type SimulatorOptions } from '../../src/network/index.ts';
import type { Entry, OrderKey, ReferenceKey } from '../../src/network/queries.ts';
import type { Committer, Loaded } from '../../src/store/index.ts';
import { toldAt } from '../support/decisions.ts';

export interface MemoryAcquirer {
  readonly simulator: Simulator;
  readonly entries: readonly Entry[];
}

export function memoryAcquirer(options: Partial<SimulatorOptions> = {}): MemoryAcquirer {
  const entries: Entry[] = [];
  const views: Readonly<Record<string, (key: never) => unknown>> = {
    simulator_order: ({ owner, orderId }: OrderKey) => {
      const book = entries.filter((entry) => entry.owner_id === owner && entry.subject_id === orderId);
      return book.length > 0 ? book : undefined;
    },
    simulator_reference: ({ owner, reference }: ReferenceKey) =>
      entries.find((entry) => entry.owner_id === owner && entry.reference === reference),
  };
  const loaded: Loaded = { get: (kind, key) => views[kind.name]?.(key as never) as never };
  const committer: Committer = {
    async submit(command) {
      const { value, changes } = command.decide(loaded, toldAt(systemClock.now()));
      for (const change of changes) entries.push(change.row as unknown as Entry);
      return value;
    },
    waitingMs: () => 0,
    drain: async () => undefined,
  };
  const simulator = createSimulator({
    committer,
    database: { query: async () => [] },
    clock: systemClock,
    random: seededRandom(7),
    log: createLog('silent'),
    lostAfterMs: 5,
    slowMs: 10,
    lateAfterMs: 5,
    ...options,
  });
  return { simulator, entries };
}
