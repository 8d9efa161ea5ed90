// What an endpoint gets next: read from its owner's log behind its cursor, and what is due again beside it.
// Rule: first tries of one resource go one behind the other; in an ordered endpoint a resource of which something failed waits for that.
import type { Clock, Log } from '../../base/index.ts';
import type { Database } from '../../store/index.ts';
import { bodiesOf, headOf, type LoggedEvent, logAfter } from '../log/index.ts';
import type { Ledger } from './ledger.ts';
import { type DeliveryRow, deliveriesDue, subjectsHeld, waitingNext } from './queries.ts';
import type { Receiver } from './receiver.ts';

export interface Item {
  readonly event: LoggedEvent;
  /** null: from the log. */
  readonly row: DeliveryRow | null;
}

export interface WindowOptions {
  readonly database: Pick<Database, 'query' | 'transaction'>;
  readonly business: Clock;
  readonly log: Log;
  readonly receiver: () => Receiver;
  readonly ledger: Ledger;
  readonly from: bigint;
  /** The circuit is open: what was read is enough. */
  readonly isOpen: () => boolean;
  /** Something may be there to be sent. */
  readonly onRead: () => void;
  /** It couldn't be read: it has to be looked at again. */
  readonly onFailed: () => void;
  readonly waiting: (event: LoggedEvent) => DeliveryRow;
}

export interface Window {
  /** Looks for more, beside what is done. */
  read(): void;
  /**
   * The next that may go: what is due again, or the first of the log whose resource is not on its way; what is replayed only where less than
   * `replays` of that is on its way. Taken until `ended`.
   */
  next(replays: number): Item | null;
  /** Of what is due again alone. */
  nextDue(replays: number): Item | null;
  /** It is done, one way or the other; what was kept of it is with the ledger. */
  ended(item: Item): void;
  /** It was sent as a probe: it is the first again. */
  back(item: Item): void;
  /** A resource's delivery has failed, or has come to its end: in an ordered endpoint the next ones wait, or go on. */
  failed(event: LoggedEvent): void;
  over(event: LoggedEvent): Promise<void>;
  /** Reads nothing more. */
  stop(): Promise<void>;
}

/** So many events of the log may be under way or not written yet. */
const MOST = 512;
const READ = 128;
const DUE = 32;

