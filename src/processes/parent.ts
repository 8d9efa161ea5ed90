// The parent of several server processes: begins them, begins another one in the place of one that dies, asks all of them for who asks
// one, and ends them. It takes the connections and hands each to the next process; it reads nothing of them.
// Rule: none of them outlives it, and it does nothing of the servers' work.
import cluster, { type Worker } from 'node:cluster';
import type { Clock, Log } from '../base/index.ts';
import { type Connection, LEASE_TIMES, StartError } from '../store/index.ts';
import { tell, type Watched, watchOver } from './liveness.ts';
import type { Answers, Census, Question, Serving, ToParent } from './messages.ts';

export interface ParentOptions {
  readonly processes: number;
  readonly connection: Connection | null;
  readonly clock: Clock;
  readonly log: Log;
  /** One that says nothing for so long is killed; by default as long as a lease: then the others take it for dead, too. */
  readonly silentMs?: number;
}

export interface Parent {
  /** Of the first one. */
  readonly serving: Serving;
  /** False: one of them had to be killed. */
  stop(): Promise<boolean>;
}

/** A process that takes longer to end is killed: what it has to close has 20 s, and its own last second. */
const STOP_MS = 23_000;
/** Waits before another one begins; the last of them from then on, and the first again behind one that lived for a minute. */
const WAITS_MS = [100, 200, 500, 1_000, 2_000, 5_000, 10_000] as const;
const LONG_LIFE_MS = 60_000;
/** Who doesn't answer in time doesn't serve. */
const ANSWER_MS = 2_000;

/** At the first start: one that is killed more often is not begun again. */
const MOST_KILLED = 5;

/** How one ended before it served. */
interface Ended {
  readonly code: number | null;
  readonly signal: string | null;
}

/** One of the places, and who has it now. */
interface Place extends Watched {
  worker: Worker | null;
  serving: Serving | null;
  begunAtMs: number;
  /** In a row, without a long life between them. */
  ends: number;
  restarts: number;
  lastLease: string | null;
}

/**
 * Long: who has which place is one state, shared by the few who begin, replace and end them. Resolves when all serve. Throws a StartError when one of them doesn't come up; it has said why.
 */
export async function startProcesses(options: ParentOptions): Promise<Parent> {
  const { processes, connection, clock, log, silentMs = LEASE_TIMES.leaseMs } = options;
  cluster.schedulingPolicy = cluster.SCHED_RR;
  const stopping = new AbortController();
  const places = Array.from(
    { length: processes },
    (_, i): Place => ({
      process: i + 1,
      worker: null,
      serving: null,
      begunAtMs: 0,
      ends: 0,
      restarts: 0,
      lastLease: null,
      unheard: 0,
    }),
  );
  const desk = questions(places, clock);
  let onDuty: Place | null = null;
  /** Until then one that ends by itself is the end of all. */
  let begunAll = false;

  /** One that serves does what only one has to do. */
  function assignDuty(): void {
    if (onDuty?.serving) return;
    onDuty = places.find(({ serving }) => serving !== null) ?? null;
    if (onDuty?.worker) tell(onDuty.worker, { kind: 'duty' });
  }

  /** Resolves when it serves, with null, or when it has ended before. */
  function begin(place: Place): Promise<Ended | null> {
    const worker = cluster.fork();
    place.worker = worker;
    place.begunAtMs = clock.elapsed();
    resetUntaken(worker);
    const begun = Promise.withResolvers<Ended | null>();
    worker.on('message', (message: ToParent) => {
      place.unheard = 0;
      if (message.kind === 'pong') return;
      if (message.kind === 'answer') return desk.answered(place, message.id, message.answer);
      if (message.kind === 'gather') return void desk.gather(worker, message.id, message.question);
      place.serving = message;
      place.lastLease = message.lease;
      assignDuty();
      begun.resolve(null);
    });
    // Of a channel to a process that has just died; its end is told by itself.
    worker.on('error', (error) => log.warn({ err: error, process: place.process }, 'a server process was not reached'));
    worker.once('exit', (code, signal) => {
      place.worker = null;
      place.serving = null;
      desk.left(place);
      begun.resolve({ code, signal });
      if (stopping.signal.aborted || !begunAll) return;
      assignDuty();
      void replace(place, { code, signal });
    });
    const { process, lastLease: deadLease } = place;
    worker.once('online', () => tell(worker, { kind: 'begin', process, connection, deadLease }));
    return begun.promise;
  }

  /** False: it is not begun again, all are ending. */
  async function waited(place: Place, { code, signal }: Ended): Promise<boolean> {
    place.ends = clock.elapsed() - place.begunAtMs > LONG_LIFE_MS ? 0 : place.ends + 1;
    const waitMs = WAITS_MS[Math.max(0, place.ends - 1)] ?? WAITS_MS[WAITS_MS.length - 1] ?? 0;
    log.error({ process: place.process, code, signal, waitMs }, 'a server process has ended; another takes its place');
    await clock.sleep(waitMs, stopping.signal).catch(() => undefined);
    if (stopping.signal.aborted) return false;
    place.restarts++;
    return true;
  }

  async function replace(place: Place, ended: Ended): Promise<void> {
    if (!(await waited(place, ended))) return;
    if ((await begin(place)) === null) log.info({ process: place.process }, 'a server process serves again');
  }

  /** At the first start. Who was killed from outside had no reason of its own: another takes its place. False: it ended by itself. */
  async function comesUp(place: Place): Promise<boolean> {
    for (let killed = 0; killed < MOST_KILLED; killed++) {
      const ended = await begin(place);
      if (ended === null) return true;
      if (ended.signal === null || !(await waited(place, ended))) return false;
    }
    return false;
  }

  async function stop(): Promise<boolean> {
    stopping.abort(new Error('stopping'));
    const late = new AbortController();
    const ends = places.flatMap(({ worker }) => (worker ? [endOf(worker, late.signal)] : []));
    const deadline = new AbortController();
    const killed = clock.sleep(STOP_MS, deadline.signal).then(
      () => late.abort(new Error('it takes too long')),
      () => undefined,
    );
    const clean = await Promise.all(ends);
    deadline.abort(new Error('all have ended'));
    await killed;
    return clean.every(Boolean);
  }

  // The first makes what is missing in the database and in the data directory; the others find it.
  const [first, ...others] = places;
  const serving = first && (await comesUp(first)) ? first.serving : null;
  if (!serving || !(await Promise.all(others.map(comesUp))).every(Boolean)) {
    await stop();
    throw new StartError(`One of ${processes} server processes did not start: see above.`);
  }
  begunAll = true;
  // Who died while the others were still beginning.
  for (const place of places) if (!place.worker) void replace(place, { code: null, signal: null });
  void watchOver(places, { clock, log, silentMs }, stopping.signal);
  return { serving, stop };
}

