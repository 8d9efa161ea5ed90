// What operators are served with: what both halves share, and the endpoints of each.
import type { Common } from './app-common.ts';
import type { Half } from './app-half.ts';
import { eventMaker, operatorDesk, operatorEventEndpoints } from './events/index.ts';
import type { Api, Authentication, Operator, OperatorEndpoint } from './http/index.ts';
import { type Inspection, inspectionEndpoints, operatorApi, rangeEndpoints, rateEndpoints } from './operator/index.ts';

export interface OperatedOptions extends Pick<Inspection, 'invariants' | 'failing' | 'checkPages'> {
  readonly halves: readonly Half[];
  readonly authentication: Authentication<Operator>;
}

export function operated(common: Common, options: OperatedOptions): Api<Operator> {
  const { database, clock, publicUrl, changes, rates, keyed, vault, turns } = common;
  const { halves, authentication, ...looks } = options;
  return operatorApi({
    authentication,
    turns,
    endpoints: [
      ...halves.flatMap(({ operator }) => operator),
      ...ownEvents(common),
      ...rateEndpoints({ database, rates, clock, publicUrl, changes }),
      ...rangeEndpoints({ database, changes, clock }),
      ...inspectionEndpoints({ database, keyed, changes, keys: vault, ...looks }),
    ],
  });
}

/** What concerns the installation, and where its operator wants to be told of it. */
function ownEvents({
  database: db,
  committer,
  permutation,
  config,
  events: ground,
  changes,
  publicUrl,
}: Common): OperatorEndpoint[] {
  const events = eventMaker({ permutation, mode: config.mode, ownerType: 'operator', nameOf: () => 'operator' });
  const desk = operatorDesk(ground, { db, committer, events });
  return operatorEventEndpoints({
    ground,
    changes,
    publicUrl,
    ownerType: 'operator',
    tag: 'Events',
    names: 'operator',
    at: '',
    named: {},
    desk: async () => desk,
  });
}
