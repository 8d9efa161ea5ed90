// A log whose real time a test moves: events with their ids, deliveries and tries of them, and what keeps or drops them.
import { addDays, idMaker, systemClock, VirtualClock } from '../../../src/base/index.ts';
import { createKeeping, createNumbering, eventMaker, type Keeping } from '../../../src/events/index.ts';
import { silent, type TestDatabase, testDatabase } from '../../support/database.ts';
import { permutation, SHOP } from '../delivery-world.ts';

export interface KeptWorld {
  readonly database: TestDatabase;
  /** Real time, as the server sees it. */
  readonly time: VirtualClock;
  /** The clock of the sandbox. */
  readonly business: VirtualClock;
  readonly keeping: Keeping;
  /** Another process, that knows nothing of the first. */
  other(): Keeping;
  /** One event of the resource, numbered; its id. */
  event(resource: bigint): Promise<bigint>;
  /** A delivery that failed, and its try, of an endpoint that there is. */
  failed(event: bigint, webhook?: bigint): Promise<void>;
  /** Days that there are, as `1123`, of events. */
  days(table?: string): Promise<string[]>;
  /** Rows, by table. */
  counts(): Promise<Record<string, number>>;
  /** So many days go by, and the chore is done on each. */
  pass(days: number): Promise<void>;
}

const TABLES = ['events', 'event_log', 'webhook_deliveries', 'webhook_attempts', 'events_beside'] as const;
export const HOOK = 5n;
export const BEGIN = new Date('2026-11-23T10:00:00Z');

/** Long: what may be done with it, a few lines each. */
export async function keptWorld(days = 30): Promise<KeptWorld> {
  const database = await testDatabase();
  const [time, business] = [new VirtualClock(systemClock), new VirtualClock(systemClock)];
  for (const clock of [time, business]) {
    clock.set(BEGIN);
    clock.freeze(true);
  }
  let node = 2;
  let ids = idMaker(business, 1, { clock: time, node });
  const maker = eventMaker({ permutation, mode: 'sandbox', ownerType: 'project', nameOf: () => 'shop' });
  const numbering = createNumbering({ database, clock: systemClock, log: silent });
  const open = (): Keeping => createKeeping({ database, time, business, log: silent, days });
  const keeping = open();
  const sequences = new Map<bigint, number>();
  await database.query(
    'insert into webhook_cursors (owner_id, webhook_id, position, failing_told, circuit_open) values ($1, $2, 0, false, false)',
    [SHOP, HOOK],
  );
  return {
    database,
    time,
    business,
    keeping,
    other: open,
    async event(resource) {
      const sequence = (sequences.get(resource) ?? 0) + 1;
      sequences.set(resource, sequence);
      // As after a start: a process goes on from the highest moment that it has seen.
      ids = idMaker(business, 1, { clock: time, node: ++node });
      await database.transaction((inside) =>
        maker.write(
          inside,
          { now: business.now(), ids, cause: 'api' },
          {
            owner: SHOP,
            type: 'order.charged',
            resource: { type: 'order', id: resource, sequence },
            object: {},
            before: null,
          },
        ),
      );
      await numbering.settle();
      const [row] = await database.query<{ event_id: bigint }>(
        'select event_id from event_log where owner_id = $1 order by position desc limit 1',
        [SHOP],
      );
      return (row as { event_id: bigint }).event_id;
    },
    async failed(event, webhook = HOOK) {
      const now = business.now();
      await database.query(
        `insert into webhook_deliveries (owner_id, webhook_id, event_id, position, subject_id, type, state, trigger, tries, next_at, created_at, updated_at)
         values ($1, $2, $3, 1, 1, 'order.charged', 'retrying', 'retry', 1, $4, $4, $4)`,
        [SHOP, webhook, event, now],
      );
      await database.query(
        `insert into webhook_attempts (owner_id, webhook_id, id, event_id, type, trigger, attempt, sent_at, ms, response)
         values ($1, $2, $3, $4, 'order.charged', 'first', 1, $5, 1, '')`,
        [SHOP, webhook, ids.real(), event, time.now()],
      );
    },
    async days(table = 'events') {
      const rows = await database.query<{ name: string }>(
        'select c.relname as name from pg_inherits i join pg_class c on c.oid = i.inhrelid where i.inhparent = $1::regclass order by 1',
        [table],
      );
      return rows.flatMap(({ name }) => /_d\d{4}(\d{4})$/.exec(name)?.[1] ?? []);
    },
    async counts() {
      const found: Record<string, number> = {};
      for (const table of TABLES) {
        const [row] = await database.query<{ count: bigint }>(`select count(*) as count from ${table}`);
        found[table] = Number(row?.count);
      }
      return found;
    },
    async pass(count) {
      for (let i = 0; i < count; i++) {
        time.set(addDays(time.now(), 1));
        await keeping.keep(new AbortController().signal);
      }
    },
  };
}
