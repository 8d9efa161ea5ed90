// Which process sends what: each endpoint is one process', so that its order, its pace and its sockets lie together.
// Rule: a process that may have been taken for dead begins nothing more, and what it would write is refused.
import type { Lease } from '../../store/index.ts';
import { headsOf } from '../log/index.ts';
import { replaySome } from './desk.ts';
import { cursorLease, cursorRelease, cursorsFree, webhooksDue } from './queries.ts';
import type { Receiver } from './receiver.ts';
import { openSender, type Sender, type SenderDeps } from './sender.ts';

export interface DeliveryOptions extends Omit<SenderDeps, 'mayBegin'> {
  /** Every endpoint that is enabled, whosever, as it stands. */
  readonly receivers: () => Promise<readonly Receiver[]>;
  readonly lease: Pick<Lease, 'process' | 'held' | 'living'>;
}

export interface Delivery {
  /** An owner's log has grown. */
  wake(owner: bigint): void;
  /** Sends until the signal; resolves when what was on its way is written. */
  run(signal: AbortSignal): Promise<void>;
}

const LOOK_MS = 500;

interface Held {
  readonly sender: Sender;
  readonly process: bigint;
  receiver: Receiver;
}

const nameOf = (owner: bigint, webhook: bigint): string => `${owner}/${webhook}`;

/** Long: which endpoints this process holds is one state. */
export function createDelivery(options: DeliveryOptions): Delivery {
  const { database, clock, business, log, lease } = options;
  const held = new Map<string, Held>();
  /** As they were looked at last. */
  const heads = new Map<bigint, bigint>();

  async function lookOnce(): Promise<void> {
    const receivers = new Map((await options.receivers()).map((one) => [nameOf(one.owner, one.id), one]));
    await dropOld(receivers);
    const living = [...(await lease.living())];
    for (const { owner_id, webhook_id } of await cursorsFree(database, living)) {
      const receiver = receivers.get(nameOf(owner_id, webhook_id));
      if (receiver && lease.held()) await begin(receiver, living);
    }
    await replaySome(options, (owner, webhook) => held.get(nameOf(owner, webhook))?.receiver.wants ?? null);
    for (const { owner_id, webhook_id } of await webhooksDue(database, business.now()))
      held.get(nameOf(owner_id, webhook_id))?.sender.wake();
    await lookAtHeads();
  }

  /** Those that are disabled or gone, and those that were begun under a number that is dead by now. */
  async function dropOld(receivers: ReadonlyMap<string, Receiver>): Promise<void> {
    for (const [name, one] of held) {
      const receiver = receivers.get(name);
      if (!receiver || one.process !== lease.process()) await letGo(name, one);
      else if (one.receiver !== receiver) {
        one.receiver = receiver;
        one.sender.update(receiver);
      }
    }
  }

  async function begin(receiver: Receiver, living: readonly bigint[]): Promise<void> {
    const process = lease.process();
    const cursor = await cursorLease(database, receiver.owner, receiver.id, process, living);
    if (!cursor) return;
    const sender = openSender({ ...options, mayBegin: lease.held }, receiver, cursor, process);
    held.set(nameOf(receiver.owner, receiver.id), { sender, process, receiver });
  }

  /** What another process has numbered. */
  async function lookAtHeads(): Promise<void> {
    const owners = [...new Set([...held.values()].map(({ receiver }) => receiver.owner))];
    for (const { owner_id, position } of await headsOf(database, owners)) {
      if (heads.get(owner_id) !== position) wake(owner_id);
      heads.set(owner_id, position);
    }
  }

  function wake(owner: bigint): void {
    for (const { receiver, sender } of held.values()) if (receiver.owner === owner) sender.wake();
  }

  async function letGo(name: string, { sender, receiver, process }: Held): Promise<void> {
    held.delete(name);
    await sender.stop();
    await cursorRelease(database, receiver.owner, receiver.id, process);
  }

  return {
    wake,
    async run(signal) {
      while (!signal.aborted) {
        await lookOnce().catch((error: unknown) => log.warn({ err: error }, 'endpoints could not be looked at'));
        await clock.sleep(LOOK_MS, signal).catch(() => undefined);
      }
      await Promise.all([...held].map(([name, one]) => letGo(name, one)));
    },
  };
}
