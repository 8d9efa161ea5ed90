// Sends one endpoint its events: each try goes out, and what it came to is kept.
// Rules: what fails waits beside the log, and is tried again by the plan. While the circuit is open the log waits, and nothing piles up.
import type { Clock, IdMaker, Log, Permutation, Random } from '../../base/index.ts';
import type { Database } from '../../store/index.ts';
import type { LoggedEvent } from '../log/index.ts';
import { type Done, openLedger } from './ledger.ts';
import { messageOf } from './out.ts';
import { createPace } from './pace.ts';
import type { Cursor, DeliveryRow, Standing, Trigger } from './queries.ts';
import type { Figures, Posted, PostOut, Receiver, Standings } from './receiver.ts';
import { nextTryAt, type Verdict, verdictOf } from './schedule.ts';
import type { Sending, Slots } from './slots.ts';
import { stoodAfter } from './standing.ts';
import { type Item, openWindow } from './window.ts';

export interface SenderDeps {
  readonly database: Pick<Database, 'query' | 'transaction'>;
  /** Real time: of tries and their signatures. */
  readonly clock: Clock;
  /** Of what is tried again when. */
  readonly business: Clock;
  readonly ids: IdMaker;
  readonly random: Random;
  readonly log: Log;
  readonly permutation: Pick<Permutation, 'outward'>;
  readonly post: PostOut;
  readonly standings: Standings;
  /** Absent: nobody counts. */
  readonly figures?: Figures;
  readonly slots: Slots;
  readonly agent: string;
  /** False: this process may have been taken for dead. */
  readonly mayBegin: () => boolean;
}

export interface Sender {
  /** The endpoint as it is set up now. */
  update(receiver: Receiver): void;
  /** Its owner's log has grown, or something of it is due again. */
  wake(): void;
  /** The sandbox's clock was moved: what is due again goes out whatever the pace, and an open circuit alone holds up the log. */
  press(): void;
  /** Begins nothing more; resolves when what was under way is written. What takes longer than a moment is cut off, and sent again later. */
  stop(): Promise<void>;
}

/** Nothing of it went out. */
const NOT_SENT: Posted = { status: null, cause: 'internal', retryAfterMs: null, ms: 0, address: null, response: '' };

const SLOW_MS = 2_000;
/** What is due again so soon is not left to the next look for it. */
const SOON_MS = 10_000;

/** What is on its way may take so long to end when nothing more is to be sent. */
const GRACE_MS = 3_000;
/** What could not be read is read again. */
const AGAIN_MS = 500;
/** Who moves the clock presses again while he waits. */
const PRESSED_MS = 1_000;

/** A try, and what came of it. */
interface Tried {
  readonly item: Item;
  readonly sentAt: Date;
  readonly posted: Posted;
  /** It was sent to see whether the endpoint is back. */
  readonly probe: boolean;
}