/** Long: what was read, is under way and is held up is one state. */
export function openWindow(options: WindowOptions): Window {
  const { database, business, log, receiver, ledger, isOpen, onRead, onFailed } = options;
  const { owner, id: webhook } = receiver();
  let stopped = false;
  let reading: Promise<void> | null = null;
  let again = false;
  let readTo = options.from;
  const ready: Item[] = [];
  const retries: Item[] = [];
  /** A line of its own: neither keeps the other from being read. */
  const replayed: Item[] = [];
  let replaying = 0;
  const busy = new Set<bigint>();
  /** Events that are due again and were read. */
  const trying = new Set<bigint>();
  let looks = 0;
  let alternate = false;
  /** Those whose end was written, by the look that was the last to begin before: it may have found them as they were. */
  const tried = new Map<bigint, number>();
  /** Resources of which something failed, and how much was put behind that. null: not read yet. */
  let held: Map<bigint, number> | null = null;

  function read(): void {
    again = true;
    if (stopped) return;
    reading ??= readAll().then(
      () => {
        reading = null;
        if (!stopped) onRead();
      },
      (error: unknown) => {
        reading = null;
        log.warn({ err: error }, 'events of an endpoint could not be read; tried again');
        onFailed();
      },
    );
  }

  async function readAll(): Promise<void> {
    while (again && !stopped) {
      again = false;
      if (!receiver().ordered) held = null;
      else if (!held) await readHeld();
      if (retries.length < DUE / 2 || replayed.length < DUE / 2) await readDue();
      await readLog();
    }
  }

  async function readHeld(): Promise<void> {
    await ledger.flush();
    const subjects = await database.transaction((inside) => subjectsHeld(inside, owner, webhook, business.now()));
    held = new Map(subjects.map((subject) => [subject, 0]));
  }

  async function readDue(): Promise<void> {
    const look = ++looks;
    const rows = await deliveriesDue(database, owner, webhook, business.now(), DUE * 2);
    const due = rows.filter((row) => !trying.has(row.event_id) && tried.get(row.event_id) !== look);
    for (const { event_id } of due) trying.add(event_id);
    if (due.length > 0) {
      const ids = due.map(({ event_id }) => event_id);
      const bodies = await bodiesOf(database, owner, ids);
      for (const row of due) {
        const line = row.trigger === 'replay' ? replayed : retries;
        line.push({ event: { ...row, body: bodies.get(row.event_id) ?? null }, row });
      }
    }
    for (const [event, at] of tried) if (at < look) tried.delete(event);
  }

  async function readLog(): Promise<void> {
    if (ready.length >= READ / 2 || (isOpen() && ready.length > 0)) return;
    if (ledger.pending() >= MOST) {
      // Most of it is being written: then there is room.
      void ledger.flush().then(read);
      return;
    }
    const head = await headOf(database, owner);
    if (head <= readTo) return;
    const events = await logAfter(database, owner, readTo, READ);
    for (const event of events) take(event);
    const last = events.at(-1)?.position ?? head;
    readTo = events.length === READ || last > head ? last : head;
    ledger.readUpTo(readTo);
    if (events.length === READ) again = true;
  }

  function take(event: LoggedEvent): void {
    // Never told of itself: a delivery that fails would be the cause of the next.
    if (event.subject_id === webhook || !receiver().wants(event.type)) return;
    ledger.opened(event.position);
    if (!putBehind(event)) ready.push({ event, row: null });
  }

  /** What came before it of its resource has not been delivered: it waits for that. */
  function putBehind(event: LoggedEvent): boolean {
    const before = held?.get(event.subject_id);
    if (before === undefined) return false;
    held?.set(event.subject_id, before + 1);
    ledger.passed(event.position, { attempt: null, delivery: options.waiting(event) });
    return true;
  }

  /** What failed before what is replayed. */
  function nextDue(replays: number): Item | null {
    const retry = retries.shift();
    if (retry) return retry;
    const item = replaying < replays ? replayed.shift() : undefined;
    if (item) replaying++;
    return item ?? null;
  }

  function nextOfLog(): Item | null {
    for (;;) {
      const at = ready.findIndex(({ event }) => !busy.has(event.subject_id));
      const [item] = at < 0 ? [] : ready.splice(at, 1);
      if (item && putBehind(item.event)) continue;
      if (item) busy.add(item.event.subject_id);
      return item ?? null;
    }
  }

  return {
    read,
    next(replays) {
      // What is due again and what is new share what may go.
      alternate = !alternate;
      const item = alternate ? (nextDue(replays) ?? nextOfLog()) : (nextOfLog() ?? nextDue(replays));
      // Where nothing may go, nothing changes by looking again: who wakes it, or what ends, says so.
      if (item && ready.length < READ / 2) read();
      return item;
    },
    nextDue,
    ended({ event, row }) {
      if (row?.trigger === 'replay') replaying--;
      if (!row) busy.delete(event.subject_id);
      // Not before it is written: it would be found due once more.
      else
        void ledger.flush().finally(() => {
          trying.delete(event.event_id);
          tried.set(event.event_id, looks);
        });
    },
    back(item) {
      ready.unshift(item);
    },
    failed({ subject_id }) {
      if (held && !held.has(subject_id)) held.set(subject_id, 0);
    },
    async over({ subject_id }) {
      try {
        await goOn(subject_id);
      } catch (error) {
        // What is held up is read anew.
        held = null;
        throw error;
      } finally {
        read();
      }
    },
    async stop() {
      stopped = true;
      await reading;
    },
  };

  async function goOn(subject_id: bigint): Promise<void> {
    for (let done = false; held?.has(subject_id) && !done; ) {
      const behind = held.get(subject_id);
      await ledger.flush();
      const found = await database.transaction((inside) =>
        waitingNext(inside, owner, webhook, subject_id, business.now()),
      );
      // Something was put behind it meanwhile: it is looked for once more.
      done = found || held.get(subject_id) === behind;
      if (done && !found) held.delete(subject_id);
    }
  }
}
