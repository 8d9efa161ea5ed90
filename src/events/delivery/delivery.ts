// Which process sends what: each endpoint is one process', so that its order, its pace and its sockets lie together.
// Rule: a process that may have been taken for dead begins nothing more, and what it would write is refused.
import type { Lease } from '../../store/index.ts';
import { headsOf } from '../log/index.ts';
import { replaySome } from './desk.ts';
import { cursorLease, cursorRelease, cursorsAwaited, cursorsFree, webhooksDue } from './queries.ts';
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
  /** The sandbox's clock was moved: what is due is sent at once. */
  press(): void;
  /** Every endpoint that is enabled: what of it is due at this moment, and when something will be. */
  awaited(now: Date): Promise<readonly EndpointAwaited[]>;
  /** Sends until the signal; resolves when what was on its way is written. */
  run(signal: AbortSignal): Promise<void>;
}

/** What whoever moves the clock waits for. */
export interface EndpointAwaited {
  readonly owner_id: bigint;
  readonly webhook_id: bigint;
  readonly due_at: Date | null;
  readonly next_at: Date | null;
  /** Its log goes on behind its cursor, and the last try didn't fail. */
  readonly behind: boolean;
}

const LOOK_MS = 500;
/** The clock goes so far ahead of the real one only where somebody moves it. */
const MOVED_MS = 1_000;

interface Held {
  readonly sender: Sender;
  readonly process: bigint;
  receiver: Receiver;
}

/** Long: which endpoints this process holds is one state. */
export function createDelivery(options: DeliveryOptions): Delivery {
  const { database, clock, business, log, lease } = options;
  const held = createHeld();
  /** Nothing more is begun for these; what was on its way ends. Another sender of them has to wait. */
  const leaving = new Map<string, Promise<void>>();
  /** Nothing of these is on its way, and the database could not be told. */
  const unreleased = new Set<Held>();
  /** As they were looked at last. */
  const heads = new Map<bigint, bigint>();
  let aheadMs = aheadNow();

  async function lookOnce(): Promise<void> {
    const receivers = new Map((await options.receivers()).map((one) => [nameOf(one.owner, one.id), one]));
    dropOld(receivers);
    for (const one of unreleased) await release(one);
    const living = [...(await lease.living())];
    for (const { owner_id, webhook_id } of await cursorsFree(database, living)) {
      const name = nameOf(owner_id, webhook_id);
      const receiver = receivers.get(name);
      const before = held.get(owner_id, webhook_id);
      // It was set to another place meanwhile: who began at the old one goes first.
      if (before) letGo(before);
      else if (receiver && !leaving.has(name) && lease.held()) await begin(receiver, living);
    }
    await replaySome(options, (owner, webhook) => held.get(owner, webhook)?.receiver.wants ?? null);
    for (const { owner_id, webhook_id } of await webhooksDue(database, business.now()))
      held.get(owner_id, webhook_id)?.sender.wake();
    await lookAtHeads();
    const beforeMs = aheadMs;
    aheadMs = aheadNow();
    if (aheadMs - beforeMs > MOVED_MS) press();
  }

  function aheadNow(): number {
    return business.now().getTime() - clock.now().getTime();
  }

  function press(): void {
    for (const { sender } of held.all()) sender.press();
  }

  async function awaited(now: Date): Promise<EndpointAwaited[]> {
    const enabled = new Set((await options.receivers()).map((one) => nameOf(one.owner, one.id)));
    const cursors = await cursorsAwaited(database, now);
    const those = cursors.filter(({ owner_id, webhook_id }) => enabled.has(nameOf(owner_id, webhook_id)));
    const owners = [...new Set(those.map(({ owner_id }) => owner_id))];
    const logs = new Map((await headsOf(database, owners)).map((head) => [head.owner_id, head.position]));
    return those.map(({ position, failing_since, ...one }) => ({
      ...one,
      behind: failing_since === null && position < (logs.get(one.owner_id) ?? 0n),
    }));
  }

  /** Those that are disabled or gone, and those that were begun under a number that is dead by now. */
  function dropOld(receivers: ReadonlyMap<string, Receiver>): void {
    for (const one of held.all()) {
      const receiver = receivers.get(nameOf(one.receiver.owner, one.receiver.id));
      if (!receiver || one.process !== lease.process()) letGo(one);
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
    held.put({ sender, process, receiver });
  }

  /** What another process has numbered. */
  async function lookAtHeads(): Promise<void> {
    for (const { owner_id, position } of await headsOf(database, held.owners())) {
      if (heads.get(owner_id) !== position) wake(owner_id);
      heads.set(owner_id, position);
    }
  }

  function wake(owner: bigint): void {
    for (const { sender } of held.of(owner)) sender.wake();
  }

  /** Nobody waits for it: a receiver that hangs would hold up all others. */
  function letGo(one: Held): void {
    const { owner, id } = one.receiver;
    held.remove(one);
    const name = nameOf(owner, id);
    const gone = one.sender
      .stop()
      .then(() => release(one))
      .catch((error: unknown) => {
        unreleased.add(one);
        log.warn({ err: error }, 'an endpoint could not be let go; tried again');
      })
      .finally(() => leaving.delete(name));
    leaving.set(name, gone);
  }

  async function release(one: Held): Promise<void> {
    await cursorRelease(database, one.receiver.owner, one.receiver.id, one.process);
    unreleased.delete(one);
  }

  return {
    wake,
    press,
    awaited,
    async run(signal) {
      while (!signal.aborted) {
        await lookOnce().catch((error: unknown) => log.warn({ err: error }, 'endpoints could not be looked at'));
        await clock.sleep(LOOK_MS, signal).catch(() => undefined);
      }
      for (const one of held.all()) letGo(one);
      await Promise.all(leaving.values());
    },
  };
}

const nameOf = (owner: bigint, webhook: bigint): string => `${owner}/${webhook}`;

/** The endpoints that this process sends to, by owner. */
function createHeld() {
  const byOwner = new Map<bigint, Map<bigint, Held>>();
  return {
    get: (owner: bigint, webhook: bigint): Held | undefined => byOwner.get(owner)?.get(webhook),
    of: (owner: bigint): readonly Held[] => [...(byOwner.get(owner)?.values() ?? [])],
    owners: (): bigint[] => [...byOwner.keys()],
    all: (): Held[] => [...byOwner.values()].flatMap((theirs) => [...theirs.values()]),
    put(one: Held): void {
      const { owner, id } = one.receiver;
      const theirs = byOwner.get(owner) ?? new Map<bigint, Held>();
      byOwner.set(owner, theirs.set(id, one));
    },
    remove({ receiver: { owner, id } }: Held): void {
      const theirs = byOwner.get(owner);
      theirs?.delete(id);
      if (theirs?.size === 0) byOwner.delete(owner);
    },
  };
}