/** Long: one endpoint's window, pace and standing are one state. */
export function openSender(deps: SenderDeps, first: Receiver, cursor: Cursor, process: bigint): Sender {
  const { database, clock, business, ids, random, log, standings, slots } = deps;
  const { owner, id: webhook } = first;
  const { failing_since, failing_told, succeeded_at, circuit_open } = cursor;
  let receiver = first;
  let standing: Standing = { failing_since, failing_told, succeeded_at, circuit_open };
  let stopped = false;
  let slow = false;
  let alarmed = false;
  let stopping: Promise<void> | null = null;
  const cut = new AbortController();
  let pressedUntilMs = Number.NEGATIVE_INFINITY;
  const ending = new AbortController();
  const underWay = new Set<Promise<void>>();
  const pace = createPace(receiver.concurrency, succeeded_at !== null);
  const onLost = (): void => void stop();
  const from = cursor.position;
  const ledger = openLedger({ database, clock, log, process, owner, webhook, standing, from, onLost });
  const window = openWindow({
    database,
    business,
    log,
    ledger,
    from,
    receiver: () => receiver,
    isOpen: pace.isOpen,
    onRead: () => slots.ready(sending),
    onFailed: () => after(AGAIN_MS, window.read),
    waiting: (event) => rowOf(event, { state: 'waiting', trigger: 'first', tries: 0, next_at: null }),
  });

  const sending: Sending = {
    owner,
    isSlow: () => slow,
    begin() {
      if (stopped || !deps.mayBegin()) return null;
      const nowMs = clock.elapsed();
      const allowed = pace.allows(underWay.size, nowMs);
      const pressed = nowMs < pressedUntilMs && underWay.size < receiver.concurrency;
      if (!allowed && !pressed) {
        lookAgainAt(pace.nextMs(nowMs));
        return null;
      }
      const replays = pace.replays();
      const item = !allowed && pace.isOpen() ? window.nextDue(replays) : window.next(replays);
      if (!item) return null;
      const sent = send(item, pace.isOpen()).finally(() => underWay.delete(sent));
      pace.sent(nowMs);
      underWay.add(sent);
      return sent;
    },
  };

  const after = (ms: number, work: () => void): void => {
    clock.sleep(Math.max(1, ms), ending.signal).then(work, () => undefined);
  };

  /** The pace will allow then what it doesn't now, without an answer before. */
  function lookAgainAt(atMs: number | null): void {
    if (atMs === null || alarmed) return;
    alarmed = true;
    after(atMs - clock.elapsed(), () => {
      alarmed = false;
      slots.ready(sending);
    });
  }

  function rowOf(
    { event_id, position, subject_id, type }: LoggedEvent,
    became: Pick<DeliveryRow, 'state' | 'trigger' | 'tries' | 'next_at'>,
    row: DeliveryRow | null = null,
  ): DeliveryRow {
    const now = business.now();
    const of = { owner_id: owner, webhook_id: webhook, event_id, position, subject_id, type };
    return { ...of, ...became, created_at: row?.created_at ?? now, updated_at: now };
  }

  async function send(item: Item, probe: boolean): Promise<void> {
    const { event, row } = item;
    try {
      if (event.body === null) {
        // Its days are over: nothing is left to be sent.
        const became = { state: 'skipped', trigger: row?.trigger ?? 'first', tries: row?.tries ?? 0 } as const;
        conclude(item, { attempt: null, delivery: rowOf(event, { ...became, next_at: null }, row) });
        return;
      }
      const sentAt = clock.now();
      const posted = await deliver(item, event.body, sentAt).catch((error: unknown) => {
        log.error({ err: error }, 'an event could not be sent');
        return NOT_SENT;
      });
      if (cut.signal.aborted && posted.cause === 'stopped') return keepCut({ item, posted, sentAt, probe });
      slow = posted.ms > SLOW_MS;
      pace.answered(posted, clock.elapsed());
      deps.figures?.tried({ posted, trigger: triggerOf(item), attempt: tryOf(item), event: item.event.event_id });
      await settle({ item, posted, sentAt, probe });
    } catch (error) {
      log.error({ err: error }, 'what follows from a delivery could not be written');
    } finally {
      window.ended(item);
    }
  }

  const triggerOf = ({ row }: Item): Trigger => row?.trigger ?? 'first';
  const tryOf = ({ row }: Item): number => (row?.tries ?? 0) + 1;

  function deliver(item: Item, text: string, at: Date): Promise<Posted> {
    const tried = { event: item.event.event_id, text, trigger: triggerOf(item), attempt: tryOf(item), at };
    return deps.post({ ...messageOf(deps, receiver, tried), signal: cut.signal });
  }

  /** Nobody knows what became of it: it stays where it is, and whoever sends next sends it again. */
  const keepCut = (tried: Tried): void => ledger.tried({ attempt: attemptOf(tried), delivery: null });

  const conclude = ({ event, row }: Item, done: Done): void =>
    row ? ledger.tried(done) : ledger.passed(event.position, done);

  function attemptOf({ item, posted, sentAt }: Tried): NonNullable<Done['attempt']> {
    const { event_id, type } = item.event;
    const { status, cause, address, ms, response } = posted;
    const of = { owner_id: owner, webhook_id: webhook, id: ids.real(), event_id, type };
    return {
      ...of,
      trigger: triggerOf(item),
      attempt: tryOf(item),
      sent_at: sentAt,
      ms,
      address,
      status,
      cause,
      response,
    };
  }

  async function settle(tried: Tried): Promise<void> {
    const { item, posted, probe } = tried;
    const verdict = verdictOf(posted);
    const now = business.now();
    const attempt = attemptOf(tried);
    // What is sent to see whether it is back again costs nothing: the event stays where it is.
    if (probe && verdict !== 'delivered' && !item.row) {
      window.back(item);
      ledger.tried({ attempt, delivery: null });
    } else if (verdict === 'delivered') {
      const { event, row } = item;
      const ended = { state: 'delivered', trigger: triggerOf(item), tries: tryOf(item), next_at: null } as const;
      conclude(item, { attempt, delivery: row && rowOf(event, ended, row) });
      if (receiver.ordered) await window.over(event);
    } else await failed(tried, attempt, now);
    await stand(verdict, now);
  }

  async function failed({ item, posted }: Tried, attempt: Done['attempt'], now: Date): Promise<void> {
    const { event, row } = item;
    const next_at = nextTryAt(tryOf(item), now, random.int(1_001) / 1_000, posted.retryAfterMs);
    const [state, trigger] = next_at ? (['retrying', 'retry'] as const) : (['given_up', triggerOf(item)] as const);
    if (next_at) window.failed(event);
    conclude(item, { attempt, delivery: rowOf(event, { state, trigger, tries: tryOf(item), next_at }, row) });
    if (next_at) {
      const wait = next_at.getTime() - now.getTime();
      if (wait < SOON_MS) after(wait, window.read);
      return;
    }
    await window.over(event);
    await standings.givenUp(owner, webhook, event.event_id);
    if (row && (standing.succeeded_at === null || standing.succeeded_at < row.created_at)) await disable('given_up');
  }

  async function disable(reason: 'gone' | 'given_up'): Promise<void> {
    await standings.disable(owner, webhook, reason);
    void stop();
  }

  async function stand(verdict: Verdict, now: Date): Promise<void> {
    const stood = stoodAfter(standing, verdict, now, pace.isOpen());
    if (stood) {
      standing = stood.standing;
      ledger.standing(standing);
      if (stood.tell) await standings[stood.tell](owner, webhook);
    }
    if (verdict === 'gone') await disable('gone');
  }

  async function stopAll(): Promise<void> {
    stopped = true;
    ending.abort(new Error('stopped'));
    slots.remove(sending);
    const ended = new AbortController();
    clock.sleep(GRACE_MS, ended.signal).then(
      () => cut.abort(new Error('stopped')),
      () => undefined,
    );
    await Promise.all(underWay);
    ended.abort(new Error('ended'));
    await window.stop();
    await ledger.flush();
  }

  function stop(): Promise<void> {
    stopping ??= stopAll();
    return stopping;
  }

  window.read();
  return {
    update(to) {
      receiver = to;
      pace.limit(to.concurrency);
      window.read();
    },
    wake: window.read,
    press() {
      pressedUntilMs = clock.elapsed() + PRESSED_MS;
      window.read();
    },
    stop,
  };
}
