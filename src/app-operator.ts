// What operators are served with: what both halves share, and the endpoints of each.
import type { Common } from './app-common.ts';
import type { Half } from './app-half.ts';
import { type EndpointsDesk, operatorDesk, operatorEventEndpoints } from './events/index.ts';
import type { Api, Authentication, Operator, OperatorEndpoint } from './http/index.ts';
import { type Inspection, inspectionEndpoints, operatorApi, rangeEndpoints, rateEndpoints } from './operator/index.ts';

export interface OperatedOptions extends Pick<Inspection, 'invariants' | 'told' | 'failing' | 'checkPages'> {
  readonly halves: readonly Half[];
  readonly authentication: Authentication<Operator>;
}

export function operated(common: Common, options: OperatedOptions): Api<Operator> {
  const { database, clock, publicUrl, changes, rates, keyed, turns } = common;
  const { halves, authentication, ...looks } = options;
  return operatorApi({
    authentication,
    turns,
    endpoints: [
      ...halves.flatMap(({ operator }) => operator),
      ...ownEvents(common),
      ...rateEndpoints({ database, rates, clock, publicUrl, changes }),
      ...rangeEndpoints({ database, changes, clock }),
      ...inspectionEndpoints({ database, keyed, changes, keys: keysOf(common), ...looks }),
    ],
  });
}

/** The keys of the vault; a new one is told of by the transaction that registers it. */
const keysOf = ({ vault, alarms }: Common): Inspection['keys'] => ({
  ...vault,
  async prepareKey(db) {
    const key = await vault.prepareKey(db);
    await alarms.within(db, { type: 'key.rotated', name: 'vault', state: key, object: { key } });
    return key;
  },
});

/** The endpoints of the installation itself. */
export const ownDesk = ({ database: db, committer, ownEvents, events: ground }: Common): EndpointsDesk =>
  operatorDesk(ground, { db, committer, events: ownEvents });

/** What concerns the installation, and where its operator wants to be told of it. */
function ownEvents(common: Common): OperatorEndpoint[] {
  const { events: ground, changes, publicUrl } = common;
  const desk = ownDesk(common);
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
