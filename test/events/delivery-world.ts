// Senders on a real log, with receivers that answer as a test wants: what arrived, when, and how often.
import { randomBytes } from 'node:crypto';
import { addMs, idMaker, idPermutation, seededRandom, systemClock, VirtualClock } from '../../src/base/index.ts';
import {
  createDelivery,
  createSlots,
  cursorPut,
  type Delivery,
  type Figures,
  type Post,
  type Posted,
  type Receiver,
} from '../../src/events/delivery/index.ts';
import { createNumbering, eventMaker } from '../../src/events/index.ts';
import { statementsFor } from '../../src/store/index.ts';
import { silent, type TestDatabase, testDatabase } from '../support/database.ts';
import { atEnd } from '../support/ends.ts';

export const SHOP = 7n;
export const permutation = idPermutation(Buffer.alloc(16, 1));

export const answered = (status: number | null, rest: Partial<Posted> = {}): Posted => ({
  status,
  cause: status === null ? 'timeout' : null,
  retryAfterMs: null,
  ms: 1,
  address: '192.0.2.1',
  response: '',
  ...rest,
});

export interface Arrived extends Post {
  readonly event: {
    readonly id: string;
    readonly type: string;
    readonly resource: { readonly id: string; readonly sequence: number };
    readonly data?: object;
  };
}

export interface DeliveryWorld {
  readonly database: TestDatabase;
  readonly clock: VirtualClock;
  readonly arrived: Arrived[];
  /** What happened to endpoints, as their owners are told. */
  readonly told: string[];
  /** Told of tries. */
  figures?: Figures;
  /** How the receiver answers; by default 200 at once. */
  answer(post: Arrived): Promise<Posted> | Posted;
  endpoint(change?: Partial<Receiver>): Promise<Receiver>;
  /** One event of the resource, with its next number. */
  event(resource: bigint): Promise<void>;
  events(count: number, resources?: number): Promise<void>;
  /** A process that sends; ended by the test's end, or by its `stop`. */
  process(database?: SenderDatabase): { readonly delivery: Delivery; stop(): Promise<void> };
  /** It is disabled, or gone. */
  drop(receiver: Receiver): void;
  /** Resolves when the condition holds; fails after ten seconds. */
  until(what: string, condition: () => boolean | Promise<boolean>): Promise<void>;
}

/** Of a process, where it is not as it should be. */
export type SenderDatabase = Pick<TestDatabase, 'query' | 'transaction'>;

let processes = 0n;
const living = new Set<bigint>();

/** Long: what happens in it, one line or a few each. */
export async function deliveryWorld(): Promise<DeliveryWorld> {
  const database = await testDatabase();
  const clock = new VirtualClock(systemClock);
  const ids = idMaker(systemClock, 3);
  const maker = eventMaker({ permutation, mode: 'sandbox', ownerType: 'project', nameOf: () => 'shop' });
  const numbering = createNumbering({ database, clock: systemClock, log: silent });
  const receivers: Receiver[] = [];
  const sequences = new Map<bigint, number>();

  const world: DeliveryWorld = {
    database,
    clock,
    arrived: [],
    told: [],
    answer: () => answered(200),
    async endpoint(change = {}) {
      const receiver: Receiver = {
        owner: SHOP,
        id: ids.next(),
        url: `https://shop.test/${randomBytes(4).toString('hex')}`,
        payload: 'full',
        concurrency: 8,
        ordered: false,
        wants: () => true,
        sign: (id, at) => ({
          'webhook-id': id,
          'webhook-timestamp': Math.floor(at.getTime() / 1000).toString(),
          'webhook-signature': 'v1,test',
        }),
        ...change,
      };
      for (const { text, values } of statementsFor([cursorPut(receiver.owner, receiver.id, 0n)]))
        await database.query(text, values);
      // It is no stranger: those are sent one request in ten seconds.
      await database.query('update webhook_cursors set succeeded_at = $3 where owner_id = $1 and webhook_id = $2', [
        receiver.owner,
        receiver.id,
        addMs(systemClock.now(), -1_000),
      ]);
      receivers.push(receiver);
      return receiver;
    },
    async event(resource) {
      const sequence = (sequences.get(resource) ?? 0) + 1;
      sequences.set(resource, sequence);
      await database.transaction((inside) =>
        maker.write(
          inside,
          { now: clock.now(), ids, cause: 'api' },
          {
            owner: SHOP,
            type: 'order.charged',
            resource: { type: 'order', id: resource, sequence },
            object: { sequence },
            before: null,
          },
        ),
      );
      numbering.wake(SHOP);
    },
    async events(count, resources = count) {
      for (let i = 0; i < count; i++) await world.event(BigInt((i % resources) + 1));
    },
    drop(receiver) {
      receivers.splice(receivers.indexOf(receiver), 1);
    },
    process(own = database) {
      processes++;
      const number = processes;
      living.add(number);
      const delivery = createDelivery({
        database: own,
        clock: systemClock,
        business: clock,
        ids: idMaker(systemClock, Number(number) + 10),
        random: seededRandom(1),
        log: silent,
        permutation,
        agent: 'Florin',
        slots: createSlots(),
        ...(world.figures ? { figures: world.figures } : {}),
        lease: { process: () => number, held: () => true, living: async () => new Set(living) },
        receivers: async () => [...receivers],
        async post(post) {
          const arrived: Arrived = { ...post, event: JSON.parse(post.body) as Arrived['event'] };
          world.arrived.push(arrived);
          return world.answer(arrived);
        },
        standings: {
          failing: async () => void world.told.push('failing'),
          recovered: async () => void world.told.push('recovered'),
          givenUp: async (_owner, _webhook, event) => void world.told.push(`given up ${event}`),
          async disable(_owner, webhook, reason) {
            world.told.push(`disabled ${reason}`);
            receivers.splice(
              receivers.findIndex(({ id }) => id === webhook),
              1,
            );
          },
        },
      });
      numbering.onNumbered((owner) => delivery.wake(owner));
      const ending = new AbortController();
      const running = delivery.run(ending.signal);
      const stop = async (): Promise<void> => {
        ending.abort(new Error('the end'));
        await running;
      };
      atEnd(stop);
      return { delivery, stop };
    },
    async until(what, condition) {
      for (let i = 0; i < 1_000; i++) {
        if (await condition()) return;
        await systemClock.sleep(10);
      }
      throw new Error(`not within ten seconds: ${what}`);
    },
  };
  return world;
}