/** True: it ended by itself, without a fault. At the signal it is killed. */
function endOf(worker: Worker, late: AbortSignal): Promise<boolean> {
  return new Promise((resolve) => {
    late.addEventListener('abort', () => worker.process.kill('SIGKILL'), { once: true });
    worker.once('exit', (code) => resolve(code === 0));
    tell(worker, { kind: 'stop' });
  });
}

interface Handle {
  close(): void;
}

/**
 * A connection that was handed to a process which died before it took it would stay open without anybody: it is closed, so that its
 * client knows at once. One at a time is on its way to a process for each port.
 */
function resetUntaken(worker: Worker): void {
  const { process } = worker;
  const send = process.send.bind(process) as (...args: unknown[]) => boolean;
  const underWay = new Map<unknown, Handle>();
  process.send = (...args: unknown[]): boolean => {
    const [message, handle] = args as [{ key?: unknown }, Handle | undefined];
    if (handle) underWay.set(message.key, handle);
    return send(...args);
  };
  // One that was taken has been closed here; that is done once only.
  worker.once('exit', () => {
    for (const handle of underWay.values()) handle.close();
  });
}

/** What one process wants to know of all. */
function questions(places: readonly Place[], clock: Clock) {
  let ids = 0;
  const open = new Map<number, { readonly place: Place; readonly resolve: (answer: string | null) => void }>();

  function ask(place: Place, question: Question): Promise<string | null> {
    const { worker } = place;
    if (!worker) return Promise.resolve(null);
    const id = ++ids;
    const { promise, resolve } = Promise.withResolvers<string | null>();
    open.set(id, { place, resolve });
    tell(worker, { kind: 'ask', id, question });
    const answered = new AbortController();
    const late = clock.sleep(ANSWER_MS, answered.signal).then(
      () => null,
      () => null,
    );
    return Promise.race([promise, late]).finally(() => {
      open.delete(id);
      answered.abort(new Error('answered'));
    });
  }

  const census = (): Census => ({
    wanted: places.length,
    serving: places.filter(({ serving }) => serving !== null).length,
    restarts: places.map(({ restarts }) => restarts),
  });

  return {
    answered(place: Place, id: number, answer: string): void {
      const asked = open.get(id);
      if (asked?.place === place) asked.resolve(answer);
    },
    /** Nobody waits for its answers any longer. */
    left(place: Place): void {
      for (const asked of open.values()) if (asked.place === place) asked.resolve(null);
    },
    async gather(worker: Worker, id: number, question: Question): Promise<void> {
      const there = places.filter(({ serving }) => serving !== null);
      const answers: Answers = await Promise.all(
        there.map(async (place) => ({ process: place.process, answer: await ask(place, question) })),
      );
      // Who has died meanwhile is none that doesn't answer.
      const still = answers.filter(({ answer }, i) => answer !== null || there[i]?.serving);
      tell(worker, { kind: 'gathered', id, answers: still, census: census() });
    },
  };
}
