// The endpoints that are sent to, of all owners, in memory: whether an event is for one is asked for every event.
// Rule: what this process changed is there once its change resolves, what another one changed two seconds later.
import type { Clock, Log } from '../../base/index.ts';
import { type Db, kept } from '../../store/index.ts';
import { type Endpoint, typesOf } from './model.ts';
import { endpointsEnabled } from './queries.ts';

/** What an event is sent by: its type, and what it is about. */
export interface Told {
  readonly type: string;
  readonly subject_id: bigint;
}

export interface EndpointsInMemory {
  /** Every endpoint that is enabled. */
  all(): Promise<readonly Endpoint[]>;
  /** Is the event for it? Never one that tells of itself. */
  wants(endpoint: Endpoint, event: Told): boolean;
  /** What was committed before this call is in memory when it resolves, or at the latest when memory is read next. */
  refresh(): Promise<void>;
}

export function endpointsInMemory({
  database,
  clock,
  log,
}: {
  readonly database: Db;
  readonly clock: Clock;
  readonly log: Log;
}): EndpointsInMemory {
  let endpoints: readonly Endpoint[] = [];
  /** Of each as it stands: a changed one is another object. */
  const types = new WeakMap<Endpoint, ReadonlySet<string>>();
  const { fresh, refresh } = kept(
    'webhooks',
    async () => {
      endpoints = await endpointsEnabled(database);
    },
    { clock, log },
  );
  return {
    refresh,
    async all() {
      await fresh();
      return endpoints;
    },
    wants(endpoint, { type, subject_id }) {
      const wanted = types.get(endpoint) ?? typesOf(endpoint);
      types.set(endpoint, wanted);
      return wanted.has(type) && !(type.startsWith('webhook.') && subject_id === endpoint.id);
    },
  };
}
