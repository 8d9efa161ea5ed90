// A process that sends, and is killed: started by kill.test.ts. Its time runs fast, so that a plan of three days fits into a test.
import { type Clock, idMaker, idPermutation, systemClock, systemRandom } from '../../src/base/index.ts';
import {
  createDelivery,
  createEgress,
  createSlots,
  endpointKey,
  postBy,
  type Receiver,
  signatureHeaders,
} from '../../src/events/index.ts';
import { type Connection, openDatabase, openLease } from '../../src/store/index.ts';
import { silent } from '../support/database.ts';

export interface ChildSetup {
  readonly connection: Connection;
  readonly owner: string;
  readonly receivers: readonly { readonly id: string; readonly url: string; readonly ordered: boolean }[];
  readonly startMs: number;
  readonly node: number;
  readonly plant: 'cursor_before_outcome' | null;
}

/** The same for all processes, as their next tries stand in one table. */
const faster = (times: number): Clock => ({
  now: () => new Date(setup.startMs + (systemClock.now().getTime() - setup.startMs) * times),
  elapsed: () => systemClock.elapsed() * times,
  sleep: (ms, signal) => systemClock.sleep(ms / times, signal),
});

const setup = JSON.parse(process.argv[2] ?? '') as ChildSetup;
const database = openDatabase(setup.connection, { log: silent });
const lease = await openLease({
  db: database,
  clock: systemClock,
  log: silent,
  alone: false,
  times: { leaseMs: 1_000, renewMs: 100 },
});
const owner = BigInt(setup.owner);
const key = endpointKey((purpose, data) => Buffer.from(`${purpose} ${data}`.padEnd(32).slice(0, 32)), owner, 1n, 1);
const receivers = setup.receivers.map(
  ({ id, url, ordered }): Receiver => ({
    owner,
    id: BigInt(id),
    url,
    payload: 'full',
    concurrency: 8,
    ordered,
    wants: () => true,
    sign: (event, _at, body) =>
      signatureHeaders({ id: event, at: systemClock.now(), body, keys: [key], scheme: 'hmac' }),
  }),
);
const egress = createEgress({
  allow: { private: true, http: true, exceptions: [] },
  own: () => [],
  inbox: null,
  ca: null,
  proxy: null,
  clock: systemClock,
});
const planted =
  setup.plant === 'cursor_before_outcome'
    ? // What is on its way counts as done: the answer comes only when the cursor has long passed.
      {
        ...database,
        query: (async (text: string, values?: readonly unknown[]) => {
          const rows = await database.query(text, values);
          if (text.includes('from event_log l'))
            await database.query(
              'update webhook_cursors set position = $3 where owner_id = $1 and position < $3 and $2 = $2',
              [owner, 0n, (rows as readonly { position: bigint }[]).at(-1)?.position ?? 0n],
            );
          return rows;
        }) as typeof database.query,
      }
    : database;
const delivery = createDelivery({
  database: planted,
  clock: faster(20),
  business: faster(2_000),
  ids: idMaker(systemClock, setup.node),
  random: systemRandom,
  log: silent,
  permutation: idPermutation(Buffer.alloc(16, 1)),
  agent: 'Florin',
  slots: createSlots(),
  lease,
  receivers: async () => receivers,
  post: postBy(egress, systemClock),
  standings: {
    failing: async () => undefined,
    recovered: async () => undefined,
    givenUp: async () => undefined,
    disable: async () => undefined,
  },
});
process.on('disconnect', () => process.exit());
process.send?.('ready');
await delivery.run(new AbortController().signal);
